/** The length of a text (sections 2.1, 2.3 and 8): the document bounds "characters" and leaves open what one is. */
import { type Finding, fail, pass } from '../finding.ts';

/** Too long is what exceeds the limit in every reading: as bytes of UTF-8, code points, or letters with their accents. */
export function atMost(limit: number, text: string): Finding {
  if (bytes(text) <= limit) return pass();
  if (letters(text) > limit) return fail(`at most ${limit} characters`, `${[...text].length} characters`);
  return pass(`more than ${limit} bytes or code points, and at most ${limit} letters`);
}

/** Too short is what stays below the limit in every reading. */
export function atLeast(limit: number, text: string): Finding {
  if (bytes(text) < limit) return fail(`at least ${limit} characters`, `${[...text].length} characters`);
  return letters(text) >= limit ? pass() : pass(`fewer than ${limit} letters, and at least ${limit} bytes`);
}

/** No reading counts fewer. */
function letters(text: string): number {
  // Of these each is a letter of its own; taking a text apart is slow.
  if (plain.test(text)) return text.length;
  return [...new Intl.Segmenter('en').segment(text)].length;
}

const plain = /^[\x20-\x7e]*$/;

/** No reading counts more. */
function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
