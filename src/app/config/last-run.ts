/** Finds the last run in a folder, for --last-failed. */
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { perExchange } from '../../record/case.ts';
import type { Result } from '../../record/result/result.ts';
import { casesOf } from '../../record/run.ts';
import { selectedIds } from '../../run/options/selection.ts';
import { refuseIf, usageError } from '../../run/options/usage-error.ts';
import { readRecordings, readStoredReport } from './stored-runs.ts';

interface Flags {
  readonly lastFailed?: true;
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly smoke?: true;
  readonly out?: string;
  readonly seed?: string;
  readonly challenge?: string;
}

/**
 * Replaces --last-failed by --only, and by the seed of that run, so that the same values are sent. `kind`: the end of
 * the names of its folders. Throws UsageError without such a run, or if all of it was green.
 */
export async function withLastFailed<Given extends Flags>(
  given: Given,
  kind: 'client' | 'gateway' | 'mock',
  cwd: string,
): Promise<{ readonly flags: Given; readonly again?: readonly string[] }> {
  const { lastFailed, ...rest } = given;
  if (lastFailed === undefined) return { flags: given };
  for (const other of ['only', 'except', 'smoke'] as const) {
    refuseIf(given[other] !== undefined)`--last-failed and --${other} exclude each other
      Remove one of them.`;
  }
  const folder =
    given.out === undefined ? await newestRun(join(cwd, 'reports', 'runs'), kind) : resolve(cwd, given.out);
  const report = folder === undefined ? undefined : await readStoredReport(folder).catch(() => undefined);
  const side = kind === 'client' ? 'client' : 'gateway';
  if (folder === undefined || report?.subject.kind !== side) {
    throw usageError()`--last-failed finds no run of a ${side} in ${given.out ?? join('reports', 'runs')}
      Run it once without --last-failed.`;
  }
  const place = relative(cwd, folder) || '.';
  refuseIf(
    report.conclusion === 'aborted' && report.results.length === 0,
  )`the last run, in ${place}, was aborted before any verdict
    Run it again without --last-failed.`;
  const known = selectedIds(side, []);
  const only = report.results
    .filter(({ id, outcome }) => outcome !== 'pass' && outcome !== 'not-applicable' && known.includes(id))
    .map(({ id }) => id);
  refuseIf(only.length === 0)`every requirement of the last run, in ${place}, was green
    Remove --last-failed to run all.`;
  const { seed = given.challenge === undefined ? report.seed : undefined } = given;
  return {
    flags: { ...(rest as Given), only, ...(seed === undefined ? {} : { seed }) },
    again: await failingCases(folder, report),
  };
}

/** Exchanges of one requirement: more of them show the same. */
const maxAgain = 20;

/** The cases that show the failures of a stored run: with the same seed they are performed again. */
export async function failingCases(folder: string, { results, subject }: Result): Promise<readonly string[]> {
  const { recordings } = await readRecordings([folder], subject.kind);
  const cases = perExchange(recordings.flatMap(casesOf));
  const numbers = results.flatMap(({ outcome, exchanges }) => (outcome === 'fail' ? exchanges.slice(0, maxAgain) : []));
  return [...new Set(numbers)].flatMap((number) => {
    const found = cases[number - 1];
    return found === undefined ? [] : [`${found.scenario} ${found.number}`];
  });
}

/** Names begin with the time of the run. */
async function newestRun(parent: string, kind: string): Promise<string | undefined> {
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.endsWith(`-${kind}`)).sort();
  for (const name of names.toReversed()) {
    const found = await readStoredReport(join(parent, name)).catch(() => undefined);
    if (found !== undefined) return join(parent, name);
  }
  return undefined;
}
