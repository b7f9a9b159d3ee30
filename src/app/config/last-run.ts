/** Finds the last run in a folder, for --last-failed. */
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { perExchange } from '../../record/case.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { casesOf } from '../../record/run.ts';
import type { Given } from '../../run/options/options.ts';
import { selectedIds } from '../../run/options/selection.ts';
import { refuseIf, usageError } from '../../run/options/usage-error.ts';
import { readRecordings, readStoredReport } from './stored-runs.ts';

type Flags = Partial<Pick<Given<'client'>, 'lastFailed' | 'only' | 'out' | 'seed' | 'challenge'>>;

/** What a run tested: a gateway with its target, or a client with its start command. Ignores defects and variants. */
type Tested =
  | { readonly kind: 'gateway'; readonly target: string }
  | { readonly kind: 'client'; readonly command: string; readonly isAttached: boolean };

/** Replaces --last-failed by --only and the seed of the last run. Throws UsageError if there is no run to repeat. */
export async function withLastFailed<Own extends Flags>(
  given: Own,
  tested: Tested,
  cwd: string,
  remark: (text: string) => void,
): Promise<{ readonly flags: Own; readonly again?: readonly string[] }> {
  const { lastFailed, ...rest } = given;
  if (lastFailed === undefined) return { flags: given };
  const side = tested.kind;
  const folders =
    given.out === undefined ? await newestFirst(join(cwd, 'reports', 'runs'), tested) : [resolve(cwd, given.out)];
  const last = await firstWithVerdicts(folders, side);
  if (last === undefined) {
    throw usageError()`--last-failed finds no run of a ${side} with a verdict in ${given.out ?? join('reports', 'runs')}
      Run the command once without --last-failed.`;
  }
  const { folder, report } = last;
  const place = relative(cwd, folder) || '.';
  const now = formatTested(tested);
  const before = formatTested(testedBefore(report) ?? tested);
  refuseIf(before !== now)`the last run, in ${place}, tested ${before}, and this command tests ${now}
    Remove --last-failed, or name the folder of another run with --out.`;
  const known = selectedIds(side, []);
  const only = report.results
    .filter(({ id, outcome }) => outcome !== 'pass' && outcome !== 'not-applicable' && known.includes(id))
    .map(({ id }) => id);
  refuseIf(only.length === 0)`every requirement of the last run, in ${place}, passed or is not applicable
    Remove --last-failed to test all requirements and the Pact contracts.`;
  const pacts = report.contracts?.some(({ outcome }) => outcome !== 'pass')
    ? ' Some Pact interactions did not pass either: only a run of all requirements verifies them.'
    : '';
  remark(`--last-failed repeats ${pluralize(only.length, 'requirement')} of the run in ${place}.${pacts}`);
  const { seed = given.challenge === undefined ? report.seed : undefined } = given;
  return {
    flags: { ...(rest as Own), only, ...(seed === undefined ? {} : { seed }) },
    again: await failingCases(folder, report),
  };
}

const maxAgain = 20;

/** Returns the failing cases of a stored run, each as text: its scenario, a space and its number. */
export async function failingCases(folder: string, { results, subject }: Result): Promise<readonly string[]> {
  const numbers = results.flatMap(({ outcome, exchanges }) => (outcome === 'fail' ? exchanges.slice(0, maxAgain) : []));
  // If no exchange fails, do not read the recording: it may be missing.
  if (numbers.length === 0) return [];
  const { recordings } = await readRecordings([folder], subject.kind);
  const cases = perExchange(recordings.flatMap(casesOf));
  const failing = [...new Set(numbers)].flatMap((number) => cases[number - 1] ?? []);
  return failing.map(({ scenario, number }) => `${scenario} ${number}`);
}

/** The name of each folder begins with a time, and ends with the kind of the subject. */
async function newestFirst(parent: string, tested: Tested): Promise<readonly string[]> {
  const end = tested.kind === 'gateway' && tested.target === 'mock' ? '-mock' : `-${tested.kind}`;
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.endsWith(end));
  return names
    .toSorted()
    .map((name) => join(parent, name))
    .reverse();
}

async function firstWithVerdicts(folders: readonly string[], side: Tested['kind']) {
  for (const folder of folders) {
    const report = await readStoredReport(folder).catch(() => undefined);
    if (report?.subject.kind !== side) continue;
    if (report.results.some(({ outcome }) => outcome === 'pass' || outcome === 'fail')) return { folder, report };
  }
  return undefined;
}

function formatTested(tested: Tested): string {
  if (tested.kind === 'gateway') return tested.target === 'mock' ? 'the built-in mock' : tested.target;
  if (tested.command !== '') return `the client started by \`${tested.command}\``;
  return tested.isAttached ? 'an attached client' : 'the built-in client';
}

/** Returns what a stored run tested, or undefined if its repeat command does not show how the client starts. */
function testedBefore({ subject: { kind, target }, reproduce }: Result): Tested | undefined {
  if (kind === 'gateway') return { kind, target };
  const [own = '', command = ''] = reproduce.split(/ -- (.*)/s);
  return own.startsWith('npx countersign client') ? { kind, command, isAttached: / --attach /.test(own) } : undefined;
}
