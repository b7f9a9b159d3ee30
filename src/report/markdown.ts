/** Text in GitHub-flavoured Markdown. What comes from the wire is always in code, where mark-up, mentions and links are not read. */
import { shortened, visible } from './visible.ts';

/** Foreign text as a code span on one line, shortened to `limit` characters (CommonMark 0.31 section 6.1). */
export function code(text: string, limit: number): string {
  const content = visible(shortened(text, limit));
  if (content.trim() === '') return content === '' ? '(empty)' : `(${content.length} blanks)`;
  const fence = '`'.repeat(longestRun(content) + 1);
  // One blank on each side is not part of the span, so a blank or a backtick at an edge needs one more.
  const padding = /^[ `]|[ `]$/.test(content) ? ' ' : '';
  return `${fence}${padding}${content}${padding}${fence}`;
}

/** What GitHub makes a link or a mention of, even where all mark-up is escaped: addresses, `@name`, `#1`, `GH-1`, commits. */
const reference = /@|:\/\/|mailto:|xmpp:|www\.|#\d|GH-\d|(?<!\w)[0-9a-f]{7,40}(?!\w)/i;

/**
 * Our own words inside a line, with every character escaped that Markdown or HTML would read there. They may quote the
 * subject: a word that would become a link or a mention is put in code.
 */
export function prose(text: string): string {
  return visible(text)
    .split(' ')
    .map((word) => (reference.test(word) ? code(word, word.length) : escaped(word)))
    .join(' ');
}

function escaped(word: string): string {
  return escapeHtml(word.replace(/[\\`*_[\]~$]/g, '\\$&'));
}

/** A command on one line in a block that offers to copy it. */
export function commandBlock(command: string): string {
  return block('sh', visible(command));
}

/** Lines that are safe to show, each under the other, inside an item of a list. */
export function linesInItem(lines: string | undefined): string {
  return lines === undefined ? '' : `\n\n${block('text', lines)}`.replace(/\n(?!\n)/g, '\n  ');
}

function block(language: string, content: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${fence}${language}\n${content}\n${fence}`;
}

/** A table; the cells are Markdown already. A pipe ends a cell even inside code, unless it is escaped (GFM section 4.10). */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, index) => (index === 0 ? ' --- |' : ' ---: |')).join('')}`,
    ...rows.map(line),
  ].join('\n');
}

/** A part that is closed until the reader opens it; the blank lines let the Markdown inside be read. */
export function details(summary: string, body: string): string {
  return `<details><summary>${escapeHtml(visible(summary))}</summary>\n\n${body}\n\n</details>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
