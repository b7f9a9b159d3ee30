/** Reads recordings and stored runs from files and folders. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { type Case, splitByExchange } from '../../record/case.ts';
import { isFolder, openInParts, readRegularText, type Unreadable, unreadableReason } from '../../record/disk/files.ts';
import { HarError, maxHarBytes } from '../../record/har.ts';
import type { Result } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { casesOf, type Side } from '../../record/run.ts';
import { formatLabels } from '../../report/phrases.ts';
import { parseProfile, shellWord } from '../../run/options/options.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';
import type { ComparedRun } from '../../verdict/diff/difference.ts';
import { assignSide, type Recording, readRecording } from '../../verdict/recordings/recording.ts';

const runHint = 'Name the folder of a run, or its report.json.';

/** Limit in bytes: about half of the longest string that Node allows. */
const maxReportBytes = 256 * 1024 * 1024;

export interface RecordingInput {
  readonly recordings: readonly Recording[];
  readonly side: Side;
  /** These values come from the first stored run. Without a stored run, they are defaults. */
  readonly head: Pick<Result, 'subject' | 'effects' | 'seed' | 'labels' | 'durationMs'> & {
    readonly profile: string;
    readonly startedAt?: string;
  };
  /** The patterns of --only of all stored runs. Empty if a HAR file or a run of all requirements was also read. */
  readonly only: readonly string[];
  /** Set if `only` is not empty and at least one run is a smoke run. */
  readonly smoke?: true | undefined;
  /** The report, if only one path was read and this path is a stored run. */
  readonly stored?: Result;
  readonly remarks: readonly string[];
}

/** Reads HAR files and stored runs. Throws UsageError for unreadable files, and for runs that cannot share a report. */
export async function readRecordings(paths: readonly string[], side: Side | undefined): Promise<RecordingInput> {
  const files: LoadedFile[] = [];
  for (const path of paths) files.push(await readPath(path));
  const sides = new Set(
    files.flatMap(({ recording, report }) => (recording.isForeign ? report?.subject.kind : recording.side) ?? []),
  );
  refuseIf(sides.size > 1)`a run of a client and a run of a gateway cannot be judged together
    Judge each run separately.`;
  const [foundSide = side ?? 'client'] = sides;
  refuseIf(side !== undefined && side !== foundSide)`this is a run of a ${foundSide}, not of a ${side}
    Name a run of a ${side}, or remove --side.`;
  const reports = files.flatMap(({ path, report }) => (report === undefined ? [] : [{ path, report }]));
  refuseDifferent(reports);
  const scopes = files.map(({ report }) => report?.scope?.only ?? []);
  const only = scopes.some((each) => each.length === 0) ? [] : [...new Set(scopes.flat())];
  const isSmoke = only.length > 0 && reports.some(({ report }) => report.scope?.smoke);
  const name = paths.map((path) => basename(path)).join(', ');
  const noEffects = { 'closes-day': 0, 'starts-payments': 0 };
  const subject = { kind: foundSide, name, target: 'recording' };
  const effects = { predicted: noEffects, recorded: noEffects };
  const [first] = reports;
  return {
    recordings: files.map(({ recording }) => assignSide(recording, foundSide)),
    side: foundSide,
    head: first?.report ?? { subject, effects, profile: 'rfc5849', seed: 'none', durationMs: 0 },
    only,
    smoke: isSmoke || undefined,
    stored: files.length > 1 ? undefined : first?.report,
    remarks: files.flatMap(remarksOn),
  };
}

/** Calls `use` with the requests of a gateway run that the mock can verify. Throws UsageError if there are none. */
export async function withReplayable<T>(path: string, use: (cases: readonly Case[], result: Result) => T): Promise<T> {
  const { replayable } = await import('../compare-with-mock.ts');
  const { recordings, stored } = await readRecordings([path], 'gateway');
  const cases = replayable(recordings.flatMap(casesOf) as Case[]);
  if (stored !== undefined && cases.length > 0) return use(cases, stored);
  throw usageError()`${path} has no request that the mock can verify
    Make a copy of the run with the published test identity: \`countersign rekey ${shellWord(path)} --out DIR\``;
}

