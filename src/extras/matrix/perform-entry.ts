/** One implementation: a whole run of it as a process of this command, then its record judged under the other profiles. */
import { join, resolve } from 'node:path';
import { exitCode } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import type { CellState } from './matrix.ts';
import type { PlannedEntry } from './matrix-plan.ts';
import type { Ran, RunCommand, RunSurroundings } from './run-command.ts';
import type { StartGateway } from './start-gateway.ts';

/** What became of one cell. `result` is there where a report was left. */
export interface PerformedCell {
  readonly profile: string;
  readonly state: CellState;
  readonly reason?: string;
  readonly result?: Result;
  /** Absolute path of the folder of the report, where there is one. */
  readonly folder?: string;
}

export interface Performing {
  readonly run: RunCommand;
  readonly start: StartGateway;
  /** The report in a folder; rejects where it cannot be used. */
  readonly readReport: (folder: string) => Promise<Result>;
  /** Makes an empty folder for a run of that cell. */
  readonly newFolder: (entry: PlannedEntry, profile: string) => string;
  /** Folder of the file. */
  readonly base: string;
  readonly surroundings: Omit<RunSurroundings, 'cwd'>;
  readonly seed?: string;
}

/** Yields each cell as soon as it is known; throws what `signal` was aborted with once it is. */
export async function* performEntry(
  entry: PlannedEntry,
  [first = '', ...others]: readonly string[],
  performing: Performing,
): AsyncIterable<PerformedCell> {
  const performed = await performFirst(entry, first, performing);
  performing.surroundings.signal.throwIfAborted();
  yield performed;
  for (const profile of others) {
    const { result, folder, state, reason = result?.aborted } = performed;
    const isRecorded = result !== undefined && state !== 'aborted' && state !== 'unsupported';
    const judged = isRecorded
      ? await ran(['judge', folder!, '--profile', profile], entry, profile, performing)
      : { profile, state, reason };
    performing.surroundings.signal.throwIfAborted();
    yield judged;
  }
}

async function performFirst(entry: PlannedEntry, profile: string, performing: Performing): Promise<PerformedCell> {
  const { start, base, surroundings } = performing;
  const { command, cwd = '.' } = entry;
  if (entry.kind === 'client') return ran(clientWords(entry), entry, profile, performing, profile);
  if (command === undefined) return ran(gatewayWords(entry), entry, profile, performing, profile);
  const gateway = await start(command, entry.target!, { ...surroundings, cwd: resolve(base, cwd) });
  if ('fault' in gateway) {
    return { profile, state: gateway.unsupported ? 'unsupported' : 'aborted', reason: gateway.fault };
  }
  try {
    return await ran(gatewayWords(entry), entry, profile, performing, profile);
  } finally {
    await gateway.stop();
  }
}

function clientWords(entry: Extract<PlannedEntry, { kind: 'client' }>): Words {
  const { command, defects = [], mode, plainHttp } = entry;
  return {
    flags: [
      'client',
      ...common(entry),
      ...(mode === 'one-shot' ? ['--one-shot'] : []),
      ...(plainHttp ? ['--plain-http'] : []),
      ...defects.flatMap((id) => ['--defect', id]),
    ],
    rest: command === undefined ? [] : ['--', ...command],
  };
}

function gatewayWords(entry: Extract<PlannedEntry, { kind: 'gateway' }>): Words {
  const { target, config, defects = [], variants = [] } = entry;
  return {
    flags: [
      'gateway',
      ...common(entry),
      ...(target === undefined ? [] : ['--target', target]),
      ...(config === undefined ? [] : ['--config', config]),
      ...defects.flatMap((id) => ['--defect', id]),
      ...variants.flatMap((id) => ['--variant', id]),
    ],
    rest: [],
  };
}

function common({ cases, only = [] }: PlannedEntry): string[] {
  return [...(cases === undefined ? [] : ['--cases', String(cases)]), ...only.flatMap((one) => ['--only', one])];
}

interface Words {
  readonly flags: readonly string[];
  /** Behind the options. */
  readonly rest: readonly string[];
}

/** @param performs the profile, where requests are sent and a seed is of use */
async function ran(
  words: Words | readonly string[],
  entry: PlannedEntry,
  profile: string,
  performing: Performing,
  performs?: string,
): Promise<PerformedCell> {
  const { base, run, readReport, newFolder, seed, surroundings } = performing;
  const folder = newFolder(entry, profile);
  const { flags, rest } = 'flags' in words ? words : { flags: words, rest: [] };
  const given = performs === undefined ? [] : ['--profile', performs, ...(seed === undefined ? [] : ['--seed', seed])];
  const argv = [process.execPath, cli, ...flags, ...given, '--out', folder, '--json', ...rest];
  const ended = await run(argv, { ...surroundings, cwd: resolve(base, entry.cwd ?? '.') });
  const result = await readReport(folder).catch(() => undefined);
  const place = { profile, ...(result === undefined ? {} : { result, folder }) };
  if (ended.cut === 'limit') {
    const minutes = Math.round(surroundings.limitMs / 60_000);
    return { ...place, state: 'aborted', reason: `it was not done within ${minutes} min, the limit of the matrix` };
  }
  if (result === undefined) return { ...place, state: 'aborted', reason: lastWords(ended) };
  if (result.unsupported) return { ...place, state: 'unsupported', reason: result.aborted ?? 'exit code 127' };
  // Nothing is green whose own exit code was not; a hazard may fail a conformant run.
  if (result.conclusion === 'conformant' && ended.code !== exitCode(result)) {
    return { ...place, state: 'aborted', reason: `its report is conformant, and its exit code ${ended.code}` };
  }
  return { ...place, state: result.conclusion };
}

const cli = join(packageRoot, 'dist', 'src', 'app', 'main.js');

/** The sentence for which the command ended. */
function lastWords({ code, err }: Ran): string {
  const lines = err.split('\n').filter((line) => line.trim() !== '');
  const said =
    lines.findLast((line) => line.startsWith('countersign: '))?.slice('countersign: '.length) ?? lines.at(-1);
  return said === undefined
    ? `the command left no report and ended with code ${code}`
    : said.replace(/\.$/, '').slice(0, 500);
}
