/** The matrix as data: implementations, profiles, runs and changes. Pure. JSON form: schemas/files/matrix.json. */

import { countOutcomes, moreWords } from '../../record/result/conclude.ts';
import type { Conclusion, OutcomeCounts, Result } from '../../record/result/result.ts';
import type { PlannedEntry, SubjectKind } from './matrix-plan.ts';

/** `unsupported`: the implementation cannot run on this machine, and reports that. Neither a failure nor a pass. */
export type CellState = Conclusion | 'unsupported';

export interface ImplementationMatrix {
  readonly format: 'countersign-matrix';
  readonly formatVersion: 1;
  readonly id: string;
  readonly title: string;
  readonly updatedAt: string;
  readonly suite: { readonly name: string; readonly version: string };
  readonly profiles: readonly string[];
  readonly implementations: readonly Implementation[];
  readonly pairs?: readonly PairCell[];
  readonly changes: readonly CellChange[];
  readonly news: number;
}

export interface Implementation {
  readonly kind: SubjectKind;
  readonly name: string;
  readonly unlisted?: true;
  readonly waits?: string;
  readonly cells: readonly Cell[];
}

export interface Cell {
  readonly profile: string;
  readonly runs: readonly CellRun[];
}

export interface PairReading {
  readonly is: 'works' | 'breaks' | 'unverified';
  /** Absent if it works. */
  readonly reason?: string;
  /** The number of gateway answers that the mock gives too, out of those compared; absent if there were none. */
  readonly mock?: { readonly alike: number; readonly compared: number };
}

export interface PairCell extends PairReading {
  readonly client: string;
  readonly gateway: string;
  readonly at: string;
}

export interface CellRun {
  readonly at: string;
  readonly state: CellState;
  readonly concluded?: string;
  readonly reason?: string;
  readonly suite: string;
  readonly version?: string;
  readonly counts?: OutcomeCounts;
  /** Number of hazards; absent if zero. */
  readonly hazards?: number;
  readonly seed?: string;
  readonly only?: readonly string[];
  /** Folder of the run, relative to matrix.json. */
  readonly run?: string;
}

export interface CellChange {
  readonly at: string;
  readonly kind: SubjectKind;
  readonly name: string;
  readonly profile: string;
  readonly from: CellState;
  readonly to: CellState;
  readonly is: 'better' | 'worse' | 'other';
  readonly sentence: string;
  readonly broke: readonly string[];
  readonly fixed: readonly string[];
  readonly run?: string;
}

export type CompareResults = (
  before: Result,
  now: Result,
) => { readonly broke: readonly string[]; readonly fixed: readonly string[] };

/** A finished run of one cell. `before` is the report of its last run with a verdict. */
interface FinishedCell {
  readonly kind: SubjectKind;
  readonly name: string;
  readonly profile: string;
  readonly run: CellRun;
  readonly result?: Result;
  readonly before?: Result;
}

/** Limits per cell: enough for several years of nightly runs. */
const maxRuns = 1000;
const maxChanges = 500;

/** The implementations in file order. Removed ones stay at the end. */
export function relisted(
  matrix: ImplementationMatrix,
  entries: readonly PlannedEntry[],
  profiles: readonly string[],
): ImplementationMatrix {
  const keyOf = ({ kind, name }: { readonly kind: string; readonly name: string }) => `${kind} ${name}`;
  const known = new Map(matrix.implementations.map((one) => [keyOf(one), one]));
  const listed = entries.map(({ kind, name }): Implementation => {
    const { cells } = known.get(keyOf({ kind, name })) ?? { cells: [] };
    const shown = profiles.map((profile) => cells.find((cell) => cell.profile === profile) ?? { profile, runs: [] });
    const others = cells.filter(({ profile }) => !profiles.includes(profile));
    known.delete(keyOf({ kind, name }));
    return { kind, name, cells: [...shown, ...others] };
  });
  const rest = [...known.values()].map(({ waits: _, ...one }) => ({ ...one, unlisted: true as const }));
  return { ...matrix, profiles: [...profiles], implementations: [...listed, ...rest] };
}

