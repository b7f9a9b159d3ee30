/** Sends one request in unusual framing over a connection of its own, and captures both directions. */
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Framing } from '../../plan/scenario.ts';
import { reasonOf } from '../../record/disk/system-error.ts';
import type { Exchange, FailureKind, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { frameRequest } from './framed-request.ts';
import { type Progress, readResponse } from './read-response.ts';

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
