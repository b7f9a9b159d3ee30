/** Percent-encoding as clients do it (RFC 5849 section 3.6 and the ways to miss it). */
import { percentEncode } from '../../protocol/index.ts';
import { escapesOf } from './charset.ts';
import type { Recipe } from './recipe.ts';

/** A text encoded once, for sorting, and once more, for the base string. */
export interface Encoded {
  readonly once: string;
  readonly twice: string;
}

export interface Encoder {
  /** First layer: names and values. */
  readonly encode: (text: string) => string;
  /** The parts of the key. */
  readonly encodeSecret: (text: string) => string;
  /** Second layer: what is joined by `&` to the base string. */
  readonly encodeOutside: (text: string) => string;
  /** Both layers of one text; kept, since most texts occur in many candidates. */
  readonly both: (text: string) => Encoded;
  /** Whether the second layer depends on what is before a character, so that it cannot be done in pieces. */
  readonly wholeOnly: boolean;
}

const unreserved = /^[A-Za-z0-9\-._~]$/;
const laterMarks = "'()";
/** UTF-16 units. */
const longText = 4096;

/** Percent-encoding to the letter, which remembers long texts: most encoders treat them in the same way and can share the work. */
export interface RightEncoder {
  readonly encode: (text: string) => string;
  /** Whether a text is long and of letters, digits and what base64, its escapes and forms are made of. */
  readonly isLongBase64: (text: string) => boolean;
}

export function rightEncoder(): RightEncoder {
  const encoded = remembering(percentEncode);
  const isBase64 = remembering((text) => !/[^A-Za-z0-9%&+/=]/.test(text));
  return {
    encode: (text) => (text.length < longText ? percentEncode(text) : encoded(text)),
    isLongBase64: (text) => text.length >= longText && isBase64(text),
  };
}

/** Of a few texts; to be used for long ones, where looking one up costs less than its result. */
function remembering<T>(compute: (text: string) => T): (text: string) => T {
  const done = new Map<string, T>();
  return (text) => {
    if (done.size >= 16 && !done.has(text)) done.clear();
    const found = done.get(text) ?? compute(text);
    done.set(text, found);
    return found;
  };
}

/** The encoder of a recipe; `right` is what it falls back to. */
export function encoderOf(recipe: Recipe, right: RightEncoder): Encoder {
  const inside = layer(recipe, recipe.hex === 'lower' || recipe.hex === 'lower-inside', right);
  const rightOutside = recipe.reach === 'parameters';
  const outside = rightOutside
    ? right.encode
    : layer(recipe, recipe.hex === 'lower' || recipe.hex === 'lower-outside', right);
  const encode = (text: string): string =>
    recipe.escapes === 'kept' ? text.replace(/%[0-9A-Fa-f]{2}|[^%]+|%/g, (part) => keptOr(part, inside)) : inside(text);
  const kept = new Map<string, Encoded>();
  const both = (text: string): Encoded => {
    let found = kept.get(text);
    if (found === undefined) {
      const once = encode(text);
      found = { once, twice: outside(once) };
      kept.set(text, found);
    }
    return found;
  };
  const wholeOnly = recipe.marks === 'later-ones' && !rightOutside;
  const encodeSecret = recipe.reach === 'everywhere' ? encode : right.encode;
  return { encode, encodeOutside: outside, encodeSecret, both, wholeOnly };
}

function keptOr(part: string, encode: (text: string) => string): string {
  return part.length === 3 && part.startsWith('%') ? part : encode(part);
}

function layer(recipe: Recipe, lowerHex: boolean, right: RightEncoder): (text: string) => string {
  if (isPlain(recipe) && !lowerHex) return right.encode;
  const table = asciiTable(recipe, lowerHex);
  const everyUnreserved = recipe.unreserved === '';
  const likeRight = base64Alphabet.every((character) => table[character.charCodeAt(0)] === percentEncode(character));
  const encode = (text: string): string => {
    if (right.isLongBase64(text)) return likeRight ? right.encode(text) : encodeLong(text, table);
    const composed = recipe.composition === 'as-read' ? text : text.normalize(recipe.composition.toUpperCase());
    if (everyUnreserved && !/[^A-Za-z0-9\-._~]/.test(composed)) return composed;
    return composed.replace(/[^A-Za-z0-9]/gu, (character) => {
      const code = character.codePointAt(0)!;
      return code < 0x80 ? table[code]! : escapesOf(character, recipe.charset, lowerHex);
    });
  };
  return recipe.marks === 'later-ones' ? (text) => withFirstMarks(encode(text)) : encode;
}

function isPlain({ charset, composition, space, plus, marks, reserved, unreserved: escaped }: Recipe): boolean {
  return (
    charset === 'utf-8' &&
    composition === 'as-read' &&
    space === 'escaped' &&
    plus === 'escaped' &&
    marks + reserved + escaped === ''
  );
}

function asciiTable(recipe: Recipe, lowerHex: boolean): string[] {
  const escapes = lowerHex ? lowerEscapes : upperEscapes;
  const table = escapes.map((escaped, code) =>
    unreserved.test(String.fromCharCode(code)) ? String.fromCharCode(code) : escaped,
  );
  const set = (characters: string, to: (code: number, character: string) => string): void => {
    for (const character of characters) table[character.charCodeAt(0)] = to(character.charCodeAt(0), character);
  };
  set(
    recipe.reserved + (recipe.marks === 'later-ones' ? `!*${laterMarks}` : recipe.marks),
    (_, character) => character,
  );
  set(recipe.unreserved, (code) => escapes[code]!);
  if (recipe.space === 'plus') set(' ', () => '+');
  if (recipe.plus !== 'escaped') set('+', () => (recipe.plus === 'as-space' ? '%20' : '+'));
  return table;
}

const lowerEscapes = Array.from({ length: 0x80 }, (_, code) => `%${code.toString(16).padStart(2, '0')}`);
const upperEscapes = lowerEscapes.map((escaped) => escaped.toUpperCase());

/** The reserved characters of base64, of a form and of what is encoded already. */
const base64Alphabet = ['%', '&', '+', '/', '='];

/** Base64 of megabytes holds few reserved characters; native replacement is fastest. */
function encodeLong(text: string, table: readonly string[]): string {
  return base64Alphabet.reduce((done, character, index) => {
    const escaped = table[character.charCodeAt(0)]!;
    // Escapes that were put in before hold no further character of this list but "%", which comes first.
    return escaped === character || (index > 0 && !done.includes(character))
      ? done
      : done.replaceAll(character, escaped);
  }, text);
}

/** `text.replace('!', '%21').replace('*', '%2A')` in JavaScript replaces one occurrence each. */
function withFirstMarks(text: string): string {
  return text.replace('!', '%21').replace('*', '%2A');
}
