/** Sends one request and captures both directions; the only place of the run that opens connections. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import type { Framing } from '../../plan/scenario.ts';
import { reasonOf } from '../../record/errors.ts';
import {
  type Exchange,
  type FailureKind,
  type Header,
  mostBodyBytes,
  type SentRequest,
} from '../../record/exchange.ts';
import { neverArrived } from '../../rules/answers/acceptance.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { type Connections, watchConnections } from './connections.ts';
import { sendFramed } from './framed.ts';
import { readResponse, startOfFinal, unreadHeader } from './read-response.ts';

export interface TransportOptions {
  /** Milliseconds for one exchange, connecting included. */
  readonly deadlineMs: number;
  /** The same where a Content-Length is too long: the target waits for what never comes, and its silence is an answer too. */
  readonly framedDeadlineMs: number;
  /** How long a connection that is kept open is left silent: a second more than section 8 says that it is kept. */
  readonly silenceMs?: number;
  /** Greatest response body that is read; a longer one is a failure. */
  readonly maxBodyBytes: number;
  /** Connections to a host at most; any number by default. With one, what a gateway remembers of a connection shows. */
  readonly connections?: number;
  /** PEM of a certificate authority to trust besides those of the machine. */
  readonly ca?: string;
}

export interface Transport {
  /** Never throws for what the target does: a missing answer is an exchange with a failure. */
  send(request: SentRequest): Promise<Exchange>;
  /** The same in framing that HTTP libraries do not write, over a connection of its own. */
  sendFramed(request: SentRequest, framing: Framing): Promise<Exchange>;
  close(): Promise<void>;
}

/** Longest time that an exchange takes besides its deadline. */
export const silenceMs = 61_000;

export const transportDefaults: TransportOptions = {
  deadlineMs: 10_000,
  framedDeadlineMs: 400,
  maxBodyBytes: mostBodyBytes,
};

/** HTTP has no bound for the head of an answer; what comes before a gateway may add cookies and policies to it. */
const mostHeadBytes = 256 * 1024;

/** A transport with connections of its own; redirects are not followed and nothing is sent twice. */
export function openTransport(options: TransportOptions = transportDefaults): Transport {
  const agent = new Agent({
    connect: { timeout: options.deadlineMs, ca: options.ca },
    headersTimeout: options.deadlineMs,
    bodyTimeout: options.deadlineMs,
    pipelining: 1,
    maxHeaderSize: mostHeadBytes,
    connections: options.connections,
  });
  const connections = watchConnections(options.maxBodyBytes);
  return {
    send: (request) => exchange(agent, request, options, connections),
    sendFramed: (request, framing) =>
      sendFramed(request, framing, {
        ...options,
        deadlineMs: framing === 'content-length-too-long' ? options.framedDeadlineMs : options.deadlineMs,
        silenceMs: options.silenceMs ?? silenceMs,
      }),
    close: () => agent.destroy(),
  };
}

async function exchange(
  agent: Agent,
  request: SentRequest,
  options: TransportOptions,
  connections: Connections,
): Promise<Exchange> {
  await connectionsSeen();
  const startedAt = Date.now();
  const start = performance.now();
  let connection = (): string | undefined => undefined;
  let received = (): Buffer => Buffer.alloc(0);
  const done = (outcome: Pick<Exchange, 'response' | 'failure'>): Exchange => ({
    request: asWritten(request),
    ...outcome,
    startedAt,
    durationMs: Math.round((performance.now() - start) * 1000) / 1000,
    connection: connection(),
  });
  try {
    const watch = connections.watch(() =>
      agent.request({
        origin: `${request.scheme}://${request.host}`,
        path: request.target,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers.flat() as string[],
        body: request.body.length === 0 ? null : request.body,
        responseHeaders: 'raw',
        signal: AbortSignal.timeout(options.deadlineMs),
      }),
    );
    ({ connection, received } = watch);
    const answer = await watch.started;
    const body = await readBounded(answer.body, options.maxBodyBytes);
    if (body === undefined) {
      return done({
        failure: { kind: 'too-large', message: `the response body exceeds ${options.maxBodyBytes} bytes` },
      });
    }
    const headers = pairs(answer.headers as unknown as readonly string[]);
    return done({ response: { status: answer.statusCode, reason: answer.statusText ?? '', headers, body } });
  } catch (cause) {
    const failure = failureOf(cause, request.host, options.deadlineMs, received());
    // Once its head is on the way the fate of the request is unknown: a TLS record that cannot be read may be the answer.
    const sent = connection() !== undefined && neverArrived({ failure });
    const readByHand = framedTwice(received(), request.host) ?? withoutBody(cause, received());
    return done(readByHand ?? { failure: sent ? { ...failure, kind: 'reset' } : failure });
  }
}

/**
 * Lets this process see that a connection was ended: signing and judging keep it from its sockets, and a request that is written
 * to a connection whose end has already come is lost. It may not be sent again, since nobody knows whether it was read. An end is
 * read in one turn of the event loop, and undici hears of it in the next.
 */
