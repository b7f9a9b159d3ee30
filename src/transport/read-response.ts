/** Reads the first HTTP/1.1 response out of the bytes of a connection (RFC 9112 sections 4 to 6). Pure. */
import type { Header, ReceivedResponse } from '../exchange/exchange.ts';

/** The response; undefined while it is incomplete. Throws Error for bytes that are not HTTP/1.1. `closed`: no more will come. */
export function readResponse(bytes: Buffer, closed: boolean): ReceivedResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) {
    if (closed && bytes.length > 0) throw new Error('the connection ended inside the response head');
    return undefined;
  }
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(first);
  if (status === null) throw new Error(`the response starts with ${JSON.stringify(first.slice(0, 40))}`);
  const headers = lines.map((line): Header => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  const body = readBody(bytes.subarray(end + 4), headers, closed);
  return body && { status: Number(status[1]), reason: status[2] ?? '', headers, body };
}

function readBody(rest: Buffer, headers: readonly Header[], closed: boolean): Buffer | undefined {
  const headerValue = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (headerValue('transfer-encoding')?.toLowerCase() === 'chunked') return readChunks(rest);
  const length = headerValue('content-length');
  if (length === undefined) return closed ? rest : undefined;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
}

function readChunks(rest: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString('latin1'), 16);
    if (!Number.isFinite(size)) throw new Error('a chunk has no size');
    const start = lineEnd + 2;
    if (rest.length < start + size + 2) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(start, start + size));
    at = start + size + 2;
  }
}
