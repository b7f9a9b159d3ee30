/** Long texts from two integers, so that a generated value costs one draw and not one for each character. */

export const digits = [...'0123456789'];
export const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
export const lettersAndDigits = [...letters, ...digits];

/**
 * A text of that many elements of the alphabet. The same seed gives the same text; seed 0 repeats the first element,
 * so that shrinking towards 0 ends in a plain text.
 */
export function textFromSeed(alphabet: readonly string[], length: number, seed: number): string {
  let text = '';
  let state = seed | 0;
  for (let at = 0; at < length; at++) {
    // Xorshift (Marsaglia 2003, 13-17-5): three operations a character, and 0 stays 0.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    text += alphabet[(state >>> 0) % alphabet.length];
  }
  return text;
}
