/** The plan of a matrix (schemas/files/matrix-plan.json), and the matrix as data (schemas/files/matrix.json). Pure. */
import type { OutcomeCounts, Result } from '../../record/result/result.ts';
import { named } from '../../report/document.ts';

export interface MatrixPlan {
  readonly formatVersion: 1;
  readonly title?: string;
  readonly profiles?: readonly string[];
  readonly seed?: string;
  readonly limitMinutes?: number;
  readonly keep?: number;
  /** If true, the matrix also checks each client with each gateway. */
  readonly pairs?: boolean;
  readonly clients?: readonly PlanSubject[];
  readonly gateways?: readonly PlanSubject[];
}

/** A client or a gateway of the plan. Some fields are only for clients, others only for gateways: see the schema. */
export interface PlanSubject {
  readonly name: string;
  readonly version?: string;
  readonly command?: readonly string[];
  readonly defects?: readonly string[];
  readonly cwd?: string;
  readonly cases?: number;
  readonly only?: readonly string[];
  readonly mode?: 'process' | 'one-shot';
  readonly plainHttp?: boolean;
  readonly variants?: readonly string[];
  readonly target?: string;
  readonly config?: string;
}

export type SubjectKind = 'client' | 'gateway';

export interface PlannedEntry extends PlanSubject {
  readonly kind: SubjectKind;
}

export function entriesOf({ clients = [], gateways = [] }: MatrixPlan): PlannedEntry[] {
  return [
    ...clients.map((client) => ({ kind: 'client' as const, ...client })),
    ...gateways.map((gateway) => ({ kind: 'gateway' as const, ...gateway })),
  ];
}

/** Finds faults that the schema cannot find. `refusalOf` returns the reason if the command line refuses an entry. */
export async function planFaults(plan: MatrixPlan, refusalOf: (entry: PlannedEntry) => Promise<string | undefined>) {
  const entries = entriesOf(plan);
  if (entries.length === 0) {
    return [{ path: '', sentence: 'the file lists no client and no gateway; add one under clients or gateways' }];
  }
  const clients = plan.clients?.length ?? 0;
  const faults: { readonly path: string; readonly sentence: string }[] = [];
  for (const [at, entry] of entries.entries()) {
    const path = entry.kind === 'client' ? `clients[${at}]` : `gateways[${at - clients}]`;
    // Names must be unique, because --only and the folders of runs use them.
    const isDuplicate = entries.findIndex(({ name }) => name === entry.name) < at;
    const refusal = isDuplicate ? `the name ${JSON.stringify(entry.name)} occurs twice` : await refusalOf(entry);
    if (refusal !== undefined) faults.push({ path, sentence: `${path}: ${refusal}` });
  }
  return faults;
}

/** `unsupported` means that the implementation cannot run on this machine, so it has no verdict. */
export type CellState = Result['conclusion'] | 'unsupported';

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
  /** Newest first. The first `news` entries are the changes of the last run of the matrix. */
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
  /** Oldest first. */
  readonly runs: readonly CellRun[];
}

export interface PairResult {
  readonly is: 'works' | 'breaks' | 'unverified';
  /** Absent if the pair works. */
  readonly reason?: string;
  /** The mock and the gateway answered `compared` equal requests; `alike` counts the equal answers. */
  readonly mock?: { readonly alike: number; readonly compared: number };
}

