/** An answer as it will be on the wire, and the small changes that an alteration makes to one. */
import type { Header } from '../record/exchange.ts';

export interface Reply {
  readonly status: number;
  readonly reason: string;
  /** In wire order. Without Content-Length the body goes out chunked. The server adds Date after them. */
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  /** Milliseconds to wait before the answer is written. */
  readonly delayMs?: number;
  /** Ends the connection after that many bytes of the body. */
  readonly cutAfter?: number;
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
};

/** An answer with its length and the keep-alive headers of section 8 after the given ones. */
export function newReply(status: number, headers: readonly Header[], body: string): Reply {
  const bytes = Buffer.from(body, 'utf8');
  const framing: Header[] = [
    ['Content-Length', String(bytes.length)],
    ['Keep-Alive', 'timeout=60'],
    ['Connection', 'keep-alive'],
  ];
  return { status, reason: reasons[status] ?? '', headers: [...headers, ...framing], body: bytes };
}

/** The same answer with another body; its Content-Length follows. */
export function withBody(reply: Reply, body: string | Uint8Array): Reply {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const headers = reply.headers.map(
    ([name, value]): Header => [name, isNamed(name, 'content-length') ? String(bytes.length) : value],
  );
  return { ...reply, headers, body: bytes };
}

/** The same answer with its body text changed. */
export function editBody(reply: Reply, edit: (text: string) => string): Reply {
  return withBody(reply, edit(Buffer.from(reply.body).toString('utf8')));
}

/** The same answer with another status and its usual reason phrase. */
export function withStatus(reply: Reply, status: number): Reply {
  return { ...reply, status, reason: reasons[status] ?? '' };
}

/** The same answer with that header set: in its old place, or first where it was absent. */
export function withHeader(reply: Reply, name: string, value: string): Reply {
  if (!reply.headers.some(([found]) => isNamed(found, name))) {
    return { ...reply, headers: [[name, value], ...reply.headers] };
  }
  return { ...reply, headers: reply.headers.map(([found, old]) => [found, isNamed(found, name) ? value : old]) };
}

/** The same answer without that header. Without Content-Length it goes out chunked. */
export function withoutHeader(reply: Reply, name: string): Reply {
  return { ...reply, headers: reply.headers.filter(([found]) => !isNamed(found, name)) };
}

function isNamed(found: string, name: string): boolean {
  return found.toLowerCase() === name.toLowerCase();
}

/** With the Date line that a server adds. */
export function dated(headers: readonly Header[], time: number): readonly Header[] {
  if (headers.some(([name]) => name.length === 4 && name.toLowerCase() === 'date')) return headers;
  const second = Math.floor(time / 1000);
  if (second !== lastDate.second) lastDate = { second, text: new Date(time).toUTCString() };
  return [...headers, ['Date', lastDate.text]];
}

/** Many answers share a second, and its text is made once. */
let lastDate = { second: Number.NaN, text: '' };
