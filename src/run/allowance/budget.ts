/** Pure functions that add up the effects of requests and decide if a request still fits the allowance. */
import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import type { EffectBudget } from '../../record/result/result.ts';
import type { Unsent } from '../../record/run.ts';
import type { Allowance, LiveConfig } from '../target/live-config.ts';
import { centsOf, formatCents } from '../target/site.ts';
import type { WorstCase, WorstEffect } from './worst-case.ts';

/** Effects of some requests: closed days, payments, and the total of the payments in cents. Immutable. */
export class Effects {
  static readonly none = new Effects(0, 0, 0);

  readonly closesDay: number;
  readonly payments: number;
  readonly cents: number;

  constructor(closesDay: number, payments: number, cents: number) {
    this.closesDay = closesDay;
    this.payments = payments;
    this.cents = cents;
  }

  static of({ 'closes-day': closesDay, 'starts-payments': { count, total } }: EffectBudget): Effects {
    return new Effects(closesDay, count, centsOf(total)!);
  }

  plus(other: Effects): Effects {
    return this.combine(other, (mine, more) => mine + more);
  }

  minus(other: Effects): Effects {
    return this.combine(other, (mine, less) => Math.max(mine - less, 0));
  }

  max(other: Effects): Effects {
    return this.combine(other, Math.max);
  }

  min(other: Effects): Effects {
    return this.combine(other, Math.min);
  }

  add(worst: WorstCase): Effects {
    if (worst.effect === 'none') return this;
    const { closesDay, payments, cents } = this;
    return worst.effect === 'closes-day'
      ? new Effects(closesDay + 1, payments, cents)
      : new Effects(closesDay, payments + worst.count, cents + worst.cents);
  }

  isNothing(): boolean {
    return this.closesDay + this.payments === 0;
  }

  budget(): EffectBudget {
    const { closesDay, payments, cents } = this;
    return { 'closes-day': closesDay, 'starts-payments': { count: payments, total: formatCents(cents) } };
  }

  toString(): string {
    const { closesDay, payments, cents } = this;
    return `closes-day ${closesDay} and starts-payments ${payments} with a total of ${formatCents(cents)}`;
  }

  private combine({ closesDay, payments, cents }: Effects, merge: (mine: number, other: number) => number): Effects {
    return new Effects(merge(this.closesDay, closesDay), merge(this.payments, payments), merge(this.cents, cents));
  }
}

export interface Purpose {
  readonly what: string;
  /** True if the target must refuse the request. If the target accepts it, the acceptance is recorded as wrong. */
  readonly negative?: boolean;
  /** True if the gate is closing. Then the answer error 99 does not prove that the request had no effect. */
  readonly atClosingGate?: boolean;
  /** True for the first valid request of an operation. If the target refuses it, other refusals prove nothing. */
  readonly settles?: boolean;
  /** The part of the allowance that is reserved for valid requests. */
  readonly reserve?: Reserve;
}

export interface Reserve {
  /** Effects of one valid request of each operation. Reserved as soon as this run has an effect of the same kind. */
  readonly first: Effects;
  /** Effects of all valid requests. Reserved instead of `first` if a refusal would count as an effect. */
  readonly all: Effects;
}

export type Limits = Pick<LiveConfig, 'allow' | 'trustRefusals'>;

export interface Usage {
  /** Effects that use up the allowance: of this run, of earlier unfinished runs, and of `doctor` just before it. */
  readonly spent: Effects;
  /** The part of `spent` from before this run. */
  readonly carried: Effects;
  /** The part of `carried` from the last examination by `doctor`, if no run has ended since. */
  readonly byDoctor: Effects;
  /** Number of refused requests that were booked without an effect, in this run and in unfinished earlier runs. */
  readonly refusals: ByOperation<number>;
  /** The part of `spent` from unreadable answers in this run. */
  readonly unreadable: Effects;
  /** Effects of refused requests of this run. They count because the first valid request was not accepted. */
  readonly distrusted: Effects;
  readonly wronglyAccepted: { readonly spent: Effects } & ByOperation<readonly string[]>;
}

export type ByOperation<T> = Readonly<Record<'closesDay' | 'payments', T>>;

export function kindOf({ effect }: Pick<WorstEffect, 'effect'>): keyof ByOperation<unknown> {
  return effect === 'closes-day' ? 'closesDay' : 'payments';
}

