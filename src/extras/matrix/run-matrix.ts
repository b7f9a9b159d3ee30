/** Runs one implementation of a matrix after the other. Saves each result at once, so an abort loses only one run. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { makeFolders, readRegularText, writeWholeFile } from '../../record/disk/files.ts';
import { takeProcessLock } from '../../record/disk/processes.ts';
import { CodedError, inTwoLines, reasonOf } from '../../record/errors.ts';
import { conclusionOf, countOutcomes, exitCode } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { documentPage } from '../../report/pages/page.ts';
import { printedJson } from '../../report/visible.ts';
import {
  type CellRun,
  type CellState,
  type CompareResults,
  cellOf,
  determined,
  entriesOf,
  type ImplementationMatrix,
  type MatrixPlan,
  type PairCell,
  type PairReading,
  type Planned,
  type PlannedEntry,
  relisted,
  type SubjectKind,
  withoutFolders,
  withRun,
} from './matrix.ts';
import { implementationsDocument } from './matrix-document.ts';

export interface RunSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly code: number | null;
  readonly err: string;
  readonly cut?: 'limit' | 'interrupted';
}

/** Sends stored answers of the gateway to the client, and stored requests of the client to a mock of the gateway. */
export type CheckPair = (
  client: Planned,
  folders: { readonly client: string; readonly gateway: string },
) => Promise<PairReading>;

export interface MatrixOptions {
  readonly plan: MatrixPlan;
  /** The folder of the plan file. */
  readonly base: string;
  readonly out: string;
  readonly only: readonly string[];
  readonly live: readonly string[];
  readonly seed: string;
  /** The program and the script that start this suite. */
  readonly cli: readonly string[];
  readonly suite: Result['suite'];
  readonly surroundings: Omit<RunSurroundings, 'cwd'>;
  /** Runs a command until it ends, its time limit is over, or the signal aborts. */
  readonly run: (argv: readonly string[], surroundings: RunSurroundings) => Promise<Ran>;
  /** Starts a gateway, and waits until it listens at `target`. `fault` is the reason if it does not listen. */
  readonly start: (
    argv: readonly string[],
    target: string,
    surroundings: Omit<RunSurroundings, 'limitMs'>,
  ) => Promise<{ readonly fault: string; readonly unsupported?: true } | { stop(): Promise<void> }>;
  readonly checkPair: CheckPair;
  readonly readReport: (folder: string) => Promise<Result>;
  readonly compare: CompareResults;
  readonly faultOf: (value: unknown) => string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly say: (sentence: string) => void;
}

/** Runs the chosen implementations. Throws MatrixError if a name is unknown, or if the folder cannot be used. */
export async function runMatrix(options: MatrixOptions) {
  const { plan, out, only, live, now, say } = options;
  const { signal } = options.surroundings;
  const entries = entriesOf(plan);
  refuseUnknown(entries, only, '--only', 'an implementation in the file');
  const liveEntries = entries.filter(({ config }) => config !== undefined);
  refuseUnknown(liveEntries, live, '--live', 'a live target (a gateway with config)');
  const waiting = liveEntries.filter(({ name }) => !live.includes(name));
  const chosen = entries.filter((one) => !waiting.includes(one) && (only.length === 0 || only.includes(one.name)));
  const store = await openMatrixStore(out, options.faultOf);
  try {
    const found = store.matrix;
    if (found !== undefined && Date.parse(found.updatedAt) > now() && found.implementations.length > 0) {
      say(`the clock shows a time before the last run (${found.updatedAt}), so the ages of runs may be wrong`);
    }
    const run: MatrixRun = { options, store, states: [], matrix: startOf(found, entries, waiting, options) };
    await keep(run, run.matrix);
    try {
      for (const [index, entry] of chosen.entries()) {
        if (signal.aborted) break;
        say(`${index + 1} of ${chosen.length}: ${entry.kind} ${entry.name} …`);
        await perform(entry, run);
      }
      if (plan.pairs && !signal.aborted) {
        say('checking each client with each gateway …');
        await keep(run, { ...run.matrix, pairs: await checkPairs(run, new Set(chosen.map(({ name }) => name))) });
      }
    } catch (cause) {
      if (!signal.aborted) throw cause;
    } finally {
      await store.write('index.html', documentPage(implementationsDocument(run.matrix)));
    }
    return { matrix: run.matrix, states: run.states, interrupted: signal.aborted };
  } finally {
    store.close();
  }
}

interface MatrixRun {
  readonly options: MatrixOptions;
  readonly store: Awaited<ReturnType<typeof openMatrixStore>>;
  readonly states: CellState[];
  matrix: ImplementationMatrix;
}

