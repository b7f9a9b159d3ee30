/** Sends one request over HTTP/1, and records request and response without the secrets. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { Framing } from '../../plan/scenario.ts';
import { reasonOf } from '../../record/errors.ts';
import type { Exchange, Header, ReceivedResponse, SentRequest } from '../../record/exchange.ts';
import { answerTooLarge, headerValues, maxBodyBytes, trimBlanks } from '../../record/exchange.ts';
import { isUnreached } from '../../rules/answers/acceptance.ts';
import { redactorFor } from '../secrets/secret.ts';

interface TransportOptions {
  readonly deadlineMs?: number;
  /** Deadline if the Content-Length is too long, because a target may not answer then. Default: 400 milliseconds. */
  readonly framedDeadlineMs?: number;
  /** Milliseconds to watch an idle connection (`kept-open`). The default is one second more than section 8 requires. */
  readonly silenceMs?: number;
  /** Sends all requests over one connection, to reveal a gateway that keeps state for each connection. */
  readonly oneConnection?: boolean;
  readonly ca?: string | undefined;
  /** Removes secrets from each exchange at once, so that no later code sees them. */
  readonly redactor?: ReturnType<typeof redactorFor>;
}

export interface Transport {
  /** Sends a request. If no answer arrives, does not throw, but returns an exchange with `failure`. */
  send(request: SentRequest, framing?: Framing): Promise<Exchange>;
  close(): Promise<void>;
}

/** Default limits in milliseconds. With the framing `kept-open`, an exchange waits `silenceMs` after the answer. */
export const transportLimits = { deadlineMs: 10_000, silenceMs: 61_000 };

/** Returns a transport that opens its own connections, follows no redirect and never retries. */
export function openTransport(options: TransportOptions = {}): Transport {
  const { redactor = redactorFor([]), deadlineMs = transportLimits.deadlineMs, framedDeadlineMs = 400, ca } = options;
  const connections = new Set<Connection>();
  let count = 0;
  const connect = (request: SentRequest): Connection => {
    const connection = openConnection(request, ca);
    connections.add(connection);
    connection.socket.once('close', () => connections.delete(connection));
    return connection;
  };
  const exchange = async (planned: SentRequest, framing: Framing | undefined): Promise<Exchange> => {
    // Wait for pending events, which may close an idle connection. Some events need two turns of the event loop.
    await nextTurn();
    await nextTurn();
    const startedAt = Date.now();
    const start = performance.now();
    const record = (outcome: Outcome, request = planned): Exchange => {
      const durationMs = Math.round((performance.now() - start) * 1000) / 1000;
      return redactor.exchange({ request, ...outcome, startedAt, durationMs });
    };
    let prepared: ReturnType<typeof frameRequest> & { readonly connection: Connection };
    // Only an error before the first byte is `not-sent`, because then the request cannot have an effect.
    try {
      const framed = frameRequest(planned, framing);
      prepared = { ...framed, connection: (framing === undefined && idleIn(connections, planned)) || connect(planned) };
    } catch (cause) {
      return record({ failure: { kind: 'not-sent', message: `HTTP cannot carry the request: ${reasonOf(cause)}` } });
    }
    const { request, bytes, connection } = prepared;
    const limits = {
      deadlineMs: framing === 'content-length-too-long' ? framedDeadlineMs : deadlineMs,
      silenceMs: framing === 'kept-open' ? (options.silenceMs ?? transportLimits.silenceMs) : undefined,
    };
    const outcome = await sendBytes(connection, request, bytes, limits, () => {
      if (framing === undefined) connection.number ??= String(++count);
    });
    if (framing !== undefined) connection.socket.destroy();
    return record({ ...outcome, connection: connection.number }, request);
  };
  let previous: Promise<unknown> = Promise.resolve();
  return {
    send(request, framing) {
      const sending = options.oneConnection
        ? previous.then(() => exchange(request, framing))
        : exchange(request, framing);
      previous = sending;
      return sending;
    },
    async close() {
      for (const { socket } of connections) socket.destroy();
    },
  };
}

export function notSent(request: SentRequest, message: string): Exchange {
  return { request, failure: { kind: 'not-sent', message }, startedAt: Date.now(), durationMs: 0 };
}

interface Connection {
  readonly socket: Socket;
  readonly origin: string;
  number?: string | undefined;
  /** The connection can be reused until this time of `performance.now`. Undefined during a request. */
  idleUntil?: number | undefined;
  receive(input: Buffer | Error | 'end'): void;
}

