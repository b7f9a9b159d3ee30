/** Prints or writes the result of a command in the requested form. */
import { dirname } from 'node:path';
import { isFolder, makeFolders, type WholeFileOptions, writeWholeFile } from '../record/disk/files.ts';
import { reasonOf } from '../record/errors.ts';
import type { Block, Document } from '../report/document.ts';
import { markdownText } from '../report/markdown.ts';
import { blocksText, terminalText } from '../report/terminal.ts';
import { UsageError, usageError } from '../run/options/usage-error.ts';
import type { Surroundings } from './command.ts';

interface Form {
  /** Print JSON instead of text. */
  readonly json?: boolean | undefined;
  readonly markdown?: boolean | undefined;
  /** File for an additional HTML page. */
  readonly html?: string | undefined;
}

/** `data`: the JSON text. Throws UsageError if the page cannot be written. */
export async function printDocument(
  document: Document,
  data: () => string,
  { json, markdown, html }: Form,
  { out, remark, colour, width = 100 }: Pick<Surroundings, 'out' | 'remark' | 'colour' | 'width'>,
): Promise<void> {
  if (html !== undefined) {
    const { documentPage } = await import('../report/pages/page.ts');
    await writePage(html, documentPage(document));
    remark(`${html} is written.`);
  }
  out(json ? data() : markdown ? markdownText(document) : terminalText(document, { colour, width }));
}

/** What a server prints at its start. Lines are not broken, so that addresses and paths can be copied. */
export function printReady(first: string, facts: readonly Block[]): string {
  return `${first}\n${blocksText(facts, { width: Number.POSITIVE_INFINITY, indent: 2 })}`;
}

/** Replaces only an older HTML page. Throws UsageError. */
export async function writePage(path: string, text: string): Promise<void> {
  const taken = ['is not an HTML page', 'Name another file: only an HTML page is overwritten.'] as const;
  await writeGiven(path, text, taken, { over: /^\ufeff?\s*<(?:!doctype )?html\b/i });
}

/** Overwrites a file only if `over` is set. `hint`: what to do about an existing one. Throws UsageError. */
export async function writeNew(
  path: string,
  text: string,
  { mode = 0o644, over = false, hint = 'Name a new file.' } = {},
): Promise<void> {
  await writeGiven(path, text, ['already exists', hint], { isNew: !over, mode });
}

/** Creates missing folders. `taken`: the error for an existing file that is kept. */
async function writeGiven(
  path: string,
  text: string,
  taken: readonly [what: string, hint: string],
  how: WholeFileOptions,
): Promise<void> {
  try {
    makeFolders(dirname(path));
    await writeWholeFile(path, text, how);
  } catch (cause) {
    if (isFolder(path)) throw usageError(cause)`${path} is a folder\nName a file in it.`;
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`${path} ${taken[0]}`, taken[1], cause);
    throw usageError(cause)`${path} cannot be written (${reasonOf(cause)})
      Name a file in a folder that you may write to.`;
  }
}
