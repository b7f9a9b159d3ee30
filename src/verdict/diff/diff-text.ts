/** A comparison on a terminal: the verdict in the first line, and all of it on one screen. */
import { field, type Ink, type Paint, painter } from '../../report/terminal.ts';
import { shortened, visible } from '../../report/visible.ts';
import { comparedInWords } from './compared.ts';
import type { Difference, DiffVerdict, Impact } from './difference.ts';
import { remarksOf, runInWords, sectionsOf } from './sections.ts';
import { verdictInWords } from './verdict.ts';
import { whoBreaks } from './who-breaks.ts';

const inks: Record<DiffVerdict, Ink> = {
  safe: 'green',
  thin: 'yellow',
  breaks: 'red',
  'not known': 'yellow',
};

/** Lines of one section, and characters of one line; the JSON has all of it. */
const [mostLines, longestLine] = [8, 200];

/** It quotes answers of a subject. */
const longestSentence = 1000;

/** The text, with a line end at the end. Control and bidirectional characters are written out. */
export function diffText(
  difference: Difference,
  options: { readonly colour: boolean; readonly width: number },
): string {
  const paint = painter(options.colour);
  const width = Math.max(options.width, 40);
  const { verdict, sentence } = difference;
  const block = (label: string, text: string, labelWidth: number, indent = 0) =>
    field(label, visible(shortened(text, longestLine)), { indent, labelWidth, width }).map((line) => line.trimEnd());
  const lines = [
    `${paint(inks[verdict], paint('bold', verdictInWords(difference)))} - ${comparedInWords(difference.compared)}`,
    ...field('', visible(shortened(sentence, longestSentence)), { indent: 0, labelWidth: 0, width }),
    ...remarksOf(difference).flatMap((remark) => block('', remark, 0)),
    '',
    ...block('OLD', runInWords(difference.old), 5),
    ...block('NEW', runInWords(difference.new), 5),
  ];
  if (difference.impact !== undefined) lines.push(...matrixLines(difference.impact, paint, width));
  for (const { title, count, lines: all } of sectionsOf(difference)) {
    const beyond = all.length - mostLines;
    lines.push('', paint('bold', `${title} (${count})`));
    for (const { name, text } of all.slice(0, mostLines)) {
      lines.push(...block('', text === '' ? name : `${name}: ${text}`, 0, 2));
    }
    if (beyond > 0) lines.push(`  … and ${beyond} more: --json has them all`);
  }
  return `${lines.join('\n')}\n`;
}

/** A name of a client that is longer would push the verdicts out of sight. */
const longestName = 30;

/** It quotes an answer and a reading of it. */
const longestReason = 500;

const readingInks: Record<string, Ink> = { breaks: 'red', unverified: 'yellow' };

function matrixLines(impact: Impact, paint: Paint, width: number): string[] {
  const { title, answers, head, rows, reasons } = whoBreaks(impact);
  const named = rows.map(([name = '', ...cells]) => [visible(shortened(name, longestName)), ...cells]);
  const nameWidth = Math.max(...named.map(([name = '']) => name.length)) + 2;
  const block = (label: string, text: string, labelWidth: number) =>
    field(label, visible(shortened(text, longestReason)), { indent: 2, labelWidth, width });
  const line = ([name = '', ...cells]: readonly string[]) => {
    const words = cells.map((cell) => {
      const padded = cell.padEnd(12);
      return readingInks[cell] === undefined ? padded : paint(readingInks[cell], padded);
    });
    return `  ${name.padEnd(nameWidth)}${words.join('')}`.trimEnd();
  };
  return [
    '',
    paint('bold', title),
    ...answers.flatMap(({ number, text }) => block(number, text, 4)),
    ...(head.length === 0 ? [] : [line(['', ...head]), ...named.map(line)]),
    ...reasons.flatMap((reason) => block('', reason, 0)),
  ];
}
