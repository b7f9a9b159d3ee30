/** The gateway on loopback that a client under test calls: places with scripted answers, and a record of requests. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { truststore } from '../../mock/certificates.ts';
import { publishedIdentity } from '../../mock/identity.ts';
import type { Junk } from '../../mock/listener.ts';
import { connectionNumbers, readBody, refuseUnread } from '../../mock/wire.ts';
import type { LocalAnswer } from '../../plan/scenario.ts';
import type { ServerKind } from '../../record/case.ts';
import {
  type Header,
  headerValues,
  maxBodyBytes,
  type ReceivedResponse,
  type SentRequest,
} from '../../record/exchange.ts';
import { quoteBytes } from '../adapter/faults.ts';
import type { TrustedAuthority } from '../adapter/messages.ts';
import type { Connection, Sent } from '../client/client.ts';
import { type Entry, type Place, Places } from './places.ts';
import {
  type CertificateKind,
  type Certificates,
  certificateFault,
  defaultPortHosts,
  issueCertificates,
  newServers,
  type Servers,
  type Unavailable,
} from './servers.ts';

type LocalReply = Extract<LocalAnswer, { readonly kind: 'reply' }>;

/** The answer after all delays, and their sum in milliseconds. */
function afterDelays(answer: LocalAnswer): {
  readonly afterMs: number;
  readonly answer: Exclude<LocalAnswer, { readonly kind: 'slow' }>;
} {
  let afterMs = 0;
  let last = answer;
  while (last.kind === 'slow') {
    afterMs += last.afterMs;
    last = last.then;
  }
  return { afterMs, answer: last };
}

function outcomeOf(scripted: LocalAnswer, deadlineMs: number): Sent {
  const { afterMs, answer } = afterDelays(scripted);
  if (afterMs >= deadlineMs || answer.kind === 'endless') {
    return { failure: { kind: 'timeout', message: `no whole answer within ${deadlineMs} ms` } };
  }
  if (answer.kind === 'reset') return { failure: { kind: 'reset', message: 'the connection was reset' } };
  return { response: responseOf(answer) };
}

/** The reply as sent: Content-Length is added if no header frames the body. */
function responseOf({ status, headers, body }: LocalReply): ReceivedResponse {
  const isFramed = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  // RFC 9110 section 8.6: these have no body, and 204 must not have Content-Length.
  const isBodyless = status < 200 || status === 204 || status === 304;
  const more: Header[] = isFramed || isBodyless ? [] : [['Content-Length', String(body.length)]];
  return { status, reason: '', headers: [...headers, ...more], body };
}

const endlessPauseMs = 50;

function writeAnswer(entry: Entry, request: IncomingMessage, response: ServerResponse): void {
  const { afterMs, answer } = afterDelays(entry.answer);
  let timer: NodeJS.Timeout | undefined;
  // A finished response also emits close; the first outcome counts.
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableFinished) {
      entry.end({ failure: { kind: 'timeout', message: 'the connection ended before the answer did' } });
    }
  });
  entry.onClose(() => response.destroy());
  const go = (): void => {
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
  if (afterMs > 0) timer = setTimeout(go, afterMs);
  else go();
}

async function writeReply(
  reply: LocalReply,
  request: IncomingMessage,
  response: ServerResponse,
  entry: Entry,
): Promise<void> {
  const { status, headers, body } = responseOf(reply);
  response.sendDate = false;
  // Otherwise Node adds Connection and Keep-Alive. The connection is kept without them (RFC 9112 section 9.3).
  if (response.shouldKeepAlive) response.removeHeader('Connection');
  // HTTP/1.0 has no chunks: the end of the connection ends the body.
  const isOld = request.httpVersion === '1.0';
  response.writeHead(status, headers.filter(([name]) => !isOld || name !== 'Transfer-Encoding').flat());
  const isChunked = !isOld && headers.some(([name]) => name === 'Transfer-Encoding');
  const chunks = isChunked ? chunksOf(body) : [body];
  const isCut = chunks.length === 1 || (await writeChunks(chunks, response, request.socket));
  response.once('finish', () => {
    entry.end(
      isCut
        ? { response: responseOf(reply) }
        : { failure: { kind: 'not-sent', message: 'the local gateway could not send the answer in separate chunks' } },
    );
    // If Content-Length does not match the body, the connection ends with the body.
    if (headerValues(reply.headers, 'content-length').some((length) => length !== String(reply.body.length)))
      request.socket.destroySoon();
  });
  response.end(chunks.length === 1 ? body : undefined);
}

