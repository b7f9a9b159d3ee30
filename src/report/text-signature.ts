/** A wrong signature on a terminal: nobody can compare two signatures, so it shows where the base strings part, and the lines that do it right. */
import type { Explanation, ResultRow } from '../result/result.ts';
import { commandLine, idLines, sentences, type TextPage } from './text-page.ts';
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
    ...(one.baseStrings === undefined ? [] : difference(one.baseStrings.right, one.baseStrings.signed, page)),
    ...one.deviations.flatMap(({ snippet }) => (snippet === undefined ? [] : code(snippet))),
  ]);
}

/** A line of code is copied whole, so it is not broken. */
function code(snippet: string): string[] {
  return snippet.split('\n').map((line, index) => `  ${(index === 0 ? 'do' : '').padEnd(11)}${visible(line)}`);
}

/** Both around the first character that differs, with a mark under it. */
function difference(right: string, signed: string, page: TextPage): string[] {
  let at = 0;
  while (at < right.length && right[at] === signed[at]) at += 1;
  const reach = Math.max(8, Math.floor((page.width - 15) / 2));
  const start = Math.max(0, at - reach);
  const before = `${start > 0 ? '…' : ''}${visible(right.slice(start, at))}`;
  const after = (text: string) => `${visible(text.slice(at, at + reach))}${text.length > at + reach ? '…' : ''}`;
  return [
    `  ${'right'.padEnd(11)}${before}${after(right)}`,
    `  ${'signed'.padEnd(11)}${before}${after(signed)}`,
    `  ${' '.repeat(11 + [...before].length)}${page.paint('yellow', '^')} base strings part at character ${at + 1}`,
  ];
}
