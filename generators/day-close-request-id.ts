/** day_close_request_id (sections 2.1 and 8): 8 to 32 letters and digits. */
import * as fc from 'fast-check';
import { drawn, fault, type Labelled, made, open, valid } from './labelled.ts';
import { lettersAndDigits, textFromSeed } from './text-from-seed.ts';

/** 8 to 32 ASCII letters and digits. Uniqueness within a run is the caller's: ids may repeat between draws. */
export const validDayCloseRequestId: fc.Arbitrary<Labelled<string>> = fc
  .tuple(fc.integer({ min: 8, max: 32 }), fc.nat())
  .map(([length, seed]) => valid(textFromSeed(lettersAndDigits, length, seed)));

/** Every named edge once. */
export const dayCloseRequestIdEdges: readonly Labelled<string>[] = [
  valid('a1b2c3d4', 'length-8'),
  valid('0123456789abcdefABCDEF0123456789', 'length-32'),
  fault('close-day/request-id-length', 'length-7', 'a1b2c3d'),
  fault('close-day/request-id-length', 'length-33', '0123456789abcdefABCDEF01234567890'),
  valid('00000042', 'leading-zeros'),
  valid('12345678901234567890', 'above-2-to-the-64'),
  valid('123456789e12', 'number-with-exponent'),
  valid('AbCdEfGh', 'both-cases'),
  valid('123e4567e89b12d3a456426614174000', 'uuid-without-dashes'),
  open('A8', 'latin-letter-with-accent', 'Tagesende\u00e9'),
  open('A8', 'combining-accent', 'Tagesendee\u0301'),
  open('A8', 'cyrillic-letters', '\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437'),
  open('A8', 'astral-letters', '\u{1d400}'.repeat(8)),
  open('A8', 'full-width-digits', '\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18'),
  open('A8', 'length-8-in-characters-16-in-bytes', '\u00e9'.repeat(8)),
  open('A8', 'length-32-in-characters-64-in-bytes', '\u00e9'.repeat(32)),
];

export const edgeDayCloseRequestId: fc.Arbitrary<Labelled<string>> = drawn(dayCloseRequestIdEdges);

/** Ids that break the length or the alphabet, never both. */
export const faultyDayCloseRequestId: fc.Arbitrary<Labelled<string>> = made<string>([
  (seed) => fault('close-day/request-id-length', 'too-short', textFromSeed(lettersAndDigits, 1 + (seed % 7), seed)),
  (seed) => fault('close-day/request-id-length', 'too-long', textFromSeed(lettersAndDigits, 33 + (seed % 32), seed)),
  () => fault('close-day/request-id-length', 'empty', ''),
  (seed) => fault('close-day/request-id-alphabet', 'dash', withCharacter('-', seed)),
  (seed) => fault('close-day/request-id-alphabet', 'underscore', withCharacter('_', seed)),
  (seed) => fault('close-day/request-id-alphabet', 'space', withCharacter(' ', seed)),
  (seed) => fault('close-day/request-id-alphabet', 'point', withCharacter('.', seed)),
  (seed) => fault('close-day/request-id-alphabet', 'plus', withCharacter('+', seed)),
  (seed) => fault('close-day/request-id-alphabet', 'line-feed', withCharacter('\n', seed)),
]);

/** 8 to 32 characters, one of which is the given one: never at an end, where a trimming reader would lose it. */
function withCharacter(character: string, seed: number): string {
  const length = 7 + (seed % 25);
  const text = textFromSeed(lettersAndDigits, length, seed);
  const at = 1 + (seed % (length - 1));
  return text.slice(0, at) + character + text.slice(at);
}
