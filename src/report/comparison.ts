/** Prints two texts, one above the other, around their first difference. Needs a monospaced font. Escapes the texts. */
import { differingPart } from './pages/exchange-view.ts';
import { charactersIn, showSpaces, visible } from './visible.ts';

type Comparison = readonly [expected: string, received: string, caret: string];

/** The three lines of a comparison, each about `width` characters long. Undefined if the texts are equal. */
export function comparison(expected: string, received: string, width: number): Comparison | undefined {
  if (expected === received) return undefined;
  const texts = [expected, received];
  let at = differingPart(expected, received).start;
  // Move back to the start of a character, to keep surrogate pairs and combining marks together.
  while (at > 0 && texts.some((text) => /^[\p{M}\udc00-\udfff]/u.test(text.slice(at, at + 2)))) at -= 1;
  const lengths = texts.map((text) => {
    const count = charactersIn(text);
    return `${count.toLocaleString('en-US')} ${count === 1 ? 'character' : 'characters'}`;
  });
  const fullWidth = Math.max(24, width - 5 - Math.max(...lengths.map(({ length }) => length)));
  const limit = texts.every(({ length }) => length <= fullWidth) ? fullWidth : Math.floor(fullWidth / 2);
  const before = shortenToFit(expected.slice(Math.max(0, at - limit), at), limit, (text, less) => text.slice(less));
  const start = `${before.length < at ? '…' : ''}${before}`;
  const ends = texts.map((text) => {
    const after = shortenToFit(text.slice(at, at + limit), limit, (part, less) => part.slice(0, -less));
    return at + after.length < text.length ? `${after}…` : showSpaces(after);
  });
  // Escape the joined text: both parts together may be a command of a build server, such as `##vso[`.
  const [one, other] = ends.map((end) => visible(start + end)) as [string, string];
  const column = charactersIn(one) - charactersIn(visible(ends[0]!));
  const maxLength = Math.max(charactersIn(one), charactersIn(other));
  const line = (text: string, length = '') => `${text}${' '.repeat(maxLength - charactersIn(text) + 3)}${length}`;
  const caret = `${' '.repeat(column)}^ character ${(charactersIn(expected.slice(0, at)) + 1).toLocaleString('en-US')}`;
  return [line(one, lengths[0]), line(other, lengths[1]), caret];
}

/** Compares an expected and a received value; undefined if the difference is easy to see without a comparison. */
export function comparedValues(expected = '', received = '', width: number): Comparison | undefined {
  const length = Math.max(expected.length, received.length);
  // A text with spaces and without quotes is a phrase of the suite, not a value.
  if (length < 12 || (expected.includes(' ') && !expected.includes('"'))) return undefined;
  const { start, end } = differingPart(expected, received);
  return 2 * (start + expected.length - end) < length ? undefined : comparison(expected, received, width);
}

export function comparisonText(compared: Comparison | undefined, names: readonly [string, string]): string {
  const labels = [...names, ''];
  return (compared ?? []).map((line, at) => `${labels[at]!.padEnd(10)}${line}`).join('\n');
}

function shortenToFit(text: string, limit: number, shorten: (text: string, less: number) => string): string {
  let result = text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, '');
  while (visible(result).length > limit) result = shorten(result, 1 + (result.length >> 3));
  return result;
}
