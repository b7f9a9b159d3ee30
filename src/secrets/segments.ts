/** Cuts a text where no secret can go across, so that what a run repeats, such as header lines, is searched once, and joins pieces of it. */
import { byteClass } from './runs.ts';
import type { Secret } from './secret.ts';

/** One piece at a time: of a long text there may be a million. */
export type Cutter = (text: string) => Iterable<string>;

/** Is between pieces that were put together: part of no encoding and of no UTF-8, so that they come apart again under the next layer. */
export const separator = '\xff\xfe\xfd\xfc';

/**
 * No encoding writes what these places hold, so only a text that has it itself, or ends in the middle of it, can go across: where
 * a secret does there is no cut at such places. A key is found by each of a hundred pieces.
 */
export function cutterFor(secrets: readonly Secret[]): Cutter {
  const places: Places = { across: new Set(), startsBetween: false, beforeTags: true };
  for (const { forms, areMany } of secrets) {
    for (const { bytes } of forms) {
      const text = String(bytes);
      for (const [, between] of text.matchAll(/"([\s,:{}[\]]+)(?=[\\"])/g)) places.across.add(between!);
      places.startsBetween ||= /^[\s,:{}[\]]+[\\"]/.test(text);
      places.beforeTags &&= !/<\/?(?:[a-z]|$)/.test(text);
      if (areMany === undefined) break;
    }
  }
  return function* (text) {
    for (const piece of text.split(separator)) yield* cutText(piece, places);
  };
}

interface Places {
  /** What is between two strings in a secret: not a place to cut at. Among a hundred thousand ids of any characters some have one. */
  readonly across: Set<string>;
  /** Some secret starts there: what is between two strings is the end of one piece and the start of the next as well. */
  startsBetween: boolean;
  /** Whether no secret goes across the start of a tag. */
  beforeTags: boolean;
}

const [quote, tag, slash, backslash] = ['"', '<', '/', '\\'].map((one) => one.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];
const isBetween = byteClass(/[\s,:{}[\]]/);

/** Between two strings of JSON, escaped or not, and in front of a tag of HTML. The characters of the text are bytes. */
function* cutText(text: string, { across, startsBetween, beforeTags }: Places): Generator<string> {
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      let next = at + 1;
      while (next < text.length && isBetween[text.charCodeAt(next)] === 1) next += 1;
      let opens = next;
      while (text.charCodeAt(opens) === backslash) opens += 1;
      if (next > at + 1 && text.charCodeAt(opens) === quote && !across.has(text.slice(at + 1, next))) {
        yield text.slice(start, next);
        start = startsBetween ? at + 1 : next;
      }
      at = next - 1;
    } else if (code === tag && beforeTags) {
      const letter = text.charCodeAt(text.charCodeAt(at + 1) === slash ? at + 2 : at + 1);
      if (at > 0 && letter >= 0x61 && letter <= 0x7a) {
        yield text.slice(start, at);
        start = at;
      }
    }
  }
  yield text.slice(start);
}
