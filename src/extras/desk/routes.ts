/** The pages of the desk and its JSON API below /desk, as one table of routes. */

import { openPoints } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { routeIn } from '../../mock/router.ts';
import { toHar } from '../../record/write-har.ts';
import { jsonReport } from '../../report/json.ts';
import { htmlReport } from '../../report/pages/report-page.ts';
import { printedJson, visibleJson } from '../../report/visible.ts';
import type { DeskService } from './desk-service.ts';
import { DeskError, type EngagementRecord, type StepAction, stepActions } from './engagement.ts';
import { engagementPage, listPage } from './pages/pages.ts';
import type { WebAnswer } from './pages/shell.ts';
import { progressOf } from './script.ts';
import { type ExchangeView, redactionFor, stepView, viewOf } from './view.ts';

interface WebRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly desk: DeskService;
  readonly caFile?: string | undefined;
}

interface EngagementRequest extends WebRequest {
  readonly record: EngagementRecord;
  readonly page: string;
  readonly step: string;
}

type Answering<Asked> = (asked: Asked) => WebAnswer | Promise<WebAnswer>;

type Route = (asked: WebRequest, ids: readonly string[]) => WebAnswer | Promise<WebAnswer>;

function ofOne(answer: Answering<EngagementRequest>): Route {
  return (asked, [id = '', step = '']) =>
    answer({ ...asked, record: asked.desk.find(id), page: `/desk/engagements/${id}`, step });
}

const routes: Readonly<Record<string, Route>> = {
  'GET ': ({ desk }) => listPage(desk),
  'POST engagements': createOnPage,
  'GET engagements/<id>': ofOne(({ record, desk, caFile }) => engagementPage(viewOf(record, desk), caFile)),
  'GET engagements/<id>/report.html': ofOne(({ record, desk }) => reportPage(record, desk)),
  'POST engagements/<id>/restart': ofOne(async ({ record, desk, page }) => {
    await desk.restart(record);
    return seeOther(page);
  }),
  'POST engagements/<id>/private-key': ofOne(async ({ record, desk }) =>
    keyFile(record.engagement.id, await desk.givePrivateKey(record)),
  ),
  'POST engagements/<id>/steps/<step>': ofOne(async ({ record, desk, step, body, page }) => {
    const action = actionOf(fieldsOf(body), 'the form names no action', 'send it from the page');
    await desk.act(record, step, action);
    return seeOther(`${page}#step-${step}`);
  }),
  'GET api/engagements': async ({ desk }) => jsonAnswer({ engagements: await desk.judgeAll(summaryIn(desk)) }),
  'POST api/engagements': async ({ desk, body }) =>
    jsonAnswer(engagementJson(await desk.create(objectIn(body)), desk), 201),
  'GET api/engagements/<id>': ofOne(({ record, desk }) => jsonAnswer(engagementJson(record, desk))),
  'GET api/engagements/<id>/version': ofOne(({ record }) => jsonAnswer({ version: record.version })),
  'GET api/engagements/<id>/next': ofOne(({ record, desk }) => jsonAnswer(nextJson(record, desk))),
  'GET api/engagements/<id>/report.json': ofOne(({ record, desk }) =>
    jsonText(jsonReport(redactionFor(record.engagement).json(desk.judge(record).result))),
  ),
  'GET api/engagements/<id>/exchanges.har': ofOne(({ record, desk }) => har(record, desk)),
  'POST api/engagements/<id>/restart': ofOne(async ({ record, desk }) => {
    await desk.restart(record);
    return jsonAnswer(engagementJson(record, desk));
  }),
  'POST api/engagements/<id>/private-key': ofOne(async ({ record, desk }) =>
    jsonAnswer({ privateKeyPem: await desk.givePrivateKey(record) }),
  ),
  'POST api/engagements/<id>/steps/<step>': ofOne(async ({ record, desk, step, body }) => {
    const hint = `action is one of ${stepActions.join(', ')}`;
    await desk.act(record, step, actionOf(objectIn(body), 'action is missing or unknown', hint));
    return jsonAnswer(engagementJson(record, desk));
  }),
};

/** Throws DeskError. */
export function route(asked: WebRequest): WebAnswer | Promise<WebAnswer> {
  const found = routeIn(routes, asked.method, asked.path);
  if ('route' in found) return found.route(asked, found.ids);
  const [collection, id] = asked.path.split('/');
  if (found.methods.length === 0) throw notFound(asked.path);
  if (collection === 'engagements' && !found.methods.includes('GET')) {
    // The browser reloaded the URL of a form.
    return seeOther(id === undefined ? '/desk' : `/desk/engagements/${id}`);
  }
  const allowed = found.methods.join(', ');
  const refused = jsonAnswer(
    { error: `only ${allowed} is possible here`, hint: 'see docs/how-to/use-the-desk.md' },
    405,
  );
  return { ...refused, headers: { ...refused.headers, Allow: allowed } };
}

