/** An HTTP or HTTPS server with limits and timeouts, and functions that read requests. */
import { once } from 'node:events';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { reasonOf, tlsReason } from '../record/errors.ts';
import type { Header, SentRequest } from '../record/exchange.ts';
import { memoize } from '../record/memoize.ts';
import { MockError } from './mock-error.ts';

export interface LostConnection {
  /** Error code of OpenSSL or Node; `no-request` if the connection closed without a request. */
  readonly code: string;
  readonly reason: string;
  readonly client: string;
}

/** Bytes that cannot be parsed as a request. */
export interface Junk {
  /** Why Node's HTTP parser refused the bytes. */
  readonly reason: string;
  readonly packet: Uint8Array;
  /** Byte offset in the packet at which the parser stopped. */
  readonly offset: number;
  /** True if the bytes follow a complete request, for example because the body is longer than Content-Length. */
  readonly isAfterRequest: boolean;
}

interface ListenerOptions {
  /** `localhost` means 127.0.0.1, and also ::1 if the machine has this address. */
  readonly host: string;
  readonly port: number;
  readonly maxHeaderBytes: number;
  /** Key and certificate as PEM. If they are set, the server uses HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly onLost?: (connection: LostConnection) => void;
  /** Maximum number of open connections. A further connection closes the oldest connection. Default: no limit. */
  readonly maxConnections?: number;
  readonly onJunk?: (junk: Junk) => void;
  /** Passes HTTP/1.1 requests without Host to `handle` instead of answering 400. Default: false. */
  readonly allowsNoHost?: boolean;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens a server. Throws MockError if the port cannot be opened. `handle` must never reject. */
export async function openListener(
  options: ListenerOptions,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<Listener> {
  if (options.host === 'localhost') return openLocalhost(options, handle);
  const lastResponses = new WeakMap<Duplex, ServerResponse>();
  const waiting = new WeakSet<Duplex>();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => response.destroy());
    lastResponses.set(request.socket, response);
    void handle(request, response);
  };
  // Node would answer 417 to an Expect header other than 100-continue. Ignore the header, as RFC 9110 10.1.1 allows.
  const server = newServer(options, onRequest).on('checkExpectation', onRequest);
  server.on('clientError', (error: JunkError, socket) => {
    const answer = lastResponses.get(socket);
    const isAfterRequest = answer?.req.complete === true;
    const { rawPacket: packet, bytesParsed: offset = 0, reason = error.message } = error;
    if (packet !== undefined) options.onJunk?.({ reason, packet, offset, isAfterRequest });
    // Refuse the bytes only after the answer to the previous request. A client expects answers in order.
    if (!isAfterRequest || answer.writableFinished || answer.closed) return refuseJunk(error, socket);
    // Node reports another error for every further packet, but one answer is enough.
    if (!waiting.has(socket)) answer.once('close', () => refuseJunk(error, socket));
    return waiting.add(socket);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    const [oldest] = sockets;
    if (sockets.size >= (options.maxConnections ?? Number.POSITIVE_INFINITY)) oldest?.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, options.host, options.port);
  return { port: (server.address() as AddressInfo).port, close: () => close(server, sockets) };
}

/** For localhost, some clients try ::1 and others 127.0.0.1, so listen on both addresses. */
async function openLocalhost(options: ListenerOptions, handle: Parameters<typeof openListener>[1]): Promise<Listener> {
  const first = await openListener({ ...options, host: '127.0.0.1' }, handle);
  const second = await openListener({ ...options, host: '::1', port: first.port }, handle).catch(() => undefined);
  return {
    port: first.port,
    async close() {
      await Promise.all([first.close(), second?.close()]);
    },
  };
}

function newServer(
  { maxHeaderBytes, tls, onLost, allowsNoHost = false }: ListenerOptions,
  listener: http.RequestListener,
): Server {
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: 60_000,
    headersTimeout: 30_000,
    requestTimeout: 120_000,
    connectionsCheckingInterval: 5_000,
    requireHostHeader: !allowsNoHost,
  };
  if (!tls) return http.createServer(limits, listener);
  try {
    const server = https.createServer({ ...limits, ...tls }, listener);
    if (onLost !== undefined) reportLost(server, onLost);
    return server.on('tlsClientError', (_, socket) => socket.destroy());
  } catch (cause) {
    throw new MockError('bad-certificate', 'the TLS key or certificate cannot be used', 'give both in PEM', cause);
  }
}

/** Reports a failed handshake or a connection without a request. Perhaps the client does not trust the certificate. */
function reportLost(server: https.Server, onLost: (connection: LostConnection) => void): void {
  const received = new WeakSet<object>();
  server.on('connection', addressOf);
  server.prependListener('request', ({ socket }) => received.add(socket));
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) =>
    onLost({ code: error.code ?? '', reason: tlsReason(error) ?? '', client: addressOf(socket) }),
  );
  server.on('secureConnection', (socket) => {
    const client = addressOf(socket);
    socket.once('close', () => {
      if (server.listening && !received.has(socket)) onLost({ code: 'no-request', reason: '', client });
    });
  });
}

