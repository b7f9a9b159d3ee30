/** A comparison in GitHub-flavoured Markdown, short enough for a comment on a pull request. */
import { code, details, prose, table } from '../../report/markdown.ts';
import { shortened } from '../../report/visible.ts';
import { comparedInWords } from './compared.ts';
import type { Difference, DiffVerdict, Impact } from './difference.ts';
import { remarksOf, runInWords, sectionsOf } from './sections.ts';
import { verdictInWords } from './verdict.ts';
import { whoBreaks } from './who-breaks.ts';

const signs: Record<DiffVerdict, string> = { safe: '✅', thin: '⚠️', breaks: '❌', 'not known': '⚠️' };

/** Lines of one section, and characters of one value: all sections together stay under the 65,536 of a comment. */
const [mostLines, valueLimit] = [12, 200];

/** The text, with a line end at the end. */
export function diffMarkdown(difference: Difference): string {
  const { verdict, sentence } = difference;
  const sections = sectionsOf(difference).map(({ title, count, lines, asks = false }) => {
    const shown = lines.slice(0, mostLines).map(({ name, text }) => {
      const said = text === '' ? '' : `: ${code(text, valueLimit)}`;
      return `- ${code(name, valueLimit)}${said}`;
    });
    const beyond = lines.length - mostLines;
    if (beyond > 0) shown.push(`- … and ${beyond} more`);
    return { heading: `${title} (${count})`, body: shown.join('\n'), asks };
  });
  const parts = [
    `## ${signs[verdict]} ${verdictInWords(difference)}: ${comparedInWords(difference.compared)}`,
    prose(shortened(sentence, 3 * valueLimit)),
    ...remarksOf(difference).map((remark) => `> ${prose(shortened(remark, valueLimit))}`),
    `- OLD: ${code(runInWords(difference.old), valueLimit)}\n- NEW: ${code(runInWords(difference.new), valueLimit)}`,
    ...(difference.impact === undefined ? [] : [matrix(difference.impact)]),
    // What asks for action is open, the rest is there for whoever looks.
    ...sections.map(({ heading, body, asks }) => (asks ? `### ${heading}\n\n${body}` : details(heading, body))),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Clients and reasons of the matrix; a comment has no room for hundreds. */
const mostClients = 30;

function matrix(impact: Impact): string {
  const { title, answers, head, rows, reasons } = whoBreaks(impact);
  const beyond = rows.length - mostClients;
  const cells = rows.slice(0, mostClients).map(([name = '', ...readings]) => [code(name, 60), ...readings]);
  return [
    `### ${title}`,
    answers.map(({ number, text }) => `${number}. ${code(text, valueLimit)}`).join('\n'),
    head.length === 0 ? '' : table(['client', ...head], cells),
    [
      ...reasons.slice(0, mostClients),
      ...(beyond > 0 ? [`… and ${beyond} more ${beyond === 1 ? 'client' : 'clients'}`] : []),
    ]
      .map((reason) => `- ${code(reason, 2 * valueLimit)}`)
      .join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