/** Returns whether each chunk was sent separately. Node may join writes, and a single chunk proves nothing. */
async function writeChunks(chunks: readonly Uint8Array[], response: ServerResponse, socket: Socket): Promise<boolean> {
  let isCut = true;
  for (const [at, chunk] of chunks.entries()) {
    const before = socket.bytesWritten;
    await new Promise((written) => response.write(chunk, written));
    // Size line, two line ends and data (RFC 9112 section 7.1). The first chunk follows the headers.
    const framed = chunk.length.toString(16).length + 4 + chunk.length;
    isCut &&= at === 0 || socket.bytesWritten - before === framed;
    // Time for the client to read this chunk separately.
    await pause(2);
  }
  return isCut;
}

/** Cuts after the first byte of each multi-byte character: a client that decodes chunk by chunk breaks it. */
function chunksOf(body: Uint8Array): Uint8Array[] {
  const cuts = [...body.keys()].filter((at) => body[at]! >= 0xc2).slice(0, 100);
  const starts = [0, ...cuts.map((at) => at + 1)];
  return starts.map((start, at) => body.subarray(start, starts[at + 1]));
}

/** Every format allows leading blanks, so the client cannot know that nothing follows. */
function writeEndlessly(response: ServerResponse): NodeJS.Timeout {
  response.writeHead(200, ['Content-Type', 'text/html;charset=utf-8']);
  response.write(' ');
  // An endless answer ends after two minutes.
  let left = 120_000 / endlessPauseMs;
  return setInterval(() => {
    if (--left > 0) response.write(' ');
    else response.destroy();
  }, endlessPauseMs);
}

/** Sends RST if possible. Node offers it only for TCP sockets, and a TLS socket wraps one. */
function reset(socket: Socket): void {
  const below = (socket as { _parent?: Socket })._parent;
  const tcp = below ?? socket;
  try {
    tcp.resetAndDestroy();
  } catch {
    tcp.destroy();
  }
  socket.destroy();
}

export interface LocalGateway {
  /** The authority that a client must trust; absent without HTTPS. */
  readonly ca?: TrustedAuthority;
  /** Opens a place that gives one answer to every request. For an unavailable server kind it resolves to the reason. */
  open(answer: LocalAnswer, options?: PlaceOptions): Promise<Place | Unavailable>;
  /** Number of requests for no open place, each answered with 404. */
  strays(): number;
  /** Why the client was given up after it flooded calls, if it was. */
  flood(): string | undefined;
  /** Handles a request without a socket. It does not wait: an answer after the deadline is a timeout at once. */
  handle(request: SentRequest, connection: Connection): Promise<Sent>;
  close(): Promise<void>;
}

export interface PlaceOptions {
  /** Default `ordinary`. */
  readonly server?: ServerKind;
  /** Path between the segment of the place and /api/, such as `/PayNet/v%20x`; default none. */
  readonly pathSuffix?: string;
  /** Claim requests that name no place, while no other place is open: for clients that drop the prefix. */
  readonly claimStrays?: boolean;
}

export interface LocalGatewayOptions {
  readonly folder: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** For clients that cannot be configured to trust a certificate authority. */
  readonly plainHttp?: boolean;
  /** For clients that cannot verify the certificate of an IP address; default 127.0.0.1. */
  readonly host?: 'localhost' | undefined;
  /** Default: new ones. */
  readonly certificates?: Certificates;
}

