/** Length of a text (sections 2.1, 2.3 and 8). The document limits "characters" without defining them. */
import { pluralize } from '../../record/pluralize.ts';
import { type Finding, fail, pass } from '../finding.ts';

/** Fails only if every reading exceeds the limit: UTF-8 bytes, code points, and letters with their accents. */
export function atMost(limit: number, text: string): Finding {
  if (bytes(text) <= limit) return pass();
  if (letters(text, limit) > limit) return fail(`at most ${limit} characters`, codePoints(text));
  return pass(
    `more than ${limit} bytes or Unicode characters, though a reader sees ${limit} at most: the limit can mean either`,
  );
}

/** Fails only if every reading is below the limit. */
export function atLeast(limit: number, text: string): Finding {
  if (bytes(text) < limit) return fail(`at least ${limit} characters`, codePoints(text));
  return letters(text, limit) >= limit
    ? pass()
    : pass(
        `a reader sees fewer than ${limit} characters, though there are ${limit} bytes or more: the limit can mean either`,
      );
}

/** Counts letters with their accents, the smallest of the three counts. Above the limit it may stop early. */
function letters(text: string, limit: number): number {
  // Each character is one letter here. Segmentation is slow.
  if (plain.test(text)) return text.length;
  // A cell may have megabytes, and its list of letters needs four hundred times that memory.
  const start = segments(text.slice(0, 64 * limit), limit);
  return start > limit || text.length <= 64 * limit ? start : segments(text, limit);
}

function segments(text: string, limit: number): number {
  let count = 0;
  for (const _ of new Intl.Segmenter('en').segment(text)) {
    count += 1;
    if (count > limit) break;
  }
  return count;
}

function codePoints(text: string): string {
  let count = 0;
  for (const _ of text) count += 1;
  return pluralize(count, 'character');
}

const plain = /^[\x20-\x7e]*$/;

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
