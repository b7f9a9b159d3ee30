/** Percent-encodes as clients do: correctly (RFC 5849 section 3.6), or with the mistakes of a recipe. */
import { percentEncode } from '../../protocol/index.ts';
import type { Recipe } from '../deviation.ts';
import { charsets, type Encoded, hexOf, percentEscapes } from '../signing-options.ts';

export type Encoder = ReturnType<typeof encoderOf>;

/** Maximum number of characters whose escapes an encoder caches. */
const maxEscapes = 1024;
/** Maximum total length of the encoded texts that an encoder caches, in UTF-16 units. */
const maxCachedLength = 48 * 1024 * 1024;

/** Returns the encoder of a recipe. It passes the cost of each encoding to `spend`; hashing one character costs 1. */
export function encoderOf(recipe: Recipe, spend: (characters: number) => void) {
  const right = (text: string): string => {
    spend(text.length * escapeCost);
    return percentEncode(text);
  };
  const layer = (inLowerHex: boolean) =>
    isPlain(recipe) && !inLowerHex && recipe.hex !== 'unpadded' ? right : deviantEncoder(recipe, inLowerHex, spend);
  const encodeInside = layer(recipe.hex === 'lower' || recipe.hex === 'lower-inside');
  const isOutsideRight = recipe.reach === 'parameters';
  const encodeOutside = isOutsideRight ? right : layer(recipe.hex === 'lower' || recipe.hex === 'lower-outside');
  const encode = (text: string): string =>
    recipe.escapes === 'kept'
      ? text.replace(/%[0-9A-Fa-f]{2}|[^%]+|%/g, (part) => (/^%../.test(part) ? part : encodeInside(part)))
      : encodeInside(text);
  const cache = new Map<string, Encoded>();
  let size = 0;
  return {
    encode,
    encodeSecret: recipe.reach === 'everywhere' ? encode : right,
    encodeOutside,
    /** The text encoded once and twice. The results are cached, because most texts occur in many candidates. */
    encodeBoth: (text: string): Encoded => {
      const cached = cache.get(text);
      if (cached !== undefined) return cached;
      const once = encode(text);
      const encoded = { once, twice: encodeOutside(once) };
      size += once.length + encoded.twice.length;
      if (size > maxCachedLength) {
        cache.clear();
        size = 0;
      }
      cache.set(text, encoded);
      return encoded;
    },
    /** True if names and values must be joined before the second encoding: it escapes only the first `!` and `*`. */
    mustJoinFirst: recipe.marks === 'later-ones' && !isOutsideRight,
  };
}

/** Costs of one character: to replace it in a wrong encoding, and to encode it correctly. To hash it costs 1. */
const replaceCost = 40;
const escapeCost = 8;

function deviantEncoder(
  recipe: Recipe,
  lowerHex: boolean,
  spend: (characters: number) => void,
): (text: string) => string {
  const escapes = new Map<string, string>();
  const cachedEscape = (character: string): string => {
    const cached = escapes.get(character);
    if (cached !== undefined) return cached;
    const computed = escapeOf(character, recipe, lowerHex);
    if (escapes.size < maxEscapes) escapes.set(character, computed);
    return computed;
  };
  const encode = (text: string): string => {
    const composed = recipe.composition === 'as-read' ? text : text.normalize(recipe.composition.toUpperCase());
    let replaced = 0;
    const encoded = composed.replace(/[^A-Za-z0-9]/gu, (character) => {
      replaced += 1;
      return cachedEscape(character);
    });
    spend(composed.length + replaced * replaceCost);
    return encoded;
  };
  if (recipe.marks !== 'later-ones') return encode;
  // These clients call `replace` with a text, which changes only its first occurrence.
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

function escapeOf(character: string, recipe: Recipe, lowerHex: boolean): string {
  const toEscapes = (bytes: Uint8Array): string => percentEscapes(bytes, lowerHex);
  const code = character.codePointAt(0)!;
  if (code < 0x80) return asciiEscapeOf(character, recipe) ?? toEscapes(Buffer.of(code));
  if (code >= 0xdc80 && code <= 0xdcff) return toEscapes(Buffer.of(code - 0xdc00));
  const { charset } = recipe;
  const question = escapeOf('?', recipe, lowerHex);
  if (charset in charsets) return charsets[charset as keyof typeof charsets](character, toEscapes, question);
  const byte = codePageOf(charset).get(character);
  return byte === undefined ? question : toEscapes(Buffer.of(byte));
}

function asciiEscapeOf(character: string, { space, plus, hex, marks, reserved, unreserved }: Recipe) {
  if (character === ' ' && space === 'plus') return '+';
  if (character === '+' && plus !== 'escaped') return plus === 'as-space' ? '%20' : '+';
  if (character < '\x10' && hex === 'unpadded') return `%${hexOf(character.charCodeAt(0), 1)}`;
  const bare = reserved + (marks === 'later-ones' ? "!*'()" : marks);
  const isUnreserved = '-._~'.includes(character) && !unreserved.includes(character);
  return isUnreserved || bare.includes(character) ? character : undefined;
}

const codePages = new Map<string, ReadonlyMap<string, number>>();

function codePageOf(charset: string): ReadonlyMap<string, number> {
  const cached = codePages.get(charset);
  if (cached !== undefined) return cached;
  const decoder = new TextDecoder(charset);
  const table = new Map(Array.from({ length: 0x80 }, (_, at) => [decoder.decode(Uint8Array.of(0x80 + at)), 0x80 + at]));
  codePages.set(charset, table);
  return table;
}