/** Opens a gateway with servers on 127.0.0.1. Rejects if the certificate file cannot be written. */
export async function openLocalGateway(options: LocalGatewayOptions): Promise<LocalGateway> {
  const { now, plainHttp = false, host = '127.0.0.1' } = options;
  const places = new Places(now);
  const receive = receiver(places, plainHttp ? 'http' : 'https', connectionNumbers());
  const junk = junkReporter(places);
  const serversOn = (hosts: readonly string[], certificate?: Parameters<typeof newServers>[3]) =>
    newServers(receive, host, host === 'localhost' ? [host] : hosts, certificate, () => places.admits(), junk);
  if (plainHttp) return gatewayOf(places, serversOn(defaultPortHosts()));
  const { authority, hosts, shown } = options.certificates ?? issueCertificates(now());
  const ca = await writeAuthority(authority, options.folder);
  const certificate = (kind: CertificateKind) => ({ key: publishedIdentity.privateKeyPem, cert: shown[kind] });
  return { ...gatewayOf(places, serversOn(hosts, certificate)), ca };
}

/** Notes an unreadable request at the place that its first line names, if that line is in the packet. */
function junkReporter(places: Places): (junk: Junk) => void {
  return ({ reason, packet, at, isBehind }) => {
    const [line = ''] = Buffer.from(packet.subarray(0, 4096)).toString('latin1').split('\n');
    const what = isBehind ? 'bytes after a whole request' : 'a request that is not HTTP/1.1';
    places.findJunk(line)?.leaveOut(`${what}: ${reason}, at ${quoteBytes(packet.subarray(at), 40)}`);
  };
}

async function writeAuthority(pem: string, folder: string): Promise<TrustedAuthority> {
  const file = join(folder, 'countersign-ca.pem');
  const store = { file: join(folder, 'countersign-ca.p12'), password: 'countersign' };
  await writeFile(file, pem);
  await writeFile(store.file, truststore(pem, store.password));
  return { file, pem, truststore: store };
}

export function openInProcessGateway(options: {
  readonly now: () => number;
  /** Unique names of places; random by default. */
  readonly segment?: () => string;
}): LocalGateway {
  const servers: Servers = {
    origin: (kind) => Promise.resolve({ origin: inProcessOrigins[kind] }),
    close: () => Promise.resolve(),
  };
  return gatewayOf(new Places(options.now), servers, options.segment);
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
    strays: () => places.strays,
    flood: () => places.flood(),
    handle: (request, connection) => Promise.resolve(handled(places, request, connection)),
    close: async () => {
      places.closeAll();
      await servers.close();
    },
  };
}

function handled(places: Places, request: SentRequest, { acceptAnyCertificate, deadlineMs }: Connection): Sent {
  const place = places.find(request.target);
  const fault = place && certificateFault(place.kind);
  // As with TLS, the request never leaves the client.
  if (fault !== undefined && !acceptAnyCertificate) return { failure: { kind: 'tls', message: fault } };
  const entry = places.record(request, place);
  const seen = outcomeOf(entry.answer, deadlineMs);
  entry.end(seen);
  return seen;
}

function receiver(places: Places, scheme: 'http' | 'https', numberOf: (socket: Socket) => string): RequestListener {
  return async (request, response) => {
    const connection = numberOf(request.socket);
    const place = places.find(request.url ?? '');
    if (place?.isFull()) return void request.socket.destroy();
    if (request.headers.host === undefined && request.httpVersion !== '1.0') {
      place?.leaveOut('a request that is not HTTP/1.1: it has no Host');
      // Required by RFC 9112 section 3.2.
      response.writeHead(400, ['Content-Length', '0', 'Connection', 'close']).end();
      return;
    }
    const body = await readBody(request, maxBodyBytes, ({ length }) => {
      const isWanted = place?.takes(length) ?? true;
      if (!isWanted) request.socket.destroy();
      return isWanted;
    });
    if (body === 'gone') {
      place?.leaveOut('a request whose body was cut off');
    } else if (body === 'too-large') {
      place?.fill(`a request whose body exceeds ${maxBodyBytes} bytes`);
      refuseUnread(request, response);
    } else {
      writeAnswer(places.record(sentRequest(request, scheme, body), place, connection), request, response);
    }
  };
}

function sentRequest(request: IncomingMessage, scheme: 'http' | 'https', body: Uint8Array): SentRequest {
  const raw = request.rawHeaders;
  const headers = Array.from({ length: raw.length / 2 }, (_, i): Header => [raw[2 * i]!, raw[2 * i + 1]!]);
  const host = headerValues(headers, 'host')[0] ?? '';
  return { method: request.method ?? '', scheme, host, target: request.url ?? '', headers, body };
}
