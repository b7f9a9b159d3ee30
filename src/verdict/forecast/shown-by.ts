/** Which cases of a live run show which defect of a gateway: a table that `npm run prove -- --write` makes from runs with each defect. */
import table from './shown-by.json' with { type: 'json' };

/** How one requirement comes to fail under a defect; keys of cases. */
export interface Witnesses {
  /** Each of them shows it alone. */
  readonly alone: readonly string[];
  /** Each of them shows it beside an accepted right request of its operation. */
  readonly besideRight: readonly string[];
  /** They showed it in some runs and not in others: it depends on drawn values, or on what was sent before. */
  readonly atTimes: readonly string[];
}

export interface ShownBy {
  /** Keys of all cases that the table knows. */
  readonly cases: ReadonlySet<string>;
  /** By id of the defect, then by id of the requirement that fails. */
  readonly defects: ReadonlyMap<string, ReadonlyMap<string, Witnesses>>;
}

/** The same in its file: places in the list of keys, neighbours as a range. */
export interface StoredTable {
  readonly cases: readonly string[];
  readonly defects: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** Read once, when it is first asked for. */
export function shownBy(): ShownBy {
  known ??= fromStored(table as StoredTable);
  return known;
}

let known: ShownBy | undefined;

export function fromStored({ cases, defects }: StoredTable): ShownBy {
  const keys = (ranges: string) =>
    ranges.split(' ').flatMap((range) => {
      if (range === '') return [];
      const [first = 0, last = first] = range.split('-').map(Number);
      return cases.slice(first, last + 1);
    });
  const byDefect = new Map(
    Object.entries(defects).map(([defect, rows]) => [
      defect,
      new Map(
        Object.entries(rows).map(([row, [alone = '', besideRight = '', atTimes = '']]) => [
          row,
          { alone: keys(alone), besideRight: keys(besideRight), atTimes: keys(atTimes) },
        ]),
      ),
    ]),
  );
  return { cases: new Set(cases), defects: byDefect };
}

export function toStored(cases: readonly string[], shown: ShownBy['defects']): StoredTable {
  const places = new Map(cases.map((key, place) => [key, place]));
  const ranges = (keys: readonly string[]) => {
    const sorted = keys.map((key) => places.get(key)!).sort((a, b) => a - b);
    const found: [number, number][] = [];
    for (const place of sorted) {
      const last = found.at(-1);
      if (last !== undefined && last[1] === place - 1) last[1] = place;
      else found.push([place, place]);
    }
    return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(' ');
  };
  const stored = [...shown].map(([defect, rows]) => [
    defect,
    Object.fromEntries(
      [...rows].map(([row, { alone, besideRight, atTimes }]) => [
        row,
        [ranges(alone), ranges(besideRight), ranges(atTimes)],
      ]),
    ),
  ]);
  return { cases, defects: Object.fromEntries(stored) };
}
