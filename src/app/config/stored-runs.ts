/** Recordings, stored runs and stored clients, from files and folders, with one clear sentence for what cannot be read. */

import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { StoredClient } from '../../extras/impact/ask-clients.ts';
import type { ReplayedClient } from '../../extras/impact/replay.ts';
import { clientDefects } from '../../faults/client/index.ts';
import { type Case, type ClientCase, perExchange } from '../../record/case.ts';
import { countedWord } from '../../record/counted-word.ts';
import { isFolder, openInParts, readRegularText, type Unreadable, whyUnreadable } from '../../record/disk/files.ts';
import { HarError, largestHar } from '../../record/har.ts';
import type { Result } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { casesOf, type Side } from '../../record/run.ts';
import { labelsInWords } from '../../report/words.ts';
import { knownProfile, shellWord } from '../../run/options/options.ts';
import type { ClientOptions } from '../../run/options/run-options.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';
import type { ComparedRun } from '../../verdict/diff/difference.ts';
import { ofSide, type Recording, readRecording } from '../../verdict/recordings/recording.ts';
import { readYamlFile } from './yaml-file.ts';

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
  readonly labels?: Readonly<Record<string, string>>;
  readonly startedAt?: string;
  /** The report of the stored run, where it is one. */
  readonly stored?: Result;
  readonly durationMs: number;
  /** What was left out, and why; one sentence each. */
  readonly remarks: readonly string[];
}

export async function readRecordings(paths: readonly string[], side: Side | undefined): Promise<ReadFiles> {
  const read: OneRead[] = [];
  for (const path of paths) read.push(await readOne(path));
  return together(paths, read, side);
}

/** All that was read as one. Throws UsageError where it is of different runs, or of the other side. */
function together(paths: readonly string[], read: readonly OneRead[], side: Side | undefined): ReadFiles {
  const examined = [
    ...new Set(
      read.flatMap(({ recording, report }) => (recording.isForeign ? report?.subject.kind : recording.side) ?? []),
    ),
  ];
  refuseIf(examined.length > 1)`a run with a client and a run against a gateway cannot be judged together
    Judge them one at a time.`;
  const chosen = side ?? examined[0] ?? 'client';
  refuseIf(examined[0] !== undefined && examined[0] !== chosen)`the run examined a ${examined[0]}, and not a ${chosen}
    Give a run of a ${chosen}, or leave --side out where it is given.`;
  refuseDifferent(read);
  const recordings = read.map(({ recording }) => ofSide(recording, chosen));
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
  const cases = replayable(recordings.flatMap(casesOf) as Case[]);
  if (stored !== undefined && cases.length > 0) return use(cases, stored);
  throw usageError()`${path} holds nothing that the mock could be given again
    Give the folder of a run whose requests are signed with the published test identity: countersign rekey ${path} makes one.`;
}

/** One report has one subject, and one set of rules. */
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
    labelsInWords(report) ?? 'no label',
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

/** What a HAR file records, under the name of `name`. Throws UsageError. */
export async function readHarFile(path: string, name: string, toGive?: string): Promise<Recording> {
  const file = readable(path, await openInParts(path, largestHar), toGive);
  try {
    return readRecording(file, name);
  } catch (cause) {
    if (!(cause instanceof HarError)) throw cause;
    // Other commands take either.
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

/** A sentence where nothing binds the exchanges in a folder to its report. */
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
  const remedies = { size: 'Record less at a time.', rights: 'Let this user read it.', kind: wanted, failed: wanted };
  const hint = remedies[found.because];
  throw new UsageError(`${path} ${found.unreadable}`, hint, found.cause);
}

export function readStoredReport(folder: string): Promise<Result> {
  return readReportFile(join(folder, 'report.json'));
}

/** Of the whole run: a shard has no verdicts of its own. */
function refuseShard({ scope }: Result, path: string): void {
  if (scope?.shard === undefined) return;
  const { index, of } = scope.shard;
  throw usageError()`${path} is shard ${index} of ${of} of a run
    Put the shards together with countersign merge, and give the folder that it writes.`;
}

async function readReportFile(path: string): Promise<Result> {
  const found = readable(path, await readRegularText(path, largestReport), toGive);
  const report = parseReport(found.text, path);
  refuseShard(report, path);
  return report;
}

/** The report in a text; `path` is where it was found. Throws UsageError. */
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
  const writer =
    typeof name === 'string' && typeof version === 'string' ? `${name} ${version}`.slice(0, 80) : undefined;
  const hint =
    writer === undefined
      ? 'Give the folder of a run, unchanged.'
      : `It was written by ${writer}: give it as that wrote it, or judge it with that version.`;
  const what =
    fault.path === 'formatVersion'
      ? `has another version of the format: ${fault.sentence}`
      : `cannot be used: ${fault.sentence}`;
  throw new UsageError(`${path} ${what}`, hint);
}

