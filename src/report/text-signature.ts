/** A wrong signature on a terminal: nobody can compare two signatures, so it shows where the base strings part, and the lines that do it right. */
import type { Explanation, ResultRow } from '../record/result/result.ts';
import { commandLine, comparedLines, idLines, sentences, type TextPage } from './text-page.ts';
import { visible } from './visible.ts';
import { explanationInWords } from './words.ts';

/** Whether a deviation of the client says more than the two signatures. */
export function isExplained({ explanations = [] }: ResultRow): boolean {
  return explanations.some(({ deviations }) => deviations.length > 0);
}

/** Where a gateway refused a right request, its base string is to be copied: it stays on one line, whole. */
export function whyWrong(explanations: readonly Explanation[] = [], page: TextPage): string[] {
  return explanations.flatMap((one) => [
    ...sentences('why', explanationInWords({ ...one, alternatives: [] }), page),
    ...(one.alternatives ?? []).flatMap((ids) => idLines('or', `${ids.join(' + ')}, which gives the same bytes`, page)),
    ...(one.baseString === undefined ? [] : [commandLine('  ', 'signed', 11, one.baseString)]),
    ...comparedLines(['right', 'signed'], one.baseStrings?.right, one.baseStrings?.signed, page),
    ...one.deviations.flatMap(({ snippet }) => (snippet === undefined ? [] : code(snippet))),
  ]);
}

/** A line of code is copied whole, so it is not broken. */
function code(snippet: string): string[] {
  return snippet.split('\n').map((line, index) => `  ${(index === 0 ? 'do' : '').padEnd(11)}${visible(line)}`);
}