/** Refuses runs with different subjects, profiles or labels, because all named runs together get one report. */
function refuseDifferent([first, ...others]: readonly { readonly path: string; readonly report: Result }[]): void {
  for (const { path, report } of others) {
    const here = describeReport(first!.report);
    const there = describeReport(report);
    const at = here.findIndex((text, index) => text !== there[index]);
    refuseIf(at !== -1)`the runs in ${first!.path} and ${path} differ: ${here[at]}, and ${there[at]}
      Judge each run separately.`;
  }
}

function describeReport(report: Result): string[] {
  const { subject, profile } = report;
  const name = [subject.name, subject.version].filter(Boolean).join(' ');
  return [`${name} (${subject.target})`, `the profile ${profile}`, formatLabels(report) ?? 'no label'];
}

interface LoadedFile {
  readonly path: string;
  readonly recording: Recording;
  readonly report?: Result;
}

/** Reads a HAR file. `name` becomes the name of the recording. Throws UsageError. */
export async function readHarFile(path: string, name: string, runHint?: string): Promise<Recording> {
  const file = requireReadable(path, await openInParts(path, maxHarBytes), runHint);
  try {
    return readRecording(file, name);
  } catch (cause) {
    if (!(cause instanceof HarError)) throw cause;
    // Other commands accept report.json, so the user may have named that file.
    const hint = basename(path) === 'report.json' ? `Give the folder of the report: ${dirname(path)}` : cause.hint;
    throw new UsageError(`${path}: ${cause.message}`, hint, cause);
  } finally {
    await file.close();
  }
}

async function readPath(path: string): Promise<LoadedFile> {
  const isRun = isFolder(path);
  const har = isRun ? join(path, 'exchanges.har') : path;
  const recording = await readHarFile(har, basename(path));
  if (casesOf(recording).length === 0) {
    const [unreadable] = recording.unreadable ?? [];
    throw usageError(undefined, 'nothing-recorded')`${har} has no request of the two operations
      ${unreadable ?? 'Such a request has close-day or process-recurring-payments in its path.'}`;
  }
  const report = isRun ? await readStoredReport(path) : undefined;
  if (report !== undefined) refuseForeignExchanges(path, recording, report);
  return { path, recording, report };
}

function refuseForeignExchanges(folder: string, { runId }: Recording, report: Result, isOther = false): void {
  refuseIf(isOther || (runId !== undefined && runId !== report.runId))`
    ${join(folder, 'exchanges.har')} and ${join(folder, 'report.json')} are not of the same run
    Name the folder of a run that nobody has changed.`;
}

function noRunIdRemark(folder: string, { runId }: Recording): string | undefined {
  return runId === undefined
    ? `${join(folder, 'exchanges.har')} has no run id, so it may be of another run than report.json.`
    : undefined;
}

/** Returns `found`, or throws UsageError with `hint`. A too large or forbidden file has its own hint. */
export function requireReadable<Found extends object>(
  path: string,
  found: Found | Unreadable,
  hint = 'Name a HAR file, or the folder of a run.',
): Found {
  if (!('unreadable' in found)) return found;
  const hints = {
    size: 'Record less traffic in one file.',
    rights: 'Let this user read the file.',
    kind: hint,
    failed: hint,
  };
  throw new UsageError(`${path} ${found.unreadable}`, hints[found.reason], found.cause);
}

export function readStoredReport(folder: string): Promise<Result> {
  return readReportFile(join(folder, 'report.json'));
}

async function readReportFile(path: string): Promise<Result> {
  const found = requireReadable(path, await readRegularText(path, maxReportBytes), runHint);
  const report = parseReport(found.text, path);
  const { shard } = report.scope ?? {};
  // Refuse a shard: it has no verdicts before the shards are merged.
  refuseIf(shard !== undefined)`${path} is shard ${shard?.index} of ${shard?.of} of a run
    Join the shards with \`countersign merge\`, and name the folder that it writes.`;
  return report;
}

