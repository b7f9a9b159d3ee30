/** What was done to a target, counted: close-days, payments and their cents. Pure. */
import { inDecimals } from '../target/site.ts';
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
