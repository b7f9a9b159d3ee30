/** Recordings and stored runs from files and folders, with one clear sentence for what cannot be read. */
import { basename, dirname, join } from 'node:path';
import type { Case } from '../../record/case.ts';
import { countedWord } from '../../record/counted-word.ts';
import { isFolder, openInParts, readRegularText, type Unreadable } from '../../record/disk/files.ts';
import { HarError, largestHar } from '../../record/har.ts';
import type { Result } from '../../record/result/result.ts';
import { labelsInWords } from '../../report/words.ts';
import { type Recording, readRecording, type Side } from '../../verdict/recordings/recording.ts';
import { UsageError } from '../usage-error.ts';
import { parseReport } from './read-report.ts';

/** What to give where a stored run is asked for. */
export const toGive = 'Give the folder of a run, or its report.json.';

/** Bytes of report.json; a text of this runtime takes at most twice as many. */
const largestReport = 256 * 1024 * 1024;

export interface ReadFiles {
  readonly recordings: readonly Recording[];
  readonly side: Side;
  readonly subject: Result['subject'];
  readonly effects: Result['effects'];
  readonly profile: string;
  readonly seed: string;
  /** What the stored runs were narrowed to; empty where something of it was not. */
  readonly only: readonly string[];
  /** Those of the runs. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly startedAt?: string;
  /** The report of the stored run, where it is one. */
  readonly stored?: Result;
  readonly durationMs: number;
  /** What was left out, and why; one sentence each. */
  readonly remarks: readonly string[];
}

/** Reads everything that was named. Throws UsageError. */
export async function readRecordings(paths: readonly string[], side: Side | undefined): Promise<ReadFiles> {
  const read: OneRead[] = [];
  for (const path of paths) read.push(await readOne(path));
  return together(paths, read, side);
}

/** All that was read as one. Throws UsageError where it is of different runs, or of the other side. */
function together(paths: readonly string[], read: readonly OneRead[], side: Side | undefined): ReadFiles {
  const examined = [
    ...new Set(read.flatMap(({ recording, report }) => recording.examined ?? report?.subject.kind ?? [])),
  ];
  if (examined.length > 1) {
    throw new UsageError('bad-arguments', 'a run with a client and a run against a gateway cannot be judged together', {
      hint: 'Judge them one at a time.',
    });
  }
  const chosen = side ?? examined[0] ?? 'client';
  if (examined[0] !== undefined && examined[0] !== chosen) {
    throw new UsageError('bad-arguments', `the run examined a ${examined[0]}, and not a ${chosen}`, {
      hint: `Give a run of a ${chosen}, or leave --side out where it is given.`,
    });
  }
  refuseDifferent(read);
  const recordings = read.map(({ recording }) => judgedPart(recording, chosen));
  const report = read.find((one) => one.report !== undefined)?.report;
  const name = paths.map((path) => basename(path)).join(', ');
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  return {
    recordings,
    side: chosen,
    subject: report?.subject ?? { kind: chosen, name, target: 'recording' },
    effects: report?.effects ?? { predicted: nothing, recorded: nothing },
    profile: report?.profile ?? 'rfc5849',
    seed: report?.seed ?? 'none',
    only: narrowedTo(read),
    labels: report?.labels,
    startedAt: report?.startedAt,
    ...(report === undefined || read.length > 1 ? {} : { stored: report }),
    durationMs: report?.durationMs ?? 0,
    remarks: read.flatMap(remarksOn),
  };
}

/** What of a stored run of a gateway the mock can be given again. Throws UsageError. */
export async function withReplayed<T>(path: string, use: (cases: readonly Case[], result: Result) => T): Promise<T> {
  const { replayable } = await import('../../verdict/recordings/mock-likeness.ts');
  const { recordings, stored } = await readRecordings([path], 'gateway');
  const cases = replayable(recordings.flatMap((recording) => recording.cases));
  if (stored !== undefined && cases.length > 0) return use(cases, stored);
  throw new UsageError('bad-arguments', `${path} holds nothing that the mock could be given again`, {
    hint: `Give the folder of a run whose requests are signed with the published test identity: countersign rekey ${path} makes one.`,
  });
}

/** One report has one subject, and one set of rules. */
function refuseDifferent(read: readonly OneRead[]): void {
  const [first, ...others] = read.flatMap(({ path, report }) => (report === undefined ? [] : [{ path, report }]));
  for (const { path, report } of others) {
    const [told, toldOther] = [saidOf(first!.report), saidOf(report)];
    const at = told.findIndex((said, index) => said !== toldOther[index]);
    if (at === -1) continue;
    const [here, there] = [told[at], toldOther[at]];
    throw new UsageError('bad-arguments', `the run in ${first!.path} is of ${here}, and that in ${path} of ${there}`, {
      hint: 'Give them one at a time: each has a report of its own.',
    });
  }
}