async function connectionsSeen(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/**
 * What becomes of an answer whose length is given twice, which undici refuses: by Content-Length and Transfer-Encoding, or by
 * Content-Length repeated. RFC 9112 6.3 says how it is read, and judges speak of it; without its end nothing can be said.
 */
function framedTwice(received: Buffer, host: string): Pick<Exchange, 'response' | 'failure'> | undefined {
  const end = received.indexOf('\r\n\r\n');
  const head = received.subarray(0, Math.max(end, 0)).toString('latin1');
  const lengths = [...head.matchAll(/^content-length:[ \t]*(.*?)[ \t]*$/gim)].map(([, value]) => value);
  const framings = new Set(lengths).size + Number(/^transfer-encoding:/im.test(head));
  if (lengths.length === 0 || (framings < 2 && lengths.length < 2)) return undefined;
  const message = `${host} gave the length of its answer twice, by Content-Length and otherwise (RFC 9112 6.3)`;
  try {
    const response = new Set(lengths).size === 1 ? readResponse(received, false) : undefined;
    return response ? { response } : { failure: { kind: 'malformed', message } };
  } catch {
    return { failure: { kind: 'malformed', message } };
  }
}

/**
 * An answer of 204 or 304 ends with its head, and a 304 may say how long a body would have been (RFC 9110 8.6): undici takes the absence
 * of that body for a fault.
 */
function withoutBody(cause: unknown, received: Buffer): Pick<Exchange, 'response'> | undefined {
  if ((cause as { code?: string }).code !== lengthMismatch || unreadHeader(received) !== undefined) return undefined;
  const start = startOfFinal(received);
  const isOfThose = /^HTTP\/1\.[01] (?:204|304)\D/.test(received.subarray(start).toString('latin1', 0, 13));
  return isOfThose ? { response: readResponse(received, false) } : undefined;
}

/** The request with the header lines that undici writes of itself, in the order in which they are on the wire. */
function asWritten(request: SentRequest): SentRequest {
  const given = request.headers.filter(([name]) => name.toLowerCase() !== 'host');
  const isBare = request.body.length === 0 && /^(GET|HEAD)$/.test(request.method);
  const length: Header[] = isBare ? [] : [['content-length', String(request.body.length)]];
  return { ...request, headers: [['host', request.host], ['connection', 'keep-alive'], ...given, ...length] };
}

async function readBounded(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** undici gives raw header lines as one flat list of names and values, as strings or buffers. */
function pairs(flat: readonly (string | Uint8Array)[]): Header[] {
  const text = (part: string | Uint8Array | undefined) =>
    typeof part === 'string' ? part : Buffer.from(part ?? []).toString('latin1');
  return Array.from({ length: flat.length / 2 }, (_, i) => [text(flat[2 * i]), text(flat[2 * i + 1])] as const);
}

/** What undici calls a body that is not as long as was said. */
const lengthMismatch = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

const failureKinds: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  [lengthMismatch]: 'malformed',
};

function failureOf(
  cause: unknown,
  host: string,
  deadlineMs: number,
  received: Uint8Array,
): { kind: FailureKind; message: string } {
  const error = cause as { name?: string; code?: string; message?: string };
  const code = error.code ?? '';
  const reason = reasonOf(cause);
  if (error.name === 'TimeoutError')
    return { kind: 'timeout', message: `${host} did not answer within ${deadlineMs} ms` };
  const unread = error.name === 'HTTPParserError' ? reason : whyUnread(code, reason, received);
  if (unread !== undefined) return { kind: 'malformed', message: `${host} did not answer in HTTP/1.1: ${unread}` };
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code))
    return { kind: 'tls', message: `TLS with ${host} failed: ${reason}` };
  const kind = failureKinds[code] ?? 'reset';
  if (kind === 'unreachable') return { kind, message: `${host} cannot be reached (${reason})` };
  if (kind === 'timeout') return { kind, message: `${host} did not answer within ${deadlineMs} ms` };
  if (kind === 'too-large') return { kind, message: `the headers of the answer exceed ${mostHeadBytes} bytes` };
  return { kind, message: `the connection to ${host} broke: ${reason}` };
}

/** What undici meets with a line of its code, with two words, or with a reason that is another. */
function whyUnread(code: string, reason: string, received: Uint8Array): string | undefined {
  if (code === lengthMismatch) return unreadHeader(received);
  if (code === 'ERR_ASSERTION') return 'its status is not one of HTTP';
  return reason === 'bad upgrade' ? 'it changes to another protocol, which nobody asked for' : undefined;
}

/** Redacts at capture: nothing behind this transport ever sees the secrets. */
export function redactingTransport(transport: Transport, redactor: Redactor): Transport {
  return {
    send: async (request) => redactor.exchange(await transport.send(request)),
    sendFramed: async (request, framing) => redactor.exchange(await transport.sendFramed(request, framing)),
    close: () => transport.close(),
  };
}
