/** Converts Node's request to ours, and our reply to Node's response, without any loss. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Header, SentRequest } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import type { Arrival } from './received.ts';
import { dated, type Reply } from './responses.ts';

/**
 * Returns the whole body; `too-large` if it exceeds the limit; `gone` if the client disconnects early.
 * @param keeps called with each chunk; if it returns false, the chunks so far are dropped
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  keeps: (chunk: Uint8Array) => boolean = () => true,
): Promise<Uint8Array | 'too-large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large');
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) resolve('too-large');
      else if (keeps(chunk)) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once('error', () => resolve('gone'));
    request.once('close', () => resolve('gone'));
  });
}

/** A connection stays open this long after an early refusal, so that the client can read the refusal. */
export const lingerMs = 1_000;

/** A request target in absolute form replaces the Host header (RFC 9112 section 3.2.2). */
const absoluteForm = /^https?:\/\/([^/?#]+)([^#]*)/i;

export function received(request: IncomingMessage, scheme: 'http' | 'https', body: Uint8Array): SentRequest {
  const headers: Header[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    headers.push([request.rawHeaders[i]!, request.rawHeaders[i + 1]!]);
  }
  const common = { method: request.method ?? '', scheme, headers, body };
  const absolute = absoluteForm.exec(request.url ?? '');
  if (absolute) return { ...common, host: absolute[1]!, target: absolute[2] || '/' };
  return { ...common, host: request.headers.host ?? '', target: request.url ?? '' };
}

export function connectionNumbers(): (socket: Socket) => string {
  let last = 0;
  return memoize(() => String(++last));
}

/** Facts on a request that no stored record has, such as its connection. */
export function arrivalOf({ httpVersion, socket, url = '' }: IncomingMessage): Arrival {
  return { connection: socket, httpVersion, isAbsolute: absoluteForm.test(url) };
}

/** Writes the reply. If the reply has no Date header, `time` (milliseconds since the Unix epoch) becomes the Date header. */
export async function writeReply(
  reply: Reply,
  time: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (reply.delayMs) await new Promise((resolve) => setTimeout(resolve, reply.delayMs).unref());
  if (response.destroyed) return;
  const headers = dated(connectionHeaders(reply.headers, request), time);
  response.writeHead(reply.status, reply.reason, headers.flat());
  if (reply.cutAfter === undefined) {
    if (request.method === 'HEAD') response.end();
    // Node sends a string in one write with the head, but a buffer in a separate write. So send a small body as a string.
    else if (reply.body.length <= 65_536) response.end(Buffer.from(reply.body).toString('latin1'), 'latin1');
    else response.end(reply.body);
  } else {
    response.write(reply.body.subarray(0, reply.cutAfter), () => request.socket.destroySoon());
  }
}

/** Answers 413 before the whole body has arrived. Then discards further bytes: if the socket closed, the client would lose the answer. */
export function refuseUnread(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, ['Content-Length', '0', 'Connection', 'close']);
  response.flushHeaders();
  request.resume();
  const timer = setTimeout(() => response.end(), lingerMs);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
}

/** Closes the connection if the client asks for it (RFC 9112 section 9.6). */
function connectionHeaders(headers: readonly Header[], request: IncomingMessage): readonly Header[] {
  const wanted = (request.headers.connection ?? '').toLowerCase();
  const ends = request.httpVersion === '1.0' ? !wanted.includes('keep-alive') : wanted.includes('close');
  if (!ends) return headers;
  return [...headers.filter(([name]) => !/^(connection|keep-alive)$/i.test(name)), ['Connection', 'close']];
}
