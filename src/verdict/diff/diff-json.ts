/** A comparison for programs: schemas/files/diff.json says what is in it. */
import { printedJson } from '../../report/visible.ts';
import type { Difference } from './difference.ts';

/** The text, two spaces, with a line end at the end. */
export function diffJson(difference: Difference): string {
  return printedJson(difference, 2);
}