/** Parses the JSON text of the file `path`. Throws UsageError with `hint`. */
export function parseJson(text: string, path: string, hint: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${path} is not JSON`, hint, cause);
  }
}

function parseReport(text: string, path: string): Result {
  const value = parseJson(text, path, 'Name the folder of a run.');
  const { format, suite } = (value ?? {}) as Partial<Record<keyof Result, unknown>>;
  refuseIf(format !== 'countersign-report')`${path} is not the report of a run
    Name the folder of a run.`;
  const [fault] = validate('report', value);
  const { name, version } = (suite ?? {}) as Record<string, unknown>;
  const hasVersion = typeof name === 'string' && typeof version === 'string';
  const hint = hasVersion
    ? `Use the unchanged report, or the version that wrote it: ${`${name} ${version}`.slice(0, 80)}.`
    : 'Name the folder of a run that nobody has changed.';
  const problem = fault?.path === 'formatVersion' ? 'has another version of the format' : 'cannot be used';
  if (fault !== undefined) throw new UsageError(`${path} ${problem}: ${fault.sentence}`, hint);
  const report = value as Result;
  const ids = [...report.results.map(({ id }) => id), ...(report.contracts ?? []).map(contractId)];
  const duplicate = ids.find((id, at) => ids.indexOf(id) !== at);
  refuseIf(duplicate !== undefined)`${path} has ${duplicate} twice
    Name the folder of a run that nobody has changed.`;
  try {
    parseProfile(report.profile);
    return report;
  } catch (cause) {
    const { message, hint } = cause as UsageError;
    throw new UsageError(`${path}: ${message}`, hint, cause);
  }
}

function remarksOn({ path, recording, report }: LoadedFile): string[] {
  const noRunId = report === undefined ? undefined : noRunIdRemark(path, recording);
  const { unrelated, unreadable = [] } = recording;
  const skippedRemark = (count: number, what: string) =>
    count === 0 ? [] : [`${basename(path)}: skipped ${count} ${count === 1 ? 'entry' : 'entries'} ${what}.`];
  return [
    ...(noRunId === undefined ? [] : [noRunId]),
    ...skippedRemark(unrelated, 'of other requests'),
    ...skippedRemark(unreadable.length, `that cannot be read: ${unreadable[0]}`),
  ];
}

export interface OpenedRun extends ComparedRun {
  readonly path: string;
  /** A warning if it is unknown whether the exchanges belong to the report. */
  readonly remark?: string;
}

export async function openRun(path: string): Promise<OpenedRun> {
  const found = await stat(path).catch((cause) => {
    throw new UsageError(`${path} ${unreadableReason(cause).unreadable}`, runHint, cause);
  });
  if (!found.isDirectory()) return { path, result: await readReportFile(path) };
  const result = await readStoredReport(path);
  const har = join(path, 'exchanges.har');
  // exchanges.har may be missing. `readdir` also lists a broken link; opening the link then gives an error.
  if (!(await readdir(path)).includes('exchanges.har')) return { path, result };
  const recording = await readHarFile(har, path, runHint);
  const cases = splitByExchange(casesOf(recording));
  const isOfOtherSide = !recording.isForeign && recording.side !== result.subject.kind;
  // Accept a HAR file without exchanges: a run that could not begin has none.
  const isOther = isOfOtherSide || (cases.length > 0 && cases.length !== result.exchangeCount);
  refuseForeignExchanges(path, recording, result, isOther);
  return { path, result, cases, remark: noRunIdRemark(path, recording) };
}

export async function refuseIncomparable(old: OpenedRun, fresh: OpenedRun): Promise<void> {
  const { result: before } = old;
  const { result: after } = fresh;
  const paths = await Promise.all([old, fresh].map(({ path }) => realpath(path)));
  refuseIf(paths[0] === paths[1] || before.runId === after.runId)`${old.path} and ${fresh.path} are the same run
    Name the run before the change, then the run after it.`;
  refuseIf(before.subject.kind !== after.subject.kind)`
    ${old.path} is a run of a ${before.subject.kind}, and ${fresh.path} a run of a ${after.subject.kind}
    Compare two runs of gateways, or two of clients.`;
  refuseIf(before.profile !== after.profile)`
    ${old.path} has the profile ${before.profile}, and ${fresh.path} the profile ${after.profile}
    ${judgeAgainHint(old, fresh)}`;
}

function judgeAgainHint(old: OpenedRun, fresh: OpenedRun): string {
  const run = old.cases === undefined ? fresh : old;
  if (run.cases === undefined) return 'Judge one of the runs again. This needs its folder with exchanges.har.';
  const { profile } = (run === old ? fresh : old).result;
  const out = `${run.path.replace(/\/+$/, '')}-${profile}`;
  return `Judge one of the runs again, and compare the new run: \`countersign judge ${shellWord(run.path)} --profile ${profile} --out ${shellWord(out)}\``;
}