function openConnection(request: SentRequest, ca: string | undefined): Connection {
  const origin = `${request.scheme}://${request.host}`;
  const at = { ...hostAndPort(new URL(origin)), noDelay: true };
  const servername = isIP(at.host) === 0 ? at.host : '';
  const socket =
    request.scheme === 'https' ? connectTls({ ...at, servername, ca, ALPNProtocols: ['http/1.1'] }) : connectPlain(at);
  const connection: Connection = { socket, origin, receive: () => {} };
  socket.on('data', (chunk: Buffer) => connection.receive(chunk));
  socket.on('error', (error) => connection.receive(error));
  for (const event of ['end', 'close']) socket.on(event, () => connection.receive('end'));
  return connection;
}

/** The host without IPv6 brackets, and the port or the default port of the scheme. */
export function hostAndPort({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}

function idleIn(connections: ReadonlySet<Connection>, request: SentRequest): Connection | undefined {
  for (const connection of connections) {
    const { idleUntil, origin, socket } = connection;
    if (idleUntil === undefined || origin !== `${request.scheme}://${request.host}`) continue;
    if (performance.now() < idleUntil && socket.writable) return connection;
    socket.destroy();
  }
  return undefined;
}

/** How long an idle connection is reused, in milliseconds, if the Keep-Alive header announces no timeout. */
const defaultKeepMs = 4_000;
/** The suite stops reusing an idle connection this many milliseconds before the timeout that the server announces. */
const keepMarginMs = 1_000;

function keepMs({ headers }: ReceivedResponse): number {
  const timeout = /timeout=(\d{1,6})/i.exec(headerValues(headers, 'keep-alive')[0] ?? '')?.[1];
  return timeout === undefined ? defaultKeepMs : Number(timeout) * 1000 - keepMarginMs;
}

type Outcome = Pick<Exchange, 'response' | 'failure' | 'silence' | 'connection'>;

/** Sends the bytes and returns the outcome. Calls `onSend` just before the first byte. */
function sendBytes(
  connection: Connection,
  request: SentRequest,
  bytes: Uint8Array,
  { deadlineMs, silenceMs }: { readonly deadlineMs: number; readonly silenceMs: number | undefined },
  onSend: () => void,
): Promise<Outcome> {
  const { socket } = connection;
  const { host, scheme } = request;
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    let isSent = false;
    let isReusable = false;
    const chunks = noChunks();
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      const { response } = outcome;
      const isKept = response !== undefined && isReusable && socket.writableLength === 0;
      connection.idleUntil = isKept ? performance.now() + keepMs(response) : undefined;
      // On an idle connection no event should occur. If an event occurs, close the connection.
      connection.receive = () => socket.destroy();
      if (!isKept) socket.destroy();
      resolve(outcome);
    };
    // If the connection fails after sending, use the kind `reset`: the target may have performed the request.
    const fail = (failure: NonNullable<Exchange['failure']>) =>
      end({ failure: isSent && isUnreached({ failure }) ? { ...failure, kind: 'reset' } : failure });
    const timeoutFailure = { kind: 'timeout', message: `${host} did not answer within ${deadlineMs} ms` } as const;
    let timer = setTimeout(() => fail(timeoutFailure), deadlineMs);
    const onResponse = (response: ReceivedResponse, closed: boolean) => {
      if (silenceMs === undefined) return end({ response });
      const answeredAt = performance.now();
      const close = () =>
        end({ response, silence: { waitedMs: silenceMs, closedAfterMs: Math.round(performance.now() - answeredAt) } });
      if (closed) return close();
      clearTimeout(timer);
      timer = setTimeout(() => end({ response, silence: { waitedMs: silenceMs } }), silenceMs);
      connection.receive = (input) => {
        if (!Buffer.isBuffer(input)) close();
      };
    };
    connection.receive = (input) => {
      if (input instanceof Error) return fail(failureOf(input, host));
      const closed = input === 'end';
      if (!closed) received = received.length === 0 ? input : Buffer.concat([received, input]);
      try {
        const read = readResponse(received, closed, request.method, chunks);
        isReusable = read?.isReusable === true;
        if (read !== undefined) onResponse(read.response, closed);
        else if (closed) fail({ kind: 'reset', message: `the connection to ${host} broke: the other side closed it` });
      } catch (cause) {
        if (cause instanceof RangeError) fail({ kind: 'too-large', message: cause.message });
        else fail({ kind: 'malformed', message: `${host} did not answer in HTTP/1.1: ${reasonOf(cause)}` });
      }
    };
    const send = () => {
      isSent = true;
      onSend();
      socket.write(bytes);
    };
    if (connection.idleUntil !== undefined) send();
    else socket.once(scheme === 'https' ? 'secureConnect' : 'connect', send);
    connection.idleUntil = undefined;
  });
}

const unreachableCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

function failureOf(error: NodeJS.ErrnoException, host: string): NonNullable<Exchange['failure']> {
  const { code = '' } = error;
  const reason = reasonOf(error);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) {
    return { kind: 'tls', message: `TLS with ${host} failed: ${reason}` };
  }
  if (unreachableCodes.includes(code)) return { kind: 'unreachable', message: `${host} cannot be reached (${reason})` };
  return { kind: 'reset', message: `the connection to ${host} broke: ${reason}` };
}

/** Throws Error if HTTP cannot carry the request. */
export function frameRequest(request: SentRequest, framing?: Framing): { request: SentRequest; bytes: Uint8Array } {
  const target = framing === 'absolute-form' ? `${request.scheme}://${request.host}${request.target}` : request.target;
  const headers = headersOf(request, framing);
  if (!token.test(request.method) || !/^[\x21-\xff]+$/.test(target)) throw new Error('the method or path is invalid');
  const invalid = headers.find(([name, value]) => !token.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value));
  if (invalid !== undefined) throw new Error(`the header ${JSON.stringify(invalid[0])} is invalid`);
  const head = [
    `${request.method} ${target} HTTP/${framing === 'http-1.0' ? '1.0' : '1.1'}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const body = framing === 'chunked' ? encodeChunks(request.body) : request.body;
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
  return { request: { ...request, target, headers }, bytes };
}

const token = /^[!#$%&'*+\-.^`|~\w]+$/;

function headersOf({ method, host, headers, body }: SentRequest, framing: Framing | undefined): Header[] {
  const isKeepAlive = framing === undefined || framing === 'kept-open' || framing === 'own-connection';
  const all: readonly Header[] = [
    ['host', host],
    ['connection', isKeepAlive ? 'keep-alive' : 'close'],
    ...headers.filter(([name]) => name.toLowerCase() !== 'host'),
    ...(body.length === 0 && /^(GET|HEAD)$/.test(method) ? [] : [lengthHeader(body.length, framing)]),
  ];
  return all.flatMap((header) => (`duplicate-${header[0].toLowerCase()}` === framing ? [header, header] : [header]));
}

function lengthHeader(length: number, framing: Framing | undefined): Header {
  if (framing === 'chunked') return ['transfer-encoding', 'chunked'];
  if (framing === 'content-length-too-long') return ['content-length', String(length + 10)];
  if (framing === 'content-length-too-short') return ['content-length', String(Math.max(length - 5, 0))];
  return ['content-length', String(length)];
}

function encodeChunks(body: Uint8Array): Uint8Array {
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  return Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);
}

/** A generous limit, because proxies may add many headers, and HTTP itself has no limit. */
const maxHeadBytes = 256 * 1024;

/** Undefined if bytes are missing. `closed`: no bytes follow. Throws RangeError if too large, Error if not HTTP/1. */
export function readResponse(received: Buffer, closed: boolean, method = 'POST', chunks = noChunks()) {
  const bytes = received.subarray(finalResponseStart(received) ?? received.length);
  const end = bytes.indexOf('\r\n\r\n');
  if ((end === -1 ? received.length : end) > maxHeadBytes) {
    throw new RangeError(`the headers of the answer exceed ${maxHeadBytes} bytes`);
  }
  const head = bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
  if (!head.startsWith(protocolPrefix.slice(0, head.length)) || /(?<!\r)\n/.test(head)) {
    throw new Error(`the response starts with ${JSON.stringify(head.slice(0, 40))}`);
  }
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = head.split('\r\n');
  const [, version, status, reason = ''] = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/.exec(statusLine) ?? [];
  if (status === undefined) throw new Error(`the response starts with ${JSON.stringify(statusLine.slice(0, 40))}`);
  if (status < '100') throw new Error('the status code is below 100');
  if (status === '101') throw new Error('the response changes to another protocol, which the suite did not request');
  const headers = lines.map(parseHeader);
  const isWithoutBody = method === 'HEAD' || status === '204' || status === '304';
  const rest = bytes.subarray(end + 4);
  const read = isWithoutBody ? { body: rest.subarray(0, 0), end: 0 } : readBody(rest, headers, closed, chunks);
  if (read === undefined) return undefined;
  const response: ReceivedResponse = { status: Number(status), reason, headers, body: read.body };
  const isReusable = !closed && version === '1' && read.end === rest.length && isPersistent(headers);
  return { response, isReusable };
}

