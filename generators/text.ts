/** Draws texts of an alphabet. A failing text shrinks to the shortest one of the first characters. */
import * as fc from 'fast-check';

export const digits = [...'0123456789'];
export const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
export const lettersAndDigits = [...letters, ...digits];

export function textOf(alphabet: readonly string[], least: number, most: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...alphabet), { minLength: least, maxLength: most, size: 'max' })
    .map((characters) => characters.join(''));
}

export function withInsert(text: fc.Arbitrary<string>, inserts: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(text, fc.nat({ max: 255 }), fc.constantFrom(...inserts)).map(([plain, place, insert]) => {
    const at = place % (plain.length + 1);
    return plain.slice(0, at) + insert + plain.slice(at);
  });
}

/** Formats cents with two decimals. */
export function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
