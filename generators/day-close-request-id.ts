/** Generates day_close_request_id (sections 2.1 and 8): 8 to 32 letters and digits. */
import * as fc from 'fast-check';
import { lettersAndDigits } from './alphabets.ts';
import { type Domain, fault, type Labelled, open, textOf, valid, withInsert } from './labelled.ts';

/** A draw can repeat an id, so the caller must remove repeated ids. */
const validRequestId: fc.Arbitrary<Labelled<string>> = textOf(lettersAndDigits, 8, 32).map((id) => valid(id));

const edges: readonly Labelled<string>[] = [
  valid('a1b2c3d4', 'length-8'),
  valid('0123456789abcdefABCDEF0123456789', 'length-32'),
  fault('close-day/request-id-length', 'length-7', 'a1b2c3d'),
  fault('close-day/request-id-length', 'length-33', '0123456789abcdefABCDEF01234567890'),
  fault('close-day/request-id-length', 'length-1', 'a'),
  fault('close-day/request-id-length', 'length-128', '0123456789abcdef'.repeat(8)),
  // A program that reads this id as a number loses the leading zeros.
  valid('0000000004271538', 'leading-zeros'),
  valid('12345678', 'eight-digits'),
  valid('00000000', 'zeros-alone'),
  valid('9'.repeat(32), 'one-digit-repeated'),
  valid('aaaaaaaa', 'one-letter-repeated'),
  valid('12345678901234567890', 'above-2-to-the-64'),
  valid('123456789e12', 'number-with-exponent'),
  valid('AbCdEfGh', 'both-cases'),
  valid('abcdefghijklmno', 'lower-case-letters'),
  // Do not add this id in small letters: a gateway that ignores case (A8) may refuse it as a repeated id (A7).
  valid('ZYXWVUTSRQPONML', 'capital-letters'),
  valid('0123456789abcdefABCDEF012345678', 'length-31'),
  valid('123e4567e89b12d3a456426614174000', 'uuid-without-dashes'),
  open('A8', 'latin-letter-with-accent', 'Tagesende\u00e9'),
  open('A8', 'combining-accent', 'Tagesendee\u0301'),
  open('A8', 'cyrillic-letters', '\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437'),
  open('A8', 'astral-letters', '\u{1d400}'.repeat(8)),
  open('A8', 'full-width-digits', '\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18'),
  open('A8', 'length-8-in-characters-16-in-bytes', '\u00e9'.repeat(8)),
  open('A8', 'length-32-in-characters-64-in-bytes', '\u00e9'.repeat(32)),
];

const odd: fc.Arbitrary<Labelled<string>> = fc.oneof(
  fc.oneof(textOf(lettersAndDigits, 6, 10), textOf(lettersAndDigits, 30, 34)).map((id) => {
    const edge = `${id.length}-characters`;
    return id.length < 8 || id.length > 32 ? fault('close-day/request-id-length', edge, id) : valid(id, edge);
  }),
  withInsert(textOf(lettersAndDigits, 8, 30), ['\u00e9', 'e\u0301', '\u0436', '\u6f22']).map((id) =>
    open('A8', 'non-ascii-letter-somewhere', id),
  ),
);

const foreignCharacters = { dash: '-', underscore: '_', space: ' ', point: '.', plus: '+', 'line-feed': '\n' } as const;

const faulty: fc.Arbitrary<Labelled<string>> = fc.oneof(
  textOf(lettersAndDigits, 1, 7).map((id) => fault('close-day/request-id-length', 'too-short', id)),
  textOf(lettersAndDigits, 33, 64).map((id) => fault('close-day/request-id-length', 'too-long', id)),
  fc.constant(fault('close-day/request-id-length', 'empty', '')),
  // The wrong character is inside the id, because a gateway may trim the ends of an id.
  ...Object.entries(foreignCharacters).map(([edge, character]) =>
    fc
      .tuple(textOf(lettersAndDigits, 4, 15), textOf(lettersAndDigits, 4, 16))
      .map(([before, after]) => fault('close-day/request-id-alphabet', edge, before + character + after)),
  ),
);

export const dayCloseRequestIds = { valid: validRequestId, edges, odd, faulty } satisfies Domain<string>;
