/** Makes foreign text safe to show: no character can move the cursor, be invisible, or change the text around it. */

// Characters that are invisible or affect the display: control and format characters, surrogates, unusual spaces, and
// code points that are private or unassigned.
const acting = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
const actingInJson = new RegExp(`(?!\\n)(?:${acting.source})`, 'gu');

/** The start of a command for a build server: `##[error]`, `##vso[…]`, `##teamcity[…]`, or `[[ATTACHMENT|…]]`. */
const order = /##(?=\w*\[)|\[\[(?=[A-Z]+\|)/g;
const marked = /(\P{M})(\p{M}{1,8})/gu;

/**
 * Writes a code, such as `<U+202E>`, for a line end, an invisible character, or a character that affects the display.
 * Also for a combining mark that NFC would change, because `é` looks the same with and without a combining mark.
 * Disables commands for build servers.
 */
export function visible(text: string): string {
  const withMarkCodes = text.replace(marked, (both, letter, marks) =>
    both.normalize('NFC') === both ? both : letter + marks.replace(/./gsu, codeOf),
  );
  return withMarkCodes.replace(acting, codeOf).replace(order, ([half]) => half + codeOf(half!));
}

export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** The code of `visible` and `visibleLines`, to include in the script of a page. */
export const visibleInBrowser = `const acting = ${acting};\nconst order = ${order};\nconst marked = ${marked};\n${codeOf}\n${visible}\n${visibleLines}`;

/** Writes a space as `<U+0020>` if it is at an end of the value or after another space. */
export function showSpaces(value: string): string {
  const codes = (spaces: string) => codeOf(' ').repeat(spaces.length);
  return value.replace(/^ +| +$|(?<= ) +/g, codes);
}

/** Disables a GitHub command, such as `::error::`, at the start of a line, even after spaces. */
export function withoutCommand(line: string): string {
  return line.replace(/^(\s*):(?=:)/, `$1${codeOf(':')}`);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** A quick test: most texts are printable ASCII and need no replacement. */
const notPlain = /[^\n -~]/;

/** Writes JSON escapes for characters that are invisible or affect the display. Keeps the value and the line ends. */
export function visibleJson(json: string): string {
  const escaped = notPlain.test(json) ? json.replace(actingInJson, escapeUnits) : json;
  return escaped.replace(order, ([half]) => half + escapeUnits(half!));
}

/** Prints a value as JSON that is safe to show, with a line end at the end. */
export function printedJson(value: unknown, indent?: number): string {
  return `${visibleJson(JSON.stringify(value, undefined, indent))}\n`;
}

function escapeUnits(character: string): string {
  return character
    .split('') // RFC 8259 section 7: each UTF-16 unit has its own escape.
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Omits the middle of a text with more than `limit` code points. Most differences are at the start or the end. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const length = charactersIn(text);
  if (length <= limit) return text;
  const tail = Math.floor(limit / 4);
  const first = [...text.slice(0, 2 * (limit - tail))].slice(0, limit - tail);
  const last = tail === 0 ? [] : [...text.slice(-2 * tail)].slice(-tail);
  return `${first.join('')} [… ${length.toLocaleString('en-US')} characters in all …] ${last.join('')}`;
}

/** Shortens the text to 10 × `limit`, then each sentence to `limit`. So a long value does not hide other sentences. */
export function shortenedSentences(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const sentences = shortened(text, 10 * limit).split(/(?<=[.:;]) /);
  return sentences.map((sentence) => shortened(sentence, limit)).join(' ');
}

/** Counts code points. */
export function charactersIn(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
