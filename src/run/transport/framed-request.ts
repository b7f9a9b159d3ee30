/** One request in unusual HTTP/1.1 framing or on a connection of its own, as bytes (RFC 9112): what HTTP libraries do not write. Pure. */

import type { Framing } from '../../plan/scenario.ts';
import type { Header, SentRequest } from '../../record/exchange.ts';

/** The request as recorded, with the header lines that are sent, and its bytes. */
export function frameRequest(request: SentRequest, framing: Framing): { request: SentRequest; bytes: Uint8Array } {
  const target = framing === 'absolute-form' ? `${request.scheme}://${request.host}${request.target}` : request.target;
  const headers: Header[] = [
    ['Host', request.host],
    ...(framing === 'duplicate-host' ? ([['Host', request.host]] as const) : []),
    ['Connection', framing === 'kept-open' || framing === 'own-connection' ? 'keep-alive' : 'close'],
    ...request.headers.flatMap((header) => (isTwice(header, framing) ? [header, header] : [header])),
    ...lengthHeaders(request.body.length, framing),
  ];
  const head = [
    `${request.method} ${target} HTTP/${framing === 'http-1.0' ? '1.0' : '1.1'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const body = framing === 'chunked' ? chunks(request.body) : request.body;
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  return { request: { ...request, target, headers }, bytes };
}

function isTwice([name]: Header, framing: Framing): boolean {
  return `duplicate-${name.toLowerCase()}` === framing;
}

function lengthHeaders(length: number, framing: Framing): Header[] {
  const exact: Header = ['Content-Length', String(length)];
  switch (framing) {
    case 'chunked':
      return [['Transfer-Encoding', 'chunked']];
    case 'duplicate-content-length':
      return [exact, exact];
    case 'content-length-too-long':
      return [['Content-Length', String(length + 10)]];
    case 'content-length-too-short':
      return [['Content-Length', String(Math.max(length - 5, 0))]];
    default:
      return [exact];
  }
}

/** The body in two chunks and the last, empty one. */
function chunks(body: Uint8Array): Uint8Array {
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  return Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);
}
