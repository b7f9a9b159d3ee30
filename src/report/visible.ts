/** Makes foreign text safe to show: no character may move the cursor, hide, reorder or break the text around it. */

/**
 * Characters that act instead of showing: controls, formats (bidirectional and zero-width marks, tags), half surrogate pairs,
 * private and unassigned ones, line and paragraph separators, ignorable ones, and spaces that look like the ordinary one, such as
 * the Braille pattern without dots.
 */
const acting = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const actingInJson = new RegExp(`(?!\\n)(?:${acting.source})`, 'gu');

/**
 * What build servers obey anywhere in a text: `##[error]`, `##vso[…]`, `##teamcity[…]` in output, and `[[ATTACHMENT|a file of
 * theirs]]` and `[[PROPERTY|…]]` in junit.xml.
 */
const order = /##(?=\w*\[)|\[\[(?=[A-Z]+\|)/g;

/** A character with its marks. If one character of Unicode looks the same, the marks are shown. */
const marked = /(\P{M})(\p{M}{1,8})/gu;

/**
 * Writes out acting characters, as in `<U+202E>`, and marks if one character would do (normal form D looks like form C, but has
 * other bytes). Disables commands to a build server. The result has one line.
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

/** `visible` as text for the script of a page, which gets the same values. */
export const visibleInBrowser = `const acting = ${acting};\nconst order = ${order};\nconst marked = ${marked};\n${numbered}\n${visible}\n${visibleLines}`;

/** Shows invisible spaces of a foreign value, as in `<U+0020>`: at its ends, and after the first of several. */
export function withSpaces(value: string): string {
  const written = (spaces: string) => numbered(' ').repeat(spaces.length);
  return value.replace(/^ +| +$|(?<= ) +/g, written);
}

/** Disables a `::` at the start of a line, as in `::error::`. GitHub obeys it even after blanks. */
export function withoutOrder(line: string): string {
  return line.replace(/^(\s*):(?=:)/, `$1${numbered(':')}`);
}

function numbered(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** A quick first test, because most of a long text is ordinary ASCII. */
const notPlain = /[^\n -~]/;

/** Writes acting characters as JSON escapes: the same value, but safe to show. Line ends stay. */
export function visibleJson(json: string): string {
  const shown = notPlain.test(json) ? json.replace(actingInJson, escapeUnits) : json;
  return shown.replace(order, ([half]) => half + escapeUnits(half!));
}

/** JSON that is safe to show, with a line end: for output of commands and for files. */
export function printedJson(value: unknown, indent?: number): string {
  return `${visibleJson(JSON.stringify(value, undefined, indent))}\n`;
}

/** JSON escapes name UTF-16 units (RFC 8259 section 7), so a character beyond the first plane needs two. */
function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * A longer text becomes its start and its end, with the full length between them. Counts code points, so no pair is cut. Both
 * ends stay, because deviations are mostly there.
 */
export function shortened(text: string, limit: number): string {
  // A character has one or two units, so a text with few units needs no counting.
  if (text.length <= limit) return text;
  const length = charactersIn(text);
  if (length <= limit) return text;
  const tail = Math.floor(limit / 4);
  const first = [...text.slice(0, 2 * (limit - tail))].slice(0, limit - tail);
  const last = tail === 0 ? [] : [...text.slice(-2 * tail)].slice(-tail);
  return `${first.join('')} [… ${length.toLocaleString('en-US')} characters in all …] ${last.join('')}`;
}

/** Shortens each sentence by itself, so that a long quoted value does not hide other sentences. At most ten times the limit in total. */
export function shortenedSentences(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const sentences = shortened(text, 10 * limit).split(/(?<=[.:;]) /);
  return sentences.map((sentence) => shortened(sentence, limit)).join(' ');
}

/** Counts code points: a pair of surrogates is one. */
export function charactersIn(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
