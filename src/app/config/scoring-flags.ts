/** Checks the flags of scoring: --baseline, --update-baseline, --set, --fail-on and --require. */
import type { Scoring } from '../../record/result/score.ts';
import type { Input } from '../../run/options/options.ts';
import { matchesAny, selectedIds } from '../../run/options/selection.ts';
import { refuseIf } from '../../run/options/usage-error.ts';
import { checkPattern } from './run-flags.ts';

type ScoringFlags = Pick<Input<'judge'>, 'baseline' | 'updateBaseline' | 'set' | 'failOn' | 'require' | 'only'>;

/** Reads the flags of scoring; undefined if none is set. `defaultRequire`: default of --require. Throws UsageError. */
export async function scoringOf(
  { baseline, updateBaseline, set, failOn, require, only = [] }: ScoringFlags,
  side: 'client' | 'gateway',
  defaultRequire?: readonly string[],
): Promise<Scoring | undefined> {
  const required = require?.map((pattern) => checkPattern(side, pattern, '--require')) ?? defaultRequire;
  const patterns = only.map((pattern) => checkPattern(side, pattern));
  const selected = selectedIds(side, patterns);
  const unmatched = require?.find((pattern) => !selected.some((id) => matchesAny(id, [pattern])));
  refuseIf(unmatched !== undefined)`--only selects no requirement that matches --require ${unmatched}
    Name the requirement in --only too, or remove --require.`;
  refuseIf(updateBaseline === true && baseline === undefined)`--update-baseline needs a baseline
    Write \`--baseline FILE --update-baseline\`.`;
  if (baseline === undefined && set === undefined && (failOn ?? required) === undefined) return undefined;
  const { knownFailures, requirementSet } = await import('./scoring-files.ts');
  const known = baseline === undefined ? undefined : await knownFailures(baseline, updateBaseline === true);
  return {
    failOn,
    require: required,
    set: set === undefined ? undefined : await requirementSet(set),
    baseline: known && { file: baseline!, known, update: updateBaseline },
  };
}
