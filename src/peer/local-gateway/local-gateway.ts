/** The gateway on loopback that a client under test calls. It sends scripted answers and records the requests. */
import { randomBytes, randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { newAuthority, truststore } from '../../mock/certificates.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import {
  connectionNumbers,
  type Junk,
  type Listener,
  openListener,
  readBody,
  refuseUnread,
} from '../../mock/listener.ts';
import { MockError } from '../../mock/mock-error.ts';
import type { LocalAnswer, LocalReply, ServerKind } from '../../record/case.ts';
import { temporaryFolder } from '../../record/disk/files.ts';
import {
  type Exchange,
  type Header,
  headerValues,
  maxBodyBytes,
  type ReceivedResponse,
  type SentRequest,
} from '../../record/exchange.ts';
import { quoteBytes } from '../adapter/faults.ts';
import type { TrustedAuthority } from '../adapter/messages.ts';

type Failure = NonNullable<Exchange['failure']>;

/** The outcome of one request. */
export type Outcome =
  | { readonly response: ReceivedResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: Failure };

/** A request whose answer is being sent. Only the first call of `end` counts. */
interface Entry {
  readonly answer: LocalAnswer;
  end(outcome: Outcome): void;
  onClose(stop: () => void): void;
}

interface NewPlace {
  /** The path segment that identifies the base URL: `x` and 16 hexadecimal digits. */
  readonly segment: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly kind: ServerKind;
  readonly claimsStrays: boolean;
  readonly answer: LocalAnswer;
}

const notFound: LocalAnswer = { kind: 'reply', status: 404, headers: [], body: new Uint8Array() };
const incompleteAnswer: Failure = { kind: 'timeout', message: 'the answer was not complete' };
/** Limits for one base URL. A correct client needs only a few requests, and at most a fifteenth of `bodyBytes`. */
export const placeLimits = { requests: 200, bodyBytes: 256 * 1024 } as const;
/** If a client exceeds `placeLimits` at this number of base URLs in a row, the suite stops testing the client. */
const maxFloods = 5;

/** A base URL for one call of the client. Every request to it gets the same answer and is recorded. */
export class Place {
  readonly options: NewPlace;
  readonly #now: () => number;
  readonly #forget: () => void;
  readonly #recorded: Exchange[] = [];
  readonly #running = new Map<Exchange, () => void>();
  readonly #events = new EventEmitter();
  /** Describes what is not recorded; undefined if all requests are recorded. */
  incomplete: string | undefined;
  /** Whether `placeLimits` are exceeded. Then the gateway accepts no more requests to this base URL. */
  isFull = false;
  /** The number of requests, including those that were not recorded. */
  requestCount = 0;
  #bytes = 0;

  constructor(options: NewPlace, now: () => number, forget: () => void) {
    this.options = options;
    this.#now = now;
    this.#forget = forget;
  }

  get baseUrl(): string {
    return this.options.baseUrl;
  }

