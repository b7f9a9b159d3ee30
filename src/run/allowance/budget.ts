/** What is left of an allowance. Pure. */
import type { Allowance } from '../target/live-config.ts';
import { centsOf, inDecimals } from '../target/site.ts';
import type { WorstCase } from './worst-case.ts';

/** What was done to the target, at worst. */
export interface Spent {
  readonly closesDay: number;
  readonly payments: number;
  readonly cents: number;
}

export function spentInWords({ closesDay, payments, cents }: Spent): string {
  return `closes-day ${closesDay} and starts-payments ${payments} with a total of ${inDecimals(cents)}`;
}

export const nothingSpent: Spent = { closesDay: 0, payments: 0, cents: 0 };

export function sum(a: Spent, b: Spent): Spent {
  return { closesDay: a.closesDay + b.closesDay, payments: a.payments + b.payments, cents: a.cents + b.cents };
}

/** The larger of each. */
export function larger(a: Spent, b: Spent): Spent {
  return {
    closesDay: Math.max(a.closesDay, b.closesDay),
    payments: Math.max(a.payments, b.payments),
    cents: Math.max(a.cents, b.cents),
  };
}

/** What is left of the first; never less than nothing. */
export function less(a: Spent, b: Spent): Spent {
  return {
    closesDay: Math.max(a.closesDay - b.closesDay, 0),
    payments: Math.max(a.payments - b.payments, 0),
    cents: Math.max(a.cents - b.cents, 0),
  };
}

/** The part of it that belongs to operations for which the condition holds. */
export function partOf(spent: Spent, holds: Readonly<Record<'closesDay' | 'payments', boolean>>): Spent {
  return {
    closesDay: holds.closesDay ? spent.closesDay : 0,
    payments: holds.payments ? spent.payments : 0,
    cents: holds.payments ? spent.cents : 0,
  };
}

export function spend(spent: Spent, worst: WorstCase): Spent {
  switch (worst.effect) {
    case 'none':
      return spent;
    case 'closes-day':
      return { ...spent, closesDay: spent.closesDay + 1 };
    default:
      return { ...spent, payments: spent.payments + worst.count, cents: spent.cents + worst.cents };
  }
}

/** Why the request may not be sent, as the end of a sentence; undefined where it fits into what is left. */
export function whyExceeds(worst: WorstCase, spent: Spent, allow: Allowance): string | undefined {
  if (worst.effect === 'none') return undefined;
  if (worst.effect === 'closes-day') {
    const allowed = allow['closes-day'];
    if (allowed === 0) return 'it could close a day, and allow has no closes-day';
    return spent.closesDay + 1 > allowed
      ? `it could close a day, and allow.closes-day: ${allowed} is used up`
      : undefined;
  }
  const { count, total } = allow['starts-payments'];
  if (count === 0) return 'it could start payments, and allow has no starts-payments';
  const most = centsOf(total)!;
  if (spent.payments + worst.count <= count && spent.cents + worst.cents <= most) return undefined;
  const whole = `allow.starts-payments: ${count} with a total of ${total}`;
  return worst.count <= count && worst.cents <= most
    ? `it could start payments, and what is left of ${whole} is less than that`
    : `it could start more payments than ${whole}`;
}
