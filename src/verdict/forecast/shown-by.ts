/**
 * Which defects a run notices by what it sent: its cases as keys, and a table of the keys that show each defect of a gateway, which
 * `npm run prove -- --write` makes from runs with each defect. Pure.
 */
import { type Operation, operations } from '../../../contracts/operations.ts';
import { mockDefects } from '../../faults/index.ts';
import type { PlannedCase } from '../../plan/scenario.ts';
import type { Case, CaseLabel } from '../../record/case.ts';
import { classify } from '../../rules/answers/acceptance.ts';
import type { LiveConfig, LiveRun } from '../../run/target/live-config.ts';
import table from './shown-by.json' with { type: 'json' };

export interface Witnesses {
  /** Each of them shows it alone. */
  readonly alone: readonly string[];
  /** Each of them shows it beside an accepted right request of its operation. */
  readonly besideRight: readonly string[];
  /** They showed it in some runs and not in others: it depends on drawn values, or on what was sent before. */
  readonly atTimes: readonly string[];
}

export interface ShownBy {
  readonly cases: ReadonlySet<string>;
  readonly defects: ReadonlyMap<string, ReadonlyMap<string, Witnesses>>;
}

/** The same in its file: places in the list of keys, neighbours as a range. */
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

/** Ids of defects. Noticed is what would have ended the run as non-conformant, and nothing less. */
interface Noticed {
  readonly noticed: readonly string[];
  readonly unnoticed: readonly string[];
  readonly notKnown: readonly string[];
}

/** @param failing ids of the requirements that would fail under the profile and the selection of the run */
export function noticedBy(
  sent: ReadonlySet<string>,
  failing: ReadonlySet<string>,
  table: ShownBy = shownBy(),
): Noticed {
  // Of drawn values, and of what a configuration adds: a run with each defect has not had them.
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
  for (const examined of cases) {
    const { scenario, label } = examined;
    const [exchange] = examined.exchanges;
    if (exchange.response === undefined) continue;
    keys.add(caseKey(scenario, label.operation, label));
    if (label.intent === 'valid' && classify(examined) === 'accepted') keys.add(rightKey(label.operation));
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

/** Doctor asks the endpoint that is named as unknown before every run. */
export function withUnknownEndpoint(
  keys: Set<string>,
  { config, accepted }: { readonly config: Pick<LiveConfig, 'unknownEndpointId'> } & Pick<LiveRun, 'accepted'>,
): Set<string> {
  return config.unknownEndpointId === undefined && accepted === undefined ? keys : keys.add(unknownEndpointKey);
}

/** Cases with the same key ask the same, such as all generated ones of a scenario. */
export function caseKey(
  scenario: string,
  operation: Operation,
  { about, openPoint, differsIn }: Pick<CaseLabel, 'about' | 'openPoint' | 'differsIn'>,
): string {
  return [scenario, operation, about ?? '', openPoint ?? '', differsIn ?? ''].join('|');
}

/** Stands for a right request that was accepted: without one a refusal means nothing. */
export function rightKey(operation: Operation): string {
  return `${operation}|accepted`;
}

/** Stands for the unsigned requests to the endpoint named as unknown, which come before the first case. */
export const unknownEndpointKey = 'unknown endpoint|unsigned';