function notFound(path: string): DeskError {
  return path === 'api' || path.startsWith('api/')
    ? new DeskError('no-such-thing', 'the API has no such route', 'docs/how-to/use-the-desk.md lists them')
    : new DeskError('no-such-thing', 'no page has this address', 'the list of engagements is at /desk');
}

export function jsonAnswer(value: unknown, status = 200): WebAnswer {
  return jsonText(printedJson(value, 2), status);
}

function jsonText(body: string, status = 200): WebAnswer {
  return { status, headers: { 'Content-Type': 'application/json;charset=utf-8' }, body };
}

/** Redirects so that a reload does not submit the form again (RFC 9110 section 15.4.4). */
function seeOther(location: string): WebAnswer {
  return { status: 303, headers: { Location: location }, body: '' };
}

function objectIn(body: string): Record<string, unknown> {
  if (body.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new DeskError('bad-request', 'the body is not JSON', 'send a JSON object', cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const hint = 'give name, and if you like operations and publicKeyPem';
  throw new DeskError('bad-request', 'the body is not a JSON object', hint);
}

function fieldsOf(body: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

function actionOf({ action }: Record<string, unknown>, message: string, hint: string): StepAction {
  const known = stepActions.find((one) => one === action);
  if (known === undefined) throw new DeskError('bad-request', message, hint);
  return known;
}

async function createOnPage({ desk, body }: WebRequest): Promise<WebAnswer> {
  const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}`;
  try {
    const { engagement } = await desk.create(fieldsOf(body));
    return seeOther(`/desk/engagements/${engagement.id}`);
  } catch (cause) {
    if (!(cause instanceof DeskError)) throw cause;
    return listPage(desk, `${capital(cause.message)}. ${capital(cause.hint)}.`);
  }
}

/** The report page of a run, without the secrets of the engagement. */
function reportPage(record: EngagementRecord, desk: DeskService): WebAnswer {
  const { result, cases } = redacted(record, desk);
  const questions = (id: string) => openPoints.find((point) => point.id === id)?.question;
  const { baseStringOf } = desk.surroundings;
  const body = htmlReport(result, { statements: requirementById, questions, cases, baseStringOf });
  return { status: 200, headers: { 'Content-Type': 'text/html;charset=utf-8' }, body };
}

function redacted(record: EngagementRecord, desk: DeskService) {
  const redaction = redactionFor(record.engagement);
  const { result, cases } = desk.judge(record);
  return {
    result: redaction.json(result),
    cases: cases.map((one) => ({ ...one, exchanges: [redaction.exchange(one.exchanges[0])] as const })),
    redaction,
  };
}

function har(record: EngagementRecord, desk: DeskService): WebAnswer {
  const { result, cases, redaction } = redacted(record, desk);
  return jsonText(visibleJson(redaction.text(toHar(cases, result, { side: 'client', records: [] }))));
}

function keyFile(id: string, pem: string): WebAnswer {
  const headers = {
    'Content-Type': 'application/x-pem-file',
    'Content-Disposition': `attachment; filename="countersign-${id}-private.pem"`,
  };
  return { status: 200, headers, body: pem };
}

function summaryIn(desk: DeskService): Parameters<typeof desk.judgeAll>[0] {
  return (record, { result: { conclusion, hazards = [] } }) => {
    const { engagement, exchanges, version } = record;
    const { id, name, operations } = engagement;
    const createdAt = new Date(engagement.createdAt).toISOString();
    const baseUrl = desk.baseUrlOf(record);
    const counts = { hazardCount: hazards.length, exchangeCount: exchanges.length };
    return { id, name, createdAt, operations, version, baseUrl, conclusion, ...counts };
  };
}

function engagementJson(record: EngagementRecord, desk: DeskService) {
  const view = viewOf(record, desk);
  return { ...view, exchanges: view.exchanges.map(exchangeJson) };
}

function exchangeJson({ exchange: { request, response, durationMs }, ...about }: ExchangeView) {
  const { method, scheme, host, target, headers, body } = request;
  return {
    ...about,
    durationMs,
    request: { method, scheme, host, target, headers, ...bodyJson(body) },
    response: response && { status: response.status, headers: response.headers, ...bodyJson(response.body) },
  };
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
  return { baseUrl: desk.baseUrlOf(record), left, next: next === undefined ? null : stepView(next, []) };
}
