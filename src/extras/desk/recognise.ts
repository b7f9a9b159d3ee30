/** Which engagement and which step a request belongs to, and what it is answered. Pure. */

import { type Operation, operationNames } from '../../../contracts/operations.ts';
import { reply } from '../../plan/client/answers.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import { percentDecode } from '../../protocol/index.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { countingExchanges, type DeskState, type EngagementRecord } from './engagement.ts';
import { type DeskAnswer, type DeskStep, progressOf, stepById } from './script.ts';

/** The engagement whose segment starts the path; for a client that drops it, the one whose consumer key the header names. */
export function engagementOf(request: SentRequest, prefix: string, state: DeskState): EngagementRecord | undefined {
  const path = request.target.startsWith(`${prefix}/`) ? request.target.slice(prefix.length) : request.target;
  const named = state.find(/^\/+([^/?#]*)/.exec(path)?.[1] ?? '');
  if (named !== undefined) return named;
  const header = headerValues(request.headers, 'authorization')[0] ?? '';
  const consumerKey = decoded(/oauth_consumer_key\s*=\s*"?([^",\s]*)/.exec(header)?.[1] ?? '');
  return state.all().find(({ engagement }) => engagement.consumerKey === consumerKey);
}

/** Whether the request is one of a client at all: somebody who opens a base URL in a browser sends none. */
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
 * Without a step the request is outside of the plan.
 */
export function recognise(
  request: SentRequest,
  record: EngagementRecord,
): { readonly step?: DeskStep | undefined; readonly answer: DeskAnswer } {
  const operation = operationOfPath(request.target);
  if (request.method !== 'POST') return { answer: notAllowed };
  if (operation === undefined) return { answer: notFound };
  const latest = countingExchanges(record).findLast((kept) => kept.step !== undefined);
  const isRepeated = request.body.length > 0 && Buffer.from(latest?.exchange.request.body ?? []).equals(request.body);
  const next = progressOf(record).find(({ state }) => state === 'next')?.step;
  const step = [isRepeated ? stepById(latest?.step) : undefined, next].find((one) => one?.operation === operation);
  return { step, answer: step?.answer ?? (ordinaryCalls[operation].answer as DeskAnswer) };
}

const notFound = reply(404, null, '') as DeskAnswer;
const notAllowed = reply(405, null, '', [['Allow', 'POST']]) as DeskAnswer;

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