  /** The recorded requests with their answers, in order. An unfinished answer has the failure `timeout`. */
  exchanges(): readonly Exchange[] {
    return [...this.#recorded];
  }

  async whenSettled(limitMs = 2_000): Promise<void> {
    if (this.#running.size === 0) return;
    await once(this.#events, 'settled', { signal: AbortSignal.timeout(limitMs) }).catch(() => {});
  }

  /** Stops unfinished answers. Later requests to this base URL get 404. */
  close(): void {
    this.#forget();
    for (const stop of [...this.#running.values()]) stop();
  }

  noteMissing(what: string): void {
    this.incomplete ??= what;
  }

  /** From now on, refuses requests to this base URL. `what` says which requests are not recorded. */
  markFull(what: string): void {
    if (!this.isFull) this.incomplete = what;
    this.isFull = true;
  }

  /** Counts the bytes of a body. Returns false if the gateway must not accept the body. */
  acceptBytes(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes <= placeLimits.bodyBytes || this.isFull) return !this.isFull;
    // Two requests are enough to show that the client repeats requests. Judging more would need too much memory.
    this.#recorded.length = Math.min(this.#recorded.length, 2);
    this.markFull(`all requests after the first two, because the bodies exceed ${placeLimits.bodyBytes / 1024} KB`);
    return false;
  }

  record(request: SentRequest, connection: string | undefined): Entry {
    const startedAt = this.#now();
    const started: Exchange = { request, failure: incompleteAnswer, startedAt, durationMs: 0, connection };
    this.requestCount += 1;
    this.#running.set(started, () => {});
    if (this.#recorded.length < placeLimits.requests) this.#recorded.push(started);
    else this.markFull(`all requests after the first ${placeLimits.requests}`);
    return {
      answer: this.options.answer,
      end: (outcome) => {
        const at = this.#recorded.lastIndexOf(started);
        const durationMs = this.#now() - startedAt;
        if (at !== -1) this.#recorded[at] = { request, ...outcome, startedAt, durationMs, connection };
        if (this.#running.delete(started) && this.#running.size === 0) this.#events.emit('settled');
      },
      onClose: (stop) => {
        if (this.#running.has(started)) this.#running.set(started, stop);
      },
    };
  }
}

type Places = ReturnType<typeof newPlaces>;

/** The open base URLs. `now` returns milliseconds since the Unix epoch. */
function newPlaces(now: () => number) {
  const opened = new Map<string, Place>();
  const onlyOpen = () => (opened.size === 1 ? [...opened.values()][0] : undefined);
  let floods = 0;
  let missing: string | undefined;
  const places = {
    strayCount: 0,
    open: (options: NewPlace): Place => {
      const place = new Place(options, now, () => {
        if (!opened.delete(options.segment)) return;
        floods = place.isFull ? floods + 1 : 0;
        if (floods >= maxFloods) missing ??= place.incomplete;
      });
      opened.set(options.segment, place);
      return place;
    },
    /** Finds the open base URL with the segment in `target`. No segment: the only open one, if it claims strays. */
    find: (target: string): Place | undefined => {
      const segment = /\/(x[0-9a-f]{16})(?![0-9a-f])/i.exec(target)?.[1];
      if (segment !== undefined) return opened.get(segment.toLowerCase());
      return onlyOpen()?.options.claimsStrays ? onlyOpen() : undefined;
    },
    /** Finds the base URL of an unreadable request by its first line. If none matches, returns the only open one. */
    findJunk: (line: string): Place | undefined => places.find(line) ?? onlyOpen(),
    record: (request: SentRequest, place: Place | undefined, connection?: string): Entry => {
      if (place !== undefined) return place.record(request, connection);
      places.strayCount += 1;
      return { answer: notFound, end: () => {}, onClose: () => {} };
    },
    floodError: (): string | undefined =>
      missing &&
      `The suite stopped testing the client, because ${maxFloods} calls in a row flooded the gateway. The record of the last call lacks ${missing}. ` +
        'Send one request in each call, and end the call when its answer arrives.',
    closeAll: (): void => {
      for (const place of [...opened.values()]) place.close();
    },
  };
  return places;
}

function splitDelay(answer: LocalAnswer) {
  return answer.kind === 'slow' ? { afterMs: answer.afterMs, answer: answer.slowReply } : { afterMs: 0, answer };
}

function outcomeOf(scripted: LocalAnswer, deadlineMs: number): Outcome {
  const { afterMs, answer } = splitDelay(scripted);
  if (afterMs >= deadlineMs || answer.kind === 'endless') {
    return { failure: { kind: 'timeout', message: `no complete answer within ${deadlineMs} ms` } };
  }
  if (answer.kind === 'reset') return { failure: { kind: 'reset', message: 'the connection was reset' } };
  return { response: responseOf(answer) };
}

function responseOf({ status, headers, body }: LocalReply): ReceivedResponse {
  const isFramed = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  // A response with one of these statuses has no body, so Content-Length is not added (RFC 9110 section 8.6).
  const isBodyless = status < 200 || status === 204 || status === 304;
  const lengthHeader: Header[] = isFramed || isBodyless ? [] : [['Content-Length', String(body.length)]];
  return { status, reason: '', headers: [...headers, ...lengthHeader], body };
}

const endlessPauseMs = 50;

function writeAnswer(entry: Entry, request: IncomingMessage, response: ServerResponse): void {
  const { afterMs, answer } = splitDelay(entry.answer);
  let timer: NodeJS.Timeout | undefined;
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableFinished) {
      entry.end({ failure: { kind: 'timeout', message: 'the connection ended before the answer was complete' } });
    }
  });
  entry.onClose(() => response.destroy());
  const send = (): void => {
    if (answer.kind === 'reset') {
      entry.end({ failure: { kind: 'reset', message: 'the connection was reset as planned' } });
      if (answer.closed) request.socket.end();
      else reset(request.socket);
    } else if (answer.kind === 'endless') {
      timer = writeEndlessly(response);
    } else {
      void writeReply(answer, request, response, entry);
    }
  };
  if (afterMs > 0) timer = setTimeout(send, afterMs);
  else send();
}

async function writeReply(
  reply: LocalReply,
  request: IncomingMessage,
  response: ServerResponse,
  entry: Entry,
): Promise<void> {
  const { status, headers, body } = responseOf(reply);
  response.sendDate = false;
  // HTTP/1.1 connections are persistent by default (RFC 9112 section 9.3), so omit Node's header Connection.
  if (response.shouldKeepAlive) response.removeHeader('Connection');
  // HTTP/1.0 has no chunks, so the gateway sends no Transfer-Encoding and closes the connection after the body.
  const isHttp10 = request.httpVersion === '1.0';
  response.writeHead(status, headers.filter(([name]) => !isHttp10 || name !== 'Transfer-Encoding').flat());
  const isChunked = !isHttp10 && headers.some(([name]) => name === 'Transfer-Encoding');
  const chunks = isChunked ? chunksOf(body) : [body];
  let isSeparated = true;
  response.once('finish', () => {
    entry.end(
      isSeparated
        ? { response: responseOf(reply) }
        : { failure: { kind: 'not-sent', message: 'the local gateway could not send the answer in separate chunks' } },
    );
    // After a wrong Content-Length, close the connection. Otherwise the client waits for more bytes.
    if (headerValues(reply.headers, 'content-length').some((length) => length !== String(reply.body.length)))
      request.socket.destroySoon();
  });
  for (const [at, chunk] of chunks.slice(0, -1).entries()) {
    const bytesBefore = request.socket.bytesWritten;
    await new Promise((written) => response.write(chunk, written));
    // A separate chunk has its size in hex, two line ends and its data. If the length differs, Node joined chunks.
    const framedLength = chunk.length.toString(16).length + 4 + chunk.length;
    isSeparated &&= at === 0 || request.socket.bytesWritten - bytesBefore === framedLength;
    // Wait, so that the client reads this chunk before the next one arrives.
    await pause(2);
  }
  response.end(chunks.at(-1));
}

/** Splits the body inside multi-byte characters, so that a client that decodes each chunk separately fails. */
function chunksOf(body: Uint8Array): Uint8Array[] {
  const cuts = [...body.keys()].filter((at) => body[at]! >= 0xc2).slice(0, 100);
  const starts = [0, ...cuts.map((at) => at + 1)];
  return starts.map((start, at) => body.subarray(start, starts[at + 1]));
}

/** Sends spaces for two minutes. Every format allows leading spaces, so a client has to wait for the rest. */
function writeEndlessly(response: ServerResponse): NodeJS.Timeout {
  response.writeHead(200, ['Content-Type', 'text/html;charset=utf-8']);
  response.write(' ');
  let remaining = 120_000 / endlessPauseMs;
  return setInterval(() => {
    if (--remaining > 0) response.write(' ');
    else response.destroy();
  }, endlessPauseMs);
}

/** A TLS socket cannot be reset, so this resets the TCP socket inside it. */
function reset(socket: Socket & { readonly _parent?: Socket }): void {
  (socket._parent ?? socket).resetAndDestroy();
  socket.destroy();
}

interface Connection {
  /** Whether the client accepts a certificate that cannot be verified. A correct client refuses such a certificate. */
  readonly acceptAnyCertificate: boolean;
  readonly deadlineMs: number;
}

export interface LocalGateway {
  /** The certificate authority that a client must trust; absent if the gateway uses HTTP. */
  readonly ca?: TrustedAuthority;
  /** Opens a base URL that gives every request the same answer. Resolves to the reason if no server can be started. */
  open(answer: LocalAnswer, options?: PlaceOptions): Promise<Place | Unavailable>;
  /** The number of requests that matched no open base URL. Each of these requests got 404. */
  strayCount(): number;
  /** Returns an error if the client exceeded `placeLimits` too often in a row; undefined if it did not. */
  floodError(): string | undefined;
  /** Handles a request in this process, without a socket. Reports a timeout at once if the answer would be too late. */
  handle(request: SentRequest, connection: Connection): Promise<Outcome>;
  close(): Promise<void>;
}

interface PlaceOptions {
  /** Default: `ordinary`. */
  readonly server?: ServerKind;
  /** A path to append to the base URL, such as `/PayNet/v%20x`. */
  readonly pathSuffix?: string;
  /** For clients that drop the segment: this base URL gets their requests while it is the only open base URL. */
  readonly claimStrays?: boolean;
}

interface LocalGatewayOptions {
  /** Use plain HTTP, for a client that cannot trust an additional certificate authority. */
  readonly plainHttp?: boolean;
  /** Use this name instead of 127.0.0.1, for a client that cannot verify the certificate of an IP address. */
  readonly host?: 'localhost' | undefined;
  /** Default: new certificates. */
  readonly certificates?: Certificates;
}

/** Opens a gateway with servers on 127.0.0.1. Throws DiskError if the certificate file cannot be written. */
export function openLocalGateway(options: LocalGatewayOptions = {}): LocalGateway {
  const { plainHttp = false, host = '127.0.0.1' } = options;
  const places = newPlaces(Date.now);
  const scheme = plainHttp ? 'http' : 'https';
  const receive = receiver(places, scheme, connectionNumbers());
  const { authority, hosts, serverCertificates } = plainHttp
    ? { hosts: defaultPortHosts() }
    : (options.certificates ?? issueCertificates(Date.now()));
  const onJunk = ({ reason, packet, offset, isAfterRequest }: Junk): void => {
    const [line = ''] = Buffer.from(packet.subarray(0, 4096)).toString('latin1').split('\n');
    const what = isAfterRequest ? 'bytes after a whole request' : 'a request that is not HTTP/1.1';
    places.findJunk(line)?.noteMissing(`${what}: ${reason}, at ${quoteBytes(packet.subarray(offset), 40)}`);
  };
  const servers = newServers(scheme, host, host === 'localhost' ? [host] : hosts, (host, port, kind) => {
    const tls = serverCertificates && { key: publishedIdentity.privateKeyPem, cert: serverCertificates[kind] };
    // Allow a thousand connections, because a client that never closes connections may open that many in a minute.
    const limits = { maxHeaderBytes: 64 * 1024, maxConnections: 1000, allowsNoHost: true };
    return openListener({ host, port, ...limits, tls, onJunk }, receive);
  });
  const gateway = gatewayOf(places, servers);
  if (authority === undefined) return gateway;
  const { ca, remove } = writeAuthority(authority);
  return { ...gateway, ca, close: () => gateway.close().finally(remove) };
}

function writeAuthority(pem: string): { readonly ca: TrustedAuthority; readonly remove: () => void } {
  const password = 'countersign';
  const files = { 'countersign-ca.pem': pem, 'countersign-ca.p12': truststore(pem, password) };
  const { path, remove } = temporaryFolder('countersign-client-', files);
  const store = { file: join(path, 'countersign-ca.p12'), password };
  return { ca: { file: join(path, 'countersign-ca.pem'), pem, truststore: store }, remove };
}

/** Opens a gateway without servers, for the reference client. */
export function openInProcessGateway(options: {
  readonly now: () => number;
  /** Returns a unique path segment for a base URL; default: a random segment. */
  readonly segment?: () => string;
}): LocalGateway {
  const servers: Servers = {
    origin: (kind) => Promise.resolve({ origin: inProcessOrigins[kind] }),
    close: () => Promise.resolve(),
  };
  return gatewayOf(newPlaces(options.now), servers, options.segment);
}

const inProcessOrigins: Readonly<Record<ServerKind, string>> = {
  ordinary: 'https://127.0.0.1:44380',
  'mixed-case-host': 'https://LocalHost:44380',
  'explicit-default-port': 'https://127.0.0.1:443',
  'other-authority': 'https://127.0.0.1:8444',
  'wrong-name': 'https://127.0.0.1:8445',
  expired: 'https://127.0.0.1:8446',
};

function gatewayOf(
  places: Places,
  servers: Servers,
  newSegment: () => string = () => `x${randomBytes(8).toString('hex')}`,
): LocalGateway {
  return {
    open: async (answer, { server: kind = 'ordinary', pathSuffix = '', claimStrays: claimsStrays = false } = {}) => {
      const found = await servers.origin(kind);
      if ('unavailable' in found) return found;
      const segment = newSegment();
      return places.open({ segment, baseUrl: `${found.origin}/${segment}${pathSuffix}`, kind, claimsStrays, answer });
    },
    strayCount: () => places.strayCount,
    floodError: () => places.floodError(),
    handle: async (request, { acceptAnyCertificate, deadlineMs }) => {
      const place = places.find(request.target);
      const fault = place && certificateFaults[place.options.kind];
      // A client that refuses the certificate sends no request, so do not record one.
      if (fault !== undefined && !acceptAnyCertificate) return { failure: { kind: 'tls', message: fault } };
      const entry = places.record(request, place);
      const outcome = outcomeOf(entry.answer, deadlineMs);
      entry.end(outcome);
      return outcome;
    },
    close: async () => {
      places.closeAll();
      await servers.close();
    },
  };
}

function receiver(places: Places, scheme: 'http' | 'https', numberOf: (socket: Socket) => string): RequestListener {
  return async (request, response) => {
    const connection = numberOf(request.socket);
    const place = places.find(request.url ?? '');
    if (place?.isFull) {
      request.socket.destroy();
      return;
    }
    if (request.headers.host === undefined && request.httpVersion !== '1.0') {
      place?.noteMissing('a request that is not HTTP/1.1: it has no Host');
      // RFC 9112 section 3.2 requires status 400 for a request without Host.
      response.writeHead(400, ['Content-Length', '0', 'Connection', 'close']).end();
      return;
    }
    const body = await readBody(request, maxBodyBytes, ({ length }) => {
      const isAccepted = place?.acceptBytes(length) ?? true;
      if (!isAccepted) request.socket.destroy();
      return isAccepted;
    });
    if (body === 'gone') {
      place?.noteMissing('a request whose body was cut off');
    } else if (body === 'too-large') {
      place?.markFull(`a request whose body exceeds ${maxBodyBytes} bytes`);
      refuseUnread(request, response);
    } else {
      writeAnswer(places.record(sentRequest(request, scheme, body), place, connection), request, response);
    }
  };
}

/** Keeps the request target as written, even if it is a whole URL. */
function sentRequest(request: IncomingMessage, scheme: 'http' | 'https', body: Uint8Array): SentRequest {
  const raw = request.rawHeaders;
  const headers = Array.from({ length: raw.length / 2 }, (_, index): Header => [raw[2 * index]!, raw[2 * index + 1]!]);
  const { method = '', url: target = '' } = request;
  return { method, scheme, host: headerValues(headers, 'host')[0] ?? '', target, headers, body };
}

interface Unavailable {
  readonly unavailable: string;
}

type CertificateKind = Exclude<ServerKind, 'mixed-case-host' | 'explicit-default-port'>;

const certificateFaults: Readonly<Partial<Record<ServerKind, string>>> = {
  'other-authority': 'the certificate is signed by an authority that is not trusted',
  'wrong-name': 'the certificate is for another host',
  expired: 'the certificate has expired',
};

/** The certificates of one run, which all its processes share. All server certificates use the published test key. */
export interface Certificates {
  /** The certificate authority that a client must trust, in PEM. */
  readonly authority: string;
  readonly hosts: readonly string[];
  /** The certificates that the servers send, in PEM. */
  readonly serverCertificates: Readonly<Record<CertificateKind, string>>;
}

const hourMs = 60 * 60 * 1000;

/** Issues certificates for one key, because making keys is slow. `now` is in milliseconds since the Unix epoch. */
export function issueCertificates(now: number): Certificates {
  const key = publishedIdentity.privateKeyPem;
  const hosts = defaultPortHosts();
  // Some TLS libraries compare names case-sensitively, so the certificate has both spellings.
  const names = ['localhost', 'LocalHost', '::1', ...hosts];
  const authority = newAuthority(now);
  const serverCertificates = {
    ordinary: authority.issue({ names, key }).cert,
    'other-authority': newAuthority(now, key).issue({ names, key }).cert,
    'wrong-name': authority.issue({ names: ['other-gateway.invalid'], key }).cert,
    // Its validity starts after that of the authority. So its only fault is that it has expired.
    expired: authority.issue({ names, key, notBefore: now - 20 * hourMs, notAfter: now - hourMs }).cert,
  };
  return { authority: authority.certificatePem, hosts, serverCertificates };
}

/** Addresses to try for the default port. On Linux, three are random, so that parallel runs can all use the port. */
function defaultPortHosts(): readonly string[] {
  if (process.platform !== 'linux') return ['127.0.0.1'];
  const others = Array.from({ length: 3 }, () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`);
  return ['127.0.0.1', ...others];
}

interface Servers {
  origin(kind: ServerKind): Promise<Origin>;
  close(): Promise<void>;
}

type Origin = { readonly origin: string } | Unavailable;

/** Starts each server when it is first used. `hosts` has the addresses to try for the default port. */
function newServers(
  scheme: 'http' | 'https',
  ordinaryHost: string,
  hosts: readonly string[],
  open: (host: string, port: number, kind: CertificateKind) => Promise<Listener>,
): Servers {
  const listeners: Promise<Listener>[] = [];
  const started = new Map<ServerKind, Promise<Origin>>();
  const defaultPort = scheme === 'https' ? 443 : 80;

  const listen = (host: string, port: number, kind: CertificateKind): Promise<Listener> => {
    const listener = open(host, port, kind);
    listeners.push(listener);
    return listener;
  };

  const listenOnAny = async (
    hostsToTry: readonly string[],
    ports: readonly number[],
    kind: CertificateKind,
  ): Promise<Origin> => {
    let reason = '';
    for (const host of hostsToTry) {
      for (const port of ports) {
        try {
          const listener = await listen(host, port, kind);
          return { origin: `${scheme}://${host}:${listener.port}` };
        } catch (error) {
          if (!(error instanceof MockError)) throw error;
          reason = error.message;
        }
      }
    }
    return { unavailable: `the server cannot be started: ${reason}` };
  };

  /** The ordinary server under the name LocalHost, which may resolve to ::1. So the server also listens on ::1. */
  const mixedCaseOrigin = async (): Promise<Origin> => {
    const ordinary = await origin('ordinary');
    if ('unavailable' in ordinary) return ordinary;
    const { port } = new URL(ordinary.origin);
    await listen('::1', Number(port), 'ordinary').catch(() => undefined);
    return { origin: `${scheme}://LocalHost:${port}` };
  };

  const start = async (kind: ServerKind): Promise<Origin> => {
    if (kind === 'mixed-case-host') return mixedCaseOrigin();
    if (kind === 'explicit-default-port') return listenOnAny(hosts, [defaultPort], 'ordinary');
    if (kind !== 'ordinary' && scheme === 'http') return { unavailable: 'plain http has no certificate' };
    // Prefer ports such as 44312 (or 8012). A faulty client may take the default port 443 (or 80) out of them.
    const ports = [...Array.from({ length: 3 }, () => defaultPort * 100 + randomInt(100)), 0];
    return listenOnAny([ordinaryHost], ports, kind);
  };

  const origin = (kind: ServerKind): Promise<Origin> => {
    const known = started.get(kind) ?? start(kind);
    started.set(kind, known);
    return known;
  };

  return {
    origin,
    close: async () => {
      const opened = await Promise.allSettled(listeners);
      await Promise.all(opened.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)));
    },
  };
}
