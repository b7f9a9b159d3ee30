/** Serves the mock gateway over HTTP or HTTPS. `respond` in gateway.ts decides the answers. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Header } from '../record/exchange.ts';
import type { MockSettings } from './assumptions.ts';
import { openControl } from './control.ts';
import { type Received, readPrefix, readPublicUrl, withPublicUrl } from './decode-request.ts';
import { type Alteration, joinAlterations, respond, settingsWith } from './gateway.ts';
import { type LostConnection, openListener, readBody, refuseUnread, toSentRequest } from './listener.ts';
import { MockError } from './mock-error.ts';
import { emptyReplies, type Reply, withDate } from './responses.ts';
import type { Decision } from './step.ts';
import { type Counters, defaultWorld, type World } from './world.ts';

/** Options of `startMock`. All are optional. */
export interface MockOptions {
  /** Default 127.0.0.1; `localhost` means both loopback addresses. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Fixed path before `/api/`, such as `/paynet`. Default: none. */
  readonly prefix?: string;
  /** Set this if a proxy changes the URL: the base URL that clients use and sign. */
  readonly publicUrl?: string;
  /** The state of the mock: consumers, endpoints, gates and recurring profiles. Default: `defaultWorld()`. */
  readonly world?: World;
  /** Settings for behaviour that the interface document does not define. */
  readonly settings?: Partial<Omit<MockSettings, 'prefix'>>;
  /** Defects and variants of the mock, applied in the given order. Default: none. */
  readonly alterations?: readonly Alteration[];
  /** Milliseconds since the Unix epoch; default the system clock. */
  readonly now?: () => number;
  /** Key and certificate as PEM. If they are set, the mock serves HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Called once for each answered request. */
  readonly log?: (entry: LogEntry) => void;
  /** Called for each TLS connection that ended without a request. */
  readonly onLost?: (connection: LostConnection) => void;
  /** Explains a wrong signature in one sentence for the log; undefined if there is no explanation. */
  readonly explainSignature?: (request: Received) => string | undefined;
  /** Opens an HTTP interface on a separate port that reads and changes the state of the mock. Default: none. */
  readonly control?: ControlOptions;
}

/** Options of the control interface. */
export interface ControlOptions {
  /** Port of the control interface, always on 127.0.0.1; 0 for any free port. */
  readonly port: number;
}

/** One log entry for one request. */
export interface LogEntry {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** `unread`: the body is too large, so the mock did not check the request. `fault`: an error of the mock itself. */
  readonly decision: Decision | 'unread' | 'fault';
  /** The step that refused the request, and why. Never contains a value of the request. */
  readonly reason?: string;
}

/** A running mock. */
export interface RunningMock {
  /** Base URL of the gateway, with the prefix and without a slash at the end. */
  readonly baseUrl: string;
  readonly port: number;
  /** Base URL of the control interface; absent if not requested. */
  readonly controlUrl?: string;
  /** The live state; changes take effect at once. */
  readonly world: World;
  counters(): Counters;
  /** Stops listening and closes all connections immediately. */
  close(): Promise<void>;
}

/** Starts a mock gateway. Throws MockError if the mock cannot start. */
export async function startMock(options: MockOptions = {}): Promise<RunningMock> {
  const { host = '127.0.0.1', port = 0, world = defaultWorld(), tls } = options;
  // Refuse equal ports even on different addresses, because users would confuse the URLs.
  if (port !== 0 && options.control?.port === port) {
    throw new MockError('bad-port', `gateway and control interface have the same port ${port}`, 'choose two ports');
  }
  const prefix = readPrefix(options.prefix ?? '');
  const settings = settingsWith(options.alterations ?? [], options.settings);
  const listenerOptions = { host, port, maxHeaderBytes: settings.maxHeaderBytes, tls, onLost: options.onLost };
  const listener = await openListener(listenerOptions, handler(options, world, settings, prefix));
  const closeListener = async (cause: unknown): Promise<never> => {
    await listener.close();
    throw cause;
  };
  const control = options.control && (await openControl(world, options.control.port).catch(closeListener));
  const scheme = tls ? 'https' : 'http';
  const urlHost = host.includes(':') ? `[${host}]` : host;
  return {
    baseUrl: `${scheme}://${urlHost}:${listener.port}${prefix}`,
    port: listener.port,
    controlUrl: control?.url,
    world,
    counters: () => ({ ...world.counters }),
    async close() {
      await Promise.all([listener.close(), control?.close()]);
    },
  };
}

