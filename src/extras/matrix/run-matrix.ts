/** Runs the implementations of a matrix one after the other. What is done is written at once, so that an end at any moment loses only the run that went on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exitCode } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { printedJson } from '../../report/visible.ts';
import { suite } from '../../run/options/suite-version.ts';
import type { DiffOptions } from '../../verdict/diff/diff-runs.ts';
import {
  type CellRun,
  type CellState,
  cellOf,
  cellRunOf,
  type ImplementationMatrix,
  relisted,
  withRun,
} from './matrix.ts';
import { implementationsPage } from './matrix-page.ts';
import { entriesOf, type MatrixPlan, type PlannedEntry } from './matrix-plan.ts';
import { type AskPair, performPairs } from './pairs.ts';
import { type PerformedCell, type Performing, performEntry } from './perform-entry.ts';
import { MatrixError, type MatrixStore, openMatrixStore } from './store.ts';

export interface MatrixOptions extends Omit<Performing, 'newFolder'>, Pick<DiffOptions, 'selects' | 'statementOf'> {
  readonly plan: MatrixPlan;
  /** Absolute path of the folder that gets the matrix. */
  readonly out: string;
  /** Names of the implementations to run; empty for all. */
  readonly only: readonly string[];
  /** Names of the live targets that may be run. */
  readonly live: readonly string[];
  readonly askPair: AskPair;
  readonly seed: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Told of each cell as it is done. */
  readonly say: (sentence: string) => void;
}

export interface MatrixOutcome {
  readonly matrix: ImplementationMatrix;
  /** Of the cells that were run. */
  readonly states: readonly CellState[];
  readonly interrupted: boolean;
}

export const liveWaits = 'a live target is run with --live and its name alone';

/** Throws MatrixError before anything is run. */
export async function runMatrix(options: MatrixOptions): Promise<MatrixOutcome> {
  const { plan, out, only, live, now, say } = options;
  const entries = entriesOf(plan);
  refuseUnknown(entries, only, '--only');
  refuseUnknown(
    entries.filter((entry) => 'config' in entry),
    live,
    '--live',
    'a live target, which has config,',
  );
  const store = await openMatrixStore(out, now());
  try {
    const { profiles = ['rfc5849'], title = 'Matrix of implementations' } = plan;
    if (Date.parse(store.matrix.updatedAt) > now() && store.matrix.implementations.length > 0) {
      say(
        `the clock is before ${store.matrix.updatedAt}, when the last cell was run; runs keep their order, ages may be wrong`,
      );
    }
    const waits = (entry: PlannedEntry) => ('config' in entry && !live.includes(entry.name) ? liveWaits : undefined);
    const chosen = entries.filter(({ name }) => only.length === 0 || only.includes(name));
    const { pairs, ...listed } = relisted(store.matrix, entries, profiles);
    const first: ImplementationMatrix = {
      ...listed,
      // A file that asks for them no more has none: they would say what nobody keeps true.
      ...(plan.pairs && pairs !== undefined ? { pairs } : {}),
      title,
      suite,
      news: 0,
      implementations: listed.implementations.map((one) => {
        const entry = entries.find(({ kind, name }) => kind === one.kind && name === one.name);
        const why = entry === undefined ? undefined : waits(entry);
        return why === undefined ? one : { ...one, waits: why };
      }),
    };
    return await runAll(
      chosen.filter((entry) => waits(entry) === undefined),
      profiles,
      first,
      store,
      options,
    );
  } finally {
    store.close();
  }
}

async function runAll(
  entries: readonly PlannedEntry[],
  profiles: readonly string[],
  first: ImplementationMatrix,
  store: MatrixStore,
  options: MatrixOptions,
): Promise<MatrixOutcome> {
  const { plan, surroundings, now, say } = options;
  const states: CellState[] = [];
  const isInterrupted = () => surroundings.signal.aborted;
  let matrix = first;
  store.write('matrix.json', jsonOf(matrix));
  try {
    for (const [index, entry] of entries.entries()) {
      if (isInterrupted()) break;
      say(`${index + 1} of ${entries.length}: ${entry.kind} ${entry.name} …`);
      const started = new Date(now()).toISOString();
      const folders: string[] = [];
      const newFolder = (one: PlannedEntry, profile: string) => {
        const folder = store.newFolder(one, profile, started);
        folders.push(folder);
        return folder;
      };
      try {
        for await (const cell of performEntry(entry, profiles, { ...options, newFolder })) {
          matrix = await taken(matrix, entry, cell, started, store, options);
          matrix = pruned(matrix, entry, cell.profile, plan.keep, store);
          store.write('matrix.json', jsonOf(matrix));
          // A hazard that fails a conformant run is not green here either.
          states.push(cell.state === 'conformant' && exitCode(cell.result!) !== 0 ? 'partial' : cell.state);
          say(`   ${cell.profile}: ${lineOf(cell)}`);
        }
      } catch (cause) {
        if (!isInterrupted()) throw cause;
      } finally {
        const used = new Set(
          matrix.implementations
            .flatMap(({ cells }) => cells.flatMap(({ runs }) => runs.slice(-1)))
            .map(({ run }) => run),
        );
        for (const folder of folders) if (!used.has(store.nameOf(folder))) store.remove(folder);
      }
    }
    if (plan.pairs && !isInterrupted()) {
      say('clients beside gateways …');
      const ran = new Set(entries.map(({ name }) => name));
      const pairs = await performPairs(matrix, plan, { ran, ask: options.askPair, pathOf: store.pathOf, now });
      matrix = { ...matrix, pairs };
      store.write('matrix.json', jsonOf(matrix));
    }
  } catch (cause) {
    if (!isInterrupted()) throw cause;
  } finally {
    store.write('index.html', implementationsPage(matrix));
  }
  return { matrix, states, interrupted: isInterrupted() };
}

