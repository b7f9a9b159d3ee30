/** The effect guard: every request to a live target passes it, and what could do more than is allowed does not. */

import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { type Exchange, headerValues, type SentRequest } from '../../record/exchange.ts';
import type { NotSent } from '../../record/gateway-run.ts';
import { blameForUnclear, classify, neverArrived } from '../../rules/answers/acceptance.ts';
import { type Acceptance, answerReadings } from '../../rules/answers/answer-reading.ts';
import type { LiveConfig } from '../target/live-config.ts';
import type { Site } from '../target/site.ts';
import { less, type Spent, sum, whyExceeds } from './budget.ts';
import type { Ledger, Settlement } from './ledger.ts';
import type { AnswerInLedger } from './ledger-lines.ts';
import { isSigned, type WorstEffect, worstCaseOf } from './worst-case.ts';

/**
 * Why a request was not sent: `allow` has no room for it, or would have it but for unreadable answers; the
 * configuration does not name it; or its kind or all was stopped.
 */
export interface Withheld {
  readonly why: NotSent['why'];
  /** End of a sentence that begins with "not sent:". */
  readonly reason: string;
}

export interface Purpose {
  /** Who sends it and what it is, for the ledger. */
  readonly what: string;
  /** Whether it must be refused: accepted, it used up a part of the allowance that was meant for others. */
  readonly negative?: boolean;
  /** Whether it goes to a gate that is closing: error 99 may come from one that closes for this very request. */
  readonly atClosingGate?: boolean;
  /** Whether it is the right request that shows whether the target can distinguish right from wrong. */
  readonly settles?: boolean;
  /** What has to be left of the allowance for right requests. */
  readonly keep?: Kept;
}

/** What right requests cost at worst. */
export interface Kept {
  /** One of each operation: kept once anything was done. */
  readonly first: Spent;
  /** All of them: kept where a refusal would not be believed. */
  readonly all: Spent;
}

export interface EffectGuard {
  /** Sends the request if it may be sent; never twice. */
  send(
    request: SentRequest,
    purpose: Purpose,
    send: (request: SentRequest) => Promise<Exchange>,
  ): Promise<Exchange | { readonly withheld: Withheld }>;
}

export interface GuardParts {
  readonly site: Site;
  readonly limits: Limits;
  /** Absent where nothing is allowed and nothing is to be left on the disk: then only the unknown endpoint is asked. */
  readonly ledger?: Ledger;
  readonly pace: Pace;
}

/** What the target may do, and how much of what it says is believed. */
export type Limits = Pick<LiveConfig, 'allow' | 'trustRefusals'>;

export function newGuard({ site, limits, ledger, pace }: GuardParts): EffectGuard {
  const withheld = (why: Withheld['why'], reason: string) => ({ withheld: { why, reason } });
  // An endpoint that acts on a request is there, or stands for another one: nothing sent to it is free of effects.
  let unknownActs = false;
  return {
    async send(request, purpose, send) {
      const worst = worstCaseOf({ ...request, isSigned: isSigned(request) }, site);
      if ('forbidden' in worst) return withheld('forbidden', worst.forbidden);
      if (worst.effect === 'none') return paced(pace, () => send(request));
      if (worst.unknown) {
        if (unknownActs) return withheld('forbidden', actsAllTheSame(site));
        const reserved = ledger?.reserve(worst, limits.allow, purpose.what);
        if (reserved !== undefined && 'refused' in reserved) return withheld('allow', reserved.refused);
        const exchange = await paced(pace, () => send(request));
        // Error 99 too comes from an endpoint that is there.
        const acted = ['accepted', 'past-authentication'].includes(saidTo(operationOf(worst), exchange));
        unknownActs ||= acted;
        const wrongly = acted ? { wrongly: true as const } : {};
        if (reserved !== undefined) ledger!.settle(reserved.id, { ...atUnknown(exchange, worst, acted), ...wrongly });
        return exchange;
      }
      if (ledger === undefined) return withheld('allow', 'nothing is allowed');
      const { spent, carried, refusals, wrong } = ledger.balance();
      const hindered = whyNotBelieved(worst, purpose, limits, refusals);
      const { what, settles, keep, negative } = purpose;
      if (hindered !== undefined && keep !== undefined && wrong.closesDay.length + wrong.payments.length > 0) {
        // It would not be sent to a gateway that accepts nothing wrong either.
        const otherwise = sum(less(spent, wrong.spent), keep.all);
        if (whyExceeds(worst, otherwise, limits.allow) !== undefined) return withheld('allow', noRoomFor(hindered));
      }
      const kept = keep && keptBeside(worst, keep, { hindered, spent: less(spent, carried) });
      const reserved = ledger.reserve(worst, limits.allow, what, { settles, keep: kept });
      if ('refused' in reserved) {
        if (reserved.why === 'keep') return withheld('allow', noRoomFor(hindered));
        return withheld(reserved.why ?? 'allow', reserved.refused);
      }
      const exchange = await paced(pace, () => send(request));
      const settlement = settlementOf(exchange, worst);
      const believed = settlement.by === undefined || hindered === undefined;
      const wrongly = settlement.event === 'confirm' && negative ? { wrongly: true as const } : {};
      ledger.settle(
        reserved.id,
        believed ? { ...settlement, ...wrongly } : { event: 'unclear', answer: settlement.answer },
      );
      return exchange;
    },
  };
}

