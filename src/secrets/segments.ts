/** Cuts a text where no secret can go across, so that what a run repeats, such as header lines, is searched once. */
import { byteClass } from './runs.ts';
import type { Secret } from './secret.ts';

export type Cutter = (text: string) => readonly string[];

/**
 * No encoding writes what these places hold, so only a text that has it itself can go across: where a secret has it
 * there is no cut at all. A key is found by each of a hundred pieces.
 */
export function cutterFor(secrets: readonly Secret[]): Cutter {
  const goesAcross = ({ forms }: Secret) => /<|"[\s,:{}[\]]+"|^[\s,:{}[\]]+"/.test(String(forms[0]?.bytes));
  return secrets.some(goesAcross) ? (text) => [text] : cutText;
}

const [quote, tag, slash, backslash] = ['"', '<', '/', '\\'].map((one) => one.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];
const isBetween = byteClass(/[\s,:{}[\]]/);

/** Between two strings of JSON, escaped or not, and in front of a tag of HTML. The characters of the text are bytes. */
function cutText(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  const cut = (at: number) => {
    if (at > 0) pieces.push(text.slice(start, at));
    start = at;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      let next = at + 1;
      while (next < text.length && isBetween[text.charCodeAt(next)] === 1) next += 1;
      let opens = next;
      while (text.charCodeAt(opens) === backslash) opens += 1;
      if (next > at + 1 && text.charCodeAt(opens) === quote) cut(next);
      at = next - 1;
    } else if (code === tag) {
      const letter = text.charCodeAt(text.charCodeAt(at + 1) === slash ? at + 2 : at + 1);
      if (letter >= 0x61 && letter <= 0x7a) cut(at);
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}
