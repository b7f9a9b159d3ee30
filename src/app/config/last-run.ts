/** Finds the last run in a folder, for --last-failed. */
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { perExchange } from '../../record/case.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { casesOf } from '../../record/run.ts';
import { shellWord } from '../../run/options/options.ts';
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

/** What a run tests: the target of a gateway, or how its client starts. Other defects of our own are the same subject. */
type Tested =
  | { readonly kind: 'gateway'; readonly target: string }
  | { readonly kind: 'client'; readonly command: readonly string[]; readonly isAttached: boolean };

/**
 * Replaces --last-failed by --only, and by the seed of that run, so that the same values are sent. Throws UsageError
 * without a run that has verdicts, if all of it was green, or if it tested something else.
 */
export async function withLastFailed<Given extends Flags>(
  given: Given,
  tested: Tested,
  cwd: string,
  remark: (text: string) => void,
): Promise<{ readonly flags: Given; readonly again?: readonly string[] }> {
  const { lastFailed, ...rest } = given;
  if (lastFailed === undefined) return { flags: given };
  for (const other of ['only', 'except', 'smoke'] as const) {
    refuseIf(given[other] !== undefined)`--last-failed and --${other} exclude each other
      Remove one of them.`;
  }
  const side = tested.kind;
  const folders =
    given.out === undefined ? await newestFirst(join(cwd, 'reports', 'runs'), tested) : [resolve(cwd, given.out)];
  const last = await firstWithVerdicts(folders, side);
  if (last === undefined) {
    throw usageError()`--last-failed finds no run of a ${side} with a verdict in ${given.out ?? join('reports', 'runs')}
      Run it once without --last-failed.`;
  }
  const { folder, report, passedOver } = last;
  const place = relative(cwd, folder) || '.';
  const [now, before] = [formatTested(tested), testedBefore(report)];
  refuseIf(
    before !== undefined && before !== now,
  )`the last run, in ${place}, tested ${before}, and this command tests ${now}
    Remove --last-failed, or name the folder of another run with --out.`;
  const known = selectedIds(side, []);
  const only = report.results
    .filter(({ id, outcome }) => outcome !== 'pass' && outcome !== 'not-applicable' && known.includes(id))
    .map(({ id }) => id);
  const broken = (report.contracts ?? []).filter(({ outcome }) => outcome !== 'pass').length;
  const pacts =
    broken === 0 ? '' : ` ${pluralize(broken, 'Pact interaction')} did not hold: only a whole run verifies those.`;
  refuseIf(only.length === 0)`every requirement of the last run, in ${place}, was green.${pacts}
    Remove --last-failed to run all.`;
  const newer = passedOver === 0 ? '' : ` ${pluralize(passedOver, 'newer run')} without a verdict did not count.`;
  remark(`--last-failed repeats ${pluralize(only.length, 'requirement')} of the run in ${place}.${newer}${pacts}`);
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
  const numbers = results.flatMap(({ outcome, exchanges }) => (outcome === 'fail' ? exchanges.slice(0, maxAgain) : []));
  // A run that sent nothing has no exchanges to read.
  if (numbers.length === 0) return [];
  const { recordings } = await readRecordings([folder], subject.kind);
  const cases = perExchange(recordings.flatMap(casesOf));
  return [...new Set(numbers)].flatMap((number) => {
    const found = cases[number - 1];
    return found === undefined ? [] : [`${found.scenario} ${found.number}`];
  });
}

/** Names begin with the time of the run, and end with what it tested. */
async function newestFirst(parent: string, tested: Tested): Promise<readonly string[]> {
  const end = tested.kind === 'gateway' && tested.target === 'mock' ? 'mock' : tested.kind;
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.endsWith(`-${end}`));
  return names
    .sort()
    .reverse()
    .map((name) => join(parent, name));
}

async function firstWithVerdicts(folders: readonly string[], side: Tested['kind']) {
  let passedOver = 0;
  for (const folder of folders) {
    const report = await readStoredReport(folder).catch(() => undefined);
    if (report?.subject.kind !== side) continue;
    if (report.results.some(({ outcome }) => outcome === 'pass' || outcome === 'fail'))
      return { folder, report, passedOver };
    passedOver += 1;
  }
  return undefined;
}

function formatTested(tested: Tested): string {
  if (tested.kind === 'gateway') return tested.target === 'mock' ? 'the built-in mock' : tested.target;
  if (tested.command.length > 0) return `the client started by \`${tested.command.map(shellWord).join(' ')}\``;
  return tested.isAttached ? 'an attached client' : 'the built-in client';
}

/** The same of a stored run; undefined if its command line does not show it. */
function testedBefore({ subject, reproduce }: Result): string | undefined {
  if (subject.kind === 'gateway') return formatTested({ kind: 'gateway', target: subject.target });
  if (!reproduce.startsWith('npx countersign client')) return undefined;
  const [own, command] = reproduce.split(/ -- (.*)/s);
  if (command !== undefined) return `the client started by \`${command}\``;
  return formatTested({ kind: 'client', command: [], isAttached: / --attach /.test(own!) });
}