export function withRun(
  matrix: ImplementationMatrix,
  finished: FinishedCell,
  compare: CompareResults,
): ImplementationMatrix {
  const { kind, name, profile, run } = finished;
  const cell = cellOf(matrix, finished);
  const change = cell === undefined ? undefined : changeOf(cell.runs.at(-1), finished, compare);
  return {
    ...matrix,
    updatedAt: run.at,
    implementations: matrix.implementations.map((one) =>
      one.kind === kind && one.name === name
        ? {
            ...one,
            cells: one.cells.map((other) =>
              other.profile === profile ? { profile, runs: [...other.runs, run].slice(-maxRuns) } : other,
            ),
          }
        : one,
    ),
    changes: [...(change === undefined ? [] : [change]), ...matrix.changes].slice(0, maxChanges),
  };
}

export function cellOf(
  { implementations }: ImplementationMatrix,
  { kind, name, profile }: Pick<FinishedCell, 'kind' | 'name' | 'profile'>,
): Cell | undefined {
  const found = implementations.find((one) => one.kind === kind && one.name === name);
  return found?.cells.find((cell) => cell.profile === profile);
}

/** Undefined for the first run, and if the result is the same as before. */
function changeOf(last: CellRun | undefined, finished: FinishedCell, compare: CompareResults): CellChange | undefined {
  if (last === undefined) return undefined;
  const { kind, name, profile, run, result, before } = finished;
  const isComparable = (one: Result | undefined): one is Result => one !== undefined && one.conclusion !== 'aborted';
  const { broke, fixed } =
    isComparable(before) && isComparable(result) ? compare(before, result) : { broke: [], fixed: [] };
  if (last.state === run.state && broke.length === 0 && fixed.length === 0) return undefined;
  const turned = last.state === run.state ? `still ${run.state}` : `${last.state} became ${run.state}`;
  const versions = [last.version, run.version];
  const parts = [
    `${name}, ${profile}: ${turned}`,
    ...(broke.length === 0 ? [] : [`broke ${listed(broke)}`]),
    ...(fixed.length === 0 ? [] : [`fixed ${listed(fixed)}`]),
    ...(run.reason === undefined ? [] : [run.reason]),
    ...(versions[0] === versions[1] ? [] : [`version ${versions.map((one) => one ?? 'unknown').join(' became ')}`]),
    ...(last.suite === run.suite ? [] : [`suite ${last.suite} became ${run.suite}`]),
  ];
  return {
    at: run.at,
    kind,
    name,
    profile,
    from: last.state,
    to: run.state,
    is: direction(last.state, run.state, broke.length, fixed.length),
    sentence: parts.join('; '),
    broke,
    fixed,
    run: run.run,
  };
}

/** Best first. States not listed say nothing about the implementation. */
const ranks: readonly CellState[] = ['conformant', 'partial', 'non-conformant'];

function direction(from: CellState, to: CellState, broke: number, fixed: number): CellChange['is'] {
  if (!ranks.includes(from) || !ranks.includes(to)) return ranks.includes(from) ? 'worse' : 'other';
  const step = ranks.indexOf(to) - ranks.indexOf(from) || broke - fixed;
  return step > 0 ? 'worse' : step < 0 ? 'better' : 'other';
}

function listed(ids: readonly string[]): string {
  const most = 5;
  return `${ids.slice(0, most).join(', ')}${ids.length > most ? ` and ${ids.length - most} more` : ''}`;
}

export function cellRunOf(result: Result, at: string, version: string | undefined): CellRun {
  const named = result.subject.version ?? result.labels?.version ?? version;
  return {
    at,
    state: result.unsupported ? 'unsupported' : result.conclusion,
    concluded: moreWords(result),
    reason: result.aborted,
    suite: result.suite.version,
    version: named,
    ...(result.results.length === 0 ? {} : { counts: countOutcomes(result.results) }),
    hazards: result.hazards?.length,
    seed: result.seed,
    only: result.scope?.only,
  };
}

/** An undetermined state never passes. `unsupported` does not fail. */
export function matrixExitCode(states: readonly CellState[], pairs: readonly PairCell[] = []): 0 | 1 | 3 {
  if (states.includes('aborted')) return 3;
  if (pairs.some((pair) => pair.is === 'breaks')) return 1;
  if (states.some((state) => state === 'partial' || state === 'non-conformant')) return 1;
  return states.includes('conformant') ? 0 : 3;
}
