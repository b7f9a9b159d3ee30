/** The JSON API of the desk, below /desk/api. */
import { toHar } from '../../record/har.ts';
import { jsonReport } from '../../report/json.ts';
import { visibleJson } from '../../report/visible.ts';
import { DeskError } from './desk-error.ts';
import type { DeskService, Judged } from './desk-service.ts';
import type { EngagementRecord } from './engagement.ts';
import { stepActions } from './events.ts';
import { readNewEngagement, readObject } from './new-engagement.ts';
import { redactionFor } from './redact.ts';
import { progressOf } from './script.ts';
import { type ExchangeView, stepView, viewOf } from './view.ts';
import { jsonAnswer, methodRefused, type WebAnswer, type WebRequest } from './web.ts';

/** Answers a request below /desk/api. Throws DeskError. */
export async function apiAnswer(asked: WebRequest): Promise<WebAnswer> {
  const [, collection, id, ...rest] = asked.segments;
  if (collection !== 'engagements') throw notFound();
  if (id === undefined) return atCollection(asked);
  const record = asked.desk.find(id);
  switch (rest.join('/')) {
    case '':
      return asked.method === 'GET' ? jsonAnswer(engagementJson(record, asked.desk)) : methodRefused('GET');
    case 'version':
      return asked.method === 'GET' ? jsonAnswer({ version: record.version }) : methodRefused('GET');
    case 'next':
      return asked.method === 'GET' ? jsonAnswer(nextJson(record, asked.desk)) : methodRefused('GET');
    case 'report.json':
      return asked.method === 'GET' ? report(record, asked.desk) : methodRefused('GET');
    case 'exchanges.har':
      return asked.method === 'GET' ? har(record, asked.desk) : methodRefused('GET');
    case 'restart':
      return asked.method === 'POST' ? restart(record, asked.desk) : methodRefused('POST');
    case 'private-key':
      return asked.method === 'POST' ? privateKey(record, asked.desk) : methodRefused('POST');
    default:
      return atStep(rest, record, asked);
  }
}

async function atCollection({ method, body, desk }: WebRequest): Promise<WebAnswer> {
  if (method === 'GET') return jsonAnswer({ engagements: await desk.judgeAll(summaryAt(desk)) });
  if (method !== 'POST') return methodRefused('GET, POST');
  const record = await desk.create(readNewEngagement(readObject(body)));
  return jsonAnswer(engagementJson(record, desk), 201);
}

async function atStep(
  rest: readonly string[],
  record: EngagementRecord,
  { method, body, desk }: WebRequest,
): Promise<WebAnswer> {
  const [steps, step, ...more] = rest;
  if (steps !== 'steps' || step === undefined || more.length > 0) throw notFound();
  if (method !== 'POST') return methodRefused('POST');
  const { action } = readObject(body);
  const known = stepActions.find((one) => one === action);
  if (known === undefined) {
    throw new DeskError('bad-request', 'action is missing or unknown', `action is one of ${stepActions.join(', ')}`);
  }
  await desk.act(record.engagement.id, step, known);
  return jsonAnswer(engagementJson(desk.find(record.engagement.id), desk));
}

async function restart({ engagement: { id } }: EngagementRecord, desk: DeskService): Promise<WebAnswer> {
  await desk.restart(id);
  return jsonAnswer(engagementJson(desk.find(id), desk));
}

async function privateKey({ engagement: { id } }: EngagementRecord, desk: DeskService): Promise<WebAnswer> {
  return jsonAnswer({ privateKeyPem: await desk.givePrivateKey(id) });
}

function summaryAt(desk: DeskService) {
  return (record: EngagementRecord, { result: { conclusion, hazards = [] } }: Judged) => {
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

/** Bodies as text where they are UTF-8, as base64 otherwise. */
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
  const open = progress.filter(({ state }) => state === 'next' || state === 'later').length;
  return { baseUrl: desk.baseUrlOf(record), left: open, next: next === undefined ? null : stepView(next, () => []) };
}

function report(record: EngagementRecord, desk: DeskService): WebAnswer {
  const body = jsonReport(redactionFor(record.engagement).json(desk.judge(record).result));
  return { status: 200, headers: { 'Content-Type': 'application/json;charset=utf-8' }, body };
}

/** What counts, in the order of the numbers that report.json names. */
function har(record: EngagementRecord, desk: DeskService): WebAnswer {
  const redaction = redactionFor(record.engagement);
  const { result, cases, client } = desk.judge(record);
  const shown = cases.map((one) => ({ ...one, exchange: redaction.exchange(one.exchange) }));
  const body = visibleJson(redaction.text(toHar(shown, result, { client: { ...client, calls: [] } })));
  return { status: 200, headers: { 'Content-Type': 'application/json;charset=utf-8' }, body };
}

function notFound(): DeskError {
  return new DeskError('no-such-thing', 'the API has no such route', 'docs/desk.md lists them');
}
