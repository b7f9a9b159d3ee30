/** Runs the implementations of a matrix in sequence. Saves each result at once: an abort loses only the current run. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exitCode } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { documentPage } from '../../report/pages/page.ts';
import { printedJson } from '../../report/visible.ts';
import {
  type CellRun,
  type CellState,
  type CompareResults,
  cellOf,
  cellRunOf,
  type ImplementationMatrix,
  type PairCell,
  type PairReading,
  relisted,
  withRun,
} from './matrix.ts';
import { implementationsDocument } from './matrix-document.ts';
import { entriesOf, type MatrixPlan, type Planned, type PlannedEntry, type SubjectKind } from './matrix-plan.ts';
import type { Ran, RunCommand, RunSurroundings, StartGateway } from './processes.ts';
import { MatrixError, type MatrixStore, openMatrixStore } from './store.ts';

interface PerformedCell {
  readonly profile: string;
  readonly state: CellState;
  readonly reason?: string;
  readonly result?: Result;
  readonly folder?: string;
}

interface Performing {
  readonly cli: readonly string[];
  readonly run: RunCommand;
  readonly start: StartGateway;
  readonly readReport: (folder: string) => Promise<Result>;
  readonly newFolder: (entry: PlannedEntry, profile: string) => string;
  readonly base: string;
  readonly surroundings: Omit<RunSurroundings, 'cwd'>;
  readonly seed: string;
}

/** Yields each cell when it is known. Throws the reason of an aborted `signal`. */
async function* performEntry(
  entry: PlannedEntry,
  [first = '', ...others]: readonly string[],
  performing: Performing,
): AsyncIterable<PerformedCell> {
  const { signal } = performing.surroundings;
  const performed = await performFirst(entry, first, performing);
  signal.throwIfAborted();
  yield performed;
  const { result, folder, state, reason = result?.aborted } = performed;
  const isRecorded = result !== undefined && state !== 'aborted' && state !== 'unsupported';
  for (const profile of others) {
    const judged = isRecorded
      ? await ran(['judge', folder!, '--profile', profile], [], entry, profile, performing)
      : { profile, state, reason };
    signal.throwIfAborted();
    yield judged;
  }
}

async function performFirst(entry: PlannedEntry, profile: string, performing: Performing): Promise<PerformedCell> {
  const { start, base, surroundings, seed } = performing;
  const flags = [...flagsOf(entry), '--profile', profile, '--seed', seed];
  const { command, cwd = '.' } = entry;
  if (entry.kind === 'client') {
    return ran(flags, command === undefined ? [] : ['--', ...command], entry, profile, performing);
  }
  if (command === undefined) return ran(flags, [], entry, profile, performing);
  const gateway = await start(command, entry.target!, { ...surroundings, cwd: resolve(base, cwd) });
  if ('fault' in gateway) {
    return { profile, state: gateway.unsupported ? 'unsupported' : 'aborted', reason: gateway.fault };
  }
  try {
    return await ran(flags, [], entry, profile, performing);
  } finally {
    await gateway.stop();
  }
}

function flagsOf(entry: PlannedEntry): string[] {
  const { kind, cases = [], only, mode, plainHttp, config, target, defects, variants } = entry;
  const each = (flag: string, values: string | number | readonly string[] = []) =>
    [values].flat().flatMap((value) => [flag, String(value)]);
  // Without a target the command would use the configuration in the folder.
  const at = target ?? (kind === 'gateway' && config === undefined ? 'mock' : undefined);
  return [
    kind,
    ...each('--cases', cases),
    ...each('--only', only),
    ...(mode === 'one-shot' ? ['--one-shot'] : []),
    ...(plainHttp ? ['--plain-http'] : []),
    ...each('--target', at),
    ...each('--config', config),
    ...each('--defect', defects),
    ...each('--variant', variants),
  ];
}

async function ran(
  flags: readonly string[],
  rest: readonly string[],
  entry: PlannedEntry,
  profile: string,
  { cli, base, run, readReport, newFolder, surroundings }: Performing,
): Promise<PerformedCell> {
  const folder = newFolder(entry, profile);
  const argv = [...cli, ...flags, '--out', folder, '--json', ...rest];
  const ended = await run(argv, { ...surroundings, cwd: resolve(base, entry.cwd ?? '.') });
  const result = await readReport(folder).catch(() => undefined);
  const place = { profile, ...(result === undefined ? {} : { result, folder }) };
  if (ended.cut === 'limit') {
    const minutes = Math.round(surroundings.limitMs / 60_000);
    return { ...place, state: 'aborted', reason: `it was not done within ${minutes} min, the limit of the matrix` };
  }
  if (result === undefined) return { ...place, state: 'aborted', reason: lastWords(ended) };
  if (result.unsupported) return { ...place, state: 'unsupported', reason: result.aborted ?? 'exit code 127' };
  // A run passes only with its expected exit code. A hazard may fail a conformant run.
  if (result.conclusion === 'conformant' && ended.code !== exitCode(result)) {
    return { ...place, state: 'aborted', reason: `its report is conformant, and its exit code ${ended.code}` };
  }
  return { ...place, state: result.conclusion };
}

