/** Percent-encodes as clients do: correctly (RFC 5849 section 3.6), or with the mistakes of a recipe. */
import { percentEncode } from '../../protocol/index.ts';
import { escapeBytes } from '../../protocol/percent.ts';
import { bytesKeptIn } from '../../protocol/utf8.ts';
import { charsets, type Encoded, inEscapes } from '../choices.ts';
import type { Recipe } from '../deviation.ts';

export type Encoder = ReturnType<typeof encoderOf>;

const unreserved = /^[A-Za-z0-9\-._~]$/;
const laterMarks = "'()";
const longText = 4096;
const maxEscapes = 1024;
/** Size limit of an encoder's cache, in UTF-16 units of encoded texts. */
const maxKept = 4 * 1024 * 1024;

type RightEncoder = ReturnType<typeof rightEncoder>;

/** The encoder of RFC 5849, which caches only long texts. `spend` is called with the cost of each encoding. */
export function rightEncoder(spend: (characters: number) => void) {
  const counted = (text: string): string => {
    spend(text.length * perEscaped);
    return percentEncode(text);
  };
  const encoded = cacheOf<string>(maxOfLong, (text, value) => text.length + value.length, maxLong);
  const others = cacheOf<readonly string[] | undefined>(maxOfLong, (text) => text.length, maxLong);
  return {
    encode: (text: string) => (text.length < longText ? counted(text) : encoded(text, counted)),
    othersIn: (text: string) => others(text, distinctOthers),
  };
}

const maxOthers = 12;

/** The distinct characters that are no ASCII letters or digits. Undefined if there are more than `maxOthers`. */
function distinctOthers(text: string): readonly string[] | undefined {
  const found = new Set(text.replace(/[A-Za-z0-9]+/g, ''));
  return found.size > maxOthers ? undefined : [...found];
}

/** Limits of a cache of long texts: `maxOfLong` UTF-16 units in texts and results, and `maxLong` texts. */
const [maxOfLong, maxLong] = [48 * 1024 * 1024, 16] as const;

function cacheOf<T>(maxSize: number, sizeOf: (text: string, value: T) => number, maxCount = Number.POSITIVE_INFINITY) {
  const kept = new Map<string, T>();
  let size = 0;
  return (text: string, make: (text: string) => T): T => {
    if (kept.has(text)) return kept.get(text)!;
    const value = make(text);
    size += sizeOf(text, value);
    if (size > maxSize || kept.size >= maxCount) {
      kept.clear();
      size = sizeOf(text, value);
    }
    kept.set(text, value);
    return value;
  };
}

/** The encoder of a recipe. `spend` is called with the cost of each encoding, in hashed characters. */
export function encoderOf(recipe: Recipe, right: RightEncoder, spend: (characters: number) => void) {
  const inside = layer(recipe, recipe.hex === 'lower' || recipe.hex === 'lower-inside', right, spend);
  const rightOutside = recipe.reach === 'parameters';
  const outside = rightOutside
    ? right.encode
    : layer(recipe, recipe.hex === 'lower' || recipe.hex === 'lower-outside', right, spend);
  const encode = (text: string): string =>
    recipe.escapes === 'kept'
      ? text.replace(/%[0-9A-Fa-f]{2}|[^%]+|%/g, (part) => (/^%../.test(part) ? part : inside(part)))
      : inside(text);
  const kept = cacheOf<Encoded>(maxKept, (_, { once, twice }) => once.length + twice.length);
  const encodeBoth = (text: string): Encoded => {
    const once = encode(text);
    return { once, twice: outside(once) };
  };
  return {
    encode,
    encodeSecret: recipe.reach === 'everywhere' ? encode : right.encode,
    encodeOutside: outside,
    /** Both encodings. The results are cached, because most texts occur in many candidates. */
    both: (text: string) => kept(text, encodeBoth),
    /** True if the second encoding depends on earlier characters, so that pieces cannot be encoded separately. */
    wholeOnly: recipe.marks === 'later-ones' && !rightOutside,
  };
}

/** Cost of replacing one character, in hashed characters. */
const perReplaced = 40;
/** Cost of escaping one character of a text as bytes, in hashed characters. */
const perEscaped = 8;

function layer(
  recipe: Recipe,
  lowerHex: boolean,
  right: RightEncoder,
  spend: (characters: number) => void,
): (text: string) => string {
  if (isPlain(recipe) && !lowerHex) return right.encode;
  const table = asciiTable(recipe, lowerHex);
  const escapes = [...table, ...(lowerHex ? lowerEscapes : upperEscapes).slice(0x80)];
  const beyond = new Map<string, string>();
  const escaped = (character: string): string => {
    const code = character.codePointAt(0)!;
    if (code < 0x80) return table[code]!;
    const known = beyond.get(character) ?? escapesOf(character, recipe.charset, lowerHex, table[0x3f]!);
    if (beyond.size < maxEscapes) beyond.set(character, known);
    return known;
  };
  const encode = (text: string): string => {
    const composed = recipe.composition === 'as-read' ? text : text.normalize(recipe.composition.toUpperCase());
    const isLong = composed.length >= longText;
    const others = isLong ? right.othersIn(composed) : undefined;
    if (others?.every((character) => escaped(character) === percentEncode(character))) return right.encode(composed);
    if (isLong && (recipe.charset === 'utf-8' || !/[^\0-\x7f]/.test(composed))) {
      spend(composed.length * perEscaped);
      return escapeBytes(bytesKeptIn(composed), escapes);
    }
    if (recipe.unreserved === '' && !/[^A-Za-z0-9\-._~]/.test(composed)) return composed;
    let replaced = 0;
    const encoded = composed.replace(/[^A-Za-z0-9]/gu, (character) => {
      replaced += 1;
      return escaped(character);
    });
    spend(composed.length + replaced * perReplaced);
    return encoded;
  };
  if (recipe.marks !== 'later-ones') return encode;
  // `replace` changes only the first occurrence of each character, which is the mistake of such clients.
  return (text) => encode(text).replace('!', '%21').replace('*', '%2A');
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
  const table = escapes
    .slice(0, 0x80)
    .map((escaped, code) => (unreserved.test(String.fromCharCode(code)) ? String.fromCharCode(code) : escaped));
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

const lowerEscapes = Array.from({ length: 0x100 }, (_, code) => `%${code.toString(16).padStart(2, '0')}`);
const upperEscapes = lowerEscapes.map((escaped) => escaped.toUpperCase());

/** Escapes one code point. `question` is the encoded "?", which some charsets use for unknown characters. */
function escapesOf(character: string, charset: Recipe['charset'], lowerHex: boolean, question: string): string {
  const code = character.codePointAt(0)!;
  const inHex = (bytes: Uint8Array): string => inEscapes(bytes, lowerHex);
  if (code >= 0xdc80 && code <= 0xdcff) return inHex(Buffer.of(code - 0xdc00));
  if (charset in charsets) return charsets[charset as keyof typeof charsets](character, inHex, question);
  const byte = bytesOf(charset).get(character);
  return byte === undefined ? question : inHex(Buffer.of(byte));
}

const codePages = new Map<string, ReadonlyMap<string, number>>();

function bytesOf(charset: string): ReadonlyMap<string, number> {
  const known = codePages.get(charset);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(charset);
  const made = new Map(Array.from({ length: 0x80 }, (_, at) => [decoder.decode(Uint8Array.of(0x80 + at)), 0x80 + at]));
  codePages.set(charset, made);
  return made;
}