const protocolPrefix = 'HTTP/1.';

/** Offset of the final response, after interim responses (RFC 9110 15.2). A response 101 counts as final. */
function finalResponseStart(bytes: Buffer): number | undefined {
  for (let at = 0; ; ) {
    const start = bytes.subarray(at, at + interimStart.length).toString('latin1');
    if (!/^HTTP\/1\.[01] 1(?!01)\d\d$/.test(start + interimStart.slice(start.length))) return at;
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) return undefined;
    at = end + 4;
  }
}

const interimStart = 'HTTP/1.1 100';

function parseHeader(line: string): Header {
  if (/^[ \t]/.test(line)) throw new Error('a header is continued on a second line (RFC 9112 5.2)');
  const [, name, blank] = /^([!#$%&'*+\-.^`|~\w]+)([ \t]*):/.exec(line) ?? [];
  if (name === undefined) throw new Error('a header line has no name before a colon');
  if (blank !== '') throw new Error('a header has a blank before its colon (RFC 9112 5.1)');
  if (/[^\t\x20-\x7e\x80-\xff]/.test(line)) throw new Error('a header has an invalid character');
  return [name, trimBlanks(line.slice(name.length + 1))];
}

/** False if there are several length headers, or `Connection: close` (RFC 9112 6.3 and 9.6). */
function isPersistent(headers: readonly Header[]): boolean {
  const lengths = ['content-length', 'transfer-encoding'].flatMap((name) => headerValues(headers, name));
  return lengths.length < 2 && !headerValues(headers, 'connection').some((value) => /\bclose\b/i.test(value));
}

/** The chunks that were read so far. Each call continues at `next`: to start again would take quadratic time. */
type Chunks = { next: number; length: number; readonly ranges: (readonly [start: number, end: number])[] };

function noChunks(): Chunks {
  return { next: 0, length: 0, ranges: [] };
}

function readBody(rest: Buffer, headers: readonly Header[], closed: boolean, chunks: Chunks): Body | undefined {
  const lengths = new Set(headerValues(headers, 'content-length'));
  if (lengths.size > 1) throw new Error(`the response has two lengths, ${[...lengths].join(' and ')} (RFC 9112 6.3)`);
  const isChunked = headerValues(headers, 'transfer-encoding')[0]?.toLowerCase() === 'chunked';
  const read = isChunked ? readChunks(rest, chunks) : readToEnd(rest, [...lengths][0], closed);
  const length = read?.body.length ?? (isChunked ? chunks.length : rest.length);
  // A chunked body may be several times longer than its data, so the limit for received bytes is larger.
  if (length > maxBodyBytes || rest.length > 8 * maxBodyBytes) throw new RangeError(answerTooLarge.message);
  return read;
}

type Body = { readonly body: Buffer; readonly end: number };

function readToEnd(rest: Buffer, length: string | undefined, closed: boolean): Body | undefined {
  if (length === undefined) return closed ? { body: rest, end: rest.length } : undefined;
  if (!/^\d+$/.test(length)) throw new Error(`the Content-Length is ${length || 'empty'}`);
  const end = Number(length);
  return rest.length >= end ? { body: rest.subarray(0, end), end } : undefined;
}

function readChunks(rest: Buffer, chunks: Chunks): Body | undefined {
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', chunks.next);
    if (lineEnd === -1) return undefined;
    const [, digits] = /^([\da-f]+)[ \t]*(?:;|$)/i.exec(rest.toString('latin1', chunks.next, lineEnd)) ?? [];
    if (digits === undefined) throw new Error('a chunk has no size');
    const start = lineEnd + 2;
    const end = start + Number.parseInt(digits, 16);
    if (end === start) {
      const trailers = rest.indexOf('\r\n\r\n', lineEnd);
      if (trailers === -1) return undefined;
      return { body: Buffer.concat(chunks.ranges.map(([from, to]) => rest.subarray(from, to))), end: trailers + 4 };
    }
    if (rest.length < end + 2) return undefined;
    if (rest[end] !== 0x0d || rest[end + 1] !== 0x0a)
      throw new Error('a chunk does not have the size that it announces');
    chunks.ranges.push([start, end]);
    chunks.length += end - start;
    chunks.next = end + 2;
  }
}
