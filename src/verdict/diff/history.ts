/** Runs over time: what changed when, for each subject by itself, as data. Pure. */
import { countOutcomes } from '../../record/result/conclude.ts';
import type { OutcomeCounts, Result } from '../../record/result/result.ts';
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
