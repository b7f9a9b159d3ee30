/** The effect guard: every request to a live target passes it, and what could do more than is allowed does not. */

import type { Operation } from '../../../contracts/operations.ts';
import { type Exchange, headerValues, type SentRequest } from '../../record/exchange.ts';
import { isUnsent, type Unsent } from '../../record/run.ts';
import {
  type Acceptance,
  answerReadings,
  blameForUnclear,
  classify,
  neverArrived,
} from '../../rules/answers/acceptance.ts';
import type { Site } from '../target/site.ts';
import { hasOneEffect, type Limits, operationOf, type Purpose } from './budget.ts';
import type { Ledger, Settlement } from './ledger.ts';
import type { AnswerInLedger } from './ledger-lines.ts';
import { isSigned, type WorstEffect, worstCaseOf } from './worst-case.ts';

export interface EffectGuard {
  /** Sends the request if it may be sent; never twice. */
  send(
    request: SentRequest,
    purpose: Purpose,
    send: (request: SentRequest) => Promise<Exchange>,
  ): Promise<Exchange | Unsent>;
}

interface GuardParts {
  readonly site: Site;
  readonly limits: Limits;
  readonly ledger?: Ledger;
  readonly pace: Pace;
}

export function newGuard({ site, limits, ledger, pace }: GuardParts): EffectGuard {
  // An endpoint that acts on a request is there, or stands for another one: nothing sent to it is free of effects.
  let unknownActs = false;
  return {
    async send(request, purpose, send) {
      const worst = worstCaseOf({ ...request, isSigned: isSigned(request) }, site);
      if (isUnsent(worst)) return worst;
      if (worst.effect === 'none') return paced(pace, () => send(request));
      if (worst.unknown && unknownActs) {
        const reason = `endpoint ${site.unknownEndpointId}, which the configuration names as unknown, has let a request through`;
        return { why: 'forbidden', reason };
      }
      if (!worst.unknown && ledger === undefined) return { why: 'allow', reason: 'nothing is allowed' };
      const reserved = ledger?.reserve(worst, purpose, limits);
      if (reserved !== undefined && isUnsent(reserved)) return reserved;
      const exchange = await paced(pace, () => send(request));
      const settlement = worst.unknown
        ? settlementAtUnknown(exchange, worst)
        : believed(settlementOf(exchange, worst), reserved?.doubt);
      const isAccepted = settlement.event === 'confirm';
      if (worst.unknown) unknownActs ||= isAccepted;
      const isWrong = isAccepted && (worst.unknown || purpose.negative);
      if (reserved !== undefined) ledger?.settle(reserved.id, { ...settlement, ...(isWrong && { wrongly: true }) });
      return exchange;
    },
  };
}

/** A refusal on the target's word counts as an effect where it is doubted. */
function believed(settlement: Settlement, doubt: string | undefined): Settlement {
  if (settlement.by === undefined || doubt === undefined) return settlement;
  return { event: 'unclear', answer: settlement.answer };
}

/** What that endpoint does not clearly accept is given back: a gateway may answer there as it likes. Error 99 too comes from one that is there. */
function settlementAtUnknown(exchange: Exchange, worst: WorstEffect): Settlement {
  const { answer, event, by } = settlementOf(exchange, worst);
  if (['accepted', 'past-authentication'].includes(saidTo(operationOf(worst), exchange)))
    return { event: 'confirm', answer };
  return { event: 'release', answer, ...(event === 'release' && by === undefined ? {} : { by: 'target' as const }) };
}

async function paced(pace: Pace, send: () => Promise<Exchange>): Promise<Exchange> {
  await pace.turn();
  const exchange = await send();
  pace.answered(exchange);
  return exchange;
}

/** A refusal of one effect is given back on the target's word; a refused batch may have started some of its payments. */
export function settlementOf(exchange: Exchange, worst: WorstEffect): Settlement {
  const operation = operationOf(worst);
  const said = saidTo(operation, exchange);
  const answer = answeredWith(exchange, said);
  if (neverArrived(exchange)) return { event: 'release', answer };
  if (said === 'accepted') return { event: 'confirm', answer };
  if (said === 'refused' && hasOneEffect(worst) && answerReadings[operation].isDocumentedRefusal(exchange)) {
    return { event: 'release', answer, by: 'target' };
  }
  const unreadable = said === 'unclear' && blameForUnclear(exchange) === 'subject';
  return { event: 'unclear', answer, ...(unreadable ? { unreadable } : {}) };
}

function answeredWith({ response, failure }: Exchange, said: Acceptance): AnswerInLedger {
  if (response === undefined) return { said: failure?.kind ?? said };
  return { status: response.status, said };
}

function saidTo(operation: Operation, exchange: Exchange): Acceptance {
  return classify({ scenario: '', number: 0, label: { operation, intent: 'valid' }, exchanges: [exchange] });
}

interface Pace {
  turn(): Promise<void>;
  answered(exchange: Exchange): void;
  /** Why nothing more should be sent; undefined as long as the target keeps up. */
  overloaded(): string | undefined;
}

interface PaceOptions {
  readonly rate: number;
  readonly now?: () => number;
  readonly clock?: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Milliseconds that a Retry-After is heeded for at most, and those without one. */
export const longestPause = 10_000;
const usualPause = 1_000;
/** Milliseconds between two requests that no answer 429 makes longer. */
const slowest = 2_000;
/** This many answers 429 or 503 in a row mean that it will not get better. */
const patience = 5;

export function newPace({ rate, now = () => performance.now(), clock = Date.now, sleep }: PaceOptions): Pace {
  let between = 1000 / rate;
  let next = 0;
  let busy = 0;
  let last = 0;
  return {
    async turn() {
      const wait = next - now();
      next = Math.max(next, now()) + between;
      if (wait > 0) await sleep(wait);
    },
    answered(exchange) {
      const status = exchange.response?.status;
      if (status !== 429 && status !== 503) {
        busy = 0;
        return;
      }
      busy += 1;
      last = status;
      // A limit for each second is met again after a pause: what is lost to it is a few requests, and not one of each few.
      if (status === 429) between = Math.max(between, Math.min(2 * between, slowest));
      next = Math.max(next, now() + pauseOf(exchange, clock()));
    },
    overloaded: () => (busy < patience ? undefined : `${patience} answers in a row were HTTP ${last}`),
  };
}

function pauseOf({ response }: Exchange, now: number): number {
  const [value] = headerValues(response!.headers, 'retry-after');
  if (value === undefined) return usualPause;
  const wanted = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(wanted) ? usualPause : Math.min(Math.max(wanted, 0), longestPause);
}
