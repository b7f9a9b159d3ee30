/** Starts the desk: its state file, its servers on 127.0.0.1, the pages, and the JSON API below /desk/api. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openPoints } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { newAuthority } from '../../mock/certificates.ts';
import { connectionNumbers, lossReason, openListener, readBody, received, refuseUnread } from '../../mock/listener.ts';
import { asTheClientSaw, type PublicUrl, readPublicUrl } from '../../mock/received.ts';
import { type Refusal, serveRoutes, type WebAnswer } from '../../mock/router.ts';
import { writeWholeFile } from '../../record/disk/files.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { toHar } from '../../record/write-har.ts';
import { jsonReport } from '../../report/json.ts';
import { htmlReport } from '../../report/pages/report-page.ts';
import { printedJson, visibleJson } from '../../report/visible.ts';
import { type DeskCore, DeskService } from './desk-service.ts';
import { engagementPage, listPage, problemPage } from './pages/pages.ts';
import { operationOfPath, progressOf } from './script.ts';
import {
  DeskError,
  DeskState,
  type EngagementRecord,
  type EventLog,
  type KeptCertificate,
  openLog,
  type StepAction,
  stepActions,
  takeDeskLock,
  unwritable,
} from './state.ts';
import { stepView, viewOf } from './view.ts';

interface DeskOptions extends DeskCore {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** The port for clients. With HTTPS, the page has the next port. If 0, the system chooses both ports. */
  readonly port: number;
  readonly plainHttp: boolean;
  /** Host in base URLs; default 127.0.0.1. */
  readonly host?: string;
  readonly stateFile: string;
  /** Says why a line of the state file is invalid, without its secrets. Undefined for a valid line. */
  readonly faultOfLine: (value: unknown) => string | undefined;
  readonly publicUrl?: string;
}

