/** Creates and fills the folder of a report. The report is complete or absent. */
import { access, constants, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { requirementById } from '../../contracts/requirements/index.ts';
import { makeFolders, writeError } from '../record/disk/files.ts';
import { reasonOf } from '../record/errors.ts';
import { maxJudgedBytes } from '../record/har.ts';
import type { Result } from '../record/result/result.ts';
import { type RecordedRun, shardFile } from '../record/run.ts';
import { annotations } from '../report/ci.ts';
import { formats } from '../report/formats.ts';
import { jsonReport } from '../report/json.ts';
import type { ReportedRun } from '../report/phrases.ts';
import { resultDocument } from '../report/result-document.ts';
import { terminalText, textWidth } from '../report/terminal.ts';
import { printedJson, visibleJson } from '../report/visible.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import { refuseIf, usageError } from '../run/options/usage-error.ts';
import { LeakError, leakRefusal, type Secret, secretsAt, terminalName } from '../run/secrets/secret.ts';
import type { ConcludedRun } from '../verdict/conclude.ts';
import type { StoredShard } from '../verdict/recordings/merge-shards.ts';
import type { Surroundings } from './command.ts';
import { printMessage } from './print.ts';

interface WrittenRun extends ReportedRun {
  readonly recorded?: RecordedRun;
  readonly shard?: StoredShard;
}

/** Each file with its writer. report.json is written last: if it exists, all files exist. */
const files: readonly (readonly [
  name: string,
  write: (run: WrittenRun) => Promise<string | Iterable<string> | undefined>,
])[] = [
  ['exchanges.har', harOf],
  [shardFile, async ({ shard }) => shard && printedJson(shard)],
  ...formats.map(({ file, write }) => [file, write] as const),
];

/** The names of the files that the folder of a report may contain, except the file of a shard. */
export const filesOfRun: readonly string[] = files.map(([name]) => name).filter((name) => name !== shardFile);

type WrittenOptions = Pick<RunOptions, 'out' | 'live' | 'verbose'> & Partial<Pick<RunOptions, 'runId'>>;

/** Writes a report. Without a verdict, keeps an earlier report and returns false. Throws DiskError and LeakError. */
export async function writeReport(
  { result, cases, recorded, shard }: ConcludedRun & { readonly shard?: StoredShard },
  options: WrittenOptions,
  secrets?: readonly Secret[],
): Promise<boolean> {
  if (hasNoVerdict(result) && (await holdsEarlierReport(options.out, result))) return false;
  const { questionOf: questions } = await import('../../contracts/open-points.ts');
  const { baseStringOf } = await import('../verdict/gateway-evidence.ts');
  const run: WrittenRun = { result, cases, recorded, shard, statements: requirementById, questions, baseStringOf };
  const refuse = leakRefusal(secrets ?? (await secretsAt(options.live?.config.credentials, process.env)));
  const printed = `${terminalReport(result, options, { colour: false, width: undefined })}${annotations(result)}`;
  const printedTexts = [{ name: terminalName, text: printed }, ...(await ledgerLines(options))];
  const fault = await replaceReport(options.out, async () => {
    const found = await writeAll(run, options.out, refuse);
    for (const { name, text } of printedTexts) refuse({ name, bytes: Buffer.from(text) });
    return found;
  });
  const har = await stat(join(options.out, 'exchanges.har')).catch(() => undefined);
  if (har && har.size > maxJudgedBytes) printMessage(tooLargeRemark);
  if (fault !== undefined) throw fault;
  return true;
}

function hasNoVerdict({ conclusion, results, contracts = [], exchangeCount }: Result): boolean {
  const isUndecided = [...results, ...contracts].every(({ outcome }) => outcome !== 'pass' && outcome !== 'fail');
  return isUndecided && (conclusion === 'aborted' || exchangeCount === 0);
}

async function holdsEarlierReport(folder: string, { runId }: Result): Promise<boolean> {
  const { readStoredReport } = await import('./config/stored-runs.ts');
  const earlier = await readStoredReport(folder).catch(() => undefined);
  return earlier !== undefined && earlier.runId !== runId && !isEmptyReport(earlier);
}

/** Prints report.json or a text. In GitHub Actions, also prints an annotation for each failure. */
export function printRun(
  result: Result,
  options: Pick<RunOptions, 'out' | 'verbose' | 'json'>,
  { out, err, env, ...page }: Pick<Surroundings, 'out' | 'err' | 'env' | 'colour' | 'width'>,
): void {
  out(options.json ? jsonReport(result) : terminalReport(result, options, page));
  if (env.GITHUB_ACTIONS === 'true') err(annotations(result));
}

/** Replaces an earlier report only by a complete report without secrets. On failure, no new file stays. */
async function replaceReport<T>(folder: string, write: () => Promise<T>): Promise<T> {
  const incomplete = files.map(([name]) => partialIn(folder, name));
  try {
    makeFolders(folder);
    const result = await write();
    await unlink(join(folder, 'report.json')).catch(ignoreMissing);
    incomplete.push(...files.map(([name]) => join(folder, name)));
    for (const [name] of files) {
      const path = join(folder, name);
      const isWritten = await rename(partialIn(folder, name), path).then(() => true, ignoreMissing);
      if (!isWritten) await rm(path, { force: true });
    }
    return result;
  } catch (cause) {
    await Promise.all(incomplete.map((path) => rm(path, { force: true }).catch(() => {})));
    if (cause instanceof LeakError) throw cause;
    const hint =
      'The incomplete report was deleted. Free some space or name another folder with --out, then run again.';
    throw writeError('report-folder', `the report in ${folder}`, hint, cause);
  }
}

/** Writes the temporary files. If a format fails, the other files are written, and report.json says `aborted`. */
async function writeAll(run: WrittenRun, folder: string, refuse: Refuse): Promise<Error | undefined> {
  let fault: Error | undefined;
  for (const [name, write] of files) {
    const aborted = fault && { ...run.result, conclusion: 'aborted' as const, aborted: fault.message };
    try {
      const content = await write({ ...run, result: aborted ?? run.result });
      if (content === undefined) continue;
      await writeFile(
        partialIn(folder, name),
        searchParts(name, typeof content === 'string' ? [content] : content, refuse),
      );
    } catch (cause) {
      const isDiskError = (cause as NodeJS.ErrnoException).errno !== undefined;
      if (isDiskError || cause instanceof LeakError) throw cause;
      await rm(partialIn(folder, name), { force: true });
      fault ??= new Error(`${name} could not be written: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }
  return fault;
}

type Refuse = ReturnType<typeof leakRefusal>;

/** Searches each part for secrets. A part never ends inside a value, so no secret spans two parts. */
function* searchParts(name: string, parts: Iterable<string>, refuse: Refuse): Generator<Buffer> {
  for (const part of parts) {
    const bytes = Buffer.from(part);
    refuse({ name, bytes });
    yield bytes;
  }
}

/** The HAR file in parts, because its whole text may be longer than the longest string of V8. */
async function harOf(run: WrittenRun): Promise<Iterable<string>> {
  const { toHarParts } = await import('../record/write-har.ts');
  return toHarParts(run.cases, run.result, run.recorded, visibleJson);
}

const maxScreenLines = 50;

function terminalReport(
  result: Result,
  { out, verbose = false }: WrittenOptions,
  { colour, width: columns }: Pick<Surroundings, 'colour' | 'width'>,
): string {
  const files = [relative(process.cwd(), out) || '.'];
  const width = textWidth(columns);
  const size = verbose ? { most: Number.POSITIVE_INFINITY } : { screen: maxScreenLines };
  return `\n${terminalText(resultDocument(result, { statements: requirementById, files }), { colour, width, ...size })}`;
}

async function ledgerLines({ live, runId }: WrittenOptions) {
  if (live === undefined || runId === undefined) return [];
  const lines = (await readFile(live.ledger, 'utf8')).split('\n');
  return [{ name: `the ledger ${live.ledger}`, text: lines.filter((line) => line.includes(runId)).join('\n') }];
}

const tooLargeRemark =
  'exchanges.har is larger than 256 MB, so judge and rekey cannot read it.\nKeep report.json, and narrow the next run with --only.';

function partialIn(folder: string, name: string): string {
  return join(folder, `.${name}.partial`);
}

function ignoreMissing(cause: NodeJS.ErrnoException): void {
  if (cause.code !== 'ENOENT') throw cause;
}

/** Creates the folder. Throws UsageError if it has other files or, unless `replaces` is true, a report with content. */
export async function makeReportFolder(path: string, { replaces = false } = {}): Promise<void> {
  const partials = files.map(([name]) => basename(partialIn(path, name)));
  const names = (await writableFolder(path)).filter((name) => !partials.includes(name));
  if (names.length === 0) return;
  const { readStoredReport } = await import('./config/stored-runs.ts');
  const report = await readStoredReport(path).catch(() => undefined);
  const otherFile = report === undefined ? names[0] : names.find((name) => !filesOfRun.includes(name));
  if (report !== undefined && otherFile === undefined && (replaces || isEmptyReport(report))) return;
  const what = otherFile === undefined ? 'the report of another run' : `other files, such as ${otherFile}`;
  throw usageError()`the report folder ${path} contains ${what}
    Name a new or empty folder with --out.`;
}

async function writableFolder(path: string): Promise<string[]> {
  try {
    makeFolders(path);
    const names = (await readdir(path)).sort();
    await access(path, constants.W_OK);
    if (names.length === 0) await checkSpace(path);
    return names;
  } catch (cause) {
    refuseIf((cause as NodeJS.ErrnoException).code === 'ENOTDIR')`${path} is not a folder
      Name a new or empty folder with --out.`;
    throw usageError(cause)`the report folder ${path} cannot be written (${reasonOf(cause)})
      Name a folder with --out that you may write to and that has space.`;
  }
}

/** Checks that the disk has room for the smallest report. If it has not, throws an error of node:fs. */
async function checkSpace(path: string): Promise<void> {
  const testFile = join(path, '.room');
  try {
    await writeFile(testFile, new Uint8Array(64 * 1024));
  } finally {
    await rm(testFile, { force: true });
  }
}

function isEmptyReport({ conclusion, results, effects, exchangeCount }: Result): boolean {
  const { predicted, recorded, ...rest } = effects;
  const counts = [predicted, recorded].flatMap((count) => [count['closes-day'], count['starts-payments']]);
  const isEmpty = results.length + exchangeCount + Object.keys(rest).length === 0;
  return conclusion === 'aborted' && isEmpty && counts.every((count) => count === 0);
}