function keep(run: MatrixRun, next: ImplementationMatrix): Promise<void> {
  run.matrix = next;
  return run.store.write('matrix.json', printedJson(next));
}

function startOf(
  found: ImplementationMatrix | undefined,
  entries: readonly PlannedEntry[],
  waiting: readonly PlannedEntry[],
  { plan, suite, now }: MatrixOptions,
): ImplementationMatrix {
  const { profiles = ['rfc5849'], title = 'Matrix of implementations', pairs: asksPairs } = plan;
  const { implementations = [], pairs, changes = [], ...kept } = found ?? {};
  return {
    format: 'countersign-matrix',
    formatVersion: 1,
    id: randomBytes(16).toString('hex'),
    updatedAt: new Date(now()).toISOString(),
    ...kept,
    profiles,
    changes,
    // If the plan has no `pairs`, remove the stored pairs, because no run would update them.
    ...(asksPairs && pairs !== undefined ? { pairs } : {}),
    title,
    suite,
    news: 0,
    implementations: relisted(implementations, entries, profiles).map((one) =>
      waiting.some(({ kind, name }) => kind === one.kind && name === one.name)
        ? { ...one, waits: 'a live target runs only if --live names it' }
        : one,
    ),
  };
}

interface PerformedCell {
  readonly state: CellState;
  readonly reason?: string;
  readonly result?: Result;
  readonly folder?: string;
}

/** Runs an entry with the first profile. Judges this run with the other profiles. Throws if the signal aborts. */
async function perform(entry: PlannedEntry, run: MatrixRun): Promise<void> {
  const { store, options } = run;
  const started = new Date(options.now()).toISOString();
  const folders: string[] = [];
  const command = (flags: readonly string[], profile: string, rest: readonly string[] = []) => {
    const folder = store.newFolder(entry, profile, started);
    folders.push(folder);
    return performed([...flags, '--profile', profile, '--out', folder, '--json', ...rest], folder, entry, options);
  };
  try {
    const [profile = '', ...others] = run.matrix.profiles;
    const flags = [...flagsOf(entry), '--seed', options.seed];
    const rest = entry.kind === 'client' && entry.command !== undefined ? ['--', ...entry.command] : [];
    const first = await withGateway(entry, options, () => command(flags, profile, rest));
    const { state, result, folder, reason = result?.aborted } = first;
    const isRecorded = result !== undefined && state !== 'aborted' && state !== 'unsupported';
    for (const one of [profile, ...others]) {
      const judged = isRecorded ? () => command(['judge', folder!], one) : async () => ({ state, reason });
      const cell = one === profile ? first : await judged();
      options.surroundings.signal.throwIfAborted();
      await keepCell(run, entry, one, cell, started);
    }
  } finally {
    const cells = run.matrix.implementations.flatMap((one) => one.cells);
    const used = new Set(cells.map(({ runs }) => runs.at(-1)?.run));
    for (const folder of folders) if (!used.has(store.nameOf(folder))) store.remove(folder);
  }
}

async function keepCell(run: MatrixRun, entry: PlannedEntry, profile: string, cell: PerformedCell, at: string) {
  const { store, matrix, states } = run;
  const { plan, readReport, compare, seed, suite, say } = run.options;
  const { kind, name, version } = entry;
  const { state, result, folder, reason = result?.aborted } = cell;
  const words = result && conclusionOf(result);
  const found = result && {
    concluded: words === result.conclusion ? undefined : words,
    suite: result.suite.version,
    version: result.subject.version ?? result.labels?.version ?? version,
    ...(result.results.length > 0 && { counts: countOutcomes(result.results) }),
    hazards: result.hazards?.length,
    seed: result.seed,
    only: result.scope?.only,
  };
  const hasPage = folder !== undefined && state !== 'unsupported' && existsSync(join(folder, 'report.html'));
  const link = hasPage && { run: store.nameOf(folder) };
  const cellRun: CellRun = { at, suite: suite.version, seed, version, ...found, state, reason, ...link };
  const place = { kind, name, profile };
  const last = determined(cellOf(matrix, place));
  const before = last === undefined ? undefined : await readReport(store.pathOf(last)).catch(() => undefined);
  const next = withRun(matrix, { ...place, run: cellRun, result, before }, compare);
  const old = plan.keep === undefined ? [] : (cellOf(next, place)?.runs.slice(0, -plan.keep) ?? []);
  const gone = new Set(old.flatMap((one) => one.run ?? []));
  for (const one of gone) store.remove(store.pathOf(one));
  await keep(run, withoutFolders(next, gone));
  // Hazards can set the exit code of a conformant run to 1. Then the matrix must fail too, so count it as partial.
  states.push(state === 'conformant' && exitCode(result!) !== 0 ? 'partial' : state);
  say(`   ${profile}: ${state}${reason === undefined ? '' : `, ${reason}`}`);
}