/** Whoever reads the outcome of an id would get one of two; and the schema leaves the profile open, since a later version may have more. */
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
  const left = `${basename(path)}: ${strangers} ${strangers === 1 ? 'entry is' : 'entries are'} of neither operation and left out.`;
  const unread = `${basename(path)}: ${countedWord(unreadable.length, 'entry')} could not be read and ${unreadable.length === 1 ? 'was' : 'were'} left out: ${unreadable[0]}.`;
  return [
    ...(unbound === undefined ? [] : [unbound]),
    ...(strangers === 0 ? [] : [left]),
    ...(unreadable.length === 0 ? [] : [unread]),
  ];
}

export interface OpenedRun extends ComparedRun {
  readonly path: string;
  /** What could not be made sure of it. */
  readonly remark?: string;
}

export async function openRun(path: string): Promise<OpenedRun> {
  const found = await stat(path).catch((cause) => {
    throw new UsageError(`${path} ${whyUnreadable(cause).unreadable}`, toGive, cause);
  });
  if (!found.isDirectory()) return { path, result: await readReportFile(path) };
  const result = await readStoredReport(path);
  const har = join(path, 'exchanges.har');
  if (await isMissing(har)) return { path, result };
  const recording = await readHarFile(har, path, toGive);
  const cases = perExchange(casesOf(recording));
  refuseForeignExchanges(path, recording, result);
  // A run that could not begin left exchanges of neither.
  const isOther = !recording.isForeign && recording.side !== result.subject.kind;
  if (isOther || (cases.length > 0 && cases.length !== result.exchangeCount)) throw ofOtherRun(path);
  return { path, result, cases, remark: unboundRemark(path, recording) };
}

/** Whether nothing has that name: of a link that leads nowhere, or a file that may not be looked at, whoever opens it says so. */
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

/** The whole command for the one whose exchanges are there. */
function judgeAgain(old: OpenedRun, fresh: OpenedRun): string {
  const again = old.cases === undefined ? fresh : old;
  if (again.cases === undefined) return 'Give the folder of one of them with its exchanges.har, and judge it again.';
  const { profile } = (again === old ? fresh : old).result;
  const out = `${again.path.replace(/\/+$/, '')}-${profile}`;
  return `Judge one of them again, and compare that: countersign judge ${shellWord(again.path)} --profile ${profile} --out ${shellWord(out)}`;
}

interface ClientFile {
  readonly name: string;
  readonly command: readonly string[];
  readonly mode?: 'process' | 'one-shot';
  readonly cwd?: string;
  readonly plainHttp?: boolean;
}

const toWrite = 'write client.yaml beside it, with name and command';

/** One for each folder in it, by name. Throws UsageError. */
export async function readStoredClients(folder: string, cwd: string): Promise<readonly StoredClient[]> {
  const hint = 'Give a folder that has one for each client, such as the folders that countersign client writes.';
  const entries = await readdir(folder).catch((cause) => {
    const what = cause.code === 'ENOENT' ? 'does not exist' : 'cannot be read as a folder';
    throw new UsageError(`${folder} ${what}`, hint, cause);
  });
  const clients: StoredClient[] = [];
  for (const name of entries.sort()) {
    const path = join(folder, name);
    if (!name.startsWith('.') && isFolder(path))
      clients.push({ ...(await storedClient(name, path, cwd)), folder: path });
  }
  if (clients.length > 0) return clients;
  throw new UsageError(`${folder} has no client: there is no folder in it`, hint);
}

