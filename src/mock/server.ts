/** The mock gateway on a socket: bounds, time limits and raw bytes here; every decision in gateway.ts. */
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Header } from '../exchange/exchange.ts';
import { type Alteration, type Decision, join, settingsWith } from './alteration.ts';
import { readBody } from './body.ts';
import { respond } from './gateway.ts';
import { listenError, MockError } from './mock-error.ts';
import { asTheClientSaw, readPrefix, readPublicUrl } from './public-url.ts';
import type { Received } from './received.ts';
import { newReply, type Reply } from './reply.ts';
import type { MockSettings } from './settings.ts';
import { type Counters, defaultWorld, type World } from './state.ts';

export interface MockOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Fixed path before `/api/`, such as `/paynet`. */
  readonly prefix?: string;
  /** Scheme, host, port and prefix as clients see them, where that is not what arrives; signatures are checked against it. */
  readonly publicUrl?: string;
  readonly world?: World;
  readonly settings?: Partial<Omit<MockSettings, 'prefix'>>;
  /** Defects and variants, applied in this order. */
  readonly alterations?: readonly Alteration[];
  /** Milliseconds since the Unix epoch; the machine's clock by default. */
  readonly now?: () => number;
  /** PEM texts; with them the mock speaks HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly log?: (entry: LogEntry) => void;
}

export interface LogEntry {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  /** `unread`: refused by HTTP's own rules before anything was decided. `fault`: an error of the mock itself. */
  readonly decision: Decision | 'unread' | 'fault';
  /** Name of the step that refused and its reason; never a value of the request. */
  readonly reason?: string;
}

export interface RunningMock {
  /** With the prefix, without a slash at the end. */
  readonly baseUrl: string;
  readonly port: number;
  readonly world: World;
  /** A copy of the counters as they are now. */
  counters(): Counters;
  /** Stops listening and ends open connections at once. */
  close(): Promise<void>;
}

const keepAliveMs = 60_000;
const headersMs = 30_000;
const requestMs = 120_000;

/** Starts a mock gateway; throws MockError where it cannot. */
export async function startMock(options: MockOptions = {}): Promise<RunningMock> {
  const { host = '127.0.0.1', port = 0, world = defaultWorld(), tls } = options;
  const prefix = readPrefix(options.prefix ?? '');
  const server = newServer(
    handler(options, world, prefix),
    settingsWith(options.alterations ?? [], options.settings),
    tls,
  );
  await listen(server, host, port);
  const { port: opened } = server.address() as AddressInfo;
  return {
    baseUrl: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${opened}${prefix}`,
    port: opened,
    world,
    counters: () => ({ ...world.counters }),
    close: () => close(server),
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function handler(options: MockOptions, world: World, prefix: string): Handler {
  const { now = Date.now, log = () => {}, alterations = [], tls } = options;
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const settings = { ...settingsWith(alterations, options.settings), prefix: publicUrl?.prefix ?? prefix };
  const altered = join(alterations);

  return async (request, response) => {
    const about = { method: request.method ?? '', target: request.url ?? '' };
    const body = await readBody(request, settings.maxBodyBytes);
    if (body === 'too-large') {
      log({ ...about, status: 413, decision: 'unread', reason: 'the body is too large' });
      return refuseUnread(request, response);
    }
    const arrived = received(request, tls ? 'https' : 'http', body);
    // A path outside of the mock's own prefix must not be mistaken for one below the public prefix.
    const seen = publicUrl ? (asTheClientSaw(arrived, prefix, publicUrl) ?? { ...arrived, target: '/' }) : arrived;
    const answer = respond(seen, world, settings, now(), altered);
    const { decision, step, reason } = answer.about;
    log({ ...about, status: answer.status, decision, reason: step && `${step}: ${reason}` });
    await write(answer, request, response);
  };
}

function received(request: IncomingMessage, scheme: 'http' | 'https', body: Uint8Array): Received {
  const headers: Header[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    headers.push([request.rawHeaders[i]!, request.rawHeaders[i + 1]!]);
  }
  const common = { method: request.method ?? '', headers, body };
  // An absolute target replaces Host (RFC 9112 section 3.2.2).
  const absolute = /^(https?):\/\/([^/?#]+)([^#]*)/i.exec(request.url ?? '');
  if (absolute) return { ...common, scheme, host: absolute[2]!, target: absolute[3] || '/' };
  return { ...common, scheme, host: request.headers.host ?? '', target: request.url ?? '' };
}

async function write(reply: Reply, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (reply.delayMs) await new Promise((resolve) => setTimeout(resolve, reply.delayMs).unref());
  if (response.destroyed) return;
  response.writeHead(reply.status, reply.reason, connectionHeaders(reply.headers, request).flat());
  if (reply.cutAfter === undefined) {
    response.end(request.method === 'HEAD' ? undefined : reply.body);
  } else {
    response.write(reply.body.subarray(0, reply.cutAfter), () => request.socket.destroySoon());
  }
}

/** A client that asks for the end of the connection gets it (RFC 9112 section 9.6). */
function connectionHeaders(headers: readonly Header[], request: IncomingMessage): Header[] {
  const asked = (request.headers.connection ?? '').toLowerCase();
  const ends = request.httpVersion === '1.0' ? !asked.includes('keep-alive') : asked.includes('close');
  if (!ends) return [...headers];
  return [...headers.filter(([name]) => !/^(connection|keep-alive)$/i.test(name)), ['Connection', 'close']];
}

/** The rest of the body is not read: the connection cannot be used again. */
function refuseUnread(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, ['Content-Length', '0', 'Connection', 'close']);
  response.end(() => request.socket.destroySoon());
}

function newServer(handle: Handler, settings: MockSettings, tls: MockOptions['tls']): Server {
  const limits = {
    maxHeaderSize: settings.maxHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: 5_000,
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => {});
    handle(request, response).catch(() => fail(response));
  };
  const server = tls ? newTlsServer({ ...limits, ...tls }, listener) : http.createServer(limits, listener);
  server.on('clientError', refuseJunk);
  return server;
}

function newTlsServer(options: https.ServerOptions, listener: http.RequestListener): Server {
  try {
    const server = https.createServer(options, listener);
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    return server;
  } catch (cause) {
    throw new MockError('bad-certificate', 'the TLS key or certificate cannot be used', 'give both as PEM', cause);
  }
}

/** The client went away, or the mock has a fault: either way this connection is over and the others go on. */
function fail(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else response.writeHead(500, newReply(500, [], '').headers.flat()).end();
}

/** Bytes that are no HTTP request. */
function refuseJunk(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = junkStatus[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

const junkStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(cause, host, port)));
    try {
      server.listen(port, host, resolve);
    } catch (cause) {
      reject(listenError(cause, host, port));
    }
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
