/** Reads recordings and stored runs from files and folders, with one clear sentence per error. */

import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { type Case, perExchange } from '../../record/case.ts';
import { isFolder, openInParts, readRegularText, type Unreadable, unreadableReason } from '../../record/disk/files.ts';
import { HarError, maxHarBytes } from '../../record/har.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { casesOf, type Side } from '../../record/run.ts';
import { formatLabels } from '../../report/words.ts';
import { knownProfile, shellWord } from '../../run/options/options.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';
import type { ComparedRun } from '../../verdict/diff/difference.ts';
import { ofSide, type Recording, readRecording } from '../../verdict/recordings/recording.ts';

export const toGive = 'Give the folder of a run, or its report.json.';

/** Bytes of report.json: about half of the longest string in Node. */
const largestReport = 256 * 1024 * 1024;

export interface ReadFiles {
  readonly recordings: readonly Recording[];
  readonly side: Side;
  /** From the first stored run, or defaults. */
  readonly head: Pick<Result, 'subject' | 'effects' | 'seed' | 'labels' | 'durationMs'> & {
    readonly profile: string;
    readonly startedAt?: string;
  };
  /** The patterns of all stored runs; empty if one of them had none. */
  readonly only: readonly string[];
  /** The report, if exactly one stored run was read. */
  readonly stored?: Result;
  /** One sentence for each omission, with its reason. */
  readonly remarks: readonly string[];
}

export async function readRecordings(paths: readonly string[], side: Side | undefined): Promise<ReadFiles> {
  const read: OneRead[] = [];
  for (const path of paths) read.push(await readOne(path));
  return together(paths, read, side);
}

/** Joins everything that was read. Throws UsageError if runs differ or are of the other side. */
function together(paths: readonly string[], read: readonly OneRead[], side: Side | undefined): ReadFiles {
  const sides = [
    ...new Set(
      read.flatMap(({ recording, report }) => (recording.isForeign ? report?.subject.kind : recording.side) ?? []),
    ),
  ];
  refuseIf(sides.length > 1)`a run with a client and a run against a gateway cannot be judged together
    Judge them one at a time.`;
  const chosen = side ?? sides[0] ?? 'client';
  refuseIf(sides[0] !== undefined && sides[0] !== chosen)`the run examined a ${sides[0]}, and not a ${chosen}
    Give a run of a ${chosen}, or leave --side out where it is given.`;
  refuseDifferent(read);
  const recordings = read.map(({ recording }) => ofSide(recording, chosen));
  const report = read.find((one) => one.report !== undefined)?.report;
  const name = paths.map((path) => basename(path)).join(', ');
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const subject = { kind: chosen, name, target: 'recording' };
  const effects = { predicted: nothing, recorded: nothing };
  return {
    recordings,
    side: chosen,
    head: report ?? { subject, effects, profile: 'rfc5849', seed: 'none', durationMs: 0 },
    only: narrowedTo(read),
    stored: read.length > 1 ? undefined : report,
    remarks: read.flatMap(remarksOn),
  };
}

/** Passes the requests of a stored gateway run that the mock can replay. Throws UsageError. */
export async function withReplayed<T>(path: string, use: (cases: readonly Case[], result: Result) => T): Promise<T> {
  const { replayable } = await import('../../verdict/recordings/mock-likeness.ts');
  const { recordings, stored } = await readRecordings([path], 'gateway');
  const cases = replayable(recordings.flatMap(casesOf) as Case[]);
  if (stored !== undefined && cases.length > 0) return use(cases, stored);
  throw usageError()`${path} holds nothing that the mock could be given again
    Give the folder of a run whose requests are signed with the published test identity: countersign rekey ${path} makes one.`;
}

/** A report has one subject and one profile. */
function refuseDifferent(read: readonly OneRead[]): void {
  const [first, ...others] = read.flatMap(({ path, report }) => (report === undefined ? [] : [{ path, report }]));
  for (const { path, report } of others) {
    const [told, toldOther] = [saidOf(first!.report), saidOf(report)];
    const at = told.findIndex((said, index) => said !== toldOther[index]);
    if (at === -1) continue;
    const [here, there] = [told[at], toldOther[at]];
    throw usageError()`the run in ${first!.path} is of ${here}, and that in ${path} of ${there}
      Give them one at a time: each has a report of its own.`;
  }
}

