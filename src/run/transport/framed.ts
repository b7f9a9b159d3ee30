/** Requests in framing that HTTP libraries do not write: their bytes, and a connection that sends them. */

import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Framing } from '../../plan/scenario.ts';
import { reasonOf } from '../../record/errors.ts';
import type { Exchange, FailureKind, Header, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { type Progress, readResponse } from './read-response.ts';

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

export interface FramedOptions {
  readonly deadlineMs: number;
  /** How long a connection that is kept open is left silent after the answer. */
  readonly silenceMs: number;
  readonly maxBodyBytes: number;
  readonly ca?: string;
}

/** Never throws for what the target does: silence, a reset or nonsense are failures of the exchange. */
export async function sendFramed(request: SentRequest, framing: Framing, options: FramedOptions): Promise<Exchange> {
  const framed = frameRequest(request, framing);
  const startedAt = Date.now();
  const start = performance.now();
  const outcome = await converse(framed.request, framed.bytes, framing === 'kept-open', options);
  const durationMs = Math.round((performance.now() - start) * 1000) / 1000;
  return { request: framed.request, ...outcome, startedAt, durationMs };
}

type Outcome = Pick<Exchange, 'response' | 'failure' | 'silence'>;

function converse(
  request: SentRequest,
  bytes: Uint8Array,
  keepsOpen: boolean,
  options: FramedOptions,
): Promise<Outcome> {
  const { hostname, port } = new URL(`${request.scheme}://${request.host}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const secure = request.scheme === 'https';
    const at = { host, port: Number(port || (secure ? 443 : 80)) };
    const socket = secure ? connectTls({ ...at, servername: host, ca: options.ca }) : connectPlain(at);
    let received = Buffer.alloc(0);
    const progress: Progress = { chunk: 0 };
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const fail = (kind: FailureKind, message: string) => end({ failure: { kind, message } });
    const listen = (response: ReceivedResponse) => {
      const answeredAt = performance.now();
      const waitedMs = options.silenceMs;
      clearTimeout(timer);
      timer = setTimeout(() => end({ response, silence: { waitedMs } }), waitedMs);
      const closed = () =>
        end({ response, silence: { waitedMs, closedAfterMs: Math.round(performance.now() - answeredAt) } });
      socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      socket.on('error', closed).once('close', closed).once('end', closed).resume();
    };
    let timer = setTimeout(
      () => fail('timeout', `${request.host} did not answer within ${options.deadlineMs} ms`),
      options.deadlineMs,
    );
    const look = (closed: boolean) => {
      try {
        const response: ReceivedResponse | undefined = readResponse(received, closed, progress);
        if (response !== undefined && keepsOpen && !closed) listen(response);
        else if (response !== undefined) end({ response, ...(keepsOpen ? { silence: closedAtOnce(options) } : {}) });
        else if (closed) fail('reset', `${request.host} closed the connection without an answer`);
        else if (received.length > options.maxBodyBytes) fail('too-large', 'the response is too large');
      } catch (cause) {
        fail(
          'malformed',
          `${request.host} did not answer in HTTP/1.1: ${cause instanceof Error ? cause.message : cause}`,
        );
      }
    };
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      look(false);
    });
    socket.once('end', () => look(true));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const kind = error.code === 'ECONNREFUSED' ? 'unreachable' : 'reset';
      fail(kind, `the connection to ${request.host} broke: ${reasonOf(error)}`);
    });
    socket.write(bytes);
  });
}

/** An answer that ends with its connection leaves no silence. */
function closedAtOnce({ silenceMs }: FramedOptions): NonNullable<Exchange['silence']> {
  return { waitedMs: silenceMs, closedAfterMs: 0 };
}
