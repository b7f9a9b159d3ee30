/** Runs one implementation of a matrix after the other. Saves each result at once, so an abort loses only one run. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { makeFolders, readRegularText, writeWholeFile } from '../../record/disk/files.ts';
import { takeProcessLock } from '../../record/disk/processes.ts';
import { CodedError, errorTag, reasonOf } from '../../record/errors.ts';
import { conclusionOf, countOutcomes, exitCode } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { documentPage } from '../../report/pages/page.ts';
import { printedJson } from '../../report/visible.ts';
import {
  addRun,
  type CellRun,
  type CellState,
  type CompareResults,
  cellOf,
  entriesOf,
  type ImplementationMatrix,
  lastVerdictFolder,
  type MatrixPlan,
  mergeImplementations,
  type PairCell,
  type PairResult,
  type PlannedEntry,
  type PlanSubject,
  removeFolderLinks,
  type SubjectKind,
} from './matrix.ts';
import { implementationsDocument } from './matrix-document.ts';

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  readonly code: number | null;
  readonly err: string;
  readonly cut?: 'limit' | 'interrupted';
}

/** Sends stored answers of the gateway to the client, and stored requests of the client to a mock of the gateway. */
export type CheckPair = (
  client: PlanSubject,
  folders: { readonly client: string; readonly gateway: string },
) => Promise<PairResult>;

export interface MatrixOptions {
  readonly plan: MatrixPlan;
  readonly base: string;
  readonly out: string;
  readonly only: readonly string[];
  readonly live: readonly string[];
  readonly seed: string;
  /** The program and the script that start this suite. */
  readonly cli: readonly string[];
  readonly suite: Result['suite'];
  readonly commandOptions: Omit<CommandOptions, 'cwd'>;
  /** Runs a command until it ends, its time limit is over, or the signal aborts. */
  readonly run: (argv: readonly string[], options: CommandOptions) => Promise<CommandResult>;
  /** Starts a gateway, and waits until it listens at `target`. `fault` is the reason if it does not listen. */
  readonly start: (
    argv: readonly string[],
    target: string,
    options: Omit<CommandOptions, 'limitMs'>,
  ) => Promise<{ readonly fault: string; readonly unsupported?: true } | { stop(): Promise<void> }>;
  readonly checkPair: CheckPair;
  readonly readReport: (folder: string) => Promise<Result>;
  readonly compare: CompareResults;
  readonly faultOf: (value: unknown) => string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly remark: (sentence: string) => void;
}