function lastWords({ code, err }: Ran): string {
  // The lines of a message after the first one are indented.
  const [own] = err.match(/^countersign: .*(?:\n {2}.*)*/gm)?.slice(-1) ?? [];
  const lines = err.split('\n').filter((line) => line.trim() !== '');
  const said = own?.slice('countersign: '.length).replace(/(?: \\)?\n +/g, ' ') ?? lines.at(-1);
  return said === undefined
    ? `the command left no report and ended with code ${code}`
    : said.replace(/\.$/, '').slice(0, 500);
}

/** Gives the client the stored answers of the gateway, and a similar mock the client's stored requests. */
export type AskPair = (
  client: Planned,
  folders: { readonly client: string; readonly gateway: string },
) => Promise<PairReading>;

export interface MatrixOptions extends Omit<Performing, 'newFolder'> {
  readonly plan: MatrixPlan;
  readonly suite: Result['suite'];
  readonly compare: CompareResults;
  readonly faultOf: (value: unknown) => string | undefined;
  readonly out: string;
  readonly only: readonly string[];
  readonly live: readonly string[];
  readonly askPair: AskPair;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly say: (sentence: string) => void;
}

export interface MatrixOutcome {
  readonly matrix: ImplementationMatrix;
  readonly states: readonly CellState[];
  readonly interrupted: boolean;
}

export const liveWaits = 'a live target is run with --live and its name alone';

/** Throws MatrixError before the first run. */
export async function runMatrix(options: MatrixOptions): Promise<MatrixOutcome> {
  const { plan, out, only, live, now, say, suite } = options;
  const entries = entriesOf(plan);
  refuseUnknown(entries, only, '--only');
  const liveEntries = entries.filter(({ config }) => config !== undefined);
  refuseUnknown(liveEntries, live, '--live', 'a live target, which has config,');
  const store = await openMatrixStore(out, options.faultOf);
  try {
    const { profiles = ['rfc5849'], title = 'Matrix of implementations' } = plan;
    const found = store.matrix ?? emptyMatrix(now(), suite);
    if (Date.parse(found.updatedAt) > now() && found.implementations.length > 0) {
      say(
        `the clock is before ${found.updatedAt}, when the last cell was run; runs keep their order, ages may be wrong`,
      );
    }
    const waiting = liveEntries.filter(({ name }) => !live.includes(name));
    const chosen = entries.filter(({ name }) => only.length === 0 || only.includes(name));
    const { pairs, ...listed } = relisted(found, entries, profiles);
    const first: ImplementationMatrix = {
      ...listed,
      // If the file no longer asks for pairs, remove them: they would be outdated.
      ...(plan.pairs && pairs !== undefined ? { pairs } : {}),
      title,
      suite,
      news: 0,
      implementations: listed.implementations.map((one) =>
        waiting.some(({ kind, name }) => kind === one.kind && name === one.name) ? { ...one, waits: liveWaits } : one,
      ),
    };
    const toRun = chosen.filter((entry) => !waiting.includes(entry));
    return await runAll(toRun, profiles, first, store, options);
  } finally {
    store.close();
  }
}

function emptyMatrix(now: number, suite: Result['suite']): ImplementationMatrix {
  return {
    format: 'countersign-matrix',
    formatVersion: 1,
    id: randomBytes(16).toString('hex'),
    title: '',
    updatedAt: new Date(now).toISOString(),
    suite,
    profiles: [],
    implementations: [],
    changes: [],
    news: 0,
  };
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
  const keep = (next: ImplementationMatrix) => {
    matrix = next;
    return store.write('matrix.json', printedJson(matrix));
  };
  await keep(first);
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
          const more = await taken(matrix, entry, cell, started, store, options);
          await keep(pruned(more, entry, cell.profile, plan.keep, store));
          // A hazard that fails a conformant run also fails its cell.
          states.push(cell.state === 'conformant' && exitCode(cell.result!) !== 0 ? 'partial' : cell.state);
          const why = cell.reason ?? cell.result?.aborted;
          say(`   ${cell.profile}: ${cell.state}${why === undefined ? '' : `, ${why}`}`);
        }
      } finally {
        const cells = matrix.implementations.flatMap((one) => one.cells);
        const used = new Set(cells.map(({ runs }) => runs.at(-1)?.run));
        for (const folder of folders) if (!used.has(store.nameOf(folder))) store.remove(folder);
      }
    }
    if (plan.pairs && !isInterrupted()) {
      say('clients beside gateways …');
      const ran = new Set(entries.map(({ name }) => name));
      await keep({ ...matrix, pairs: await performPairs(matrix, ran, store, options) });
    }
  } catch (cause) {
    if (!isInterrupted()) throw cause;
  } finally {
    await store.write('index.html', documentPage(implementationsDocument(matrix)));
  }
  return { matrix, states, interrupted: isInterrupted() };
}

