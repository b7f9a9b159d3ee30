/** The YAML files of scoring: baselines of known failures, and frozen sets of requirements. */
import { join } from 'node:path';
import { isMap, isSeq, parseDocument } from 'yaml';
import { requirements } from '../../../contracts/requirements/index.ts';
import { writeWholeFile } from '../../record/disk/files.ts';
import { reasonOf } from '../../record/errors.ts';
import { pluralize } from '../../record/pluralize.ts';
import { exitCode, leavesGap, weighContracts } from '../../record/result/conclude.ts';
import type { BaselineEntry, Result } from '../../record/result/result.ts';
import { contractId, type Scoring } from '../../record/result/score.ts';
import { mayAcceptPartial } from '../../report/phrases.ts';
import { setNames } from '../../run/options/options.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { refuseIf, unknownName, usageError } from '../../run/options/usage-error.ts';
import { readYamlFile } from './yaml-file.ts';

const setFolder = join(packageRoot, 'contracts', 'sets');

/** With --update-baseline, writes the known failures of this run to the baseline. Throws UsageError. */
export async function updateBaseline(result: Result, remark: (sentence: string) => void): Promise<void> {
  const { baseline } = result;
  if (baseline?.updated === undefined) return;
  const previous = await readYamlFile(baseline.file, 'the baseline', 'baseline');
  try {
    await writeWholeFile(baseline.file, baselineText(previous?.text, baseline.updated));
  } catch (cause) {
    throw usageError(cause)`the baseline ${baseline.file} cannot be written (${reasonOf(cause)})
      Copy the entries yourself: report.json has them under baseline.updated.`;
  }
  const count = baseline.updated.length;
  remark(`${baseline.file} now lists ${pluralize(count, 'known failure')}.`);
  const gaps = [...result.results, ...weighContracts(result.contracts)].filter((row) => leavesGap(row, result.profile));
  if (exitCode(result) !== 1 || gaps.length === 0) return;
  const gapText = `${pluralize(gaps.length, 'requirement')} ${gaps.length === 1 ? 'is' : 'are'} inconclusive`;
  const hint = mayAcceptPartial(result)
    ? '\nOnly the configuration is the cause, so with --accept-partial the exit code is 0.'
    : '';
  remark(`The exit code stays 1: ${gapText}, and a baseline can list only failures.${hint}`);
}

/** The entries of a baseline. Throws UsageError. */
export async function knownFailures(path: string, mayBeNew: boolean): Promise<readonly BaselineEntry[]> {
  const file = await readYamlFile(path, 'the baseline', 'baseline');
  refuseIf(file === undefined && !mayBeNew)`the baseline ${path} does not exist
    Add --update-baseline to write it.`;
  const { known = [] } = (file?.value ?? {}) as { readonly known?: readonly BaselineEntry[] };
  const ids = new Set<string>();
  const duplicate = known.find(({ id }) => ids.size === ids.add(id).size);
  refuseIf(duplicate !== undefined)`the baseline ${path} lists ${duplicate?.id} twice
    Remove one of the two entries.`;
  return known;
}

/** Reads a set of requirements with frozen statements. Throws UsageError if one of these statements has changed. */
export async function requirementSet(name: string): Promise<NonNullable<Scoring['set']>> {
  if (!setNames.includes(name))
    throw unknownName('set of requirements', name, setNames, `The sets are ${setNames.join(', ')}`);
  const file = await readYamlFile(join(setFolder, `${name}.yaml`), 'the set of requirements', 'requirement-set');
  const frozenSet = file!.value as {
    readonly requirements: Readonly<Record<string, string>>;
    readonly contracts: Readonly<Record<string, readonly string[]>>;
  };
  const statements = new Map<string, string>(requirements.map(({ id, statement }) => [id, statement]));
  const changed = Object.entries(frozenSet.requirements).filter(([id, statement]) => statements.get(id) !== statement);
  refuseIf(changed.length > 0)`${changed[0]?.[0]} has changed since the set ${name} was made
    Use a later set, or the version of the suite from the time of that set.`;
  const interactions = Object.entries(frozenSet.contracts).flatMap(([pact, names]) =>
    names.map((interaction) => contractId({ pact, interaction })),
  );
  return { name, ids: [...Object.keys(frozenSet.requirements), ...interactions] };
}

const heading =
  ' Known failures. Give each failure a reason and an end date. `countersign explain ID` describes a requirement.';

function baselineText(previous: string | undefined, entries: readonly BaselineEntry[]): string {
  const document = parseDocument(previous ?? '', { uniqueKeys: false });
  const list = document.get('known');
  if (previous === undefined) document.commentBefore = heading;
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
