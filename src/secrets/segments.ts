/** Cuts a text where no secret can go across, so that what a run repeats, such as header lines, is searched once. */
import type { Secret } from './secret.ts';

export type Cutter = (text: string) => readonly string[];

/** Between two strings of JSON, escaped or not, and in front of a tag of HTML. */
const places = /(?=\\*")(?<="[\s,:{}[\]]+)|(?=<\/?[a-z])/;

/**
 * No encoding writes what these places hold, so only a text that has it itself can go across: where a secret has it
 * there is no cut at all. A key is found by each of a hundred pieces.
 */
export function cutterFor(secrets: readonly Secret[]): Cutter {
  const goesAcross = ({ forms }: Secret) => /<|"[\s,:{}[\]]+"|^[\s,:{}[\]]+"/.test(String(forms[0]?.bytes));
  return secrets.some(goesAcross) ? (text) => [text] : (text) => text.split(places);
}
