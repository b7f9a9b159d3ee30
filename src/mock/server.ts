/** The mock gateway on a socket: every decision is taken in gateway.ts, every byte written in wire.ts. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Alteration, joinAlterations, settingsWith } from './alteration.ts';
import type { MockSettings } from './assumptions.ts';
import { controlUrlOf, openControl } from './control.ts';
import { respond } from './gateway.ts';
import { type Listener, type LostConnection, openListener } from './listener.ts';
import { MockError } from './mock-error.ts';
import { asTheClientSaw, type Received, readPrefix, readPublicUrl } from './received.ts';
import { newReply } from './responses.ts';
import type { Decision } from './step.ts';
import { arrivalOf, readBody, received, refuseUnread, writeReply } from './wire.ts';
import { type Counters, defaultWorld, type World } from './world.ts';

/** How a mock is started; everything has a default. */
export interface MockOptions {
  /** Default 127.0.0.1; `localhost` is both loopback addresses. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Fixed path before `/api/`, such as `/paynet`. */
  readonly prefix?: string;
  /** Scheme, host, port and prefix as clients see them, where that is not what arrives; signatures are checked against it. */
  readonly publicUrl?: string;
  /** Consumers, endpoints, gates and profiles; that of the published identity by default. */
  readonly world?: World;
  /** What the mock decides where the document is silent. */
  readonly settings?: Partial<Omit<MockSettings, 'prefix'>>;
  /** Defects and variants, applied in this order. */
  readonly alterations?: readonly Alteration[];
  /** Milliseconds since the Unix epoch; the machine's clock by default. */
  readonly now?: () => number;
  /** PEM texts; with them the mock speaks HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Called once for each request, after it was answered. */
  readonly log?: (entry: LogEntry) => void;
  /** Told of each TLS connection that came to nothing. */
  readonly onLost?: (lost: LostConnection) => void;
  /** Why the signature of a request is wrong, in a sentence for the log; undefined where it does not know. */
  readonly explainSignature?: (request: Received) => string | undefined;
  /** With it the world can be asked and changed over HTTP, on a port of its own; without it nothing of that listens. */
  readonly control?: ControlOptions;
}

/** Where the control interface listens. */
export interface ControlOptions {
  /** On 127.0.0.1 whatever the host of the gateway; 0 for any free port. */
  readonly port: number;
}

/** One request of the mock's log. */
export interface LogEntry {
  /** HTTP method. */
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** `unread`: refused by HTTP's own rules before anything was decided. `fault`: an error of the mock itself. */
  readonly decision: Decision | 'unread' | 'fault';
  /** Name of the step that refused and its reason; never a value of the request. */
  readonly reason?: string;
}

/** A mock that listens. */
export interface RunningMock {
  /** With the prefix, without a slash at the end. */
  readonly baseUrl: string;
  /** Port of the gateway. */
  readonly port: number;
  /** Base URL of the control interface, where one was asked for. */
  readonly controlUrl?: string;
  /** Its state; what is changed here is so at once. */
  readonly world: World;
  /** A copy of the present counters. */
  counters(): Counters;
  /** Stops listening and ends open connections at once. */
  close(): Promise<void>;
}

/** Starts a mock gateway; throws MockError where it cannot. */
export async function startMock(options: MockOptions = {}): Promise<RunningMock> {
  const { host = '127.0.0.1', port = 0, world = defaultWorld(), tls } = options;
  refuseSharedPort(port, options.control);
  const prefix = readPrefix(options.prefix ?? '');
  const settings = settingsWith(options.alterations ?? [], options.settings);
  const listening = { host, port, maxHeaderBytes: settings.maxHeaderBytes, tls, onLost: options.onLost };
  const listener = await openListener(listening, handler(options, world, settings, prefix));
  const control = await openControlBeside(listener, world, options.control);
  return {
    baseUrl: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listener.port}${prefix}`,
    port: listener.port,
    controlUrl: control && controlUrlOf(control.port),
    world,
    counters: () => ({ ...world.counters }),
    close: async () => {
      await Promise.all([listener.close(), control?.close()]);
    },
  };
}

/** On another address the same number could be free; two things on one port would still be taken for one another. */
function refuseSharedPort(port: number, control: ControlOptions | undefined): void {
  if (port === 0 || control?.port !== port) return;
  throw new MockError('bad-port', `port ${port} is asked for twice`, 'give gateway and control a port each');
}

async function openControlBeside(
  gateway: Listener,
  world: World,
  options: ControlOptions | undefined,
): Promise<Listener | undefined> {
  if (options === undefined) return undefined;
  try {
    return await openControl(world, options.port);
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

function handler(options: MockOptions, world: World, common: MockSettings, prefix: string): RequestListener {
  const { now = Date.now, log, alterations = [], tls } = options;
  const scheme = tls ? 'https' : 'http';
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const settings = { ...common, prefix: publicUrl?.prefix ?? prefix };
  const altered = joinAlterations(alterations);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrived = received(request, scheme, new Uint8Array(0));
    // A path outside of the mock's own prefix must not be mistaken for one below the public prefix.
    const head = publicUrl ? (asTheClientSaw(arrived, prefix, publicUrl) ?? { ...arrived, target: '/' }) : arrived;
    const body = await readBody(request, settings.maxBodyBytes);
    if (body === 'gone') return;
    if (body === 'too-large') {
      log?.({ ...lineOf(request), status: 413, decision: 'unread', reason: 'the body is too large' });
      return refuseUnread(request, response);
    }
    const seen: Received = { ...head, body, arrival: arrivalOf(request) };
    const answer = respond(seen, world, settings, now(), altered);
    const { decision, step, reason } = answer.about;
    const why = step === 'signature' ? options.explainSignature?.(seen) : undefined;
    const told = why === undefined ? reason : `${reason}. ${why}`;
    log?.({ ...lineOf(request), status: answer.status, decision, reason: step && `${step}: ${told}` });
    await writeReply(answer, now(), request, response);
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const reason = error instanceof Error ? error.name : 'Error';
    log?.({ ...lineOf(request), status: 500, decision: 'fault', reason });
    if (response.headersSent) response.destroy();
    else response.writeHead(500, newReply(500, [], '').headers.flat()).end();
  }

  return (request, response) => {
    handle(request, response).catch((error: unknown) => fail(error, request, response));
  };
}

function lineOf(request: IncomingMessage): { method: string; target: string } {
  return { method: request.method ?? '', target: request.url ?? '' };
}
