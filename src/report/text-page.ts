/** What the parts of the terminal report share: the page, its fields and the lines that are to be copied. */
import type { ResultRow } from '../record/result/result.ts';
import { type Comparison, comparison } from './comparison.ts';
import type { Statements } from './statements.ts';
import { field, type Paint, signs } from './terminal.ts';
import { shortened, shortenedSentences, visible } from './visible.ts';

export interface TextOptions {
  readonly statements: Statements;
  readonly colour: boolean;
  /** Columns of the terminal; what is under 40 counts as 40. */
  readonly width: number;
  /** Files that the run has written, or their folder; named at the end. */
  readonly files?: readonly string[];
}

export interface TextPage extends TextOptions {
  readonly paint: Paint;
}

/** Longest value on the terminal, and longest sentence; the files have it whole. */
const valueLimit = 400;

/** A command to copy stays on one line, however long: a break inside it would be copied along. */
export function commandLine(margin: string, label: string, labelWidth: number, text: string): string {
  return `${margin}${label.padEnd(labelWidth)}${visible(text)}`;
}

export function signed(row: ResultRow, page: TextPage): string {
  const { sign, ink } = signs[row.outcome];
  return `${page.paint(ink, sign)} ${page.paint('bold', visible(row.id))}`;
}

export function section(title: string, count: number, page: TextPage): string {
  return page.paint('bold', `${title} (${count})`);
}

/** A foreign value under its requirement; nothing where there is none. */
export function factLines(label: string, text: string | undefined, page: TextPage): string[] {
  return text === undefined ? [] : lines(label, shortened(text, valueLimit), page);
}

/** Two texts and where they part; nothing where one is missing or both are equal. */
export function comparedLines(
  labels: readonly [string, string],
  expected: string | undefined,
  received: string | undefined,
  page: TextPage,
  compare: (expected: string, received: string, width: number) => Comparison | undefined = comparison,
): string[] {
  if (expected === undefined || received === undefined) return [];
  const [one, other, caret] = compare(expected, received, page.width - 13) ?? [];
  if (caret === undefined) return [];
  return [
    `  ${labels[0].padEnd(11)}${one}`,
    `  ${labels[1].padEnd(11)}${other}`,
    `${' '.repeat(13)}${page.paint('yellow', caret)}`,
  ];
}

/** The same for words of ours: a sentence is cut only where a value that it quotes is long. */
export function sentences(label: string, text: string | undefined, page: TextPage): string[] {
  return text === undefined ? [] : lines(label, shortenedSentences(text, valueLimit), page);
}

/** A list of ids, whole. */
export function idLines(label: string, text: string, page: TextPage): string[] {
  return lines(label, text, page);
}

function lines(label: string, text: string, page: TextPage): string[] {
  const layout = { indent: 2, labelWidth: label === '' ? 0 : 11, width: page.width };
  return field(label, visible(text), layout).map((line) => line.trimEnd());
}
