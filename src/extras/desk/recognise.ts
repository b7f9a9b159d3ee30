/** Which engagement and which step a request belongs to, and what it is answered. Pure. */
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { reply } from '../../plan/client/answers.ts';
import { ordinaryCalls } from '../../plan/client/wire-plans.ts';
import { percentDecode } from '../../protocol/index.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { countingExchanges, type EngagementRecord } from './engagement.ts';
import { nextStep, stepById } from './script.ts';
import type { DeskState } from './state.ts';
import { type DeskAnswer, type DeskStep, operationOfStep } from './step.ts';

export interface Recognised {
  /** Absent for a request outside of the plan. */
  readonly step?: DeskStep;
  readonly answer: DeskAnswer;
}

/** The engagement whose segment starts the path; for a client that drops it, the one whose consumer key the header names. */
export function engagementOf(request: SentRequest, prefix: string, state: DeskState): EngagementRecord | undefined {
  const path = request.target.startsWith(`${prefix}/`) ? request.target.slice(prefix.length) : request.target;
  const named = state.find(/^\/+([^/?#]*)/.exec(path)?.[1] ?? '');
  if (named !== undefined) return named;
  const header = headerValues(request.headers, 'authorization')[0] ?? '';
  const consumerKey = /oauth_consumer_key\s*=\s*"?([^",\s]*)/.exec(header)?.[1];
  return consumerKey === undefined ? undefined : state.findByConsumerKey(decoded(consumerKey));
}

/**
 * Whether the request is one of a client at all: somebody who opens a base URL in a browser sends none.
 */
export function isCall(request: SentRequest): boolean {
  return request.method === 'POST' || operationOfPath(request.target) !== undefined || request.body.length > 0;
}

/** The operation that the path names, or, on another path, the one whose fields the body has. */
export function operationOfRequest(request: SentRequest): Operation | undefined {
  const named = operationOfPath(request.target);
  if (named !== undefined) return named;
  const body = Buffer.from(request.body).toString('latin1');
  if (body.includes('payload=')) return 'process-recurring-payments';
  return body.includes('day_close_request_id=') ? 'close-day' : undefined;
}

/**
 * A POST of the operation of the next step is that step; one with the body of the latest step is that one again, since
 * HTTP libraries repeat requests on their own. Signatures play no part: what is wrong is judged, and the plan goes on.
 */
export function recognise(request: SentRequest, record: EngagementRecord): Recognised {
  const operation = operationOfPath(request.target);
  if (request.method !== 'POST') return { answer: notAllowed };
  if (operation === undefined) return { answer: notFound };
  const step = repeatedStep(request, operation, record) ?? expectedStep(operation, record);
  return step === undefined
    ? { answer: ordinaryCalls[operation].answer as DeskAnswer }
    : { step, answer: step.plan.answer };
}

const notFound = reply(404, null, '') as DeskAnswer;
const notAllowed = reply(405, null, '', [['Allow', 'POST']]) as DeskAnswer;

function expectedStep(operation: Operation, record: EngagementRecord): DeskStep | undefined {
  const next = nextStep(record);
  return next !== undefined && operationOfStep(next) === operation ? next : undefined;
}

function repeatedStep(request: SentRequest, operation: Operation, record: EngagementRecord): DeskStep | undefined {
  const latest = countingExchanges(record).findLast((kept) => kept.step !== undefined);
  const step = latest?.step === undefined ? undefined : stepById(latest.step);
  if (latest === undefined || step === undefined || operationOfStep(step) !== operation) return undefined;
  const isSame = request.body.length > 0 && Buffer.from(latest.exchange.request.body).equals(request.body);
  return isSame ? step : undefined;
}

function operationOfPath(target: string): Operation | undefined {
  const segments = target.split(/[?#]/)[0]!.split('/');
  return operationNames.find((operation) => segments.includes(operation));
}

function decoded(text: string): string {
  try {
    return percentDecode(text);
  } catch {
    return text;
  }
}
