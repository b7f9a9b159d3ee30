/** An answer read from raw bytes (RFC 9112), and what in its head keeps undici from reading it. */
import { type Header, type ReceivedResponse, withoutBlanks } from '../../record/exchange.ts';

/** How far chunks were read of bytes to which more are added: to begin anew each time would cost the square of their number. */
export interface Progress {
  /** Where in the body the next chunk begins. */
  chunk: number;
}

/** The final response; undefined while it is incomplete. Throws Error for bytes that are not HTTP/1.1. `closed`: no more will come. */
export function readResponse(
  received: Buffer,
  closed: boolean,
  progress: Progress = { chunk: 0 },
): ReceivedResponse | undefined {
  const bytes = received.subarray(startOfFinal(received) ?? received.length);
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) {
    if (closed && received.length > 0) throw new Error('the connection ended inside the response head');
    return undefined;
  }
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(first);
  if (status === null) throw new Error(`the response starts with ${JSON.stringify(first.slice(0, 40))}`);
  const headers = lines.map((line): Header => {
    const at = line.indexOf(':');
    if (at < 1) throw new Error(`a header line is ${JSON.stringify(line.slice(0, 40))}`);
    return [line.slice(0, at), withoutBlanks(line.slice(at + 1))];
  });
  const body = isWithoutBody(status[1]!)
    ? Buffer.alloc(0)
    : readBody(bytes.subarray(end + 4), headers, closed, progress);
  return body && { status: Number(status[1]), reason: status[2] ?? '', headers, body };
}

/**
 * Where the final response begins, behind those that only announce it; undefined where none of it has come. RFC 9110 15.2: a
 * client reads any number of them, also where it expects none. 101 is final: the connection is another one from then on.
 */
export function startOfFinal(bytes: Buffer): number | undefined {
  for (let at = 0; ; ) {
    const start = bytes.subarray(at, at + announcement.length).toString('latin1');
    if (!/^HTTP\/1\.[01] 1(?!01)\d\d$/.test(start + announcement.slice(start.length))) return at;
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) return undefined;
    at = end + 4;
  }
}

/** What a start that is too short is taken to become. */
const announcement = 'HTTP/1.1 100';

/** RFC 9112 6.3. */
function isWithoutBody(status: string): boolean {
  return /^(?:1..|204|304)$/.test(status);
}

function readBody(rest: Buffer, headers: readonly Header[], closed: boolean, progress: Progress): Buffer | undefined {
  const valuesOf = (wanted: string) =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
  if (valuesOf('transfer-encoding')[0]?.toLowerCase() === 'chunked') return readChunks(rest, progress);
  const [length, ...others] = new Set(valuesOf('content-length'));
  if (length === undefined) return closed ? rest : undefined;
  if (others.length > 0 || !/^\d+$/.test(length)) {
    throw new Error(`its Content-Length is ${[length, ...others].join(' and ') || 'empty'}`);
  }
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
}

function readChunks(rest: Buffer, progress: Progress): Buffer | undefined {
  for (const [start, end] of chunksFrom(progress.chunk, rest)) {
    if (start === end) return Buffer.concat(Array.from(chunksFrom(0, rest), (chunk) => rest.subarray(...chunk)));
    progress.chunk = end + 2;
  }
  return undefined;
}

/** Where the data of each whole chunk begins and ends, to the last one, which is empty. */
function* chunksFrom(first: number, rest: Buffer): Generator<readonly [start: number, end: number]> {
  for (let at = first; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return;
    const [, digits] = /^([\da-f]+)[ \t]*(?:;|$)/i.exec(rest.subarray(at, lineEnd).toString('latin1')) ?? [];
    if (digits === undefined) throw new Error('a chunk has no size');
    const start = lineEnd + 2;
    const end = start + Number.parseInt(digits, 16);
    if (rest.length < end + 2) return;
    if (end > start && (rest[end] !== 0x0d || rest[end + 1] !== 0x0a)) {
      throw new Error('a chunk does not end where its size says');
    }
    yield [start, end];
    if (end === start) return;
    at = end + 2;
  }
}

/**
 * A line of the headers that is none (RFC 9112 5). Once undici has read a Content-Length it tells any fault of a later line as one of
 * the length of the body. Undefined where the head ends and each line is one.
 */
export function unreadHeader(received: Uint8Array): string | undefined {
  // Interim answers have heads of their own before it.
  const text = Buffer.from(received)
    .toString('latin1')
    .replace(/^(?:HTTP\/1\.1 1\d\d[\s\S]*?\r\n\r\n)+/, '');
  const end = text.indexOf('\r\n\r\n');
  const [, ...lines] = (end === -1 ? text : text.slice(0, end)).split('\r\n');
  return lines.map(faultOf).find((fault) => fault !== undefined);
}

function faultOf(line: string): string | undefined {
  if (/^[ \t]/.test(line)) return 'a header is continued on a second line, which starts with a blank (RFC 9112 5.2)';
  if (/^[!#$%&'*+\-.^`|~\w]+[ \t]+:/.test(line)) return 'a header has a blank before its colon (RFC 9112 5.1)';
  if (!/^[!#$%&'*+\-.^`|~\w]+:/.test(line)) return 'a line of its headers has no name with a colon behind it';
  return /[\0\n\r]/.test(line) ? 'a header has a character that none may have' : undefined;
}
