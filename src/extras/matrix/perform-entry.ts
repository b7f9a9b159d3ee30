/** One implementation: a whole run of it as a process of this command, then its record judged under the other profiles. */
import { resolve } from 'node:path';
import { exitCode } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import type { CellState } from './matrix.ts';
import type { PlannedEntry } from './matrix-plan.ts';
import type { Ran, RunCommand, RunSurroundings, StartGateway } from './processes.ts';

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
  /** Program and first words of the countersign command. */
  readonly cli: readonly string[];
  readonly run: RunCommand;
  readonly start: StartGateway;
  /** The report in a folder; rejects where it cannot be used. */
  readonly readReport: (folder: string) => Promise<Result>;
  /** Makes an empty folder for a run of that cell. */
  readonly newFolder: (entry: PlannedEntry, profile: string) => string;
  /** Folder of the file. */
  readonly base: string;
  readonly surroundings: Omit<RunSurroundings, 'cwd'>;
  readonly seed: string;
}

/** Yields each cell as soon as it is known; throws what `signal` was aborted with once it is. */
export async function* performEntry(
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
  const { kind, cases, only, defects } = entry;
  const each = (flag: string, values: readonly string[] = []) => values.flatMap((value) => [flag, value]);
  const common = [kind, ...each('--cases', cases === undefined ? [] : [String(cases)]), ...each('--only', only)];
  return entry.kind === 'client'
    ? [
        ...common,
        ...(entry.mode === 'one-shot' ? ['--one-shot'] : []),
        ...(entry.plainHttp ? ['--plain-http'] : []),
        ...each('--defect', defects),
      ]
    : [
        ...common,
        ...each('--target', entry.target === undefined ? [] : [entry.target]),
        ...each('--config', entry.config === undefined ? [] : [entry.config]),
        ...each('--defect', defects),
        ...each('--variant', entry.variants),
      ];
}

/** @param rest behind the options */
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
  // Nothing is green whose own exit code was not; a hazard may fail a conformant run.
  if (result.conclusion === 'conformant' && ended.code !== exitCode(result)) {
    return { ...place, state: 'aborted', reason: `its report is conformant, and its exit code ${ended.code}` };
  }
  return { ...place, state: result.conclusion };
}

/** The sentence for which the command ended. */
function lastWords({ code, err }: Ran): string {
  const lines = err.split('\n').filter((line) => line.trim() !== '');
  const own = lines.findLast((line) => line.startsWith('countersign: '))?.slice('countersign: '.length);
  const said = own ?? lines.at(-1);
  return said === undefined
    ? `the command left no report and ended with code ${code}`
    : said.replace(/\.$/, '').slice(0, 500);
}
