/** One table of routes: the pages of the desk, and its JSON API below /desk/api. */
import { openPoints } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Refusal, serveRoutes, WebAnswer } from '../../mock/router.ts';
import { toHar } from '../../record/write-har.ts';
import { jsonReport } from '../../report/json.ts';
import { htmlReport } from '../../report/pages/report-page.ts';
import { printedJson, visibleJson } from '../../report/visible.ts';
import { baseStringOf } from '../../verdict/gateway-evidence.ts';
import type { DeskService } from './desk-service.ts';
import { engagementPage, listPage, problemPage } from './pages/pages.ts';
import { progressOf } from './script.ts';
import { DeskError, type EngagementRecord, type StepAction, stepActions } from './state.ts';
import { redactionFor, stepView, viewOf } from './view.ts';

type Site = Parameters<typeof serveRoutes>[0];
type Route = Site['routes'][string];
type OfOne = (record: EngagementRecord, body: string, step: string) => WebAnswer | Promise<WebAnswer>;

/** @param caFile certificate file of the authority that clients must trust; absent without HTTPS */
export function deskSite(desk: DeskService, { publicHost, caFile }: { publicHost?: string; caFile?: string }): Site {
  const ofOne = (answer: OfOne): Route => {
    return ([id = '', step = ''], body) => answer(desk.find(id), textOf(body), step);
  };
  const pageOf = ({ engagement: { id } }: EngagementRecord) => `/desk/engagements/${id}`;
  const json = (record: EngagementRecord, status?: number) => jsonAnswer(engagementJson(record, desk), status);
  const routes: Site['routes'] = {
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
    'GET /desk/engagements/<id>': ofOne((record) => engagementPage(viewOf(record, desk), caFile)),
    'GET /desk/engagements/<id>/report.html': ofOne((record) => reportPage(record, desk)),
    'POST /desk/engagements/<id>/restart': ofOne(async (record) => {
      await desk.restart(record);
      return seeOther(pageOf(record));
    }),
    'POST /desk/engagements/<id>/private-key': ofOne(async (record) => {
      const name = `countersign-${record.engagement.id}-private.pem`;
      const headers = {
        'Content-Type': 'application/x-pem-file',
        'Content-Disposition': `attachment; filename="${name}"`,
      };
      return { status: 200, headers, body: await desk.givePrivateKey(record) };
    }),
    'POST /desk/engagements/<id>/steps/<step>': ofOne(async (record, body, step) => {
      await desk.act(record, step, actionOf(fieldsOf(body)));
      return seeOther(`${pageOf(record)}#step-${step}`);
    }),
    'GET /desk/api/events': () => events(desk),
    'GET /desk/api/engagements': () => jsonAnswer({ engagements: desk.all().map((record) => summary(record, desk)) }),
    'POST /desk/api/engagements': async (_, body) => json(await desk.create(objectIn(textOf(body))), 201),
    'GET /desk/api/engagements/<id>': ofOne((record) => json(record)),
    'GET /desk/api/engagements/<id>/version': ofOne(({ version }) => jsonAnswer({ version })),
    'GET /desk/api/engagements/<id>/next': ofOne((record) => jsonAnswer(nextJson(record, desk))),
    'GET /desk/api/engagements/<id>/report.json': ofOne((record) =>
      jsonText(jsonReport(redacted(record, desk).result)),
    ),
    'GET /desk/api/engagements/<id>/exchanges.har': ofOne((record) => {
      const { result, cases, redaction } = redacted(record, desk);
      return jsonText(visibleJson(redaction.text(toHar(cases, result, { side: 'client', records: [] }))));
    }),
    'POST /desk/api/engagements/<id>/restart': ofOne(async (record) => {
      await desk.restart(record);
      return json(record);
    }),
    'POST /desk/api/engagements/<id>/private-key': ofOne(async (record) =>
      jsonAnswer({ privateKeyPem: await desk.givePrivateKey(record) }),
    ),
    'POST /desk/api/engagements/<id>/steps/<step>': ofOne(async (record, body, step) => {
      await desk.act(record, step, actionOf(objectIn(body)));
      return json(record);
    }),
  };
  // Do not use `no-referrer`: with this policy, browsers send the origin `null` with forms.
  const headers = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
  };
  return { routes, headers, publicHost, refuse };
}