/** Whom the run is of, and what else has to be the same. */
function saidOf(report: Result): string[] {
  const { subject, profile } = report;
  return [
    `${[subject.name, subject.version].filter(Boolean).join(' ')} (${subject.target})`,
    `the profile ${profile}`,
    labelsInWords(report) ?? 'no label',
  ];
}

function narrowedTo(read: readonly OneRead[]): string[] {
  const each = read.map(({ report }) => report?.scope?.only ?? []);
  return each.some((only) => only.length === 0) ? [] : [...new Set(each.flat())];
}

/** What is not judged need not be looked through, copied and kept. */
function judgedPart(recording: Recording, side: Side): Recording {
  return side === 'client' ? { ...recording, cases: [] } : { ...recording, client: { calls: [], skipped: [] } };
}

interface OneRead {
  readonly path: string;
  readonly recording: Recording;
  readonly report?: Result;
}

/** What a HAR file records, under the name of `name`. Throws UsageError. */
export async function readHarFile(path: string, name: string, toGive?: string): Promise<Recording> {
  const file = readable(path, await openInParts(path, largestHar), toGive);
  try {
    return readRecording(file, name);
  } catch (cause) {
    if (!(cause instanceof HarError)) throw cause;
    // Other commands take either.
    const hint = basename(path) === 'report.json' ? `Give the folder that it is in: ${dirname(path)}` : cause.hint;
    throw new UsageError('unreadable-file', `${path}: ${cause.message}`, { hint, cause });
  } finally {
    await file.close();
  }
}

async function readOne(path: string): Promise<OneRead> {
  const ofRun = isFolder(path);
  const har = ofRun ? join(path, 'exchanges.har') : path;
  const recording = await readHarFile(har, basename(path));
  if (recording.cases.length === 0 && recording.client.calls.length === 0) {
    const [unreadable] = recording.unreadable ?? [];
    throw new UsageError('nothing-recorded', `${har} holds no request of either operation`, {
      hint: unreadable ?? 'A request is known by close-day or process-recurring-payments in its path.',
    });
  }
  const report = ofRun ? await readStoredReport(path) : undefined;
  if (report !== undefined) refuseForeignExchanges(path, recording, report);
  return { path, recording, report };
}

/** Throws UsageError where the exchanges in the folder of a run are of another run. */
export function refuseForeignExchanges(folder: string, { runId }: Recording, report: Result): void {
  if (runId !== undefined && runId !== report.runId) throw ofOtherRun(folder);
}

export function ofOtherRun(folder: string): UsageError {
  const [har, report] = ['exchanges.har', 'report.json'].map((name) => join(folder, name));
  return new UsageError('unreadable-file', `${har} is not of the run that ${report} reports`, {
    hint: 'Give the folder of a whole run, unchanged.',
  });
}

/** A sentence where nothing binds the exchanges in a folder to its report. */
export function unboundRemark(folder: string, { runId }: Recording): string | undefined {
  return runId === undefined
    ? `${join(folder, 'exchanges.har')} does not say which run it is of, so nothing shows that it is that of report.json.`
    : undefined;
}

/** Throws UsageError. */
export function readable<Found extends object>(
  path: string,
  found: Found | Unreadable,
  wanted = 'Give a HAR file, or the folder of a run.',
): Found {
  if (!('unreadable' in found)) return found;
  const remedies = { size: 'Record less at a time.', rights: 'Let this user read it.', kind: wanted, failed: wanted };
  const hint = remedies[found.because];
  throw new UsageError('unreadable-file', `${path} ${found.unreadable}`, { hint, cause: found.cause });
}

/** The report in the folder of a run. Throws UsageError. */
export function readStoredReport(folder: string): Promise<Result> {
  return readReportFile(join(folder, 'report.json'));
}

/** Of the whole run: a shard has no verdicts of its own. */
function refuseShard({ scope }: Result, path: string): void {
  if (scope?.shard === undefined) return;
  const { index, of } = scope.shard;
  throw new UsageError('bad-arguments', `${path} is shard ${index} of ${of} of a run`, {
    hint: 'Put the shards together with countersign merge, and give the folder that it writes.',
  });
}

/** The report in a file. Throws UsageError. */
export async function readReportFile(path: string): Promise<Result> {
  const found = readable(path, await readRegularText(path, largestReport), toGive);
  const report = parseReport(found.text, path);
  refuseShard(report, path);
  return report;
}

function remarksOn({ path, recording, report }: OneRead): string[] {
  const unbound = report === undefined ? undefined : unboundRemark(path, recording);
  const { strangers, unreadable = [] } = recording;
  const left = `${basename(path)}: ${strangers} ${strangers === 1 ? 'entry is' : 'entries are'} of neither operation and left out.`;
  const unread = `${basename(path)}: ${countedWord(unreadable.length, 'entry')} could not be read and ${unreadable.length === 1 ? 'was' : 'were'} left out: ${unreadable[0]}.`;
  return [
    ...(unbound === undefined ? [] : [unbound]),
    ...(strangers === 0 ? [] : [left]),
    ...(unreadable.length === 0 ? [] : [unread]),
  ];
}
