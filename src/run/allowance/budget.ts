/** Counts what was done to a target and decides if a request still fits the allowance. Pure. */
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

export function formatSpent({ closesDay, payments, cents }: Spent): string {
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
/** Differences, never negative. */
export const less = each((one, other) => Math.max(one - other, 0));

export function spend(spent: Spent, worst: WorstCase): Spent {
  return sum(spent, totalOf([worst]));
}

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
  /** It must be refused. If accepted, it used up allowance that was meant for others. */
  readonly negative?: boolean;
  /** It goes to a closing gate, where this very request may cause error 99. */
  readonly atClosingGate?: boolean;
  /** It is the valid request that shows if the target can tell valid from invalid. */
  readonly settles?: boolean;
  /** The part of the allowance to keep for valid requests. */
  readonly keep?: Kept;
}

export interface Kept {
  /** One request of each operation. Kept after the first effect. */
  readonly first: Spent;
  /** All valid requests. Kept if a refusal would not be believed. */
  readonly all: Spent;
}

export type Limits = Pick<LiveConfig, 'allow' | 'trustRefusals'>;

export interface Done {
  /** By this run, by earlier unfinished runs, and by doctor just before. It counts against the allowance. */
  readonly spent: Spent;
  readonly carried: Spent;
  /** The part of `spent` from doctor just before this run. */
  readonly byDoctor: Spent;
  /** Believed refusals, in this run and in earlier unfinished ones. */
  readonly refusals: ByOperation<number>;
  /** The part of `spent` from unreadable answers in this run. */
  readonly unreadable: Spent;
  /** Refusals of this run that count as effects, because the valid request was not accepted. */
  readonly disbelieved: Spent;
  readonly wrong: { readonly spent: Spent } & ByOperation<readonly string[]>;
}

export type ByOperation<T> = Readonly<Record<'closesDay' | 'payments', T>>;

export function countOf({ effect }: Pick<WorstEffect, 'effect'>): keyof ByOperation<unknown> {
  return effect === 'closes-day' ? 'closesDay' : 'payments';
}

interface Decision {
  /** Why refusals are not trusted, as the beginning of a sentence. */
  readonly doubt?: string;
  /** What must remain after this request. */
  readonly kept?: Spent;
}

export function decide(worst: WorstEffect, purpose: Purpose, limits: Limits, done: Done): Decision | Unsent {
  const { spent, byDoctor, unreadable, disbelieved, wrong } = done;
  const count = countOf(worst);
  const exceeds = (by: Spent) => excessReason(worst, by, limits.allow);
  const doubt = disbeliefReason(worst, purpose, limits, done.refusals);
  const { keep } = purpose;
  if (doubt !== undefined && keep !== undefined && wrong.closesDay.length + wrong.payments.length > 0) {
    // It does not fit even without the wrongly accepted requests.
    if (exceeds(sum(less(spent, wrong.spent), keep.all)) !== undefined) return noRoomBeside(doubt);
  }
  // The first effect needs no reserve. With a reserve and an allowance of one, only the valid request could be sent.
  const isFirst = less(spent, done.carried)[count] === 0;
  const kept = doubt !== undefined ? keep?.all : isFirst ? undefined : keep?.first;
  if (exceeds(sum(spent, kept ?? nothingSpent)) === undefined) return { doubt, kept };
  const reason = exceeds(spent);
  if (exceeds(less(reason === undefined ? sum(spent, kept!) : spent, wrong.spent)) === undefined) {
    return { why: 'stopped', reason: `${reason ?? keptForRight}: ${formatWrong(wrong[count])}` };
  }
  if (reason === undefined) return noRoomBeside(doubt);
  if (exceeds(less(spent, unreadable)) === undefined) {
    return { why: 'unreadable', reason: `${reason}: unreadable answers count as effects` };
  }
  if (exceeds(less(spent, sum(unreadable, disbelieved))) !== undefined) {
    const isShared = byDoctor[count] > 0 && exceeds(nothingSpent) === undefined;
    return { why: 'allow', reason: isShared ? `${reason} (doctor just before used ${byDoctor[count]})` : reason };
  }
  // It would fit if the first valid request had been accepted. A larger allowance would not help.
  return {
    why: unreadable[count] > 0 ? 'unreadable' : 'given-up',
    reason: `${reason}: the first valid request was not accepted, so refusals count as effects`,
  };
}

const keptForRight = 'the rest of allow is reserved for a valid request';

function noRoomBeside(doubt: string | undefined): Unsent {
  const counts = `${doubt}, and allow has no room for one that counts in addition to the valid requests`;
  return { why: 'allow', reason: doubt === undefined ? keptForRight : counts };
}

function disbeliefReason(
  worst: WorstEffect,
  { atClosingGate }: Purpose,
  { trustRefusals }: Limits,
  refusals: Done['refusals'],
): string | undefined {
  if (!hasOneEffect(worst)) return 'a refusal of several payments is not believed, because some may have started';
  if (atClosingGate) return 'error 99 of a gate that is closing is not believed';
  if (refusals[countOf(worst)] < trustRefusals) return undefined;
  return `only ${trustRefusals} refusals of ${operationOf(worst)} are believed (trust-refusals)`;
}

/** A refusal of several payments may still have started some of them. */
export function hasOneEffect(worst: WorstEffect): boolean {
  return worst.effect === 'closes-day' || worst.count === 1;
}

/** Each effect belongs to one operation. */
export function operationOf({ effect }: WorstEffect): Operation {
  return operationNames.find((name) => operations[name].effect === effect)!;
}

/** `close-day/x case 3 (…) and 2 more were wrongly accepted`. */
function formatWrong([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? 'was' : `and ${others.length} more were`;
  return `${first} ${more} wrongly accepted`;
}

/** Why the worst case exceeds what is left, as the end of a sentence. */
export function excessReason(worst: WorstCase, spent: Spent, allow: Allowance): string | undefined {
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
    ? `it could start payments, and the rest of ${whole} is not enough`
    : `it could start more payments than ${whole}`;
}
