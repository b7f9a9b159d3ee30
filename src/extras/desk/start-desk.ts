/** Starts the desk: its state file, its servers on 127.0.0.1, the pages, and the JSON API below /desk/api. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { questionOf } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { newAuthority } from '../../mock/certificates.ts';
import { type PublicUrl, readPublicUrl, withPublicUrl } from '../../mock/decode-request.ts';
import {
  connectionNumbers,
  type LostConnection,
  lossReason,
  openListener,
  readBody,
  refuseUnread,
  toSentRequest,
} from '../../mock/listener.ts';
import { type Refusal, serveRoutes, type WebAnswer } from '../../mock/router.ts';
import { writeWholeFile } from '../../record/disk/files.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { toHar } from '../../record/write-har.ts';
import { jsonReport } from '../../report/json.ts';
import { htmlReport } from '../../report/pages/report-page.ts';
import { printedJson, visibleJson } from '../../report/visible.ts';
import { type DeskCore, DeskService, stepView, viewOf } from './desk-service.ts';
import { engagementPage, listPage, problemPage } from './pages/pages.ts';
import { operationOfPath, progressOf } from './plan.ts';
import {
  DeskError,
  DeskState,
  type EngagementRecord,
  type EventLog,
  openLog,
  type StepAction,
  type StoredCertificate,
  stepActions,
  takeDeskLock,
  unwritableError,
} from './state.ts';

interface DeskOptions extends DeskCore {
  /** The port for clients. With HTTPS, the pages use the next port. If 0, the operating system chooses both ports. */
  readonly port: number;
  readonly plainHttp: boolean;
  readonly host?: string;
  readonly stateFile: string;
  /** Returns why a line of the state file is invalid, without its secrets. Returns undefined if the line is valid. */
  readonly faultOfLine: (value: unknown) => string | undefined;
  readonly publicUrl?: string;
}

/** All base URLs begin with `origin`. If `caFile` is present, clients must trust the CA certificate in this file. */
export type RunningDesk = Awaited<ReturnType<typeof startDesk>>;