/** The matrix with one more run of a cell. */
async function taken(
  matrix: ImplementationMatrix,
  entry: PlannedEntry,
  { profile, state, reason, result, folder }: PerformedCell,
  at: string,
  store: MatrixStore,
  { readReport, selects, statementOf, seed }: MatrixOptions,
): Promise<ImplementationMatrix> {
  const { kind, name, version } = entry;
  const told: CellRun =
    result === undefined ? { at, state, suite: suite.version, seed, version } : cellRunOf(result, at, version);
  const why = reason ?? told.reason;
  // A report of nothing is no evidence that somebody would look at.
  const hasPage = folder !== undefined && state !== 'unsupported' && existsSync(join(folder, 'report.html'));
  const run: CellRun = {
    ...told,
    state,
    ...(why === undefined ? {} : { reason: why }),
    ...(hasPage ? { run: store.nameOf(folder) } : {}),
  };
  const before = await lastDetermined(matrix, { kind, name, profile }, store, readReport);
  const next = withRun(matrix, { kind, name, profile, run, result, before }, { selects, statementOf });
  const isNews = next.changes[0] !== matrix.changes[0];
  return { ...next, news: matrix.news + (isNews ? 1 : 0) };
}

/** The report of the last run of the cell that is still there and determined anything. */
async function lastDetermined(
  matrix: ImplementationMatrix,
  cell: Parameters<typeof cellOf>[1],
  store: MatrixStore,
  readReport: Performing['readReport'],
): Promise<Result | undefined> {
  const last = cellOf(matrix, cell)?.runs.findLast(
    ({ run, state }) => run !== undefined && state !== 'aborted' && state !== 'unsupported',
  );
  return last === undefined ? undefined : readReport(store.pathOf(last.run!)).catch(() => undefined);
}

/** Removes the folders of old runs; their figures stay. */
function pruned(
  matrix: ImplementationMatrix,
  entry: PlannedEntry,
  profile: string,
  keep: number | undefined,
  store: MatrixStore,
): ImplementationMatrix {
  const cell = cellOf(matrix, { ...entry, profile });
  if (keep === undefined || cell === undefined) return matrix;
  const old = cell.runs.slice(0, -keep).filter(({ run }) => run !== undefined);
  if (old.length === 0) return matrix;
  for (const { run } of old) store.remove(store.pathOf(run!));
  const gone = new Set(old.map(({ run }) => run));
  const without = <T extends { readonly run?: string }>({ run, ...rest }: T) =>
    (gone.has(run) ? rest : { run, ...rest }) as T;
  return {
    ...matrix,
    implementations: matrix.implementations.map((one) => ({
      ...one,
      cells: one.cells.map((other) => (other === cell ? { ...other, runs: other.runs.map(without) } : other)),
    })),
    changes: matrix.changes.map(without),
  };
}

function jsonOf(matrix: ImplementationMatrix): string {
  return printedJson(matrix);
}

function lineOf({ state, reason, result }: PerformedCell): string {
  const why = reason ?? result?.aborted;
  return `${state}${why === undefined ? '' : `, ${why}`}`;
}

function refuseUnknown(
  entries: readonly PlannedEntry[],
  names: readonly string[],
  flag: string,
  what = 'an implementation of the file,',
): void {
  const unknown = names.find((name) => !entries.some((entry) => entry.name === name));
  if (unknown === undefined) return;
  const known = entries.map(({ name }) => name);
  const most = 10;
  const all = `${known.slice(0, most).join(', ')}${known.length > most ? ` and ${known.length - most} more` : ''}`;
  throw new MatrixError(
    'unknown-id',
    `${flag} needs the name of ${what} and ${unknown} is none`,
    known.length === 0 ? `The file has none; leave ${flag} out.` : `There ${known.length === 1 ? 'is' : 'are'} ${all}.`,
  );
}