/** The HTTP status for each error code. All other codes get 503. */
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
  const foreign = (error: string, hint: string) => answer(403, 'foreign-origin', error, hint);
  const guide = 'docs/how-to/use-the-desk.md lists the routes';
  switch (refusal.why) {
    case 'name': {
      const hint = 'open the desk as 127.0.0.1 or localhost, or name the host with --public-url';
      return foreign('the desk does not accept this host name', hint);
    }
    case 'site':
      return foreign('the request comes from another site', 'send it from the page of the desk, or from a program');
    case 'type': {
      const hint = 'send this header, because a page of another site cannot send it';
      return foreign('the request has no Content-Type: application/json', hint);
    }
    case 'unknown':
      if (isApi) return answer(404, 'no-such-thing', 'the API has no such route', guide);
      return answer(404, 'no-such-thing', 'no page has this address', 'the list of engagements is at /desk');
    case 'method': {
      // A browser that reloads the URL of a submitted form sends GET, so redirect it to the page of the form.
      const [, page = '/desk'] = /^(\/desk\/engagements\/[^/]+)\//.exec(path) ?? [];
      if (!isApi && !refusal.methods.includes('GET')) return seeOther(page);
      return jsonAnswer({ error: `only ${refusal.methods} is allowed here`, hint: guide }, 405);
    }
    case 'failed': {
      const { cause } = refusal;
      if (cause instanceof DeskError) return answer(statuses[cause.code] ?? 503, cause.code, cause.message, cause.hint);
      return answer(500, undefined, 'the desk itself failed', 'all recorded exchanges are safe; please report this');
    }
  }
}

function jsonAnswer(value: unknown, status = 200): WebAnswer {
  return jsonText(printedJson(value, 2), status);
}

function jsonText(body: string, status = 200): WebAnswer {
  return { status, headers: { 'Content-Type': 'application/json;charset=utf-8' }, body };
}

/** Redirects so that a reload does not submit the form again (RFC 9110 section 15.4.4). */
function seeOther(location: string): WebAnswer {
  return { status: 303, headers: { Location: location }, body: '' };
}

/** Milliseconds between comments in the event stream. Without comments, proxies close the idle connection. */
const beatMs = 15_000;

/** Server-sent events (WHATWG HTML section 9.2): the id of each changed engagement, or `*` for all. */
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
  const known = stepActions.find((one) => one === action);
  if (known !== undefined) return known;
  throw new DeskError('bad-request', 'action is missing or unknown', `action is one of ${stepActions.join(', ')}`);
}

function reportPage(record: EngagementRecord, desk: DeskService): WebAnswer {
  const { result, cases } = redacted(record, desk);
  const questions = (id: string) => openPoints.find((point) => point.id === id)?.question;
  const body = htmlReport(result, { statements: requirementById, questions, cases, baseStringOf });
  return { status: 200, headers: { 'Content-Type': 'text/html;charset=utf-8' }, body };
}

/** The verdicts and exchanges without the secrets of the engagement. */
function redacted(record: EngagementRecord, desk: DeskService) {
  const redaction = redactionFor(record.engagement);
  const { result, cases } = desk.judge(record);
  return {
    result: redaction.json(result),
    cases: cases.map((one) => ({ ...one, exchanges: [redaction.exchange(one.exchanges[0])] as const })),
    redaction,
  };
}

function summary(record: EngagementRecord, desk: DeskService) {
  const { conclusion, hazards = [] } = desk.judge(record).result;
  const { engagement, exchanges, version } = record;
  const { id, name, operations } = engagement;
  const [createdAt, baseUrl] = [new Date(engagement.createdAt).toISOString(), desk.baseUrlOf(record)];
  const counts = { hazardCount: hazards.length, exchangeCount: exchanges.length };
  return { id, name, createdAt, operations, version, baseUrl, conclusion, ...counts };
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