/** Decides if a request may be sent. `doubt`: why its refusal is not trusted. `reserved`: for valid requests. */
export function decide(worst: WorstEffect, purpose: Purpose, limits: Limits, usage: Usage) {
  const { spent, byDoctor, unreadable, distrusted, wronglyAccepted: wrong } = usage;
  const kind = kindOf(worst);
  const excess = (before: Effects) => excessReason(worst, before, limits.allow);
  const fits = (before: Effects) => excess(before) === undefined;
  const doubt = distrustReason(worst, purpose, limits, usage.refusals[kind]);
  const { reserve } = purpose;
  if (doubt !== undefined && reserve !== undefined && wrong.closesDay.length + wrong.payments.length > 0) {
    // Do not name wrong acceptances as the reason: without them, the allowance would be too small too.
    if (!fits(spent.minus(wrong.spent).plus(reserve.all))) return reservedUnsent(doubt);
  }
  // Reserve nothing before the first effect. Otherwise an allowance of one would not permit a faulty request.
  const isFirst = spent.minus(usage.carried)[kind] === 0;
  const reservedWithoutDoubt = isFirst ? undefined : reserve?.first;
  const reserved = doubt === undefined ? reservedWithoutDoubt : reserve?.all;
  const withReserved = spent.plus(reserved ?? Effects.none);
  if (fits(withReserved)) return { doubt, reserved };
  const reason = excess(spent);
  const total = reason === undefined ? withReserved : spent;
  if (fits(total.minus(wrong.spent))) {
    const [first, ...others] = wrong[kind];
    const more = others.length === 0 ? 'was' : `and ${others.length} more were`;
    return { why: 'stopped', reason: `${reason ?? reservedReason}: ${first} ${more} wrongly accepted` };
  }
  if (reason === undefined) return reservedUnsent(doubt);
  if (fits(spent.minus(unreadable))) {
    return { why: 'unreadable', reason: `${reason}: unreadable answers count as effects` };
  }
  if (!fits(spent.minus(unreadable.plus(distrusted)))) {
    const isShared = byDoctor[kind] > 0 && fits(Effects.none);
    return { why: 'allow', reason: isShared ? `${reason} (doctor just before used ${byDoctor[kind]})` : reason };
  }
  // The allowance is large enough. It is used up only because unreadable answers and refusals count as effects.
  return {
    why: unreadable[kind] > 0 ? 'unreadable' : 'given-up',
    reason: `${reason}: the first valid request was not accepted, so a refusal proves nothing: refused requests count as effects`,
  };
}

const reservedReason = 'the rest of the allowance is reserved for a valid request';

function reservedUnsent(doubt: string | undefined): Unsent {
  if (doubt === undefined) return { why: 'allow', reason: reservedReason };
  return { why: 'allow', reason: `${doubt}, and the rest of the allowance is reserved for valid requests` };
}

function distrustReason(worst: WorstEffect, { atClosingGate }: Purpose, { trustRefusals }: Limits, refusals: number) {
  if (!hasOneEffect(worst)) return 'a refusal of several payments is not trusted, because some may have started';
  if (atClosingGate) return 'at a closing gate, error 99 is not trusted as a refusal';
  if (refusals < trustRefusals) return undefined;
  return `only ${trustRefusals} refusals of ${operationOf(worst)} are trusted (trust-refusals)`;
}

/** False for several payments: a target that refuses the batch may have started some of the payments. */
export function hasOneEffect(worst: WorstEffect): boolean {
  return worst.effect === 'closes-day' || worst.count === 1;
}

/** The operation whose accepted requests have the effect. */
export function operationOf({ effect }: WorstEffect): Operation {
  return operationNames.find((name) => operations[name].effect === effect)!;
}

/** Why the effect exceeds the rest of the allowance, as the end of a sentence. Undefined if it does not. */
export function excessReason(worst: WorstCase, spent: Effects, allow: Allowance): string | undefined {
  if (worst.effect === 'none') return undefined;
  const allowed = Effects.of(allow);
  if (worst.effect === 'closes-day') {
    if (allowed.closesDay === 0) return 'the request could close a day, and allow has no closes-day';
    const used = `the request could close a day, and allow.closes-day: ${allowed.closesDay} is used up`;
    return spent.closesDay + 1 > allowed.closesDay ? used : undefined;
  }
  if (allowed.payments === 0) return 'the request could start payments, and allow has no starts-payments';
  if (spent.payments + worst.count <= allowed.payments && spent.cents + worst.cents <= allowed.cents) return undefined;
  const whole = `allow.starts-payments: ${allowed.payments} with a total of ${allow['starts-payments'].total}`;
  return worst.count <= allowed.payments && worst.cents <= allowed.cents
    ? `the request could start payments, and the rest of ${whole} is not enough`
    : `the request could start more payments than ${whole}`;
}
