/** What a command found, in the form that was asked for: on standard output, or in a file that a person named. */
import { dirname } from 'node:path';
import { isFolder, makeFolders, type WholeFileOptions, writeWholeFile } from '../record/disk/files.ts';
import { reasonOf } from '../record/errors.ts';
import type { Document } from '../report/document.ts';
import { markdownText } from '../report/markdown.ts';
import { terminalText } from '../report/terminal.ts';
import { printedJson } from '../report/visible.ts';
import { UsageError, usageError } from '../run/options/usage-error.ts';
import type { Surroundings } from './command.ts';

interface Form {
  /** Print the data in place of the text. */
  readonly json?: boolean | undefined;
  readonly markdown?: boolean | undefined;
  /** File that gets it as a page too. */
  readonly html?: string | undefined;
}

/** Prints a document, or the JSON text of the `data` behind it. Throws UsageError where the page cannot be written. */
export async function printDocument(
  document: Document,
  data: () => string,
  { json, markdown, html }: Form,
  { out, colour, width = 100 }: Pick<Surroundings, 'out' | 'colour' | 'width'>,
): Promise<void> {
  if (html !== undefined) {
    const { documentPage } = await import('../report/pages/page.ts');
    await writePage(html, documentPage(document));
  }
  out(json ? data() : markdown ? markdownText(document) : terminalText(document, { colour, width }));
}

/** Says which files were written, and in a sentence for people what is next. */
export function printWritten(
  written: readonly string[],
  next: string,
  json: boolean | undefined,
  { out, remark }: Pick<Surroundings, 'out' | 'remark'>,
): void {
  if (json) out(printedJson({ written }));
  else remark(next);
}

/** The lines of labels with a text, each label as wide as the widest one of its kind is. */
export function labelled(pairs: readonly (readonly [label: string, text: string | undefined])[], width: number) {
  return pairs.flatMap(([label, text]) => (text === undefined ? [] : [`${label.padEnd(width)}${text}`]));
}

/** Writes one page, over an older one and over nothing else. Throws UsageError. */
export async function writePage(path: string, text: string): Promise<void> {
  const taken = ['holds something else than a page', 'Name another file: only an HTML page is replaced.'] as const;
  await writeGiven(path, text, taken, { over: /^\ufeff?\s*<(?:!doctype )?html\b/i });
}

/** Writes a file that is not there yet, or over it where that is allowed. Throws UsageError. */
export async function writeFresh(path: string, text: string, over: boolean | undefined): Promise<void> {
  const hint = 'Choose another name with --out, or overwrite it with --force.';
  await writeGiven(path, text, ['already exists', hint], { isNew: !over });
}

/** Writes a file, and the folders above it, and replaces nothing. Throws UsageError. */
export async function writeNew(path: string, text: string, { mode = 0o644 } = {}): Promise<void> {
  const taken = ['is there already', 'Name another file: nothing is replaced.'] as const;
  await writeGiven(path, text, taken, { isNew: true, mode }, makeFolders);
}

/** `taken` is said of a file that is there and stays, with what to do. */
async function writeGiven(
  path: string,
  text: string,
  taken: readonly [what: string, hint: string],
  how: WholeFileOptions,
  prepare: (folder: string) => unknown = () => {},
): Promise<void> {
  try {
    prepare(dirname(path));
    await writeWholeFile(path, text, how);
  } catch (cause) {
    if (isFolder(path)) throw usageError(cause)`${path} is a folder\nName a file in it.`;
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`${path} ${taken[0]}`, taken[1], cause);
    throw usageError(cause)`${path} cannot be written (${reasonOf(cause)})
      Name a file in a folder that is there, and that you may write to.`;
  }
}
