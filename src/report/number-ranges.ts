/** Exchange numbers for people: neighbours become ranges, so that 134 numbers take one line. */

/** A single number has `first` equal to `last`. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** The numbers in ascending order, each once, three or more neighbours as one range. */
export function numberRanges(numbers: readonly number[]): readonly NumberRange[] {
  const known = rangesOf.get(numbers);
  if (known !== undefined) return known;
  const runs: { first: number; last: number }[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && number <= run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  const ranges = runs.flatMap(({ first, last }) =>
    last - first === 1
      ? [
          { first, last: first },
          { first: last, last },
        ]
      : [{ first, last }],
  );
  rangesOf.set(numbers, ranges);
  return ranges;
}

/** Many requirements of a long record have one list of exchanges. */
const rangesOf = new WeakMap<readonly number[], readonly NumberRange[]>();

/** The same as text: `1, 2, 5–109`. */
export function rangesText(numbers: readonly number[]): string {
  return numberRanges(numbers)
    .map(({ first, last }) => (first === last ? String(first) : `${first}–${last}`))
    .join(', ');
}
