/** Exchange numbers for people: neighbours become ranges, so that 134 numbers take one line. */
import { memoize } from '../record/memoize.ts';

/** A single number has `first` equal to `last`. */
interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** The numbers in ascending order, each once, three or more neighbours as one range. Many requirements have one list of exchanges. */
export const numberRanges = memoize((numbers: readonly number[]): readonly NumberRange[] => {
  const runs: { first: number; last: number }[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && number <= run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs.flatMap(({ first, last }) =>
    last - first === 1
      ? [
          { first, last: first },
          { first: last, last },
        ]
      : [{ first, last }],
  );
});

/** The same as text: `1, 2, 5–109`. */
export function rangesText(numbers: readonly number[]): string {
  return numberRanges(numbers)
    .map(({ first, last }) => (first === last ? String(first) : `${first}–${last}`))
    .join(', ');
}