function handler(options: MockOptions, world: World, common: MockSettings, prefix: string): RequestListener {
  const { now = Date.now, log, alterations = [], tls } = options;
  const scheme = tls ? 'https' : 'http';
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const settings = { ...common, prefix: publicUrl?.prefix ?? prefix };
  const altered = joinAlterations(alterations);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const original = toSentRequest(request, scheme, new Uint8Array(0));
    // Replace a path that is not below `prefix`, because it may be below the prefix of the public URL. It must get 404.
    const head = publicUrl ? (withPublicUrl(original, prefix, publicUrl) ?? { ...original, target: '/' }) : original;
    const body = await readBody(request, settings.maxBodyBytes);
    if (body === 'gone') return;
    if (body === 'too-large') {
      log?.({ ...lineOf(request), status: 413, decision: 'unread', reason: 'the body is too large' });
      return refuseUnread(request, response);
    }
    const { httpVersion, socket, url = '' } = request;
    const arrival = { connection: socket, httpVersion, isAbsolute: /^https?:/i.test(url) };
    const fullRequest: Received = { ...head, body, arrival };
    const answer = respond(fullRequest, world, settings, now(), altered);
    const { decision, step, reason } = answer.about;
    const explanation = step === 'signature' ? options.explainSignature?.(fullRequest) : undefined;
    const fullReason = explanation === undefined ? reason : `${reason}. ${explanation}`;
    log?.({ ...lineOf(request), status: answer.status, decision, reason: step && `${step}: ${fullReason}` });
    await writeReply(answer, now(), request, response);
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const reason = error instanceof Error ? error.name : 'Error';
    log?.({ ...lineOf(request), status: 500, decision: 'fault', reason });
    if (response.headersSent) response.destroy();
    else response.writeHead(500, emptyReplies.failed.headers.flat()).end();
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => fail(error, request, response));
  };
}

function lineOf({ method = '', url = '' }: IncomingMessage) {
  return { method, target: url };
}

/** Sends the reply. If it has no Date header, adds one from `time` (milliseconds since the Unix epoch). */
async function writeReply(reply: Reply, time: number, request: IncomingMessage, response: ServerResponse) {
  if (reply.delayMs) await new Promise((resolve) => setTimeout(resolve, reply.delayMs).unref());
  if (response.destroyed) return;
  const connection = (request.headers.connection ?? '').toLowerCase();
  const mustClose = request.httpVersion === '1.0' ? !connection.includes('keep-alive') : connection.includes('close');
  const closingHeaders = (): Header[] => [
    ...reply.headers.filter(([name]) => !/^(connection|keep-alive)$/i.test(name)),
    // The client asks to close the connection (RFC 9112 section 9.6).
    ['Connection', 'close'],
  ];
  const headers = withDate(mustClose ? closingHeaders() : reply.headers, time);
  response.writeHead(reply.status, reply.reason, headers.flat());
  const { body, cutAfter } = reply;
  if (cutAfter !== undefined) response.write(body.subarray(0, cutAfter), () => request.socket.destroySoon());
  else if (request.method === 'HEAD') response.end();
  // Node sends a string in one write with the headers, but a buffer in a second write. So make a small body a string.
  else if (body.length <= 65_536) response.end(Buffer.from(body).toString('latin1'), 'latin1');
  else response.end(body);
}