/** Checks the pairs in the order of the plan. If neither the client nor the gateway ran, keeps the stored result. */
async function checkPairs({ matrix, store, options }: MatrixRun, ran: ReadonlySet<string>): Promise<PairCell[]> {
  const { plan, checkPair, now } = options;
  const { clients = [], gateways = [] } = plan;
  const runOf = (kind: SubjectKind, name: string) =>
    determined(cellOf(matrix, { kind, name, profile: matrix.profiles[0]! }));
  const pairs: PairCell[] = [];
  for (const client of clients) {
    for (const { name: gateway } of gateways) {
      const known = matrix.pairs?.find((one) => one.client === client.name && one.gateway === gateway);
      if (known !== undefined && !ran.has(client.name) && !ran.has(gateway)) {
        pairs.push(known);
        continue;
      }
      const ofClient = runOf('client', client.name);
      const ofGateway = runOf('gateway', gateway);
      const missing = ofClient === undefined ? client.name : gateway;
      const reading: PairReading =
        ofClient === undefined || ofGateway === undefined
          ? { is: 'unverified', reason: `${missing} has no stored run with a verdict` }
          : await checkPair(client, { client: store.pathOf(ofClient), gateway: store.pathOf(ofGateway) });
      pairs.push({ client: client.name, gateway, at: new Date(now()).toISOString(), ...reading });
    }
  }
  return pairs;
}

async function withGateway(
  { kind, command, target, cwd = '.' }: PlannedEntry,
  { base, start, surroundings }: MatrixOptions,
  run: () => Promise<PerformedCell>,
): Promise<PerformedCell> {
  if (kind === 'client' || command === undefined) return run();
  const gateway = await start(command, target!, { ...surroundings, cwd: resolve(base, cwd) });
  if ('fault' in gateway) return { state: gateway.unsupported ? 'unsupported' : 'aborted', reason: gateway.fault };
  try {
    return await run();
  } finally {
    await gateway.stop();
  }
}

async function performed(
  args: readonly string[],
  folder: string,
  { cwd = '.' }: PlannedEntry,
  { cli, base, run, readReport, surroundings }: MatrixOptions,
): Promise<PerformedCell> {
  const ended = await run([...cli, ...args], { ...surroundings, cwd: resolve(base, cwd) });
  const result = await readReport(folder).catch(() => undefined);
  const place = result === undefined ? {} : { result, folder };
  if (ended.cut === 'limit') {
    const minutes = Math.round(surroundings.limitMs / 60_000);
    return { ...place, state: 'aborted', reason: `the run exceeded the time limit of the matrix, ${minutes} min` };
  }
  if (result === undefined) return { state: 'aborted', reason: lastWords(ended) };
  if (result.unsupported) return { ...place, state: 'unsupported', reason: result.aborted ?? 'exit code 127' };
  // Hazards can set the exit code of a conformant run to 1, so 0 is not the only correct code.
  if (result.conclusion === 'conformant' && ended.code !== exitCode(result)) {
    return { ...place, state: 'aborted', reason: `the report is conformant, but the exit code is ${ended.code}` };
  }
  return { ...place, state: result.conclusion };
}

function flagsOf({ kind, cases, only, mode, plainHttp, config, target, defects, variants }: PlannedEntry): string[] {
  // Pass `--target mock`: without --target, the command would use the configuration file in the folder.
  const at = target ?? (kind === 'gateway' && config === undefined ? 'mock' : undefined);
  const flags = Object.entries({ cases, only, target: at, config, defect: defects, variant: variants });
  return [
    kind,
    ...flags.flatMap(([flag, values = []]) => [values].flat().flatMap((value) => [`--${flag}`, String(value)])),
    ...(mode === 'one-shot' ? ['--one-shot'] : []),
    ...(plainHttp ? ['--plain-http'] : []),
  ];
}

function lastWords({ code, err }: Ran): string {
  // An error message of the suite can have several lines. All lines after the first are indented.
  const [own] = err.match(/^countersign: .*(?:\n {2}.*)*/gm)?.slice(-1) ?? [];
  const lines = err.split('\n').filter((line) => line.trim() !== '');
  const words = own?.slice('countersign: '.length).replace(/(?: \\)?\n +/g, ' ') ?? lines.at(-1);
  return words === undefined
    ? `the command wrote no report and ended with code ${code}`
    : words.replace(/\.$/, '').slice(0, 500);
}