/** Why a wrong request is not sent that would leave too little for right ones, as the end of a sentence. */
export function noRoomFor(hindered: string | undefined): string {
  if (hindered === undefined) return 'what is left of allow is kept for a right request';
  return `${hindered}, and allow has no room for one that counts beside the right requests`;
}

/**
 * What has to be left beside a wrong request. The very first effect may be risked: with an allowance of one nothing else could
 * be sent but the right request, and a refusal costs nothing.
 *
 * @param spent by this run
 */
export function keptBeside(
  { effect }: WorstEffect,
  keep: Kept,
  { hindered, spent }: { readonly hindered: string | undefined; readonly spent: Spent },
): Spent | undefined {
  if (hindered !== undefined) return keep.all;
  return (effect === 'closes-day' ? spent.closesDay : spent.payments) > 0 ? keep.first : undefined;
}

/** Why a refusal of the request would not be believed, as the beginning of a sentence; undefined where it would. Pure. */
export function whyNotBelieved(
  worst: WorstEffect,
  { atClosingGate }: Pick<Purpose, 'atClosingGate'>,
  { trustRefusals }: Pick<Limits, 'trustRefusals'>,
  refusals: Readonly<Record<'closesDay' | 'payments', number>>,
): string | undefined {
  if (!hasOneEffect(worst)) return 'a refusal of several payments is not believed, since some may have been started';
  if (atClosingGate) return 'error 99 of a gate that is closing is not believed';
  const told = worst.effect === 'closes-day' ? refusals.closesDay : refusals.payments;
  if (told < trustRefusals) return undefined;
  return `only ${trustRefusals} refusals of ${operationOf(worst)} are believed (trust-refusals)`;
}

function actsAllTheSame({ unknownEndpointId }: Site): string {
  return `endpoint ${unknownEndpointId}, which the configuration names as unknown, has let a request through`;
}

/** What that endpoint does not clearly accept is given back: a gateway may answer there as it likes. */
function atUnknown(exchange: Exchange, worst: WorstEffect, acted: boolean): Settlement {
  const { answer, event, by } = settlementOf(exchange, worst);
  if (acted) return { event: 'confirm', answer };
  return { event: 'release', answer, ...(event === 'release' && by === undefined ? {} : { by: 'target' as const }) };
}

async function paced(pace: Pace, send: () => Promise<Exchange>): Promise<Exchange> {
  await pace.turn();
  const exchange = await send();
  pace.answered(exchange);
  return exchange;
}

/**
 * Only what never arrived is given back for certain. A documented refusal of a request with one effect is given back on the
 * target's word, which the ledger counts; a refused batch of several payments may have started some of them.
 */
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

export function saidTo(operation: Operation, exchange: Exchange): Acceptance {
  return classify({ scenario: '', number: 0, label: { operation, intent: 'valid' }, exchange });
}

/** Whether its refusal says all of what it did. */
export function hasOneEffect(worst: WorstEffect): boolean {
  return worst.effect === 'closes-day' || worst.count === 1;
}

/** The operation that has the effect: no two of them share one. */
export function operationOf({ effect }: WorstEffect): Operation {
  return operationNames.find((name) => operations[name].effect === effect)!;
}

export interface Pace {
  /** Resolves when the next request may be sent. */
  turn(): Promise<void>;
  /** Takes note of an answer. */
  answered(exchange: Exchange): void;
  /** Why nothing more should be sent; undefined as long as the target keeps up. */
  overloaded(): string | undefined;
}

export interface PaceOptions {
  /** Requests in a second at most. */
  readonly rate: number;
  /** Milliseconds that never go back, whatever is done to the clock. */
  readonly now?: () => number;
  /** Milliseconds since the Unix epoch. */
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
