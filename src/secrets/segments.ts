/** Cuts a text where no secret can go across, so that what a run repeats, such as header lines, is searched once, and joins pieces of it. */
import { byteClass } from './runs.ts';
import type { Secret } from './secret.ts';

export type Cutter = (text: string) => readonly string[];

/** Is between pieces that were put together: part of no encoding and of no UTF-8, so that they come apart again under the next layer. */
export const separator = '\xff\xfe\xfd\xfc';

/**
 * No encoding writes what these places hold, so only a text that has it itself, or ends in the middle of it, can go across: where
 * a secret does there is no cut at such places. A key is found by each of a hundred pieces.
 */
export function cutterFor(secrets: readonly Secret[]): Cutter {
  let [inStrings, inTags] = [false, false];
  for (const { forms, areMany } of secrets) {
    for (const { bytes } of forms) {
      const text = String(bytes);
      inStrings ||= /(?:"|^)[\s,:{}[\]]+\\*(?:"|$)/.test(text);
      inTags ||= /<\/?(?:[a-z]|$)/.test(text);
      if (areMany === undefined || (inStrings && inTags)) break;
    }
  }
  const cut = (text: string) => cutText(text, !inStrings, !inTags);
  return (text) => (text.includes(separator) ? text.split(separator).flatMap(cut) : cut(text));
}

const [quote, tag, slash, backslash] = ['"', '<', '/', '\\'].map((one) => one.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];
const isBetween = byteClass(/[\s,:{}[\]]/);

/** Between two strings of JSON, escaped or not, and in front of a tag of HTML. The characters of the text are bytes. */
function cutText(text: string, betweenStrings: boolean, beforeTags: boolean): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  const cut = (at: number) => {
    if (at > 0) pieces.push(text.slice(start, at));
    start = at;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote && betweenStrings) {
      let next = at + 1;
      while (next < text.length && isBetween[text.charCodeAt(next)] === 1) next += 1;
      let opens = next;
      while (text.charCodeAt(opens) === backslash) opens += 1;
      if (next > at + 1 && text.charCodeAt(opens) === quote) cut(next);
      at = next - 1;
    } else if (code === tag && beforeTags) {
      const letter = text.charCodeAt(text.charCodeAt(at + 1) === slash ? at + 2 : at + 1);
      if (letter >= 0x61 && letter <= 0x7a) cut(at);
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}
