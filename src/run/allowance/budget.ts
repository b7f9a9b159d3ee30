/**
 * What was done to a target, counted, and whether a request may be sent within what is left: the one place that
 * decides, for the plan and for the guard. Pure.
 */
import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import type { EffectBudget } from '../../record/result/result.ts';
import type { Unsent } from '../../record/run.ts';
import type { Allowance, LiveConfig } from '../target/live-config.ts';
import { centsOf, inDecimals } from '../target/site.ts';
import type { WorstCase, WorstEffect } from './worst-case.ts';

export interface Spent {
  readonly closesDay: number;
  readonly payments: number;
  readonly cents: number;
}

export const nothingSpent: Spent = { closesDay: 0, payments: 0, cents: 0 };

export function spentInWords({ closesDay, payments, cents }: Spent): string {
  return `closes-day ${closesDay} and starts-payments ${payments} with a total of ${inDecimals(cents)}`;
}

export function budgetOf({ closesDay, payments, cents }: Spent): EffectBudget {
  return { 'closes-day': closesDay, 'starts-payments': { count: payments, total: inDecimals(cents) } };
}

export function spentOf({ 'closes-day': closesDay, 'starts-payments': { count, total } }: EffectBudget): Spent {
  return { closesDay, payments: count, cents: centsOf(total)! };
}

const each =
  (combine: (one: number, other: number) => number) =>
  (a: Spent, b: Spent): Spent => ({
    closesDay: combine(a.closesDay, b.closesDay),
    payments: combine(a.payments, b.payments),
    cents: combine(a.cents, b.cents),
  });

export const sum = each((one, other) => one + other);
export const larger = each(Math.max);
export const smaller = each(Math.min);
/** What is left of the first; never less than nothing. */
export const less = each((one, other) => Math.max(one - other, 0));

export function spend(spent: Spent, worst: WorstCase): Spent {
  return sum(spent, totalOf([worst]));
}

/** All of them; asked for with each request, of thousands. */
export function totalOf(worst: Iterable<WorstCase>): Spent {
  let [closesDay, payments, cents] = [0, 0, 0];
  for (const one of worst) {
    if (one.effect === 'closes-day') closesDay += 1;
    else if (one.effect === 'starts-payments') {
      payments += one.count;
      cents += one.cents;
    }
  }
  return { closesDay, payments, cents };
}

