/** Starts the desk: its state file, its servers on 127.0.0.1, and an orderly shutdown. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { newAuthority } from '../../mock/certificates.ts';
import { type LostConnection, lossReason, openListener } from '../../mock/listener.ts';
import { asTheClientSaw, type PublicUrl, readPublicUrl } from '../../mock/received.ts';
import { connectionNumbers, readBody, received, refuseUnread } from '../../mock/wire.ts';
import { writeWholeFile } from '../../record/disk/files.ts';
import { reasonOf } from '../../record/errors.ts';
import type { Exchange } from '../../record/exchange.ts';
import { foreignPage } from '../../record/hosts.ts';
import { DeskService, type DeskSurroundings } from './desk-service.ts';
import { DeskError, DeskState, type KeptCertificate } from './engagement.ts';
import { type EventLog, type FaultOfLine, openLog, setAside, takeDeskLock } from './log.ts';
import { problemPage, type WebAnswer } from './pages/shell.ts';
import { jsonAnswer, route } from './routes.ts';
import { engagementOf, isCall } from './script.ts';

interface FrontOptions {
  /** Handles requests that are not for the desk; absent on the port of the page. */
  readonly clients?: Handler;
  readonly publicHost?: string | undefined;
  readonly caFile?: string | undefined;
}

/** Far more than a public key and a name need. */
const maxBodyBytes = 64 * 1024;

