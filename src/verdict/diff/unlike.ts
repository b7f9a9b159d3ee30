/** Like for like: in what two runs are not alike. */
import type { EffectBudget, Result } from '../../record/result/result.ts';
import type { Unlike } from './difference.ts';

/** What may explain a difference, besides the subject. A seed alone explains nothing where everything is the same. */
export function unlikenesses(old: Result, fresh: Result): Unlike[] {
  const sides: readonly (readonly [Unlike['what'], (result: Result) => string])[] = [
    ['suite version', ({ suite }) => `${suite.name} ${suite.version}`],
    ['requirement set', ({ set }) => set ?? 'all of the suite'],
    ['scope', ({ scope }) => (scope === undefined ? 'all requirements' : scope.only.join(' '))],
    ['allowance', ({ effects }) => allowanceInWords(effects.allowed)],
    ['seed', ({ seed }) => seed],
    ['target', ({ subject }) => subject.target],
  ];
  return sides.flatMap(([what, of]) => {
    const [before, now] = [of(old), of(fresh)];
    return before === now ? [] : [{ what, old: before, new: now }];
  });
}

function allowanceInWords(allowed: EffectBudget | undefined): string {
  if (allowed === undefined) return 'no live target';
  const { count, total } = allowed['starts-payments'];
  return `closes-day ${allowed['closes-day']}, starts-payments ${count} with a total of ${total}`;
}