function saidOf(report: Result): string[] {
  const { subject, profile } = report;
  return [
    `${[subject.name, subject.version].filter(Boolean).join(' ')} (${subject.target})`,
    `the profile ${profile}`,
    formatLabels(report) ?? 'no label',
  ];
}

function narrowedTo(read: readonly OneRead[]): string[] {
  const each = read.map(({ report }) => report?.scope?.only ?? []);
  return each.some((only) => only.length === 0) ? [] : [...new Set(each.flat())];
}

interface OneRead {
  readonly path: string;
  readonly recording: Recording;
  readonly report?: Result;
}

/** `name` becomes the name of the recording. Throws UsageError. */
export async function readHarFile(path: string, name: string, toGive?: string): Promise<Recording> {
  const file = readable(path, await openInParts(path, maxHarBytes), toGive);
  try {
    return readRecording(file, name);
  } catch (cause) {
    if (!(cause instanceof HarError)) throw cause;
    // Other commands accept report.json too.
    const hint = basename(path) === 'report.json' ? `Give the folder that it is in: ${dirname(path)}` : cause.hint;
    throw new UsageError(`${path}: ${cause.message}`, hint, cause);
  } finally {
    await file.close();
  }
}

async function readOne(path: string): Promise<OneRead> {
  const ofRun = isFolder(path);
  const har = ofRun ? join(path, 'exchanges.har') : path;
  const recording = await readHarFile(har, basename(path));
  if (casesOf(recording).length === 0) {
    const [unreadable] = recording.unreadable ?? [];
    throw new UsageError(
      `${har} holds no request of either operation`,
      unreadable ?? 'A request is known by close-day or process-recurring-payments in its path.',
      undefined,
      'nothing-recorded',
    );
  }
  const report = ofRun ? await readStoredReport(path) : undefined;
  if (report !== undefined) refuseForeignExchanges(path, recording, report);
  return { path, recording, report };
}

function refuseForeignExchanges(folder: string, { runId }: Recording, report: Result): void {
  if (runId !== undefined && runId !== report.runId) throw ofOtherRun(folder);
}

function ofOtherRun(folder: string): UsageError {
  const [har, report] = ['exchanges.har', 'report.json'].map((name) => join(folder, name));
  return usageError()`${har} is not of the run that ${report} reports
    Give the folder of a whole run, unchanged.`;
}

/** A warning if the exchanges have no run id. */
function unboundRemark(folder: string, { runId }: Recording): string | undefined {
  return runId === undefined
    ? `${join(folder, 'exchanges.har')} does not say which run it is of, so nothing shows that it is that of report.json.`
    : undefined;
}

export function readable<Found extends object>(
  path: string,
  found: Found | Unreadable,
  wanted = 'Give a HAR file, or the folder of a run.',
): Found {
  if (!('unreadable' in found)) return found;
  const remedies = {
    size: 'Record less traffic in one file.',
    rights: 'Let this user read it.',
    kind: wanted,
    failed: wanted,
  };
  const hint = remedies[found.because];
  throw new UsageError(`${path} ${found.unreadable}`, hint, found.cause);
}

export function readStoredReport(folder: string): Promise<Result> {
  return readReportFile(join(folder, 'report.json'));
}

async function readReportFile(path: string): Promise<Result> {
  const found = readable(path, await readRegularText(path, largestReport), toGive);
  const report = parseReport(found.text, path);
  const { shard } = report.scope ?? {};
  // A shard has no verdicts.
  refuseIf(shard !== undefined)`${path} is shard ${shard?.index} of ${shard?.of} of a run
    Put the shards together with countersign merge, and give the folder that it writes.`;
  return report;
}

/** `path`: for errors. Throws UsageError. */
export function parseReport(text: string, path: string): Result {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw usageError(cause)`${path} is not JSON
      Give the folder of a whole run.`;
  }
  const { format, suite } = (value ?? {}) as Partial<Record<keyof Result, unknown>>;
  refuseIf(format !== 'countersign-report')`${path} is not the report of a run
    Give the folder of a run.`;
  const [fault] = validate('report', value);
  if (fault === undefined) return withKnownNames(value as Result, path);
  const { name, version } = (suite ?? {}) as Record<string, unknown>;
  const isNamed = typeof name === 'string' && typeof version === 'string';
  const hint = isNamed
    ? `It was written by ${`${name} ${version}`.slice(0, 80)}: give it as that wrote it, or judge it with that version.`
    : 'Give the folder of a run, unchanged.';
  const what = fault.path === 'formatVersion' ? 'has another version of the format' : 'cannot be used';
  throw new UsageError(`${path} ${what}: ${fault.sentence}`, hint);
}