export interface Purpose {
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

export interface Kept {
  /** One of each operation: kept once anything was done. */
  readonly first: Spent;
  /** All of them: kept where a refusal would not be believed. */
  readonly all: Spent;
}

/** What the target may do, and how much of what it says is believed. */
export type Limits = Pick<LiveConfig, 'allow' | 'trustRefusals'>;

export interface Done {
  /** By this run, by the runs before it that did not end, and by doctor just before it: what counts against its allowance. */
  readonly spent: Spent;
  readonly carried: Spent;
  /** The part of that which doctor did just before this run. */
  readonly examined: Spent;
  /** How many refusals were believed: in this run, and in those before it that did not end. */
  readonly refusals: ByOperation<number>;
  /** What requests of this run counted for whose answers were unreadable. */
  readonly unreadable: Spent;
  /** What refused requests of this run count for, since the right request beside them was not accepted. */
  readonly disbelieved: Spent;
  readonly wrong: { readonly spent: Spent } & ByOperation<readonly string[]>;
}

export type ByOperation<T> = Readonly<Record<'closesDay' | 'payments', T>>;

export function countOf({ effect }: Pick<WorstEffect, 'effect'>): keyof ByOperation<unknown> {
  return effect === 'closes-day' ? 'closesDay' : 'payments';
}

interface Decision {
  /** Why a refusal of the request would not be believed, as the beginning of a sentence; absent where it would. */
  readonly doubt?: string;
  /** What has to be left beside it. */
  readonly kept?: Spent;
}

export function decide(worst: WorstEffect, purpose: Purpose, limits: Limits, done: Done): Decision | Unsent {
  const { spent, examined, unreadable, disbelieved, wrong } = done;
  const count = countOf(worst);
  const exceeds = (by: Spent) => whyExceeds(worst, by, limits.allow);
  const doubt = whyNotBelieved(worst, purpose, limits, done.refusals);
  const { keep } = purpose;
  if (doubt !== undefined && keep !== undefined && wrong.closesDay.length + wrong.payments.length > 0) {
    // It would not be sent to a gateway that accepts nothing wrong either.
    if (exceeds(sum(less(spent, wrong.spent), keep.all)) !== undefined) return noRoomBeside(doubt);
  }
  // The very first effect may be risked: with an allowance of one nothing else could be sent but the right request.
  const isFirst = less(spent, done.carried)[count] === 0;
  const kept = doubt !== undefined ? keep?.all : isFirst ? undefined : keep?.first;
  if (exceeds(sum(spent, kept ?? nothingSpent)) === undefined) return { doubt, kept };
  const reason = exceeds(spent);
  if (exceeds(less(reason === undefined ? sum(spent, kept!) : spent, wrong.spent)) === undefined) {
    return { why: 'stopped', reason: `${reason ?? keptForRight}: ${wrongInWords(wrong[count])}` };
  }
  if (reason === undefined) return noRoomBeside(doubt);
  if (exceeds(less(spent, unreadable)) === undefined) {
    return { why: 'unreadable', reason: `${reason}: unreadable answers count as effects` };
  }
  if (exceeds(less(spent, sum(unreadable, disbelieved))) !== undefined) {
    const isShared = examined[count] > 0 && exceeds(nothingSpent) === undefined;
    return { why: 'allow', reason: isShared ? `${reason} (doctor just before used ${examined[count]})` : reason };
  }
  // There would be room, had the first right request been accepted: no allowance makes up for that.
  return {
    why: unreadable[count] > 0 ? 'unreadable' : 'given-up',
    reason: `${reason}: the first right request was not accepted, so that refusals count as effects`,
  };
}

const keptForRight = 'what is left of allow is kept for a right request';

function noRoomBeside(doubt: string | undefined): Unsent {
  const counts = `${doubt}, and allow has no room for one that counts beside the right requests`;
  return { why: 'allow', reason: doubt === undefined ? keptForRight : counts };
}

function whyNotBelieved(
  worst: WorstEffect,
  { atClosingGate }: Purpose,
  { trustRefusals }: Limits,
  refusals: Done['refusals'],
): string | undefined {
  if (!hasOneEffect(worst)) return 'a refusal of several payments is not believed, since some may have been started';
  if (atClosingGate) return 'error 99 of a gate that is closing is not believed';
  if (refusals[countOf(worst)] < trustRefusals) return undefined;
  return `only ${trustRefusals} refusals of ${operationOf(worst)} are believed (trust-refusals)`;
}

/** Whether its refusal says all of what it did. */
export function hasOneEffect(worst: WorstEffect): boolean {
  return worst.effect === 'closes-day' || worst.count === 1;
}

/** The operation that has the effect: no two of them share one. */
export function operationOf({ effect }: WorstEffect): Operation {
  return operationNames.find((name) => operations[name].effect === effect)!;
}

/** `close-day/x case 3 (…) and 2 more were wrongly accepted`. */
function wrongInWords([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? 'was' : `and ${others.length} more were`;
  return `${first} ${more} wrongly accepted`;
}

/** Why what could be done does not fit into what is left, as the end of a sentence; undefined where it does. */
export function whyExceeds(worst: WorstCase, spent: Spent, allow: Allowance): string | undefined {
  if (worst.effect === 'none') return undefined;
  const allowed = spentOf(allow);
  if (worst.effect === 'closes-day') {
    if (allowed.closesDay === 0) return 'it could close a day, and allow has no closes-day';
    const used = `it could close a day, and allow.closes-day: ${allowed.closesDay} is used up`;
    return spent.closesDay + 1 > allowed.closesDay ? used : undefined;
  }
  if (allowed.payments === 0) return 'it could start payments, and allow has no starts-payments';
  if (spent.payments + worst.count <= allowed.payments && spent.cents + worst.cents <= allowed.cents) return undefined;
  const whole = `allow.starts-payments: ${allowed.payments} with a total of ${allow['starts-payments'].total}`;
  return worst.count <= allowed.payments && worst.cents <= allowed.cents
    ? `it could start payments, and what is left of ${whole} is less than that`
    : `it could start more payments than ${whole}`;
}