/** Runs the chosen implementations. Throws MatrixError if a name is unknown, or if the folder cannot be used. */
export async function runMatrix(options: MatrixOptions) {
  const { plan, out, only, live, now, remark } = options;
  const { signal } = options.commandOptions;
  const entries = entriesOf(plan);
  refuseUnknown(entries, only, '--only', 'an implementation in the file');
  const liveEntries = entries.filter(({ config }) => config !== undefined);
  refuseUnknown(liveEntries, live, '--live', 'a live target (a gateway with config)');
  const waiting = liveEntries.filter(({ name }) => !live.includes(name));
  const chosen = entries.filter((one) => !waiting.includes(one) && (only.length === 0 || only.includes(one.name)));
  const store = await openMatrixStore(out, options.faultOf);
  try {
    const stored = store.matrix;
    if (stored !== undefined && Date.parse(stored.updatedAt) > now() && stored.implementations.length > 0) {
      remark(`the clock shows a time before the last run (${stored.updatedAt}), so the ages of runs may be wrong`);
    }
    const run: MatrixRun = { options, store, states: [], matrix: initialMatrix(stored, entries, waiting, options) };
    await saveMatrix(run, run.matrix);
    try {
      for (const [index, entry] of chosen.entries()) {
        if (signal.aborted) break;
        remark(`${index + 1} of ${chosen.length}: ${entry.kind} ${entry.name} …`);
        await runEntry(entry, run);
      }
      if (plan.pairs && !signal.aborted) {
        remark('checking each client with each gateway …');
        await saveMatrix(run, { ...run.matrix, pairs: await checkPairs(run, new Set(chosen.map(({ name }) => name))) });
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

function saveMatrix(run: MatrixRun, next: ImplementationMatrix): Promise<void> {
  run.matrix = next;
  return run.store.write('matrix.json', printedJson(next));
}

function initialMatrix(
  stored: ImplementationMatrix | undefined,
  entries: readonly PlannedEntry[],
  waiting: readonly PlannedEntry[],
  { plan, suite, now }: MatrixOptions,
): ImplementationMatrix {
  const { profiles = ['rfc5849'], title = 'Matrix of implementations', pairs: checksPairs } = plan;
  const { implementations = [], pairs, changes = [], ...rest } = stored ?? {};
  return {
    format: 'countersign-matrix',
    formatVersion: 1,
    id: randomBytes(16).toString('hex'),
    updatedAt: new Date(now()).toISOString(),
    ...rest,
    profiles,
    changes,
    // If the plan has no `pairs`, remove the stored pairs, because no run would update them.
    ...(checksPairs && pairs !== undefined ? { pairs } : {}),
    title,
    suite,
    news: 0,
    implementations: mergeImplementations(implementations, entries, profiles).map((one) =>
      waiting.some(({ kind, name }) => kind === one.kind && name === one.name)
        ? { ...one, waits: 'a live target runs only if --live names it' }
        : one,
    ),
  };
}

interface CellResult {
  readonly state: CellState;
  readonly reason?: string;
  readonly result?: Result;
  readonly folder?: string;
}

/** Runs an entry with the first profile. Judges this run with the other profiles. Throws if the signal aborts. */
async function runEntry(entry: PlannedEntry, run: MatrixRun): Promise<void> {
  const { store, options } = run;
  const startedAt = new Date(options.now()).toISOString();
  const folders: string[] = [];
  const runProfile = (flags: readonly string[], profile: string, rest: readonly string[] = []) => {
    const folder = store.newFolder(entry, profile, startedAt);
    folders.push(folder);
    return runCell([...flags, '--profile', profile, '--out', folder, '--json', ...rest], folder, entry, options);
  };
  try {
    const [profile = '', ...others] = run.matrix.profiles;
    const flags = [...flagsOf(entry), '--seed', options.seed];
    const adapterArgs = entry.kind === 'client' && entry.command !== undefined ? ['--', ...entry.command] : [];
    const first = await withGateway(entry, options, () => runProfile(flags, profile, adapterArgs));
    const { state, result, folder, reason = result?.aborted } = first;
    const isRecorded = result !== undefined && state !== 'aborted' && state !== 'unsupported';
    for (const cellProfile of [profile, ...others]) {
      const judge = isRecorded ? () => runProfile(['judge', folder!], cellProfile) : async () => ({ state, reason });
      const cell = cellProfile === profile ? first : await judge();
      options.commandOptions.signal.throwIfAborted();
      await saveCell(run, entry, cellProfile, cell, startedAt);
    }
  } finally {
    const cells = run.matrix.implementations.flatMap((one) => one.cells);
    const used = new Set(cells.map(({ runs }) => runs.at(-1)?.run));
    for (const folder of folders) if (!used.has(store.nameOf(folder))) store.remove(folder);
  }
}

async function saveCell(run: MatrixRun, entry: PlannedEntry, profile: string, cell: CellResult, at: string) {
  const { store, matrix, states } = run;
  const { plan, readReport, compare, seed, suite, remark } = run.options;
  const { kind, name, version } = entry;
  const { state, result, folder, reason = result?.aborted } = cell;
  const conclusion = result && conclusionOf(result);
  const resultFields = result && {
    concluded: conclusion === result.conclusion ? undefined : conclusion,
    suite: result.suite.version,
    version: result.subject.version ?? result.labels?.version ?? version,
    ...(result.results.length > 0 && { counts: countOutcomes(result.results) }),
    hazards: result.hazards?.length,
    seed: result.seed,
    only: result.scope?.only,
  };
  const hasPage = folder !== undefined && state !== 'unsupported' && existsSync(join(folder, 'report.html'));
  const link = hasPage && { run: store.nameOf(folder) };
  const cellRun: CellRun = { at, suite: suite.version, seed, version, ...resultFields, state, reason, ...link };
  const key = { kind, name, profile };
  const last = lastVerdictFolder(cellOf(matrix, key));
  const before = last === undefined ? undefined : await readReport(store.pathOf(last)).catch(() => undefined);
  const next = addRun(matrix, { ...key, run: cellRun, result, before }, compare);
  const oldRuns = plan.keep === undefined ? [] : (cellOf(next, key)?.runs.slice(0, -plan.keep) ?? []);
  const deleted = new Set(oldRuns.flatMap((one) => one.run ?? []));
  for (const one of deleted) store.remove(store.pathOf(one));
  await saveMatrix(run, removeFolderLinks(next, deleted));
  // Hazards can set the exit code of a conformant run to 1. Then the matrix must fail too, so count it as partial.
  states.push(state === 'conformant' && exitCode(result!) !== 0 ? 'partial' : state);
  remark(`   ${profile}: ${state}${reason === undefined ? '' : `, ${reason}`}`);
}

/** Checks the pairs in the order of the plan. If neither the client nor the gateway ran, keeps the stored result. */
async function checkPairs({ matrix, store, options }: MatrixRun, executed: ReadonlySet<string>): Promise<PairCell[]> {
  const { plan, checkPair, now } = options;
  const { clients = [], gateways = [] } = plan;
  const lastFolder = (kind: SubjectKind, name: string) =>
    lastVerdictFolder(cellOf(matrix, { kind, name, profile: matrix.profiles[0]! }));
  const pairs: PairCell[] = [];
  for (const client of clients) {
    for (const { name: gateway } of gateways) {
      const stored = matrix.pairs?.find((one) => one.client === client.name && one.gateway === gateway);
      if (stored !== undefined && !executed.has(client.name) && !executed.has(gateway)) {
        pairs.push(stored);
        continue;
      }
      const clientRun = lastFolder('client', client.name);
      const gatewayRun = lastFolder('gateway', gateway);
      const missing = clientRun === undefined ? client.name : gateway;
      const result: PairResult =
        clientRun === undefined || gatewayRun === undefined
          ? { is: 'unverified', reason: `${missing} has no stored run with a verdict` }
          : await checkPair(client, { client: store.pathOf(clientRun), gateway: store.pathOf(gatewayRun) });
      pairs.push({ client: client.name, gateway, at: new Date(now()).toISOString(), ...result });
    }
  }
  return pairs;
}

async function withGateway(
  { kind, command, target, cwd = '.' }: PlannedEntry,
  { base, start, commandOptions }: MatrixOptions,
  run: () => Promise<CellResult>,
): Promise<CellResult> {
  if (kind === 'client' || command === undefined) return run();
  const gateway = await start(command, target!, { ...commandOptions, cwd: resolve(base, cwd) });
  if ('fault' in gateway) return { state: gateway.unsupported ? 'unsupported' : 'aborted', reason: gateway.fault };
  try {
    return await run();
  } finally {
    await gateway.stop();
  }
}

async function runCell(
  args: readonly string[],
  folder: string,
  { cwd = '.' }: PlannedEntry,
  { cli, base, run, readReport, commandOptions }: MatrixOptions,
): Promise<CellResult> {
  const ended = await run([...cli, ...args], { ...commandOptions, cwd: resolve(base, cwd) });
  const result = await readReport(folder).catch(() => undefined);
  const place = result === undefined ? {} : { result, folder };
  if (ended.cut === 'limit') {
    const minutes = Math.round(commandOptions.limitMs / 60_000);
    return { ...place, state: 'aborted', reason: `the run exceeded the time limit of the matrix, ${minutes} min` };
  }
  if (result === undefined) return { state: 'aborted', reason: failureReason(ended) };
  if (result.unsupported) return { ...place, state: 'unsupported', reason: result.aborted ?? 'exit code 127' };
  // Hazards can set the exit code of a conformant run to 1, so 0 is not the only correct code.
  if (result.conclusion === 'conformant' && ended.code !== exitCode(result)) {
    return { ...place, state: 'aborted', reason: `the report is conformant, but the exit code is ${ended.code}` };
  }
  return { ...place, state: result.conclusion };
}

function flagsOf({ kind, cases, only, mode, plainHttp, config, target, defects, variants }: PlannedEntry): string[] {
  // Pass `--target mock`: without --target, the command would use the configuration file in the folder.
  const usedTarget = target ?? (kind === 'gateway' && config === undefined ? 'mock' : undefined);
  const flags = Object.entries({ cases, only, target: usedTarget, config, defect: defects, variant: variants });
  return [
    kind,
    ...flags.flatMap(([flag, values = []]) => [values].flat().flatMap((value) => [`--${flag}`, String(value)])),
    ...(mode === 'one-shot' ? ['--one-shot'] : []),
    ...(plainHttp ? ['--plain-http'] : []),
  ];
}

function failureReason({ code, err }: CommandResult): string {
  // An error message of the suite can have several lines. All lines after the first are indented.
  const [suiteError] = err.match(/^countersign: .*(?:\n {2}.*)*/gm)?.slice(-1) ?? [];
  const lines = err.split('\n').filter((line) => line.trim() !== '');
  const message = suiteError?.slice('countersign: '.length).replace(/(?: \\)?\n +/g, ' ') ?? lines.at(-1);
  return message === undefined
    ? `the command wrote no report and ended with code ${code}`
    : message.replace(/\.$/, '').slice(0, 500);
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
  return errorTag((message, hint) => new MatrixError(code, message, hint, cause));
}

const maxBytes = 256 * 1024 * 1024;

/** Locks the folder. Throws MatrixError if the folder has other content, is in use, or cannot be read or written. */
export async function openMatrixStore(folder: string, faultOf: (value: unknown) => string | undefined) {
  prepareFolder(folder);
  const lock = takeProcessLock(join(folder, '.matrix-lock'), (refusal) =>
    refusal.reason === 'unwritable'
      ? unwritableError(folder, refusal.cause)
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
      return writeWholeFile(path, text).catch((cause) => Promise.reject(unwritableError(path, cause)));
    },
    newFolder: ({ kind, name }: PlannedEntry, profile: string, at: string): string => {
      const path = join(folder, 'runs', kind, folderNameOf(name), folderNameOf(profile), at.replace(/[:.]/g, '-'));
      // If the folder exists, append a number: two runs may start in one millisecond, or the clock may be set back.
      for (let count = 1; ; count += 1) {
        const candidate = count === 1 ? path : `${path}-${count}`;
        if (makeFolders(candidate).length > 0) return candidate;
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
function prepareFolder(folder: string): void {
  let names: string[];
  try {
    makeFolders(folder);
    names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch (cause) {
    throw unwritableError(folder, cause);
  }
  if (names.length === 0 || names.includes('matrix.json')) return;
  throw matrixError('folder-in-use')`
    the folder ${folder} has other files, such as ${names.sort()[0]}, and no matrix.json
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

function unwritableError(path: string, cause: unknown): MatrixError {
  return matrixError('unwritable-file', cause)`${path} cannot be written (${reasonOf(cause)})
    With --out, name a folder that you may write to and that has free space.`;
}
