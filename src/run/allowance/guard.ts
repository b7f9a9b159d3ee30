/** The effect guard: checks every request to a live target, and stops requests that exceed the allowance. */
import type { Operation } from '../../../contracts/operations.ts';
import { type Exchange, headerValues, type SentRequest } from '../../record/exchange.ts';
import { isUnsent, type Unsent } from '../../record/run.ts';
import type { Acceptance } from '../../rules/answers/acceptance.ts';
import { answerReadings, blameForUnclear, classify, isUnreached } from '../../rules/answers/acceptance.ts';
import type { Site } from '../target/site.ts';
import { hasOneEffect, type Limits, operationOf, type Purpose } from './budget.ts';
import type { Ledger, Settlement } from './ledger.ts';
import { isSigned, type WorstEffect, worstCaseOf } from './worst-case.ts';

export type EffectGuard = ReturnType<typeof newGuard>;
type GuardParts = { readonly site: Site; readonly limits: Limits; readonly ledger?: Ledger; readonly pace: Pace };

export function newGuard({ site, limits, ledger, pace }: GuardParts) {
  let unknownEndpointExists = false;
  return {
    async send(
      request: SentRequest,
      purpose: Purpose,
      send: (request: SentRequest) => Promise<Exchange>,
    ): Promise<Exchange | Unsent> {
      const worst = worstCaseOf({ ...request, isSigned: isSigned(request) }, site);
      if (isUnsent(worst)) return worst;
      if (worst.effect === 'none') return sendPaced(pace, () => send(request));
      if (worst.unknown && unknownEndpointExists) {
        const reason = `unknown-endpoint-id ${site.unknownEndpointId} accepted a request, so the endpoint exists`;
        return { why: 'forbidden', reason };
      }
      if (!worst.unknown && ledger === undefined) return { why: 'allow', reason: 'the allowance permits no effects' };
      const reserved = ledger?.reserve(worst, purpose, limits);
      if (reserved !== undefined && isUnsent(reserved)) return reserved;
      const exchange = await sendPaced(pace, () => send(request));
      const settlement = worst.unknown
        ? settlementAtUnknown(exchange, worst)
        : settlementOf(exchange, worst, reserved?.doubt);
      const isAccepted = settlement.event === 'confirm';
      if (worst.unknown) unknownEndpointExists ||= isAccepted;
      const isWrong = isAccepted && (worst.unknown || purpose.negative);
      if (reserved !== undefined) ledger?.settle(reserved.id, { ...settlement, ...(isWrong && { wrongly: true }) });
      return exchange;
    },
  };
}

/** Effect of a request to `unknownEndpointId`. Only acceptance or error 99 shows that this endpoint exists. */
function settlementAtUnknown(exchange: Exchange, worst: WorstEffect): Settlement {
  const { answer } = settlementOf(exchange, worst);
  if (['accepted', 'past-authentication'].includes(acceptanceOf(operationOf(worst), exchange))) {
    return { event: 'confirm', answer };
  }
  return isUnreached(exchange) ? { event: 'release', answer } : { event: 'release', answer, by: 'target' };
}

async function sendPaced(pace: Pace, send: () => Promise<Exchange>): Promise<Exchange> {
  await pace.turn();
  const exchange = await send();
  pace.onAnswer(exchange);
  return exchange;
}

function settlementOf(exchange: Exchange, worst: WorstEffect, doubt?: string): Settlement {
  const { response, failure } = exchange;
  const operation = operationOf(worst);
  const acceptance = acceptanceOf(operation, exchange);
  const answer: Settlement['answer'] =
    response === undefined ? { said: failure?.kind ?? acceptance } : { status: response.status, said: acceptance };
  if (isUnreached(exchange)) return { event: 'release', answer };
  if (acceptance === 'accepted') return { event: 'confirm', answer };
  if (acceptance === 'refused' && hasOneEffect(worst) && answerReadings[operation].isDocumentedRefusal(exchange)) {
    return doubt === undefined ? { event: 'release', answer, by: 'target' } : { event: 'unclear', answer };
  }
  const unreadable = acceptance === 'unclear' && blameForUnclear(exchange) === 'subject';
  return { event: 'unclear', answer, ...(unreadable ? { unreadable } : {}) };
}

function acceptanceOf(operation: Operation, exchange: Exchange): Acceptance {
  return classify({ scenario: '', number: 0, label: { operation, intent: 'valid' }, exchanges: [exchange] });
}

type Pace = ReturnType<typeof newPace>;

/** Maximum pause after an answer with Retry-After. */
export const maxPauseMs = 10_000;
const pauseWithoutRetryAfterMs = 1_000;
const maxIntervalMs = 2_000;
const maxBusyAnswers = 5;

type PaceOptions = {
  readonly rate: number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly now?: () => number;
};

export function newPace({ rate, sleep, now = () => performance.now() }: PaceOptions) {
  let intervalMs = 1000 / rate;
  let nextAt = 0;
  let busy = 0;
  let last = 0;
  return {
    async turn(): Promise<void> {
      const wait = nextAt - now();
      nextAt = Math.max(nextAt, now()) + intervalMs;
      if (wait > 0) await sleep(wait);
    },
    onAnswer(exchange: Exchange): void {
      const status = exchange.response?.status;
      if (status !== 429 && status !== 503) {
        busy = 0;
        return;
      }
      busy += 1;
      last = status;
      // A pause is not enough: the next requests would exceed the same limit. So also send more slowly.
      if (status === 429) intervalMs = Math.max(intervalMs, Math.min(2 * intervalMs, maxIntervalMs));
      nextAt = Math.max(nextAt, now() + pauseOf(exchange));
    },
    overloadReason: () => (busy < maxBusyAnswers ? undefined : `${maxBusyAnswers} answers in a row were HTTP ${last}`),
  };
}

function pauseOf({ response }: Exchange): number {
  const [value] = headerValues(response!.headers, 'retry-after');
  if (value === undefined) return pauseWithoutRetryAfterMs;
  const requestedMs = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(requestedMs) ? pauseWithoutRetryAfterMs : Math.min(Math.max(requestedMs, 0), maxPauseMs);
}
