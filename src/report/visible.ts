/** Makes foreign text safe to show: no character may move the cursor, hide, reorder or break off the text around it. */

/**
 * Characters that act instead of showing: controls, formats (bidirectional and zero-width marks, tags), halves of
 * surrogate pairs, private and unassigned ones, line and paragraph separators, what is ignorable by default, and spaces that
 * look like the ordinary one, as the Braille pattern without dots does.
 */
const acting = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const actingInJson = new RegExp(`(?!\\n)(?:${acting.source})`, 'gu');

/**
 * What build servers obey anywhere in a text: `##[error]`, `##vso[…]`, `##teamcity[…]` in what they print, and in junit.xml
 * `[[ATTACHMENT|a file of theirs]]` and `[[PROPERTY|…]]`.
 */
const order = /##(?=\w*\[)|\[\[(?=[A-Z]+\|)/g;

/** A character and marks on it; of an ordinary letter and mark there is one character too, which looks the same. */
const marked = /(\P{M})(\p{M}{1,8})/gu;

/**
 * The text with each acting character written out, as in `<U+202E>`, marks where one character would do (as in normal form D, which
 * looks like form C and is other bytes), and no order to a build server; the result has one line.
 */
export function visible(text: string): string {
  const apart = text.replace(marked, (both, letter, marks) =>
    both.normalize('NFC') === both ? both : letter + marks.replace(/./gsu, numbered),
  );
  return apart.replace(acting, numbered).replace(order, ([half]) => half + numbered(half!));
}

export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** `visible` as text for the script of a page, which meets the same values. */
export const visibleInBrowser = `const acting = ${acting};\nconst order = ${order};\nconst marked = ${marked};\n${numbered}\n${visible}\n${visibleLines}`;

/** A foreign value with invisible spaces shown, as in `<U+0020>`: those at its ends, and all but the first of several. */
export function withSpaces(value: string): string {
  const written = (spaces: string) => numbered(' ').repeat(spaces.length);
  return value.replace(/^ +| +$|(?<= ) +/g, written);
}

/** A line without the `::` at its start that GitHub obeys, as in `::error::`; blanks before it do not keep it from that. */
export function withoutOrder(line: string): string {
  return line.replace(/^(\s*):(?=:)/, `$1${numbered(':')}`);
}

function numbered(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** What may act: looked for first, since most of a long text is ordinary ASCII. */
const notPlain = /[^\n -~]/;

/** JSON text with each acting character as a JSON escape: the same value, and safe to look at. Its line ends stay. */
export function visibleJson(json: string): string {
  const shown = notPlain.test(json) ? json.replace(actingInJson, escapeUnits) : json;
  return shown.replace(order, ([half]) => half + escapeUnits(half!));
}

/** A value as JSON that is safe to look at, with a line end: what commands print, and what files have. */
export function printedJson(value: unknown, indent?: number): string {
  return `${visibleJson(JSON.stringify(value, undefined, indent))}\n`;
}

/** JSON escapes name UTF-16 units (RFC 8259 section 7), so a character beyond the first plane takes two. */
function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * The text if it has at most `limit` characters, else its beginning and its end with the full length between them.
 * Characters are code points, so no pair is cut. Deviations are mostly near the ends, so both are kept.
 */
export function shortened(text: string, limit: number): string {
  // A character has one unit or two: what is short in units need not be taken apart.
  if (text.length <= limit) return text;
  const length = charactersIn(text);
  if (length <= limit) return text;
  const tail = Math.floor(limit / 4);
  const first = [...text.slice(0, 2 * (limit - tail))].slice(0, limit - tail);
  const last = tail === 0 ? [] : [...text.slice(-2 * tail)].slice(-tail);
  return `${first.join('')} [… ${length.toLocaleString('en-US')} characters in all …] ${last.join('')}`;
}

/**
 * The text with each of its sentences shortened by itself: a long value that one of them quotes takes nothing of the others.
 * Ten times the limit is the most there is.
 */
export function shortenedSentences(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const sentences = shortened(text, 10 * limit).split(/(?<=[.:;]) /);
  return sentences.map((sentence) => shortened(sentence, limit)).join(' ');
}

/** Code points, without taking the text apart: it may be a body of many megabytes. */
export function charactersIn(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const next = unit >= 0xd800 && unit < 0xdc00 ? text.charCodeAt(at + 1) : 0;
    if (next >= 0xdc00 && next < 0xe000) at += 1;
    length += 1;
  }
  return length;
}
