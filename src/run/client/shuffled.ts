/** An order that a seed decides: results that depend on the order of cases come to light when the seed changes. */
import { createHash } from 'node:crypto';

/** The same numbers in another order, the same one for the same seed. */
export function shuffled(numbers: Iterable<number>, seed: string): number[] {
  const rank = (number: number) => createHash('sha256').update(`${seed}\n${number}`).digest('hex');
  return [...numbers]
    .map((number) => ({ number, rank: rank(number) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ number }) => number);
}