/** The client with what it sent in its stored run, if it has one. */
export async function withItsCalls({ name, folder = '' }: StoredClient): Promise<ReplayedClient> {
  const files = [join(folder, 'exchanges.har'), join(folder, 'report.json')].map((path) => stat(path));
  if ((await Promise.allSettled(files)).some(({ status }) => status === 'rejected')) return { name };
  try {
    const { recordings } = await readRecordings([folder], 'client');
    return { name, calls: recordings.flatMap(casesOf) as ClientCase[] };
  } catch (cause) {
    // A client that could not be started has left a run without requests.
    if (cause instanceof UsageError && cause.code === 'nothing-recorded') return { name };
    throw cause;
  }
}

async function storedClient(name: string, path: string, cwd: string): Promise<StoredClient> {
  const file = await readYamlFile(join(path, 'client.yaml'), 'the client', 'stored-client');
  if (file !== undefined) {
    const given = file.value as ClientFile;
    const { command, mode = 'process', plainHttp = false } = given;
    return { name: given.name, options: { command, mode, plainHttp, cwd: resolve(path, given.cwd ?? '.') } };
  }
  const report = join(path, 'report.json');
  if ((await stat(report).catch(() => undefined)) === undefined) {
    return { name, unverified: `${path} has neither client.yaml nor report.json: ${toWrite}` };
  }
  const { subject, reproduce } = await readStoredReport(path);
  refuseIf(subject.kind !== 'client')`${path} is a run of a gateway, and no client
    Give --clients a folder with runs of countersign client.`;
  const options = optionsIn(reproduce, cwd);
  return options === undefined
    ? { name, unverified: `${report} does not say how the client is started: ${toWrite}` }
    : { name, options };
}

/** What `countersign client` was given, by the command that repeats its run; relative to `cwd`, as that command is. */
function optionsIn(reproduce: string, cwd: string): ClientOptions | undefined {
  const words = shellWordsOf(reproduce);
  if (words?.slice(0, 3).join(' ') !== 'npx countersign client') return undefined;
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const [flags, command] = [words.slice(3, end), words.slice(end + 1)];
  const defects = valuesOf(flags, '--defect');
  const isKnown = defects.every((id) => clientDefects.some((one) => one.id === id));
  if (command.length > 0 ? defects.length > 0 || flags.includes('--attach') : defects.length === 0 || !isKnown) {
    return undefined;
  }
  return {
    command,
    mode: flags.includes('--one-shot') ? 'one-shot' : 'process',
    plainHttp: flags.includes('--plain-http'),
    ...(valuesOf(flags, '--host').includes('localhost') && { host: 'localhost' as const }),
    cwd,
    ...(defects.length === 0 ? {} : { defects }),
  };
}

/** With which defects and variants of the built-in mock a run was made, by the command that repeats it. */
export function mockOf(reproduce: string): {
  readonly defects: readonly string[];
  readonly variants: readonly string[];
} {
  const words = shellWordsOf(reproduce) ?? [];
  return { defects: valuesOf(words, '--defect'), variants: valuesOf(words, '--variant') };
}

function valuesOf(words: readonly string[], flag: string): string[] {
  return words.filter((_, at) => words[at - 1] === flag);
}

/** The words of a command as `shellWord` writes them; undefined for anything that a shell would do something else with. */
function shellWordsOf(text: string): string[] | undefined {
  const word = /^(?:[\w@%+=:,./-]+|'[^']*'(?:\\''[^']*')*)/;
  const words: string[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    const [found] = word.exec(text.slice(at)) ?? [];
    if (found === undefined) return undefined;
    words.push(found.startsWith("'") ? found.slice(1, -1).replaceAll(`'\\''`, "'") : found);
    at += found.length;
    if (at < text.length && text[at] !== ' ') return undefined;
  }
  return words;
}
