/** An answer read from the bytes of a connection (RFC 9112). */
import {
  answerTooLarge,
  type Header,
  headerValues,
  mostBodyBytes,
  type ReceivedResponse,
  withoutBlanks,
} from '../../record/exchange.ts';

export interface Progress {
  /** Where in the body the next chunk begins. Restarting on every read would be quadratic. */
  chunk: number;
  /** Bytes of data in the chunks before it. */
  length: number;
  /** Whether another request may follow over the connection, once the answer is whole. */
  stays: boolean;
}

/** HTTP has no bound for the head of an answer; what comes before a gateway may add cookies and policies to it. */
const mostHeadBytes = 256 * 1024;

/** Undefined while it is incomplete. `closed`: no more bytes follow. Throws RangeError if it is too large, and Error if it is not HTTP/1.1. */
export function readResponse(
  received: Buffer,
  closed: boolean,
  progress: Progress = { chunk: 0, length: 0, stays: false },
  method = 'POST',
): ReceivedResponse | undefined {
  const bytes = received.subarray(startOfFinal(received) ?? received.length);
  const end = bytes.indexOf('\r\n\r\n');
  if ((end === -1 ? received.length : end) > mostHeadBytes) {
    throw new RangeError(`the headers of the answer exceed ${mostHeadBytes} bytes`);
  }
  const head = bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
  if (!head.startsWith(protocol.slice(0, head.length)) || /(?<!\r)\n/.test(head)) {
    throw new Error(`the response starts with ${JSON.stringify(head.slice(0, 40))}`);
  }
  if (end === -1) return undefined;
  const [first = '', ...lines] = head.split('\r\n');
  const [, version, status, reason = ''] = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/.exec(first) ?? [];
  if (status === undefined) throw new Error(`the response starts with ${JSON.stringify(first.slice(0, 40))}`);
  if (status < '100') throw new Error('its status is not one of HTTP');
  if (status === '101') throw new Error('it changes to another protocol, which nobody asked for');
  const headers = lines.map(headerIn);
  const isWithoutBody = method === 'HEAD' || status === '204' || status === '304';
  const rest = bytes.subarray(end + 4);
  const read = isWithoutBody ? { body: rest.subarray(0, 0), end: 0 } : readBody(rest, headers, closed, progress);
  if (read === undefined) return undefined;
  progress.stays = !closed && version === '1' && read.end === rest.length && mayStay(headers);
  return { status: Number(status), reason, headers, body: read.body };
}

const protocol = 'HTTP/1.';

/** Where the final response begins, behind any number of those that only announce it (RFC 9110 15.2). 101 is final. */
function startOfFinal(bytes: Buffer): number | undefined {
  for (let at = 0; ; ) {
    const start = bytes.subarray(at, at + announcement.length).toString('latin1');
    if (!/^HTTP\/1\.[01] 1(?!01)\d\d$/.test(start + announcement.slice(start.length))) return at;
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) return undefined;
    at = end + 4;
  }
}

const announcement = 'HTTP/1.1 100';

/** RFC 9112 5. */
function headerIn(line: string): Header {
  if (/^[ \t]/.test(line))
    throw new Error('a header is continued on a second line, which starts with a blank (RFC 9112 5.2)');
  const [, name, blank] = /^([!#$%&'*+\-.^`|~\w]+)([ \t]*):/.exec(line) ?? [];
  if (name === undefined) throw new Error('a line of its headers has no name with a colon behind it');
  if (blank !== '') throw new Error('a header has a blank before its colon (RFC 9112 5.1)');
  if (/[^\t\x20-\x7e\x80-\xff]/.test(line)) throw new Error('a header has a character that none may have');
  return [name, withoutBlanks(line.slice(name.length + 1))];
}

/** The length is given once, and nobody said that the connection ends (RFC 9112 6.3 and 9.6). */
function mayStay(headers: readonly Header[]): boolean {
  const lengths = ['content-length', 'transfer-encoding'].flatMap((name) => headerValues(headers, name));
  return lengths.length < 2 && !headerValues(headers, 'connection').some((value) => /\bclose\b/i.test(value));
}

interface Read {
  readonly body: Buffer;
  readonly end: number;
}

function readBody(rest: Buffer, headers: readonly Header[], closed: boolean, progress: Progress): Read | undefined {
  const lengths = new Set(headerValues(headers, 'content-length'));
  if (lengths.size > 1) throw new Error(`it gives its length twice, as ${[...lengths].join(' and ')} (RFC 9112 6.3)`);
  const isChunked = headerValues(headers, 'transfer-encoding')[0]?.toLowerCase() === 'chunked';
  const read = isChunked ? readChunks(rest, progress) : readToEnd(rest, [...lengths][0], closed);
  const length = read?.body.length ?? (isChunked ? progress.length : rest.length);
  // Of chunks of one byte each most is framing.
  if (length > mostBodyBytes || rest.length > 8 * mostBodyBytes) throw new RangeError(answerTooLarge.message);
  return read;
}

function readToEnd(rest: Buffer, given: string | undefined, closed: boolean): Read | undefined {
  if (given === undefined) return closed ? { body: rest, end: rest.length } : undefined;
  if (!/^\d+$/.test(given)) throw new Error(`its Content-Length is ${given || 'empty'}`);
  const end = Number(given);
  return rest.length >= end ? { body: rest.subarray(0, end), end } : undefined;
}

function readChunks(rest: Buffer, progress: Progress): Read | undefined {
  for (const { start, end, last } of chunksFrom(progress.chunk, rest)) {
    if (last !== undefined) {
      const body = Buffer.concat(Array.from(chunksFrom(0, rest), (chunk) => rest.subarray(chunk.start, chunk.end)));
      return { body, end: last };
    }
    progress.chunk = end + 2;
    progress.length += end - start;
  }
  return undefined;
}

/** Where the data of each whole chunk begins and ends; `last`: where the answer ends, behind the last one, which is empty, and its trailers. */
function* chunksFrom(first: number, rest: Buffer): Generator<{ start: number; end: number; last?: number }> {
  for (let at = first; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return;
    const [, digits] = /^([\da-f]+)[ \t]*(?:;|$)/i.exec(rest.toString('latin1', at, lineEnd)) ?? [];
    if (digits === undefined) throw new Error('a chunk has no size');
    const start = lineEnd + 2;
    const end = start + Number.parseInt(digits, 16);
    if (end === start) {
      const trailers = rest.indexOf('\r\n\r\n', lineEnd);
      if (trailers !== -1) yield { start, end, last: trailers + 4 };
      return;
    }
    if (rest.length < end + 2) return;
    if (rest[end] !== 0x0d || rest[end + 1] !== 0x0a) throw new Error('a chunk does not end where its size says');
    yield { start, end };
    at = end + 2;
  }
}
