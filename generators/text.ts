/** Texts of an alphabet, drawn character by character: a failing one shrinks to the shortest text of the first characters. */
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

/** An amount of cents with its two fractional digits. */
export function decimal(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