/** The first call must be while the socket is open. Then Node still knows the address after the socket is closed. */
function addressOf(socket: Socket & { readonly _parent?: Socket }): string {
  const { remoteAddress, remotePort } = socket._parent ?? socket;
  return remoteAddress === undefined ? 'unknown address' : `${remoteAddress}:${remotePort}`;
}

/** OpenSSL error codes. The client sent an alert, because it does not trust the certificate (RFC 8446 section 6.2). */
const untrustedCodes = /UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNSUPPORTED_CERTIFICATE|DECRYPT_ERROR/;

/** Why a connection was lost, and what to do. `plain`: how to start the server with HTTP, such as `without --tls`. */
export function lossReason(
  { code, reason }: Omit<LostConnection, 'client'>,
  { server, caFile, plain }: { readonly server: string; readonly caFile: string; readonly plain: string },
): string {
  const trust = `Let the client trust ${caFile}.`;
  if (untrustedCodes.test(code)) return `A client does not trust the certificate of the ${server}. ${trust}`;
  if (code === 'ERR_SSL_HTTP_REQUEST')
    return `A client sent HTTP, but the ${server} expects HTTPS. Use a base URL with https, or start the ${server} ${plain}.`;
  if (code === 'no-request' || code === 'ECONNRESET')
    return `A client connected and disconnected without a request. Often such a client does not trust the certificate. ${trust}`;
  return `The TLS handshake of a client failed (${reason || code || 'no reason given'}). The ${server} speaks TLS 1.2 and 1.3.`;
}

interface JunkError extends NodeJS.ErrnoException {
  readonly reason?: string;
  readonly rawPacket?: Uint8Array;
  readonly bytesParsed?: number;
}

function refuseJunk(error: NodeJS.ErrnoException, socket: Duplex): void {
  // The answer is already sent. Keep the socket open for a moment, so that the client can read the answer.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = junkStatus[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
}

const junkStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw listenError(cause, host, port);
  }
}

type ErrorText = readonly [code: MockError['code'], message: string, hint: string];

function listenError(cause: unknown, host: string, port: number): MockError {
  const noAddress: ErrorText = ['bad-host', `${host} is not an address of this machine`, 'use 127.0.0.1'];
  const known: Readonly<Record<string, ErrorText>> = {
    EADDRINUSE: ['port-in-use', `port ${port} on ${host} is in use`, 'choose another port, or 0 for any'],
    EACCES: ['not-permitted', `port ${port} on ${host} is not permitted`, 'choose a port above 1023, or 0 for any'],
    ERR_SOCKET_BAD_PORT: ['bad-port', `${port} is not a port`, 'choose a whole number from 0 to 65535'],
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
    EAI_AGAIN: noAddress,
    EINVAL: noAddress,
  };
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const message = `cannot listen on ${host} port ${port}: ${reasonOf(cause)}`;
  return new MockError(...(known[code] ?? (['cannot-listen', message, 'choose another host or port'] as const)), cause);
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

/** Reads the body. Returns `gone` if the client disconnects. `shouldStore` returns false to drop the bytes so far. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  shouldStore: (chunk: Uint8Array) => boolean = () => true,
): Promise<Uint8Array | 'too-large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large');
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) resolve('too-large');
      else if (shouldStore(chunk)) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once('error', () => resolve('gone'));
    request.once('close', () => resolve('gone'));
  });
}

/** A connection stays open this long after an early refusal, so that the client can read the refusal. */
const lingerMs = 1_000;

/** If the request target is a complete URL, its host replaces the Host header (RFC 9112 section 3.2.2). */
const absoluteForm = /^https?:\/\/([^/?#]+)([^#]*)/i;

export function toSentRequest(request: IncomingMessage, scheme: 'http' | 'https', body: Uint8Array): SentRequest {
  const headers: Header[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    headers.push([request.rawHeaders[i]!, request.rawHeaders[i + 1]!]);
  }
  const common = { method: request.method ?? '', scheme, headers, body };
  const absolute = absoluteForm.exec(request.url ?? '');
  if (absolute) return { ...common, host: absolute[1]!, target: absolute[2] || '/' };
  return { ...common, host: request.headers.host ?? '', target: request.url ?? '' };
}

export function connectionNumbers(): (socket: Socket) => string {
  let last = 0;
  return memoize(() => String(++last));
}

/** Sends 413 before the body is complete. Still reads for a moment, so that the client can receive the answer. */
export function refuseUnread(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(413, ['Content-Length', '0', 'Connection', 'close']);
  response.flushHeaders();
  request.resume();
  const timer = setTimeout(() => response.end(), lingerMs);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
}