const loopback = '127.0.0.1';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Throws DeskError, or MockError if a port cannot be opened or the public URL is invalid. */
export async function startDesk(options: DeskOptions) {
  const { stateFile, port, now, host = loopback } = options;
  const publicUrl = options.publicUrl === undefined ? undefined : readPublicUrl(options.publicUrl);
  const lock = takeDeskLock(stateFile);
  const cleanups: (() => void | Promise<void>)[] = [() => lock.release()];
  const close = async () => {
    for (const step of cleanups.splice(0).reverse()) await step();
  };
  try {
    const state = new DeskState();
    const { log, remarks } = await openLog(stateFile, state, options.faultOfLine);
    const tls = options.plainHttp ? undefined : currentCertificate(state, log, now());
    const caFile = tls && `${stateFile.replace(/\.jsonl$/, '')}-ca.pem`;
    if (caFile !== undefined) {
      await writeWholeFile(caFile, tls!.authority).catch((cause) => Promise.reject(unwritableError(caFile, cause)));
    }
    const service = new DeskService({ ...options, state, log });
    const serverInfo = { server: 'desk', caFile: caFile ?? '', plain: 'with --plain-http' };
    const onLost = (connection: LostConnection) => service.noteFailure(lossReason(connection, serverInfo));
    const listen = async (atPort: number, handler: Handler, cert?: StoredCertificate) => {
      const settings = { host: cert ? host : loopback, port: atPort, maxHeaderBytes: 64 * 1024, tls: cert };
      const listener = await openListener({ ...settings, onLost }, handler);
      cleanups.push(() => listener.close());
      return listener.port;
    };
    const scheme = tls ? 'https' : 'http';
    const site = deskSite(service, { publicHost: publicUrl?.host, caFile });
    const handlePage: Handler = (request, response) => serveRoutes(site, request, response);
    const handleCall = clientHandler(service, scheme, publicUrl);
    const pagePattern = /^(?:\w+ \/desk(?:[/?#]|$)|GET \/(?:[?#]|$))/;
    const handleAny: Handler = (request, response) =>
      (pagePattern.test(`${request.method} ${request.url}`) ? handlePage : handleCall)(request, response);
    const clientPort = await listen(port, handleAny, tls);
    const pagePort = tls ? await listen(port === 0 ? 0 : port + 1, handlePage) : clientPort;
    const publicOrigin = publicUrl && `${publicUrl.scheme}://${publicUrl.host}${publicUrl.prefix}`;
    service.origin = publicOrigin ?? `${scheme}://${host}:${clientPort}`;
    const { origin } = service;
    return { pageUrl: `http://${loopback}:${pagePort}/desk`, origin, caFile, service, remarks, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Reuses the stored certificate unless it is too old. The private key of the CA is never stored. */
function currentCertificate({ certificate }: DeskState, log: EventLog, now: number): StoredCertificate {
  const dayMs = 86_400_000;
  // A certificate is valid for 30 days. Replace it after 28 days, so that it does not expire while a client works.
  const age = now - (certificate?.issuedAt ?? Number.NEGATIVE_INFINITY);
  if (certificate !== undefined && age < 28 * dayMs && age >= -dayMs) return certificate;
  const authority = newAuthority(now);
  const issued = authority.issue({ names: [loopback, 'localhost', '::1'] });
  const fresh = { authority: authority.certificatePem, ...issued, issuedAt: now };
  log.append({ t: 'certificate', certificate: fresh });
  return fresh;
}

function engagementOf(request: SentRequest, prefix: string, { records }: DeskState) {
  const path = request.target.startsWith(`${prefix}/`) ? request.target.slice(prefix.length) : request.target;
  const byPath = records.get(/^\/+([^/?#]*)/.exec(path)?.[1] ?? '');
  if (byPath !== undefined) return byPath;
  const header = headerValues(request.headers, 'authorization')[0] ?? '';
  // Some clients escape the hyphen of the consumer key as %2D.
  const consumerKey = (/oauth_consumer_key\s*=\s*"?([^",\s]*)/.exec(header)?.[1] ?? '').replace(/%2d/gi, '-');
  return [...records.values()].find(({ engagement }) => engagement.consumerKey === consumerKey);
}

/** Limit of a request body in bytes, enough for a batch of 20,000 rows. */
const maxCallBytes = 2 * 1024 * 1024;

/** Records requests. If `publicUrl` is given, records that URL, because clients sign it. The handler never rejects. */
function clientHandler(desk: DeskService, scheme: 'http' | 'https', publicUrl?: PublicUrl): Handler {
  const numberOf = connectionNumbers();
  return async (request, response) => {
    const startedAt = desk.context.now();
    const connection = numberOf(request.socket);
    const body = await readBody(request, maxCallBytes);
    const localRequest = toSentRequest(request, scheme, typeof body === 'string' ? new Uint8Array() : body);
    const call = publicUrl === undefined ? localRequest : (withPublicUrl(localRequest, '', publicUrl) ?? localRequest);
    const record = engagementOf(call, publicUrl?.prefix ?? '', desk.context.state);
    try {
      if (typeof body === 'string') {
        const fault = body === 'gone' ? 'was cut off' : `exceeds ${maxCallBytes} bytes`;
        if (record) desk.noteUnread(record, `a request whose body ${fault}`);
        if (body === 'too-large') refuseUnread(request, response);
      } else if (record === undefined) {
        const line = `${call.method} ${call.target.split('?')[0]!.slice(0, 120)}`;
        desk.noteFailure(`${line} does not have the path or the consumer key of an engagement. The status was 404.`);
        answerText(response, 404, 'No engagement has this path. Use the base URL on the page of the desk.');
      } else if (call.method !== 'POST' && operationOfPath(call.target) === undefined && call.body.length === 0) {
        // Probably a person opened the base URL in a browser.
        const example = `${record.engagement.id}/api/...`;
        answerText(response, 404, `This is the base URL of an engagement. Clients send POST requests to ${example}`);
      } else {
        const answer = desk.receive(record, call, { startedAt, connection });
        response.sendDate = false;
        // Omit the headers Connection and Keep-Alive: HTTP/1.1 connections persist by default (RFC 9112 section 9.3).
        if (response.shouldKeepAlive) response.removeHeader('Connection');
        response.writeHead(answer.status, answer.headers.flat()).end(answer.body);
      }
    } catch (cause) {
      const reason = cause instanceof DeskError ? `${cause.message}; ${cause.hint}.` : 'the desk itself failed.';
      // The request is not in the state file, so at least show the failure on the page.
      desk.noteFailure(`The desk did not record a request of a client: ${reason}`);
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
type RecordHandler = (record: EngagementRecord, body: Uint8Array, step: string) => WebAnswer | Promise<WebAnswer>;
type RecordAction = (record: EngagementRecord, input: Record<string, unknown>, step: string) => void;

function deskSite(desk: DeskService, { publicHost, caFile }: { publicHost?: string; caFile?: string }): Site {
  const pagePath = ({ engagement: { id } }: EngagementRecord) => `/desk/engagements/${id}`;
  const json = (record: EngagementRecord, status?: number) => jsonAnswer(engagementJson(record, desk), status);
  const actionRoutes = (path: string, act: RecordAction): Readonly<Record<string, RecordHandler>> => ({
    [`POST /desk/engagements/<id>/${path}`]: (record, body, step) => {
      act(record, parseInput(body), step);
      return seeOther(`${pagePath(record)}${step && `#step-${step}`}`);
    },
    [`POST /desk/api/engagements/<id>/${path}`]: (record, body, step) => {
      act(record, parseInput(body), step);
      return json(record);
    },
  });
  const recordRoutes: Readonly<Record<string, RecordHandler>> = {
    'GET /desk/engagements/<id>': (record) => engagementPage(viewOf(record, desk), caFile),
    'GET /desk/engagements/<id>/report.html': (record) => {
      const { result, cases } = desk.judge(record);
      const { baseStringOf } = desk.context;
      const body = htmlReport(result, { statements: requirementById, questions: questionOf, cases, baseStringOf });
      return { status: 200, headers: { 'Content-Type': 'text/html;charset=utf-8' }, body };
    },
    'POST /desk/engagements/<id>/private-key': (record) => {
      const disposition = `attachment; filename="countersign-${record.engagement.id}-private.pem"`;
      const headers = { 'Content-Type': 'application/x-pem-file', 'Content-Disposition': disposition };
      return { status: 200, headers, body: desk.givePrivateKey(record) };
    },
    ...actionRoutes('restart', (record) => desk.restart(record)),
    ...actionRoutes('steps/<step>', (record, input, step) => desk.act(record, step, parseAction(input))),
    'GET /desk/api/engagements/<id>': (record) => json(record),
    'GET /desk/api/engagements/<id>/version': ({ version }) => jsonAnswer({ version }),
    'GET /desk/api/engagements/<id>/next': (record) => {
      const remaining = progressOf(record).filter(({ state }) => state === 'next' || state === 'later');
      const [next = null] = remaining.map((step) => stepView(step));
      return jsonAnswer({ baseUrl: desk.baseUrlOf(record), left: remaining.length, next });
    },
    'GET /desk/api/engagements/<id>/report.json': (record) => jsonAnswer(jsonReport(desk.judge(record).result)),
    'GET /desk/api/engagements/<id>/exchanges.har': (record) => {
      const { result, cases } = desk.judge(record);
      const har = toHar(cases, result, { side: 'client', records: [] });
      return jsonAnswer(visibleJson(desk.redactorOf(record.engagement).text(har)));
    },
    'POST /desk/api/engagements/<id>/private-key': (record) =>
      jsonAnswer({ privateKeyPem: desk.givePrivateKey(record) }),
  };
  const routes: Record<string, Site['routes'][string]> = {
    'GET /': () => seeOther('/desk'),
    'GET /desk': () => listPage(desk),
    'GET /desk/': () => seeOther('/desk'),
    'POST /desk/engagements': (_, body) => {
      try {
        return seeOther(pagePath(desk.create(parseInput(body))));
      } catch (cause) {
        if (!(cause instanceof DeskError)) throw cause;
        return listPage(desk, `${capitalize(cause.message)}. ${capitalize(cause.hint)}.`);
      }
    },
    'GET /desk/api/events': () => events(desk),
    'GET /desk/api/engagements': () => jsonAnswer({ engagements: desk.all().map((record) => summary(record, desk)) }),
    'POST /desk/api/engagements': (_, body) => json(desk.create(parseInput(body)), 201),
  };
  for (const [path, answer] of Object.entries(recordRoutes)) {
    routes[path] = ([id = '', step = ''], body) => answer(desk.find(id), body, step);
  }
  // With `no-referrer`, browsers would send the origin `null` with forms, and the desk would refuse the forms.
  const policy = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'same-origin' };
  return { routes, headers: { 'Cache-Control': 'no-store', ...policy }, publicHost, refuse };
}

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
  const routesHint = 'docs/how-to/use-the-desk.md lists the routes';
  if (refusal.reason === 'method') {
    // If a person opens the URL of a form again, the browser sends GET. So redirect to the page with the form.
    const [, page = '/desk'] = /^(\/desk\/engagements\/[^/]+)\//.exec(path) ?? [];
    if (!isApi && !refusal.methods.includes('GET')) return seeOther(page);
    return jsonAnswer({ error: `only ${refusal.methods} is allowed here`, hint: routesHint }, 405);
  }
  if (refusal.reason === 'failed') {
    const { cause } = refusal;
    if (cause instanceof DeskError) return answer(statuses[cause.code] ?? 503, cause.code, cause.message, cause.hint);
    return answer(500, undefined, 'the desk itself failed', 'all recorded exchanges are safe; please report this');
  }
  if (refusal.reason !== 'unknown') return answer(403, 'foreign-origin', ...foreignOrigins[refusal.reason]);
  if (isApi) return answer(404, 'no-such-thing', 'the API has no such route', routesHint);
  return answer(404, 'no-such-thing', 'no page has this address', 'the list of engagements is at /desk');
}

const foreignOrigins: Readonly<Record<'name' | 'site' | 'type', readonly [error: string, hint: string]>> = {
  name: ['the desk does not accept this host name', 'open it as 127.0.0.1 or localhost, or use --public-url'],
  site: ['the request comes from another site', 'send it from the page of the desk, or from a program'],
  type: ['the request has no Content-Type: application/json', 'send this header; pages of other sites cannot send it'],
};

function jsonAnswer(value: unknown, status = 200): WebAnswer {
  const body = typeof value === 'string' ? value : printedJson(value, 2);
  return { status, headers: { 'Content-Type': 'application/json;charset=utf-8' }, body };
}

/** Redirects to a page, so that a reload does not submit the form again (RFC 9110 section 15.4.4). */
function seeOther(location: string): WebAnswer {
  return { status: 303, headers: { Location: location }, body: '' };
}

/** Tells open pages which engagement changed, or `*` for all. Uses server-sent events (WHATWG HTML section 9.2). */
function events(desk: DeskService): WebAnswer {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body: (response) => {
      response.write('data: *\n\n');
      const send = (id = '*') => response.write(`data: ${id}\n\n`);
      desk.changes.on('change', send);
      // Send a comment every 15 seconds, because proxies close idle connections.
      const heartbeat = setInterval(() => response.write(': still here\n\n'), 15_000).unref();
      response.once('close', () => {
        clearInterval(heartbeat);
        desk.changes.off('change', send);
      });
    },
  };
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}`;
}

function parseInput(bytes: Uint8Array): Record<string, unknown> {
  const body = Buffer.from(bytes).toString('utf8');
  if (!/^\s*\{/.test(body)) return Object.fromEntries(new URLSearchParams(body));
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new DeskError('bad-request', 'the body is not JSON', 'send a JSON object', cause);
  }
}

function parseAction({ action }: Record<string, unknown>): StepAction {
  const known = stepActions.find((name) => name === action);
  if (known !== undefined) return known;
  throw new DeskError('bad-request', 'action is missing or unknown', `action is one of ${stepActions.join(', ')}`);
}

function summary(record: EngagementRecord, desk: DeskService) {
  const view = viewOf(record, desk);
  const { id, name, createdAt, operations, version, baseUrl, conclusion, exchangeCount } = view;
  const hazardCount = view.hazards.length;
  return { id, name, createdAt, operations, version, baseUrl, conclusion, hazardCount, exchangeCount };
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

function bodyJson(body: Uint8Array): object {
  try {
    return { bodyText: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) };
  } catch {
    return { bodyBase64: Buffer.from(body).toString('base64') };
  }
}
