/** Prints new hazards and failures as workflow commands, which GitHub Actions shows next to a change. */
import { conclusionOf, exercisedIn, fatalCause } from '../record/result/conclude.ts';
import type { Result } from '../record/result/result.ts';
import { contractId, failsAnew, newHazards } from '../record/result/score.ts';
import { baselineProblems } from './counting.ts';
import { shortened, visible } from './visible.ts';
import { formatDifference } from './words.ts';

/** GitHub shows at most ten annotations for each step. */
const most = 10;

/** One command for each finding, and a notice for untested requirements. Empty for a shard: the merged run has the findings. */
export function annotations(result: Result): string {
  if (result.scope?.shard !== undefined || result.conclusion === 'aborted') return '';
  const fatal = fatalCause(result);
  const found: (readonly [id: string, what: string, order?: 'warning'])[] = [
    ...(fatal === undefined ? [] : [['gone', `The gateway is ${fatal.sentence}. ${fatal.hint ?? ''}`] as const]),
    ...newHazards(result).map(({ id, sentence, hint }) => [id, `${sentence} ${hint}`, 'warning'] as const),
    ...result.results.filter(failsAnew).map((row) => [row.id, formatDifference(row)] as const),
    ...(result.contracts ?? []).filter(failsAnew).map((row) => [contractId(row), row.mismatches.join('; ')] as const),
    ...baselineProblems(result).map(({ id, sentence }) => [id, sentence] as const),
  ];
  const shown = found.length > most ? found.slice(0, most - 1) : found;
  const more = found.length - shown.length;
  const unseen = exercisedIn(result).neverArose.length > 0 && result.conclusion === 'conformant';
  const notice = unseen ? `::notice title=Countersign::${data(conclusionOf(result))}\n` : '';
  const orders = [...shown, ...(more === 0 ? [] : [['more', `${more} more findings are in the report`] as const])]
    .map(([id, what, order = 'error']) => `::${order} title=${property(`Countersign: ${id}`)}::${data(what)}\n`)
    .join('');
  return `${orders}${notice}`;
}

function data(text: string): string {
  return visible(shortened(text, 500)).replaceAll('%', '%25');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