function front(desk: DeskService, options: FrontOptions): Handler {
  return async (request, response) => {
    const path = (request.url ?? '').split(/[?#]/)[0]!;
    const isHome = path === '/' && request.method === 'GET';
    if (path === '/desk' || path.startsWith('/desk/') || isHome) {
      await answerDesk(request, response, path, desk, options);
    } else if (options.clients !== undefined) {
      await options.clients(request, response);
    } else {
      const value = { error: 'clients have another port', hint: 'their base URL is on the page' };
      writeWebAnswer(jsonAnswer(value, 404), response);
    }
  };
}

async function answerDesk(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  desk: DeskService,
  { publicHost, caFile }: FrontOptions,
): Promise<void> {
  try {
    refuseForeign(request, publicHost);
    if (path === '/desk/api/events' && request.method === 'GET') return streamEvents(desk, response);
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const body = method === 'GET' ? '' : await readText(request);
    const isHome = path === '/';
    const segments = path.split('/').filter((segment) => segment !== '');
    writeWebAnswer(
      isHome
        ? { status: 303, headers: { Location: '/desk' }, body: '' }
        : await route({ method, path: segments.slice(1).join('/'), body, desk, caFile }),
      response,
    );
  } catch (cause) {
    if (response.headersSent || response.destroyed) response.destroy();
    else writeWebAnswer(problem(cause, /^\/desk\/api(?:\/|$)/.test(path)), response);
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const body = await readBody(request, maxBodyBytes);
  if (typeof body !== 'string') return Buffer.from(body).toString('utf8');
  throw new DeskError('bad-request', 'the body is too large, or was cut off', `send at most ${maxBodyBytes} bytes`);
}

const statuses: Readonly<Partial<Record<DeskError['code'], number>>> = {
  'bad-request': 400,
  'bad-public-key': 400,
  'foreign-origin': 403,
  'no-such-thing': 404,
  'already-given': 410,
  'too-many': 409,
};

function problem(cause: unknown, isApi: boolean): WebAnswer {
  const known = cause instanceof DeskError ? cause : undefined;
  const status = known === undefined ? 500 : (statuses[known.code] ?? 503);
  const error = known?.message ?? 'the desk itself failed';
  const hint = known?.hint ?? 'what was recorded is safe; please report it';
  return isApi ? jsonAnswer({ error, code: known?.code, hint }, status) : problemPage(status, error, hint);
}

/** Refuses foreign host names and pages of other sites. Throws DeskError `foreign-origin`. */
function refuseForeign(request: IncomingMessage, publicHost: string | undefined): void {
  const why = foreignPage(request, { publicHost, types: ['application/json'] });
  if (why === undefined) return;
  const [message, hint] = foreign[why];
  throw new DeskError('foreign-origin', message, hint);
}

const foreign: Readonly<Record<NonNullable<ReturnType<typeof foreignPage>>, readonly [message: string, hint: string]>> =
  {
    name: [
      'the desk is not known under this name',
      'open it as 127.0.0.1 or localhost, or name the host with --public-url',
    ],
    site: ['the request comes from another site', 'send it from the page of the desk, or from a program'],
    type: [
      'the request has no Content-Type: application/json',
      'send it with that header, as programs do: without it a page of another site could have sent it',
    ],
  };

function writeWebAnswer({ status, headers, body }: WebAnswer, response: ServerResponse): void {
  const bytes = Buffer.from(body);
  response
    .writeHead(status, {
      ...headers,
      'Content-Length': String(bytes.length),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // With `no-referrer` browsers would send the origin `null` with forms.
      'Referrer-Policy': 'same-origin',
    })
    .end(bytes);
}

/** Proxies close connections that are idle for long. */
const silenceMs = 15_000;

/** Server-sent events (WHATWG HTML section 9.2) in place of polling: an engagement id, or `*` for all. */
function streamEvents(desk: DeskService, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write('data: *\n\n');
  const stop = desk.watch((changed) => response.write(`data: ${changed ?? '*'}\n\n`));
  const beat = setInterval(() => response.write(': still here\n\n'), silenceMs).unref();
  response.once('close', () => {
    clearInterval(beat);
    stop();
  });
}

export interface DeskOptions extends Pick<DeskSurroundings, 'judge' | 'baseStringOf'> {
  /** Port for clients on 127.0.0.1. With HTTPS the page uses the next port. 0 means any free ports. */
  readonly port: number;
  readonly plainHttp: boolean;
  /** Host in base URLs; default 127.0.0.1. */
  readonly host?: string;
  readonly stateFile: string;
  readonly faultOfLine: FaultOfLine;
  readonly publicUrl?: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface RunningDesk {
  readonly pageUrl: string;
  /** Scheme, authority and prefix of all base URLs. */
  readonly origin: string;
  readonly caFile?: string;
  readonly service: DeskService;
  readonly remarks: readonly string[];
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
const maxHeaderBytes = 64 * 1024;

/** Throws DeskError, or MockError if a port cannot be opened or the public URL is invalid. */
export async function startDesk(options: DeskOptions): Promise<RunningDesk> {
  const { stateFile, port, now, judge, baseStringOf, host = loopback } = options;
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const lock = takeDeskLock(stateFile);
  // If anything fails below, everything opened so far is closed in reverse order.
  const undo: (() => void | Promise<void>)[] = [() => lock.release()];
  const close = async () => {
    for (const one of undo.splice(0).reverse()) await one();
  };
  try {
    const { log, events, faults, remark } = await openLog(stateFile, options.faultOfLine);
    undo.push(() => log.close());
    const state = new DeskState();
    const astray = events.flatMap(({ line, event }) => {
      const why = state.apply(event);
      return why === undefined ? [] : [{ line, why: `it ${why}` }];
    });
    const remarks = [remark, setAside([...faults, ...astray])].filter((one) => one !== undefined);

    const tls = options.plainHttp ? undefined : await keptCertificate(state, log, now());
    const caFile = tls && `${stateFile.replace(/\.jsonl$/, '')}-ca.pem`;
    if (tls !== undefined) await writeAuthority(caFile!, tls.authority);
    let origin = '';
    const service = new DeskService({ state, log, now, judge, baseStringOf, origin: () => origin });
    const listen = async (at: number, handler: ReturnType<typeof front>, keys?: KeptCertificate) => {
      const what = { server: 'desk', caFile: caFile ?? '', plain: 'with --plain-http' };
      const onLost = (lost: LostConnection) => service.lose(lossReason(lost, what));
      const listener = await openListener(
        { host: keys ? host : loopback, port: at, maxHeaderBytes, tls: keys, onLost },
        handler,
      );
      undo.push(() => listener.close());
      return listener.port;
    };
    const scheme = tls ? 'https' : 'http';
    const about = { publicHost: publicUrl?.host, caFile };
    const clients = deskReceiver(service, scheme, publicUrl);
    const clientPort = await listen(port, front(service, { ...about, clients }), tls);
    const pagePort = tls ? await listen(port === 0 ? 0 : port + 1, front(service, about)) : clientPort;
    origin = publicUrl
      ? `${publicUrl.scheme}://${publicUrl.host}${publicUrl.prefix}`
      : `${scheme}://${host}:${clientPort}`;
    return { pageUrl: `http://${loopback}:${pagePort}/desk`, origin, caFile, service, remarks, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are valid for 30 days; renewed early so that none expires during a client's work. */
const keptMs = 28 * dayMs;

/** The stored certificate while it is fresh, or a new one. The key of the authority is not stored. */
async function keptCertificate({ certificate }: DeskState, log: EventLog, now: number): Promise<KeptCertificate> {
  if (certificate !== undefined && now - certificate.issuedAt < keptMs && now >= certificate.issuedAt - dayMs) {
    return certificate;
  }
  const authority = newAuthority(now);
  const issued = authority.issue({ names: [loopback, 'localhost', '::1'] });
  const fresh = { authority: authority.certificatePem, ...issued, issuedAt: now };
  await log.append({ t: 'certificate', certificate: fresh });
  return fresh;
}

async function writeAuthority(path: string, pem: string): Promise<void> {
  try {
    await writeWholeFile(path, pem);
  } catch (cause) {
    const what = `${path} cannot be written (${reasonOf(cause)})`;
    throw new DeskError('state-unwritable', what, 'name a state file in another folder', cause);
  }
}

/** Fits a batch of twenty thousand rows. */
const maxCallBytes = 2 * 1024 * 1024;
/** A client should not wait forever for a slow disk. */
const recordMs = 20_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Never rejects. Behind a proxy clients sign `publicUrl`, not the received one. */
function deskReceiver(desk: DeskService, scheme: 'http' | 'https', publicUrl?: PublicUrl): Handler {
  const numberOf = connectionNumbers();
  return async (request, response) => {
    const startedAt = desk.surroundings.now();
    const connection = numberOf(request.socket);
    const body = await readBody(request, maxCallBytes);
    const bytes = typeof body === 'string' ? new Uint8Array() : body;
    const arrived = received(request, scheme, bytes);
    const seen = publicUrl === undefined ? arrived : (asTheClientSaw(arrived, '', publicUrl) ?? arrived);
    const record = engagementOf(seen, publicUrl?.prefix ?? '', desk.surroundings.state);
    try {
      if (typeof body === 'string') {
        const what = body === 'gone' ? 'was cut off' : `exceeds ${maxCallBytes} bytes`;
        if (record) await desk.noteUnread(record, `a request whose body ${what}`);
        if (body === 'too-large') refuseUnread(request, response);
      } else if (record === undefined) {
        desk.addStranger(`${seen.method} ${seen.target.split('?')[0]!.slice(0, 120)}`);
        say(response, 404, 'No engagement has this path. The base URL of each one is on the page of the desk.');
      } else if (!isCall(seen)) {
        const text = `This is the base URL of an engagement of the desk. Clients send POST requests to ${record.engagement.id}/api/...`;
        say(response, 404, text);
      } else {
        await answerInTime(desk.receive(record, seen, { startedAt, connection }), response);
      }
    } catch (cause) {
      const told = cause instanceof DeskError ? `${cause.message}; ${cause.hint}.` : 'The desk itself failed.';
      // Without this, nobody who watches the desk would learn of the request.
      desk.lose(`A request of a client was not recorded: ${told}`);
      if (response.headersSent || response.destroyed) response.destroy();
      else say(response, cause instanceof DeskError ? 503 : 500, `Nothing was recorded: ${told}`);
    }
  };
}

async function answerInTime(
  recorded: Promise<NonNullable<Exchange['response']>>,
  response: ServerResponse,
): Promise<void> {
  // Never send an answer that is not on disk: close the connection instead.
  const timer = setTimeout(() => response.destroy(), recordMs);
  const { status, headers, body } = await recorded.finally(() => clearTimeout(timer));
  if (response.destroyed) return;
  response.sendDate = false;
  // Otherwise Node adds Connection and Keep-Alive. The connection is kept without them (RFC 9112 section 9.3).
  if (response.shouldKeepAlive) response.removeHeader('Connection');
  response.writeHead(status, headers.flat()).end(body);
}

function say(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, { 'Content-Type': 'text/plain;charset=utf-8', 'Content-Length': body.length }).end(body);
}
