/** Any character of Unicode. What fast-check has for that makes a table of a million of them, in each process that loads a test. */
import fc from 'fast-check';

/** One code point that is not a half of a surrogate pair; `unit` of `fc.string`. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