/** An id must occur once. The schema allows unknown profiles, because later versions may add some. */
function withKnownNames(report: Result, path: string): Result {
  const ids = [...report.results.map(({ id }) => id), ...(report.contracts ?? []).map(contractId)];
  const doubled = ids.find((id, at) => ids.indexOf(id) !== at);
  refuseIf(doubled !== undefined)`${path} has ${doubled} twice
    Give the folder of a run, unchanged.`;
  try {
    knownProfile(report.profile);
    return report;
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(`${path}: ${cause.message}`, cause.hint, cause);
  }
}

function remarksOn({ path, recording, report }: OneRead): string[] {
  const unbound = report === undefined ? undefined : unboundRemark(path, recording);
  const { strangers, unreadable = [] } = recording;
  const count = unreadable.length;
  return [
    unbound,
    strangers > 0 &&
      `${basename(path)}: ${strangers} ${strangers === 1 ? 'entry is' : 'entries are'} of neither operation and left out.`,
    count > 0 &&
      `${basename(path)}: ${pluralize(count, 'entry')} could not be read and ${count === 1 ? 'was' : 'were'} left out: ${unreadable[0]}.`,
  ].filter((remark) => typeof remark === 'string');
}

export interface OpenedRun extends ComparedRun {
  readonly path: string;
  /** A warning about what could not be verified. */
  readonly remark?: string;
}

export async function openRun(path: string): Promise<OpenedRun> {
  const found = await stat(path).catch((cause) => {
    throw new UsageError(`${path} ${unreadableReason(cause).unreadable}`, toGive, cause);
  });
  if (!found.isDirectory()) return { path, result: await readReportFile(path) };
  const result = await readStoredReport(path);
  const har = join(path, 'exchanges.har');
  if (await isMissing(har)) return { path, result };
  const recording = await readHarFile(har, path, toGive);
  const cases = perExchange(casesOf(recording));
  refuseForeignExchanges(path, recording, result);
  // A run that could not begin has no exchanges.
  const isOther = !recording.isForeign && recording.side !== result.subject.kind;
  if (isOther || (cases.length > 0 && cases.length !== result.exchangeCount)) throw ofOtherRun(path);
  return { path, result, cases, remark: unboundRemark(path, recording) };
}

/** True only if the name does not exist. A broken link or an unreadable file fails later, when it is opened. */
async function isMissing(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

export async function refuseIncomparable(old: OpenedRun, fresh: OpenedRun): Promise<void> {
  const [one, other] = [old.result, fresh.result];
  const places = await Promise.all([old, fresh].map(({ path }) => realpath(path)));
  refuseIf(places[0] === places[1] || one.runId === other.runId)`${old.path} and ${fresh.path} are the same run
    Give the run before the change, and then the one after it.`;
  refuseIf(one.subject.kind !== other.subject.kind)`
    ${old.path} is a run of a ${one.subject.kind}, and ${fresh.path} one of a ${other.subject.kind}
    Compare two runs of gateways, or two of clients.`;
  if (one.profile !== other.profile)
    throw new UsageError(
      `${old.path} was judged under the profile ${one.profile}, and ${fresh.path} under ${other.profile}`,
      judgeAgain(old, fresh),
    );
}

/** The command for the run that has exchanges. */
function judgeAgain(old: OpenedRun, fresh: OpenedRun): string {
  const again = old.cases === undefined ? fresh : old;
  if (again.cases === undefined) return 'Give the folder of one of them with its exchanges.har, and judge it again.';
  const { profile } = (again === old ? fresh : old).result;
  const out = `${again.path.replace(/\/+$/, '')}-${profile}`;
  return `Judge one of them again, and compare that: countersign judge ${shellWord(again.path)} --profile ${profile} --out ${shellWord(out)}`;
}
