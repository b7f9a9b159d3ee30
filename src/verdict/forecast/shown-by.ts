/**
 * Which defects a run detects with the requests that it sent. A table lists the cases that show each gateway defect; `npm run
 * prove -- --write` makes it from runs with each defect. Pure.
 */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { mockDefects } from '../../faults/index.ts';
import type { PlannedCase } from '../../plan/scenario.ts';
import type { Case, CaseLabel } from '../../record/case.ts';
import { classify } from '../../rules/answers/acceptance.ts';
import type { LiveConfig, LiveRun } from '../../run/target/live-config.ts';
import table from './shown-by.json' with { type: 'json' };

export interface Witnesses {
  /** Each of them shows the defect alone. */
  readonly alone: readonly string[];
  /** Each of them shows it together with an accepted valid request of its operation. */
  readonly besideRight: readonly string[];
  /** They show it only in some runs: it depends on drawn values, or on earlier requests. */
  readonly atTimes: readonly string[];
}

export interface ShownBy {
  readonly cases: ReadonlySet<string>;
  readonly defects: ReadonlyMap<string, ReadonlyMap<string, Witnesses>>;
}

/** The table in its file: positions in the list of keys, with neighbours as a range. */
export interface StoredTable {
  readonly cases: readonly string[];
  readonly defects: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

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

/** Ids of defects. A defect is noticed only if it would have made the run non-conformant. */
interface Noticed {
  readonly noticed: readonly string[];
  readonly unnoticed: readonly string[];
  readonly notKnown: readonly string[];
}

/** @param failing ids of requirements that can fail under the profile and the selection of the run */
export function noticedBy(
  sent: ReadonlySet<string>,
  failing: ReadonlySet<string>,
  table: ShownBy = shownBy(),
): Noticed {
  // Drawn values and requests from the configuration are not in the table: no run with a defect had them.
  const unheard = new Set([...sent].filter((key) => !table.cases.has(key)).map((key) => key.split('|')[2]));
  const found = { noticed: [] as string[], unnoticed: [] as string[], notKnown: [] as string[] };
  for (const { id } of mockDefects) {
    const rows = [...(table.defects.get(id) ?? [])].filter(([row]) => failing.has(row));
    if (rows.some(([, witnesses]) => certainIn(witnesses, sent).length > 0)) found.noticed.push(id);
    else if (rows.some(([row, { atTimes }]) => unheard.has(row) || atTimes.some((key) => sent.has(key))))
      found.notKnown.push(id);
    else found.unnoticed.push(id);
  }
  return found;
}

export function certainIn(
  { alone, besideRight }: Pick<Witnesses, 'alone' | 'besideRight'>,
  sent: ReadonlySet<string>,
): string[] {
  return [
    ...alone.filter((key) => sent.has(key)),
    ...besideRight.filter((key) => sent.has(key) && sent.has(rightKey(operationIn(key)))),
  ];
}

function operationIn(key: string): Operation {
  const [, operation = ''] = key.split('|');
  return operation in operations ? (operation as Operation) : 'close-day';
}

export function keysOfCases(cases: readonly Case[]): Set<string> {
  const keys = new Set<string>();
  for (const testCase of cases) {
    const { scenario, label } = testCase;
    const [exchange] = testCase.exchanges;
    if (exchange.response === undefined) continue;
    keys.add(caseKey(scenario, label.operation, label));
    if (label.intent === 'valid' && classify(testCase) === 'accepted') keys.add(rightKey(label.operation));
  }
  return keys;
}

export function keysOfPlan(sent: readonly { readonly scenario: string; readonly planned: PlannedCase }[]): Set<string> {
  const keys = new Set<string>();
  for (const {
    scenario,
    planned: { label, request },
  } of sent) {
    keys.add(caseKey(scenario, request.operation, label));
    if (label.intent === 'valid') keys.add(rightKey(request.operation));
  }
  return keys;
}

/** Before every run doctor calls the endpoint that is configured as unknown. */
export function withUnknownEndpoint(
  keys: Set<string>,
  { config, accepted }: { readonly config: Pick<LiveConfig, 'unknownEndpointId'> } & Pick<LiveRun, 'accepted'>,
): Set<string> {
  return config.unknownEndpointId === undefined && accepted === undefined ? keys : keys.add(unknownEndpointKey);
}

/** Cases with the same key test the same, such as all generated cases of a scenario. */
export function caseKey(
  scenario: string,
  operation: Operation,
  { about, openPoint, differsIn }: Pick<CaseLabel, 'about' | 'openPoint' | 'differsIn'>,
): string {
  return [scenario, operation, about ?? '', openPoint ?? '', differsIn ?? ''].join('|');
}

/** Stands for an accepted valid request: without one a refusal means nothing. */
export function rightKey(operation: Operation): string {
  return `${operation}|accepted`;
}

/** Stands for the unsigned requests to the unknown endpoint, which are sent before the first case. */
export const unknownEndpointKey = 'unknown endpoint|unsigned';