export interface RunningDesk {
  readonly pageUrl: string;
  /** The part that all base URLs share: scheme, authority and prefix. */
  readonly origin: string;
  /** Certificate file of the authority that clients must trust; absent without HTTPS. */
  readonly caFile?: string;
  readonly service: DeskService;
  readonly remarks: readonly string[];
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
const maxHeaderBytes = 64 * 1024;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Throws DeskError, or MockError if a port cannot be opened or the public URL is invalid. */
export async function startDesk(options: DeskOptions): Promise<RunningDesk> {
  const { stateFile, port, now, host = loopback } = options;
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const lock = takeDeskLock(stateFile);
  // If a later step fails, close everything that was opened, in reverse order.
  const undo: (() => void | Promise<void>)[] = [() => lock.release()];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const state = new DeskState();
    const { log, remarks } = await openLog(stateFile, state, options.faultOfLine);
    undo.push(() => log.close());
    const tls = options.plainHttp ? undefined : await keptCertificate(state, log, now());
    const caFile = tls && `${stateFile.replace(/\.jsonl$/, '')}-ca.pem`;
    if (caFile !== undefined) {
      await writeWholeFile(caFile, tls!.authority).catch((cause) => Promise.reject(unwritable(caFile, cause)));
    }
    let origin = '';
    const service = new DeskService({ ...options, state, log, origin: () => origin });
    const listen = async (at: number, handler: Handler, keys?: KeptCertificate) => {
      const what = { server: 'desk', caFile: caFile ?? '', plain: 'with --plain-http' };
      const address = { host: keys ? host : loopback, port: at, maxHeaderBytes, tls: keys };
      const listener = await openListener(
        { ...address, onLost: (lost) => service.lose(lossReason(lost, what)) },
        handler,
      );
      undo.push(() => listener.close());
      return listener.port;
    };
    const scheme = tls ? 'https' : 'http';
    const site = deskSite(service, { publicHost: publicUrl?.host, caFile });
    const pages: Handler = (request, response) => serveRoutes(site, request, response);
    const clients = clientHandler(service, scheme, publicUrl);
    const both: Handler = (request, response) => (isForPage(request) ? pages : clients)(request, response);
    const clientPort = await listen(port, both, tls);
    const pagePort = tls ? await listen(port === 0 ? 0 : port + 1, pages) : clientPort;
    origin = publicUrl
      ? `${publicUrl.scheme}://${publicUrl.host}${publicUrl.prefix}`
      : `${scheme}://${host}:${clientPort}`;
    return { pageUrl: `http://${loopback}:${pagePort}/desk`, origin, caFile, service, remarks, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

function isForPage({ method, url = '' }: IncomingMessage): boolean {
  return /^\/desk(?:[/?#]|$)/.test(url) || (method === 'GET' && /^\/(?:[?#]|$)/.test(url));
}

const dayMs = 24 * 60 * 60 * 1000;
/** Replace a certificate after 28 days. It is valid for 30 days, and must not expire while a client works. */
const keptMs = 28 * dayMs;

/** The stored certificate, or a new one if the stored one is too old. The key of the authority is not stored. */
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

/** Finds the engagement by the id in the path, or else by the consumer key. `prefix` is the path before the id. */
function engagementOf(request: SentRequest, prefix: string, { records }: DeskState) {
  const path = request.target.startsWith(`${prefix}/`) ? request.target.slice(prefix.length) : request.target;
  const named = records.get(/^\/+([^/?#]*)/.exec(path)?.[1] ?? '');
  if (named !== undefined) return named;
  const header = headerValues(request.headers, 'authorization')[0] ?? '';
  // Also find a client that escapes the hyphen of its key.
  const consumerKey = (/oauth_consumer_key\s*=\s*"?([^",\s]*)/.exec(header)?.[1] ?? '').replace(/%2d/gi, '-');
  return [...records.values()].find(({ engagement }) => engagement.consumerKey === consumerKey);
}

/** Whether a client sent the request, and not a person who opened the base URL in a browser. */
function isCall(request: SentRequest): boolean {
  return request.method === 'POST' || operationOfPath(request.target) !== undefined || request.body.length > 0;
}

/** Limit of a request body in bytes. A batch of 20,000 rows is shorter. */
const maxCallBytes = 2 * 1024 * 1024;

/** Records requests as sent to `publicUrl`, because clients behind a proxy sign the public URL. Never rejects. */
function clientHandler(desk: DeskService, scheme: 'http' | 'https', publicUrl?: PublicUrl): Handler {
  const numberOf = connectionNumbers();
  return async (request, response) => {
    const startedAt = desk.surroundings.now();
    const connection = numberOf(request.socket);
    const body = await readBody(request, maxCallBytes);
    const arrived = received(request, scheme, typeof body === 'string' ? new Uint8Array() : body);
    const call = publicUrl === undefined ? arrived : (asTheClientSaw(arrived, '', publicUrl) ?? arrived);
    const record = engagementOf(call, publicUrl?.prefix ?? '', desk.surroundings.state);
    try {
      if (typeof body === 'string') {
        const what = body === 'gone' ? 'was cut off' : `exceeds ${maxCallBytes} bytes`;
        if (record) await desk.noteUnread(record, `a request whose body ${what}`);
        if (body === 'too-large') refuseUnread(request, response);
      } else if (record === undefined) {
        const line = `${call.method} ${call.target.split('?')[0]!.slice(0, 120)}`;
        desk.lose(`${line} does not have the path or the consumer key of an engagement. The status was 404.`);
        answerText(response, 404, 'No engagement has this path. Use the base URL on the page of the desk.');
      } else if (!isCall(call)) {
        const example = `${record.engagement.id}/api/...`;
        answerText(response, 404, `This is the base URL of an engagement. Clients send POST requests to ${example}`);
      } else {
        const { status, headers, body: bytes } = await desk.receive(record, call, { startedAt, connection });
        response.sendDate = false;
        // Send no Connection and Keep-Alive: HTTP/1.1 keeps a connection open without them (RFC 9112 section 9.3).
        if (response.shouldKeepAlive) response.removeHeader('Connection');
        response.writeHead(status, headers.flat()).end(bytes);
      }
    } catch (cause) {
      const reason = cause instanceof DeskError ? `${cause.message}; ${cause.hint}.` : 'the desk itself failed.';
      // Show the request on the page, because the state file does not contain it.
      desk.lose(`The desk did not record a request of a client: ${reason}`);
      if (response.headersSent) response.destroy();
      else answerText(response, cause instanceof DeskError ? 503 : 500, `Nothing was recorded: ${reason}`);
    }
  };
}

function answerText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, { 'Content-Type': 'text/plain;charset=utf-8', 'Content-Length': body.length }).end(body);
}

type Site = Parameters<typeof serveRoutes>[0];
type Act = (record: EngagementRecord, step: string, read: () => Record<string, unknown>) => Promise<void>;
type OfOne = (record: EngagementRecord, body: string, step: string) => WebAnswer | Promise<WebAnswer>;

/** @param caFile certificate file of the authority that clients must trust; absent without HTTPS */
function deskSite(desk: DeskService, { publicHost, caFile }: { publicHost?: string; caFile?: string }): Site {
  const pageOf = ({ engagement: { id } }: EngagementRecord) => `/desk/engagements/${id}`;
  const json = (record: EngagementRecord, status?: number) => jsonAnswer(engagementJson(record, desk), status);
  // The page sends an action as a form, and other programs send it as JSON.
  const both = (path: string, act: Act): Readonly<Record<string, OfOne>> => ({
    [`POST /desk/engagements/<id>/${path}`]: async (record, body, step) => {
      await act(record, step, () => fieldsOf(body));
      return seeOther(`${pageOf(record)}${step && `#step-${step}`}`);
    },
    [`POST /desk/api/engagements/<id>/${path}`]: async (record, body, step) => {
      await act(record, step, () => objectIn(body));
      return json(record);
    },
  });
  const routes: Record<string, Site['routes'][string]> = {
    'GET /': () => seeOther('/desk'),
    'GET /desk': () => listPage(desk),
    'GET /desk/': () => seeOther('/desk'),
    'POST /desk/engagements': async (_, body) => {
      try {
        return seeOther(pageOf(await desk.create(fieldsOf(textOf(body)))));
      } catch (cause) {
        if (!(cause instanceof DeskError)) throw cause;
        return listPage(desk, `${capital(cause.message)}. ${capital(cause.hint)}.`);
      }
    },
    'GET /desk/api/events': () => events(desk),
    'GET /desk/api/engagements': () => jsonAnswer({ engagements: desk.all().map((record) => summary(record, desk)) }),
    'POST /desk/api/engagements': async (_, body) => json(await desk.create(objectIn(textOf(body))), 201),
  };
  const ofOne: Readonly<Record<string, OfOne>> = {
    'GET /desk/engagements/<id>': (record) => engagementPage(viewOf(record, desk), caFile),
    'GET /desk/engagements/<id>/report.html': (record) => reportPage(record, desk),
    'POST /desk/engagements/<id>/private-key': async (record) => {
      const disposition = `attachment; filename="countersign-${record.engagement.id}-private.pem"`;
      const headers = { 'Content-Type': 'application/x-pem-file', 'Content-Disposition': disposition };
      return { status: 200, headers, body: await desk.givePrivateKey(record) };
    },
    ...both('restart', (record) => desk.restart(record)),
    ...both('steps/<step>', (record, step, read) => desk.act(record, step, actionOf(read()))),
    'GET /desk/api/engagements/<id>': (record) => json(record),
    'GET /desk/api/engagements/<id>/version': ({ version }) => jsonAnswer({ version }),
    'GET /desk/api/engagements/<id>/next': (record) => jsonAnswer(nextJson(record, desk)),
    'GET /desk/api/engagements/<id>/report.json': (record) => jsonText(jsonReport(redacted(record, desk).result)),
    'GET /desk/api/engagements/<id>/exchanges.har': (record) => {
      const { result, cases, redaction } = redacted(record, desk);
      return jsonText(visibleJson(redaction.text(toHar(cases, result, { side: 'client', records: [] }))));
    },
    'POST /desk/api/engagements/<id>/private-key': async (record) =>
      jsonAnswer({ privateKeyPem: await desk.givePrivateKey(record) }),
  };
  for (const [path, answer] of Object.entries(ofOne)) {
    routes[path] = ([id = '', step = ''], body) => answer(desk.find(id), textOf(body), step);
  }
  // Do not use `no-referrer`: with this policy, browsers send the origin `null` with forms.
  const policy = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'same-origin' };
  return { routes, headers: { 'Cache-Control': 'no-store', ...policy }, publicHost, refuse };
}

/** The HTTP status of each error code. The status of all other codes is 503. */
const statuses: Readonly<Partial<Record<DeskError['code'], number>>> = {
  'bad-request': 400,
  'bad-public-key': 400,
  'no-such-thing': 404,
  'already-given': 410,
  'too-many': 409,
};

function refuse(refusal: Refusal, _method: string, path: string): WebAnswer {
  const isApi = /^\/desk\/api(?:\/|$)/.test(path);
  const answer = (status: number, code: string | undefined, error: string, hint: string) =>
    isApi ? jsonAnswer({ error, code, hint }, status) : problemPage(status, error, hint);
  const guide = 'docs/how-to/use-the-desk.md lists the routes';
  if (refusal.why === 'method') {
    // Redirect to the page of the form: a browser sends GET when a person reloads the URL of a submitted form.
    const [, page = '/desk'] = /^(\/desk\/engagements\/[^/]+)\//.exec(path) ?? [];
    if (!isApi && !refusal.methods.includes('GET')) return seeOther(page);
    return jsonAnswer({ error: `only ${refusal.methods} is allowed here`, hint: guide }, 405);
  }
  if (refusal.why === 'failed') {
    const { cause } = refusal;
    if (cause instanceof DeskError) return answer(statuses[cause.code] ?? 503, cause.code, cause.message, cause.hint);
    return answer(500, undefined, 'the desk itself failed', 'all recorded exchanges are safe; please report this');
  }
  if (refusal.why !== 'unknown') return answer(403, 'foreign-origin', ...foreignOrigins[refusal.why]);
  if (isApi) return answer(404, 'no-such-thing', 'the API has no such route', guide);
  return answer(404, 'no-such-thing', 'no page has this address', 'the list of engagements is at /desk');
}

/** Refusals of requests that another site may have caused. */
const foreignOrigins: Readonly<Record<'name' | 'site' | 'type', readonly [error: string, hint: string]>> = {
  name: [
    'the desk does not accept this host name',
    'open the desk as 127.0.0.1 or localhost, or name the host with --public-url',
  ],
  site: ['the request comes from another site', 'send it from the page of the desk, or from a program'],
  type: [
    'the request has no Content-Type: application/json',
    'send this header, because a page of another site cannot send it',
  ],
};

function jsonAnswer(value: unknown, status = 200): WebAnswer {
  return jsonText(printedJson(value, 2), status);
}

function jsonText(body: string, status = 200): WebAnswer {
  return { status, headers: { 'Content-Type': 'application/json;charset=utf-8' }, body };
}

/** Redirects to a page, so that a reload does not submit the form again (RFC 9110 section 15.4.4). */
function seeOther(location: string): WebAnswer {
  return { status: 303, headers: { Location: location }, body: '' };
}

/** Milliseconds between comments in the event stream. The comments stop proxies from closing an idle connection. */
const beatMs = 15_000;

/** Sends the id of each changed engagement, or `*` for all, as server-sent events (WHATWG HTML section 9.2). */
function events(desk: DeskService): WebAnswer {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body: (response) => {
      response.write('data: *\n\n');
      const stop = desk.watch((changed = '*') => response.write(`data: ${changed}\n\n`));
      const beat = setInterval(() => response.write(': still here\n\n'), beatMs).unref();
      response.once('close', () => {
        clearInterval(beat);
        stop();
      });
    },
  };
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8');
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}`;
}

function objectIn(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = body.trim() === '' ? {} : JSON.parse(body);
  } catch (cause) {
    throw new DeskError('bad-request', 'the body is not JSON', 'send a JSON object', cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new DeskError('bad-request', 'the body is not a JSON object', 'send a JSON object');
}

function fieldsOf(body: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

function actionOf({ action }: Record<string, unknown>): StepAction {
  const known = stepActions.find((name) => name === action);
  if (known !== undefined) return known;
  throw new DeskError('bad-request', 'action is missing or unknown', `action is one of ${stepActions.join(', ')}`);
}

function reportPage(record: EngagementRecord, desk: DeskService): WebAnswer {
  const { result, cases } = redacted(record, desk);
  const questions = (id: string) => openPoints.find((point) => point.id === id)?.question;
  const { baseStringOf } = desk.surroundings;
  const body = htmlReport(result, { statements: requirementById, questions, cases, baseStringOf });
  return { status: 200, headers: { 'Content-Type': 'text/html;charset=utf-8' }, body };
}

/** The verdicts and exchanges without the secrets of the engagement. */
function redacted(record: EngagementRecord, desk: DeskService) {
  const redaction = desk.redactorOf(record.engagement);
  const { result, cases } = desk.judge(record);
  return {
    result: redaction.anything(result),
    cases: cases.map((one) => ({ ...one, exchanges: [redaction.exchange(one.exchanges[0])] as const })),
    redaction,
  };
}

function summary(record: EngagementRecord, desk: DeskService) {
  const { conclusion, hazards = [] } = desk.judge(record).result;
  const { id, name, operations, createdAt: at } = record.engagement;
  const about = { id, name, createdAt: new Date(at).toISOString(), operations, version: record.version };
  const counts = { hazardCount: hazards.length, exchangeCount: record.exchanges.length };
  return { ...about, baseUrl: desk.baseUrlOf(record), conclusion, ...counts };
}

function engagementJson(record: EngagementRecord, desk: DeskService) {
  const view = viewOf(record, desk);
  const exchanges = view.exchanges.map(({ exchange: { request, response, durationMs }, ...about }) => {
    const { method, scheme, host, target, headers, body } = request;
    return {
      ...about,
      durationMs,
      request: { method, scheme, host, target, headers, ...bodyJson(body) },
      response: response && { status: response.status, headers: response.headers, ...bodyJson(response.body) },
    };
  });
  return { ...view, exchanges };
}

function bodyJson(body: Uint8Array): { readonly bodyText: string } | { readonly bodyBase64: string } {
  try {
    return { bodyText: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) };
  } catch {
    return { bodyBase64: Buffer.from(body).toString('base64') };
  }
}

function nextJson(record: EngagementRecord, desk: DeskService) {
  const progress = progressOf(record);
  const next = progress.find(({ state }) => state === 'next');
  const left = progress.filter(({ state }) => state === 'next' || state === 'later').length;
  return { baseUrl: desk.baseUrlOf(record), left, next: next === undefined ? null : stepView(next) };
}