function refuseUnknown(entries: readonly PlannedEntry[], names: readonly string[], flag: string, what: string): void {
  const known = entries.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = known.length === 0 ? `Omit ${flag}, because the file has no such entry.` : `Known: ${known.join(', ')}.`;
  throw new MatrixError('unknown-id', `${flag} needs the name of ${what}, not ${unknown}`, hint);
}

/** A folder or file cannot be used, or the plan does not contain a name that was given. */
export class MatrixError extends CodedError<'folder-in-use' | 'unreadable-file' | 'unwritable-file' | 'unknown-id'> {}

function matrixError(code: MatrixError['code'], cause?: unknown) {
  return inTwoLines((message, hint) => new MatrixError(code, message, hint, cause));
}

const maxBytes = 256 * 1024 * 1024;

/** Locks the folder. Throws MatrixError if the folder has other content, is in use, or cannot be read or written. */
export async function openMatrixStore(folder: string, faultOf: (value: unknown) => string | undefined) {
  prepare(folder);
  const lock = takeProcessLock(join(folder, '.matrix-lock'), (refusal) =>
    refusal.why === 'unwritable'
      ? unwritable(folder, refusal.cause)
      : matrixError('folder-in-use')`
        another countersign matrix is writing to the folder ${folder}
        Wait until it ends, or name another folder with --out.`,
  );
  const matrix = await readMatrix(join(folder, 'matrix.json'), faultOf).catch((cause) => {
    lock.release();
    throw cause;
  });
  return {
    /** The stored matrix; undefined in a new folder. */
    matrix,
    /** Replaces an older file atomically. Throws MatrixError. */
    write: (name: string, text: string): Promise<void> => {
      const path = join(folder, name);
      return writeWholeFile(path, text).catch((cause) => Promise.reject(unwritable(path, cause)));
    },
    newFolder: ({ kind, name }: PlannedEntry, profile: string, at: string): string => {
      const path = join(folder, 'runs', kind, folderNameOf(name), folderNameOf(profile), at.replace(/[:.]/g, '-'));
      // If the folder exists, append a number: two runs may start in one millisecond, or the clock may be set back.
      for (let count = 1; ; count += 1) {
        const tried = count === 1 ? path : `${path}-${count}`;
        if (makeFolders(tried).length > 0) return tried;
      }
    },
    /** Returns the path as in matrix.json: relative to its folder, with `/` on every system. */
    nameOf: (path: string): string => relative(folder, path).split(sep).join('/'),
    pathOf: (name: string): string => join(folder, name),
    remove: (path: string): void => {
      try {
        rmSync(path, { recursive: true, force: true });
      } catch {
        // Ignore the error: the folder remains, but matrix.json has no link to it.
      }
    },
    close: () => lock.release(),
  };
}

/** Returns a unique folder name: `name` if every system allows it, or else the start of `name`, `_` and a digest. */
export function folderNameOf(name: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name))
    return name;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${plain}_${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
}

/** Ignores hidden files such as `.git`, because the folder may be a checkout of published results. */
function prepare(folder: string): void {
  let held: string[];
  try {
    makeFolders(folder);
    held = readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  if (held.length === 0 || held.includes('matrix.json')) return;
  throw matrixError('folder-in-use')`
    the folder ${folder} has other files, such as ${held.sort()[0]}, and no matrix.json
    Name a new or empty folder with --out, or the folder of an earlier matrix.`;
}

async function readMatrix(path: string, faultOf: (value: unknown) => string | undefined) {
  const unusable = (what: string, cause?: unknown) => matrixError('unreadable-file', cause)`${path} ${what}
    Restore the file that countersign matrix wrote, or name another folder with --out.`;
  const found = await readRegularText(path, maxBytes);
  if ('unreadable' in found) {
    if (found.unreadable === 'does not exist') return undefined;
    throw unusable(found.unreadable, found.cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch (cause) {
    throw unusable('is not JSON', cause);
  }
  const fault = faultOf(value);
  if (fault === undefined) return value as ImplementationMatrix;
  throw unusable(`cannot be used: ${fault}`);
}

function unwritable(path: string, cause: unknown): MatrixError {
  return matrixError('unwritable-file', cause)`${path} cannot be written (${reasonOf(cause)})
    With --out, name a folder that you may write to and that has free space.`;
}
