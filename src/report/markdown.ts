/** Prints a document in GitHub-flavoured Markdown. Text of the subject becomes code, so that markup has no effect. */
import type { Outcome } from '../record/result/result.ts';
import { comparison, comparisonText } from './comparison.ts';
import {
  type Block,
  blockGroups,
  type Card,
  type Document,
  fit,
  isList,
  type Line,
  plainText,
  type Section,
  type Table,
  textSections,
} from './document.ts';
import { shortened, shortenedSentences, visible } from './visible.ts';

const signs: Readonly<Record<Outcome, string>> = {
  pass: '✅',
  inconclusive: '⚠️',
  fail: '❌',
  error: '🛑',
  'not-applicable': '➖',
};

/** Prints the document, short enough for a comment on a pull request. The text ends with a line end. */
export function markdownText(document: Document): string {
  const { outcome, product, verdict, counts, head, end = [] } = document;
  return `${paragraphs([
    `## ${signs[outcome]} ${prose(product)}: ${prose(verdict)}`,
    counts && `**${prose(counts)}**`,
    ...printBlocks(head),
    ...textSections(document, 'markdown').map((section) => sectionText(section, document.moreHint)),
    ...printBlocks(end),
  ])}\n`;
}

const valueLimit = 400;
const maxLines = 12;

/** In bytes. All sections together must fit into a GitHub comment, which may have 65,536 characters. */
const defaultBytes = 6_000;

function sectionText({ title, count, isFolded, maxBytes = defaultBytes, blocks }: Section, moreHint: string): string {
  const print = (part: Block[]) => paragraphs(printBlocks(part));
  const size = (text: string) => Buffer.byteLength(text) + 2;
  const { kept, more } = fit(blocks, { print, size, limit: maxBytes, maxItems: maxLines }, 'markdown');
  const body = kept.map(({ printed: text, isLine }, at) => {
    if (at === 0) return text;
    return `${isLine && kept[at - 1]!.isLine ? '\n' : '\n\n'}${text}`;
  });
  const heading = count === undefined ? title : `${title} (${count})`;
  const all = paragraphs([body.join(''), more > 0 && `… and ${more} more: ${moreHint}.`]);
  return isFolded ? details(heading, all) : `### ${prose(heading)}\n\n${all}`;
}

function paragraphs(parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== '').join('\n\n');
}

function printBlocks(blocks: readonly Block[]): string[] {
  return blockGroups(blocks, 'markdown').map((group) =>
    group[0]?.label === undefined
      ? paragraphs(group.map(blockText))
      : group.map((block) => factText(block, block.label!)).join('\n'),
  );
}

function factText(block: Block, label: string): string {
  if ('text' in block) return `- **${label}:** ${lineText(block.text)}`;
  if ('list' in block) return `- **${label}:** ${block.list.map(lineText).join(', ')}`;
  if ('command' in block) return `\n${commandBlock(block.command)}`;
  if ('code' in block) return `- **${label}:** ${code(block.code, valueLimit)}`;
  return `- **${label}:**\n\n  ${blockText(block).replace(/\n(?!\n)/g, '\n  ')}`;
}

function blockText(block: Block): string {
  if ('text' in block) return lineText(block.text);
  if ('command' in block) return commandBlock(block.command);
  if ('code' in block) return fenced(block.language ?? 'text', block.code.split('\n').map(visible).join('\n'));
  if ('compared' in block) return fenced('text', comparisonText(comparison(...block.compared, 100), block.names));
  if ('card' in block) return cardText(block.card);
  if ('table' in block) return tableText(block.table);
  if ('fold' in block) {
    const count = block.count === undefined ? '' : ` (${block.count})`;
    return details(`${plainText(block.fold, valueLimit)}${count}`, paragraphs(printBlocks(block.blocks)));
  }
  if (!('list' in block)) return '';
  const more = block.list.length - maxLines;
  const lines = block.list.slice(0, maxLines).map((line) => `- ${lineText(line)}`);
  return [...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}

function cardText({ title, place, frame, blocks }: Card): string {
  const suffix = place === undefined ? '' : `\n\n_${prose(place)}_`;
  const sign = frame === 'hazard' ? `${signs.inconclusive} ` : '';
  const heading = frame === undefined ? `#### ${lineText(title)}${suffix}` : `${sign}**${lineText(title)}**`;
  return paragraphs([heading, ...printBlocks(blocks)]);
}

function tableText({ head, rows }: Table): string {
  const cells = rows.slice(0, 50).map((row) => row.cells.map((lines) => lines.map(lineText).join('<br>')));
  return paragraphs([table(head, cells), rows.length > 50 && `… and ${rows.length - 50} more`]);
}

function lineText(line: Line): string {
  if (isList(line)) return line.map(lineText).join('');
  if (typeof line === 'string') return prose(shortenedSentences(line, valueLimit));
  if ('value' in line) return code(line.value, valueLimit);
  if ('strong' in line) return `**${lineText(line.strong)}**`;
  if ('to' in line) return code(line.text, valueLimit);
  return prose(plainText(line, valueLimit));
}

/** Prints a text as a code span (CommonMark 0.31 section 6.1) on one line, shortened to `limit` characters. */
function code(text: string, limit: number): string {
  const content = visible(shortened(text, limit));
  if (content.trim() === '') return content === '' ? '(empty)' : `(${content.length} blanks)`;
  const fence = '`'.repeat(longestRun(content) + 1);
  // CommonMark strips one space on each side of a code span. So add one if an edge is a space or a backtick.
  const padding = /^[ `]|[ `]$/.test(content) ? ' ' : '';
  return `${fence}${padding}${content}${padding}${fence}`;
}

/** GitHub turns these texts into links or mentions, even if they are escaped. So `prose` prints them as code. */
const autolinked = /@|:\/\/|mailto:|xmpp:|www\.|#\d|GH-\d|(?<!\w)[0-9a-f]{7,40}(?!\w)/i;

function prose(text: string): string {
  return visible(text)
    .split(' ')
    .map((word) => {
      const name = word.replace(/[,.;:]$/, '');
      return autolinked.test(word)
        ? `${code(name, name.length)}${word.slice(name.length)}`
        : escapeHtml(word.replace(/[\\`*_[\]~$]/g, '\\$&'));
    })
    .join(' ');
}

function commandBlock(command: string): string {
  return fenced('sh', visible(command));
}

function fenced(language: string, content: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${fence}${language}\n${content}\n${fence}`;
}

/** Prints a table in Markdown. Escapes each pipe, because a pipe ends a cell even inside code (GFM section 4.10). */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, index) => (index === 0 ? ' --- |' : ' ---: |')).join('')}`,
    ...rows.map(line),
  ].join('\n');
}

function details(summary: string, body: string): string {
  return `<details><summary>${escapeHtml(visible(summary))}</summary>\n\n${body}\n\n</details>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