export interface PairCell extends PairResult {
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

interface CellKey {
  readonly kind: SubjectKind;
  readonly name: string;
  readonly profile: string;
}

export interface CellChange extends CellKey {
  readonly at: string;
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

interface FinishedRun extends CellKey {
  readonly run: CellRun;
  readonly result?: Result;
  readonly before?: Result;
}

const maxRuns = 1000;
const maxChanges = 500;

/** The implementations in the order of the plan, then the stored implementations that are no longer in the plan. */
export function mergeImplementations(
  implementations: readonly Implementation[],
  entries: readonly PlannedEntry[],
  profiles: readonly string[],
): Implementation[] {
  const keyOf = ({ kind, name }: Pick<Implementation, 'kind' | 'name'>) => `${kind} ${name}`;
  const stored = new Map(implementations.map((one) => [keyOf(one), one]));
  const listed = entries.map(({ kind, name }): Implementation => {
    const { cells } = stored.get(keyOf({ kind, name })) ?? { cells: [] };
    const planned = profiles.map((profile) => cells.find((cell) => cell.profile === profile) ?? { profile, runs: [] });
    const others = cells.filter(({ profile }) => !profiles.includes(profile));
    stored.delete(keyOf({ kind, name }));
    return { kind, name, cells: [...planned, ...others] };
  });
  return [...listed, ...[...stored.values()].map(({ waits: _, ...one }) => ({ ...one, unlisted: true as const }))];
}

/** Adds a finished run to its cell. If the state or a verdict differs from before, also adds a change. */
export function addRun(
  matrix: ImplementationMatrix,
  finished: FinishedRun,
  compare: CompareResults,
): ImplementationMatrix {
  const { run } = finished;
  const cell = cellOf(matrix, finished);
  const change = cell && changeOf(cell.runs.at(-1), finished, compare);
  return {
    ...matrix,
    updatedAt: run.at,
    implementations: mapCells(matrix, (one) =>
      one === cell ? { ...one, runs: [...one.runs, run].slice(-maxRuns) } : one,
    ),
    changes: change === undefined ? matrix.changes : [change, ...matrix.changes].slice(0, maxChanges),
    news: matrix.news + (change === undefined ? 0 : 1),
  };
}

/** Removes the links to deleted folders, but keeps the results of their runs. */
export function removeFolderLinks(matrix: ImplementationMatrix, deleted: ReadonlySet<string>): ImplementationMatrix {
  if (deleted.size === 0) return matrix;
  const removeLink = <T extends { readonly run?: string }>({ run, ...rest }: T) =>
    (run === undefined || deleted.has(run) ? rest : { run, ...rest }) as T;
  return {
    ...matrix,
    implementations: mapCells(matrix, (cell) => ({ ...cell, runs: cell.runs.map(removeLink) })),
    changes: matrix.changes.map(removeLink),
  };
}

function mapCells({ implementations }: ImplementationMatrix, map: (cell: Cell) => Cell): Implementation[] {
  return implementations.map((one) => ({ ...one, cells: one.cells.map(map) }));
}

export function cellOf({ implementations }: ImplementationMatrix, { kind, name, profile }: CellKey) {
  const found = implementations.find((one) => one.kind === kind && one.name === name);
  return found?.cells.find((cell) => cell.profile === profile);
}

/** Returns the folder of the latest run that has a folder and a verdict. */
export function lastVerdictFolder(cell: Cell | undefined): string | undefined {
  const hasVerdict = ({ run, state }: CellRun) => run !== undefined && state !== 'aborted' && state !== 'unsupported';
  return cell?.runs.findLast(hasVerdict)?.run;
}

function changeOf(last: CellRun | undefined, finished: FinishedRun, compare: CompareResults): CellChange | undefined {
  if (last === undefined) return undefined;
  const { kind, name, profile, run, result, before } = finished;
  const isComparable = (one: Result | undefined): one is Result => one !== undefined && one.conclusion !== 'aborted';
  const { broke, fixed } =
    isComparable(before) && isComparable(result) ? compare(before, result) : { broke: [], fixed: [] };
  if (last.state === run.state && broke.length === 0 && fixed.length === 0) return undefined;
  const formatStep = (from = 'unknown', to = 'unknown') => `${from} became ${to}`;
  const parts = [
    `${name}, ${profile}: ${last.state === run.state ? `still ${run.state}` : formatStep(last.state, run.state)}`,
    broke.length > 0 && `broke ${named(broke, maxIds)}`,
    fixed.length > 0 && `fixed ${named(fixed, maxIds)}`,
    run.reason,
    last.version !== run.version && `version ${formatStep(last.version, run.version)}`,
    last.suite !== run.suite && `suite ${formatStep(last.suite, run.suite)}`,
  ];
  const is = direction(last.state, run.state, broke.length, fixed.length);
  const sentence = parts.filter(Boolean).join('; ');
  return { at: run.at, kind, name, profile, from: last.state, to: run.state, is, sentence, broke, fixed, run: run.run };
}

const maxIds = 5;

const ranks: readonly CellState[] = ['conformant', 'partial', 'non-conformant'];

function direction(from: CellState, to: CellState, broke: number, fixed: number): CellChange['is'] {
  if (!ranks.includes(from) || !ranks.includes(to)) return ranks.includes(from) ? 'worse' : 'other';
  const step = ranks.indexOf(to) - ranks.indexOf(from) || broke - fixed;
  if (step === 0) return 'other';
  return step > 0 ? 'worse' : 'better';
}

/** Aborted run: 3. Else a partial or non-conformant cell, or a breaking pair: 1. Else a conformant cell: 0. Else: 3. */
export function matrixExitCode(states: readonly CellState[], pairs: readonly PairCell[] = []): 0 | 1 | 3 {
  if (states.includes('aborted')) return 3;
  if (pairs.some((pair) => pair.is === 'breaks')) return 1;
  if (states.some((state) => state === 'partial' || state === 'non-conformant')) return 1;
  return states.includes('conformant') ? 0 : 3;
}