async function taken(
  matrix: ImplementationMatrix,
  { kind, name, version }: PlannedEntry,
  { profile, state, reason, result, folder }: PerformedCell,
  at: string,
  store: MatrixStore,
  { readReport, compare, seed, suite }: MatrixOptions,
): Promise<ImplementationMatrix> {
  const told: CellRun =
    result === undefined ? { at, state, suite: suite.version, seed, version } : cellRunOf(result, at, version);
  const why = reason ?? told.reason;
  // Only link a run that has a report page.
  const hasPage = folder !== undefined && state !== 'unsupported' && existsSync(join(folder, 'report.html'));
  const run: CellRun = {
    ...told,
    state,
    ...(why === undefined ? {} : { reason: why }),
    ...(hasPage ? { run: store.nameOf(folder) } : {}),
  };
  const last = keptRun(cellOf(matrix, { kind, name, profile })?.runs);
  const before = last === undefined ? undefined : await readReport(store.pathOf(last)).catch(() => undefined);
  const next = withRun(matrix, { kind, name, profile, run, result, before }, compare);
  const isNews = next.changes[0] !== matrix.changes[0];
  return { ...next, news: matrix.news + (isNews ? 1 : 0) };
}

function keptRun(runs: readonly CellRun[] = []): string | undefined {
  const last = runs.findLast(({ run, state }) => run !== undefined && state !== 'aborted' && state !== 'unsupported');
  return last?.run;
}

function pruned(
  matrix: ImplementationMatrix,
  entry: PlannedEntry,
  profile: string,
  keep: number | undefined,
  store: MatrixStore,
): ImplementationMatrix {
  const cell = cellOf(matrix, { ...entry, profile });
  const old = keep === undefined ? [] : (cell?.runs.slice(0, -keep) ?? []);
  const gone = new Set(old.flatMap(({ run }) => run ?? []));
  if (gone.size === 0) return matrix;
  for (const run of gone) store.remove(store.pathOf(run));
  const without = <T extends { readonly run?: string }>({ run, ...rest }: T) =>
    (gone.has(run ?? '') ? rest : { run, ...rest }) as T;
  return {
    ...matrix,
    implementations: matrix.implementations.map((one) => ({
      ...one,
      cells: one.cells.map((other) => (other === cell ? { ...other, runs: other.runs.map(without) } : other)),
    })),
    changes: matrix.changes.map(without),
  };
}

/** All pairs in file order. A pair keeps its result if neither side was run this time. */
async function performPairs(
  matrix: ImplementationMatrix,
  ran: ReadonlySet<string>,
  store: MatrixStore,
  { plan: { clients = [], gateways = [] }, askPair, now }: MatrixOptions,
): Promise<readonly PairCell[]> {
  // Runs of the first profile: the pairs use no other.
  const runOf = (kind: SubjectKind, name: string) =>
    keptRun(cellOf(matrix, { kind, name, profile: matrix.profiles[0]! })?.runs);
  const pairs: PairCell[] = [];
  for (const client of clients) {
    for (const { name: gateway } of gateways) {
      const known = matrix.pairs?.find((one) => one.client === client.name && one.gateway === gateway);
      if (known !== undefined && !ran.has(client.name) && !ran.has(gateway)) {
        pairs.push(known);
        continue;
      }
      const [ofClient, ofGateway] = [runOf('client', client.name), runOf('gateway', gateway)];
      const missing = ofClient === undefined ? client.name : gateway;
      const reading: PairReading =
        ofClient === undefined || ofGateway === undefined
          ? { is: 'unverified', reason: `no run of ${missing} is kept that determined anything` }
          : await askPair(client, { client: store.pathOf(ofClient), gateway: store.pathOf(ofGateway) });
      pairs.push({ client: client.name, gateway, at: new Date(now()).toISOString(), ...reading });
    }
  }
  return pairs;
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
