/** The matrix as data: implementations by profile, with every run of each cell, and what changed when. Pure. JSON form: schemas/files/matrix.json. */

import { countOutcomes, moreWords } from '../../record/result/conclude.ts';
import type { Conclusion, OutcomeCounts, Result } from '../../record/result/result.ts';
import type { PlannedEntry, SubjectKind } from './matrix-plan.ts';

/** `unsupported`: the implementation cannot be had on this machine, and says so; that is no failure, and no pass. */
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
  /** Absent where it works. */
  readonly reason?: string;
  /** Of how many answers of the gateway its mock gives how many alike; absent where there was none. */
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
  /** How many hazards; absent where there are none. */
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

/** A run of one cell, as it comes to an end; `before` is the report of the last run of the cell that determined anything. */
interface FinishedCell {
  readonly kind: SubjectKind;
  readonly name: string;
  readonly profile: string;
  readonly run: CellRun;
  readonly result?: Result;
  readonly before?: Result;
}

/** Figures that are kept of one cell: those of some years of nights. */
const mostRuns = 1000;
const mostChanges = 500;

/** The implementations in the order of the file; what it no longer names stays, at the end. */
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
              other.profile === profile ? { profile, runs: [...other.runs, run].slice(-mostRuns) } : other,
            ),
          }
        : one,
    ),
    changes: [...(change === undefined ? [] : [change]), ...matrix.changes].slice(0, mostChanges),
  };
}

export function cellOf(
  { implementations }: ImplementationMatrix,
  { kind, name, profile }: Pick<FinishedCell, 'kind' | 'name' | 'profile'>,
): Cell | undefined {
  const found = implementations.find((one) => one.kind === kind && one.name === name);
  return found?.cells.find((cell) => cell.profile === profile);
}

/** Undefined where the run found what the one before did, and for the first run. */
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

/** Best first; what is not on the list says nothing of the implementation. */
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

/** What the process ends with: what could not be determined is never green, and what is unsupported is no failure. */
export function matrixExitCode(states: readonly CellState[], pairs: readonly PairCell[] = []): 0 | 1 | 3 {
  if (states.includes('aborted')) return 3;
  if (pairs.some((pair) => pair.is === 'breaks')) return 1;
  if (states.some((state) => state === 'partial' || state === 'non-conformant')) return 1;
  return states.includes('conformant') ? 0 : 3;
}
