/** Prints or writes the result of a command in the requested form, and formats messages for standard error. */
import { dirname } from 'node:path';
import { isFolder, makeFolders, writeWholeFile } from '../record/disk/files.ts';
import { reasonOf } from '../record/errors.ts';
import type { Block, Document } from '../report/document.ts';
import { markdownText } from '../report/markdown.ts';
import { blocksText, noBreak, terminalText, textWidth, widthOf, wrap } from '../report/terminal.ts';
import { shortenedSentences, visible } from '../report/visible.ts';
import { UsageError } from '../run/options/usage-error.ts';
import type { Surroundings } from './command.ts';

/** Prints a document, or the text of `data` with `json`. With `html`, also writes a page there (throws UsageError). */
export async function printDocument(
  document: Document,
  data: () => string,
  { json, markdown, html }: { readonly json?: boolean; readonly markdown?: boolean; readonly html?: string },
  { out, remark, colour, width }: Pick<Surroundings, 'out' | 'remark' | 'colour' | 'width'>,
): Promise<void> {
  if (html !== undefined) {
    const { documentPage } = await import('../report/pages/page.ts');
    await writePage(html, documentPage(document));
    remark(`${html} is written.`);
  }
  if (json) out(data());
  else out(markdown ? markdownText(document) : terminalText(document, { colour, width: textWidth(width) }));
}

/** The text that a server prints at its start. Lines are not wrapped, so that users can copy addresses and paths. */
export function printReady(headline: string, facts: readonly Block[]): string {
  return `${headline}\n${blocksText(facts, { width: Number.POSITIVE_INFINITY, indent: 2 })}`;
}

/** Writes an HTML page. An existing file is overwritten only if it is an HTML page. Throws UsageError. */
export function writePage(path: string, text: string): Promise<void> {
  const replaces = /^\ufeff?\s*<(?:!doctype )?html\b/i;
  const hint = 'Name another file: only an HTML page is overwritten.';
  return writeOrRefuse(path, text, ['is not an HTML page', hint], { replaces });
}

/** Writes a file. If the file exists and `over` is false, throws UsageError with `hint`. */
export function writeNew(
  path: string,
  text: string,
  { mode = 0o644, over = false, hint = 'Name a new file.' } = {},
): Promise<void> {
  return writeOrRefuse(path, text, ['already exists', hint], { isNew: !over, mode });
}

async function writeOrRefuse(
  path: string,
  text: string,
  conflict: readonly [what: string, hint: string],
  options: Parameters<typeof writeWholeFile>[2],
): Promise<void> {
  try {
    makeFolders(dirname(path));
    await writeWholeFile(path, text, options);
  } catch (cause) {
    if (isFolder(path)) throw new UsageError(`${path} is a folder`, 'Name a file in it.', cause);
    const fault = [`cannot be written (${reasonOf(cause)})`, 'Name a file in a folder that you may write to.'] as const;
    const [what, hint] = (cause as NodeJS.ErrnoException).code === 'EEXIST' ? conflict : fault;
    throw new UsageError(`${path} ${what}`, hint, cause);
  }
}

/** Maximum number of characters. Longer sentences are shortened, because messages may quote very long arguments. */
const maxSentenceLength = 600;

/** Wraps a message at `width` columns (40 to 100, default 100). A long command in backticks continues after `\`. */
export function messageText(text: string, width?: number): string {
  const room = textWidth(width) - 2;
  return text
    .split('\n')
    .map((line) => visible(shortenedSentences(line, maxSentenceLength)))
    .flatMap((line, at) => messageLines(at === 0 ? `countersign:${noBreak}${line}` : line, room))
    .map((line, at) => `${at === 0 ? '' : '  '}${line}\n`)
    .join('');
}

/** Prints a message on standard error. */
export function printMessage(text: string): void {
  process.stderr.write(messageText(text, widthOf(process.stderr)));
}

function messageLines(line: string, room: number): string[] {
  const lines: string[] = [];
  let text = '';
  const flush = () => {
    if (text.trim() !== '') lines.push(...wrap(text.trim(), room));
    text = '';
  };
  for (const part of line.split(/(`[^`]+`[.,:;]?)/)) {
    if (part.startsWith('`') && part.length > room) {
      flush();
      lines.push(...wrapCommand(part.replace(/^`|`[.,:;]?$/g, ''), room));
    } else text += part;
  }
  flush();
  return lines;
}

function wrapCommand(command: string, room: number): string[] {
  const words = command.match(/(?:'[^']*'|\\.|[^\s'])+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > room - 5)
      lines.push(`${last === undefined ? '' : '  '}${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}
