/** Runs over time: what changed when, for each subject by itself, as data and on a terminal. Pure. */
import { countedWord } from '../../record/counted-word.ts';
import { countOutcomes } from '../../record/result/conclude.ts';
import type { OutcomeCounts, Result } from '../../record/result/result.ts';
import { field, painter } from '../../report/terminal.ts';
import { shortened, visible } from '../../report/visible.ts';
import { narrowedTo, subjectAt } from '../../report/words.ts';
import { answerLines } from './diff-document.ts';
import { type DiffOptions, diffRuns, runFactsOf } from './diff-runs.ts';
import type { Difference, RunFacts } from './difference.ts';

/** JSON form: schemas/files/history.json. */
export interface History {
  readonly format: 'countersign-history';
  readonly formatVersion: 1;
  readonly subjects: readonly SubjectHistory[];
  /** Folders that hold a report which cannot be used. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** Runs are compared only where subject, profile and scope are the same. */
export interface SubjectHistory {
  readonly subject: Pick<Result['subject'], 'kind' | 'name' | 'target'>;
  readonly profile: string;
  /** Patterns of --only, where the runs were narrowed. */
  readonly only?: readonly string[];
  /** Oldest first. */
  readonly runs: readonly HistoricRun[];
}

export interface HistoricRun extends Omit<RunFacts, 'subject' | 'profile'> {
  readonly path: string;
  /** Version of the subject, where it has one. */
  readonly version?: string;
  readonly counts: OutcomeCounts;
  /** What changed since the run before; absent for the first one, and for a run that was aborted. */
  readonly changes?: RunChanges;
}

/** Ids, but for the answers to open points. */
export interface RunChanges extends Pick<Difference, 'verdict' | 'sentence' | 'answers' | 'renamed' | 'kindChanged'> {
  readonly newlyBroken: readonly string[];
  readonly fixed: readonly string[];
  readonly newlyUndetermined: readonly string[];
  /** Determined here and not before: those that fail, and those that pass. */
  readonly foundBroken: readonly string[];
  readonly newlyDetermined: readonly string[];
  readonly added: readonly string[];
  readonly retired: readonly string[];
}

export interface HistoricReport {
  readonly path: string;
  readonly result: Result;
}

/**
 * Runs with a key in common are one history: of the same target, or on the same host with the same configuration or with labels
 * of the same name, whatever the port. Profile and scope are a part of each key.
 */
export function seriesKeys({
  subject: { kind, name, target },
  profile,
  scope,
  labels = {},
  reproduce,
}: Result): string[] {
  const rules = [kind, profile, scope?.only ?? []];
  const [, config] = / --config ('[^']*'|\S+)/.exec(reproduce) ?? [];
  const shared = [...Object.keys(labels).map((label) => `label ${label}`), ...(config === undefined ? [] : [config])];
  return [
    [...rules, name, target],
    ...(URL.canParse(target) ? shared.map((one) => [...rules, withoutPort(target), one]) : []),
  ].map((key) => JSON.stringify(key));
}

/** Runs in the groups that their keys make of them, in the order of the first run of each. */
export function joined<T extends { readonly keys: readonly string[] }>(runs: readonly T[]): T[][] {
  let groups: T[][] = [];
  for (const run of runs) {
    const own = groups.filter((group) => group.some(({ keys }) => keys.some((key) => run.keys.includes(key))));
    const [first] = own;
    if (first === undefined) groups.push([run]);
    else {
      const all = [...own.flat(), run];
      groups = groups.flatMap((group) => (group === first ? [all] : own.includes(group) ? [] : [group]));
    }
  }
  return groups;
}

function withoutPort(target: string): string {
  const url = new URL(target);
  url.port = '';
  return url.href.replace(/\/$/, '');
}

/** @param runs of one series, oldest first; each is looked at once, and only one more is kept at a time */
export async function subjectHistory(
  runs: AsyncIterable<HistoricReport>,
  options: DiffOptions,
): Promise<SubjectHistory | undefined> {
  const told: HistoricRun[] = [];
  let before: Result | undefined;
  let head: Omit<SubjectHistory, 'runs'> | undefined;
  for await (const { path, result } of runs) {
    const { kind, name, target, version } = result.subject;
    if (head !== undefined && head.subject.target !== target && URL.canParse(target)) {
      head = { ...head, subject: { kind, name: new URL(target).hostname, target: withoutPort(target) } };
    }
    head ??= {
      subject: { kind, name, target },
      profile: result.profile,
      only: result.scope?.only,
    };
    const { subject: _, profile: __, ...facts } = runFactsOf(result);
    const isComparable = result.conclusion !== 'aborted';
    told.push({
      path,
      ...facts,
      version,
      counts: countOutcomes(result.results),
      ...(before === undefined || !isComparable ? {} : { changes: changesOf(before, result, options) }),
    });
    // An aborted run determined nothing: what comes after it is compared with what came before.
    if (isComparable) before = result;
  }
  return head === undefined ? undefined : { ...head, runs: told };
}

function changesOf(old: Result, fresh: Result, options: DiffOptions): RunChanges {
  const difference = diffRuns({ result: old }, { result: fresh }, options);
  const { verdict, sentence, answers, renamed, kindChanged } = difference;
  const ids = (name: 'newlyBroken' | 'fixed' | 'newlyUndetermined' | 'added' | 'retired'): string[] =>
    difference[name].map(({ id }) => id);
  return {
    verdict,
    sentence,
    newlyBroken: ids('newlyBroken'),
    fixed: ids('fixed'),
    newlyUndetermined: ids('newlyUndetermined'),
    foundBroken: difference.newlyDetermined.filter((one) => one.new === 'fail').map(({ id }) => id),
    newlyDetermined: difference.newlyDetermined.filter((one) => one.new !== 'fail').map(({ id }) => id),
    added: ids('added'),
    retired: ids('retired'),
    renamed,
    kindChanged,
    answers,
  };
}

/** Ids of one kind of change that are printed; the JSON has all of them. */
const mostIds = 8;

/** The text, with a line end at the end. */
export function historyText(history: History, options: { readonly colour: boolean; readonly width: number }): string {
  const paint = painter(options.colour);
  const width = Math.max(options.width, 40);
  const block = (label: string, text: string, indent: number) =>
    field(label, visible(shortened(text, 400)), { indent, labelWidth: label === '' ? 0 : 14, width }).map((line) =>
      line.trimEnd(),
    );
  const lines = history.subjects.flatMap((series) => [
    paint('bold', visible(headOf(series))),
    ...series.runs.flatMap((run, index) => [
      ...block('', runLine(run), 0),
      ...changeLines(run, index).flatMap(([label, text]) => block(label, text, 4)),
    ]),
    '',
  ]);
  const left = history.leftOut.flatMap(({ path, why }) => block('', `Left out: ${path}: ${why}`, 0));
  return `${[...lines, ...left].join('\n').trimEnd()}\n`;
}

function headOf({ subject, profile, only, runs }: SubjectHistory): string {
  const count = countedWord(runs.length, 'run');
  return `${subjectAt({ ...subject, version: undefined, language: undefined })}, profile ${profile}${only === undefined ? '' : `, narrowed to ${narrowedTo(only)}`}: ${count}`;
}

function runLine({ startedAt, conclusion, concluded, counts, version, labels = {}, path }: HistoricRun): string {
  const called = [...(version === undefined ? [] : [version]), ...Object.entries(labels).map((pair) => pair.join('='))];
  const found = (['fail', 'error', 'inconclusive', 'pass'] as const).filter((outcome) => counts[outcome] > 0);
  return [
    startedAt.slice(0, 16).replace('T', ' '),
    (concluded ?? conclusion).padEnd('non-conformant'.length),
    [...found.map((outcome) => `${counts[outcome]} ${outcome}`), ...called, path].join(', '),
  ].join('  ');
}

/** Nothing under a run that changed nothing. */
function changeLines({ changes, conclusion }: HistoricRun, index: number): [label: string, text: string][] {
  if (changes === undefined) {
    return index === 0 || conclusion !== 'aborted'
      ? []
      : [['aborted', 'not compared; the next run is, with the one before']];
  }
  const all: [string, readonly string[]][] = [
    ['broke', changes.newlyBroken],
    ['found broken', changes.foundBroken],
    ['fixed', changes.fixed],
    ['undetermined', changes.newlyUndetermined],
    ['determined', changes.newlyDetermined],
    ['added', changes.added],
    ['retired', changes.retired],
    ['renamed', changes.renamed.map(({ old, new: now }) => `${old} -> ${now}`)],
    ['kind changed', changes.kindChanged.map(({ id, old, new: now }) => `${id} ${old} -> ${now}`)],
    ['answers', answerLines(changes.answers).map(({ name, text }) => `${name}: ${text}`)],
  ];
  return all.filter(([, ids]) => ids.length > 0).map(([label, ids]) => [label, listed(ids)]);
}

function listed(ids: readonly string[]): string {
  const beyond = ids.length - mostIds;
  return `${ids.slice(0, mostIds).join(', ')}${beyond > 0 ? `, and ${beyond} more` : ''}`;
}
