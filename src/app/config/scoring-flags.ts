/** Checks the flags of scoring: --baseline, --update-baseline, --set, --fail-on and --require. */
import { join } from 'node:path';
import { isMap, isSeq, parseDocument } from 'yaml';
import { requirements } from '../../../contracts/requirements/index.ts';
import { writeWholeFile } from '../../record/disk/files.ts';
import { reasonOf } from '../../record/errors.ts';
import { pluralize } from '../../record/pluralize.ts';
import { exitCode, leavesGap, weighContracts } from '../../record/result/conclude.ts';
import type { BaselineEntry, Result } from '../../record/result/result.ts';
import { contractId, type Scoring } from '../../record/result/score.ts';
import { mayAcceptPartial } from '../../report/words.ts';
import { type Given, setNames } from '../../run/options/options.ts';
import { matchesAny, selectedIds } from '../../run/options/selection.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { refuseIf, unknown, usageError } from '../../run/options/usage-error.ts';
import { matchingPattern } from './run-flags.ts';
import { readYamlFile } from './yaml-file.ts';

const setFolder = join(packageRoot, 'contracts', 'sets');

type ScoringFlags = Pick<Given<'judge'>, 'baseline' | 'updateBaseline' | 'set' | 'failOn' | 'require' | 'only'>;

/** Returns undefined if no flag is about scoring. `configured` is `require` of the configuration. Throws UsageError. */
export async function scoringOf(
  { baseline, updateBaseline, set, failOn, require, only = [] }: ScoringFlags,
  side: 'client' | 'gateway',
  configured?: readonly string[],
): Promise<Scoring | undefined> {
  const required = require?.map((pattern) => matchingPattern(side, pattern, '--require')) ?? configured;
  const patterns = only.map((pattern) => matchingPattern(side, pattern));
  const narrowed = selectedIds(side, patterns);
  const dropped = require?.find((pattern) => !narrowed.some((id) => matchesAny(id, [pattern])));
  refuseIf(dropped !== undefined)`--require ${dropped} names no requirement that --only selects
    Name the requirement in --only too, or remove --require.`;
  refuseIf(updateBaseline === true && baseline === undefined)`--update-baseline needs a baseline
    Write \`--baseline FILE --update-baseline\`.`;
  if (baseline === undefined && set === undefined && (failOn ?? required) === undefined) return undefined;
  const known = baseline === undefined ? undefined : await knownFailures(baseline, updateBaseline === true);
  return {
    failOn,
    require: required,
    set: set === undefined ? undefined : await requirementSet(set),
    baseline: known && { file: baseline!, known, update: updateBaseline },
  };
}

/** With --update-baseline, writes the known failures of this run to the baseline. Throws UsageError. */
export async function updateBaseline(result: Result, remark: (sentence: string) => void): Promise<void> {
  const { baseline } = result;
  if (baseline?.updated === undefined) return;
  const before = await readYamlFile(baseline.file, 'the baseline', 'baseline');
  try {
    await writeWholeFile(baseline.file, baselineText(before?.text, baseline.updated));
  } catch (cause) {
    throw usageError(cause)`the baseline ${baseline.file} cannot be written (${reasonOf(cause)})
      Copy its entries from baseline.updated in report.json.`;
  }
  const count = baseline.updated.length;
  remark(`${baseline.file} now lists ${pluralize(count, 'known failure')}.`);
  const gaps = [...result.results, ...weighContracts(result.contracts)].filter((row) => leavesGap(row, result.profile));
  if (exitCode(result) !== 1 || gaps.length === 0) return;
  const open = `${pluralize(gaps.length, 'requirement')} ${gaps.length === 1 ? 'is' : 'are'} inconclusive`;
  const left = mayAcceptPartial(result)
    ? '\nOnly the configuration is the reason, so with --accept-partial the exit code is 0.'
    : '';
  remark(`With this baseline the exit code stays 1: ${open}, and a baseline lists only failures.${left}`);
}

async function knownFailures(path: string, mayBeNew: boolean): Promise<readonly BaselineEntry[]> {
  const file = await readYamlFile(path, 'the baseline', 'baseline');
  refuseIf(file === undefined && !mayBeNew)`the baseline ${path} does not exist
    Add --update-baseline to write it.`;
  const { known = [] } = (file?.value ?? {}) as { readonly known?: readonly BaselineEntry[] };
  const ids = new Set<string>();
  const twice = known.find(({ id }) => ids.size === ids.add(id).size);
  refuseIf(twice !== undefined)`the baseline ${path} lists ${twice?.id} twice
    Remove one of them.`;
  return known;
}

async function requirementSet(name: string): Promise<NonNullable<Scoring['set']>> {
  if (!setNames.includes(name))
    throw unknown('set of requirements', name, setNames, `The sets are ${setNames.join(', ')}`);
  const file = await readYamlFile(join(setFolder, `${name}.yaml`), 'the set of requirements', 'requirement-set');
  const pinned = file!.value as {
    readonly requirements: Readonly<Record<string, string>>;
    readonly contracts: Readonly<Record<string, readonly string[]>>;
  };
  const now = new Map<string, string>(requirements.map(({ id, statement }) => [id, statement]));
  const changed = Object.entries(pinned.requirements).filter(([id, statement]) => now.get(id) !== statement);
  refuseIf(changed.length > 0)`${changed[0]?.[0]} has changed since the set ${name}
    Use a later set, or the suite version of that set.`;
  const interactions = Object.entries(pinned.contracts).flatMap(([pact, all]) =>
    all.map((interaction) => contractId({ pact, interaction })),
  );
  return { name, ids: [...Object.keys(pinned.requirements), ...interactions] };
}

const heading =
  ' Known failures: countersign explain ID describes a requirement. Say why each is tolerated, and until when.';

/** `before` is the old text, or undefined if the file does not exist. */
function baselineText(before: string | undefined, entries: readonly BaselineEntry[]): string {
  const document = parseDocument(before ?? '', { uniqueKeys: false });
  const list = document.get('known');
  if (before === undefined) document.commentBefore = heading;
  if (!isSeq(list)) {
    document.set('known', document.createNode(entries));
    return document.toString({ lineWidth: 0 });
  }
  const idOf = (item: unknown) => (isMap(item) ? item.get('id') : undefined);
  list.items = entries.map((entry) => {
    const item = list.items.find((one) => idOf(one) === entry.id);
    if (!isMap(item)) return document.createNode(entry);
    for (const key of ['reason', 'expires', 'received'] as const) {
      if (entry[key] !== undefined && item.get(key) !== entry[key]) item.set(key, entry[key]);
    }
    return item;
  });
  return document.toString({ lineWidth: 0 });
}
