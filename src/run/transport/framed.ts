/** A request as bytes, in ordinary framing or in one that HTTP libraries do not write. */
import type { Framing } from '../../plan/scenario.ts';
import type { Header, SentRequest } from '../../record/exchange.ts';

/** The request as recorded, with the header lines that are sent, and its bytes. Throws Error for one that HTTP cannot carry. */
export function frameRequest(request: SentRequest, framing?: Framing): { request: SentRequest; bytes: Uint8Array } {
  const target = framing === 'absolute-form' ? `${request.scheme}://${request.host}${request.target}` : request.target;
  const headers = framing === undefined ? ordinaryHeaders(request) : framedHeaders(request, framing);
  if (!token.test(request.method) || !/^[\x21-\xff]+$/.test(target)) throw new Error('its method or path is none');
  const wrong = headers.find(([name, value]) => !token.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value));
  if (wrong !== undefined) throw new Error(`its header ${JSON.stringify(wrong[0])} is none`);
  const head = [
    `${request.method} ${target} HTTP/${framing === 'http-1.0' ? '1.0' : '1.1'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const body = framing === 'chunked' ? chunks(request.body) : request.body;
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  return { request: { ...request, target, headers }, bytes };
}

const token = /^[!#$%&'*+\-.^`|~\w]+$/;

function ordinaryHeaders({ method, host, headers, body }: SentRequest): Header[] {
  const given = headers.filter(([name]) => name.toLowerCase() !== 'host');
  const isBare = body.length === 0 && /^(GET|HEAD)$/.test(method);
  const length: Header[] = isBare ? [] : [['content-length', String(body.length)]];
  return [['host', host], ['connection', 'keep-alive'], ...given, ...length];
}

function framedHeaders({ host, headers, body }: SentRequest, framing: Framing): Header[] {
  return [
    ['Host', host],
    ...(framing === 'duplicate-host' ? ([['Host', host]] as const) : []),
    ['Connection', framing === 'kept-open' || framing === 'own-connection' ? 'keep-alive' : 'close'],
    ...headers.flatMap((header) => (isTwice(header, framing) ? [header, header] : [header])),
    ...lengthHeaders(body.length, framing),
  ];
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
