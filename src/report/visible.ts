/** Makes foreign text safe to show: no character may move the cursor, hide, or change the text around it. */

/** Characters that act, or that nobody sees: controls, formats, half surrogate pairs, unassigned ones, and unusual spaces. */
const acting = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const actingInJson = new RegExp(`(?!\\n)(?:${acting.source})`, 'gu');

/** Commands to build servers: `##[error]`, `##vso[…]` and `##teamcity[…]` in output, `[[ATTACHMENT|…]]` in junit.xml. */
const order = /##(?=\w*\[)|\[\[(?=[A-Z]+\|)/g;

/** A character with combining marks. */
const marked = /(\P{M})(\p{M}{1,8})/gu;

/**
 * Writes out acting characters, as in `<U+202E>`, and marks that form D has instead of form C, which looks the same. Disables
 * commands to build servers. The result has one line.
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

/** `visible` and `visibleLines` for the script of a page. */
export const visibleInBrowser = `const acting = ${acting};\nconst order = ${order};\nconst marked = ${marked};\n${numbered}\n${visible}\n${visibleLines}`;

/** Writes out spaces at the ends of a value, and those after another space, as in `<U+0020>`. */
export function withSpaces(value: string): string {
  const written = (spaces: string) => numbered(' ').repeat(spaces.length);
  return value.replace(/^ +| +$|(?<= ) +/g, written);
}

/** Disables a command of GitHub, as in `::error::`, at the start of a line or after blanks. */
export function withoutOrder(line: string): string {
  return line.replace(/^(\s*):(?=:)/, `$1${numbered(':')}`);
}

function numbered(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** A quick test, because most texts are ASCII. */
const notPlain = /[^\n -~]/;

/** Writes acting characters as JSON escapes, which keep the value. Line ends stay. */
export function visibleJson(json: string): string {
  const shown = notPlain.test(json) ? json.replace(actingInJson, escapeUnits) : json;
  return shown.replace(order, ([half]) => half + escapeUnits(half!));
}

/** JSON that is safe to show, with a line end. */
export function printedJson(value: unknown, indent?: number): string {
  return `${visibleJson(JSON.stringify(value, undefined, indent))}\n`;
}

/** Escapes each UTF-16 unit, as RFC 8259 section 7 requires. */
function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Cuts the middle out of a text with more than `limit` code points. Start and end stay, because most deviations are there. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const length = charactersIn(text);
  if (length <= limit) return text;
  const tail = Math.floor(limit / 4);
  const first = [...text.slice(0, 2 * (limit - tail))].slice(0, limit - tail);
  const last = tail === 0 ? [] : [...text.slice(-2 * tail)].slice(-tail);
  return `${first.join('')} [… ${length.toLocaleString('en-US')} characters in all …] ${last.join('')}`;
}

/** Shortens each sentence, so that a long quoted value does not hide other sentences. All have at most ten times the limit. */
export function shortenedSentences(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const sentences = shortened(text, 10 * limit).split(/(?<=[.:;]) /);
  return sentences.map((sentence) => shortened(sentence, limit)).join(' ');
}

/** Counts code points. */
export function charactersIn(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
