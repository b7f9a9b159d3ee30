/** Form bodies: every sender is read, no byte is lost, and five megabytes are not a burden. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeForm, encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { normalizeParameters } from '../../../src/protocol/oauth/base-string.ts';
import { percentEncode } from '../../../src/protocol/percent.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
import { disagreements, errorCode, readVectors, type Vector } from './vectors.ts';

// The same values in every run.
fc.configureGlobal({ seed: 20_260_131 });

interface FormVector extends Vector {
  readonly operation: 'encode' | 'decode';
  readonly form?: string;
  readonly formHex?: string;
  readonly pairs?: Pair[];
  readonly pairsHex?: Pair[];
  readonly normalized?: string;
}

const vectors = readVectors<FormVector>('form.json');
const decoding = vectors.filter((vector) => vector.operation === 'decode');

test('every form of the vectors is read as they say, bytes that are not UTF-8 included', () => {
  const read = (vector: FormVector) => decodeForm(formOf(vector));
  const texts = decoding.filter((vector) => vector.pairs !== undefined);
  expect(disagreements(texts, (vector) => vector.pairs, read)).toEqual([]);
  const bytes = decoding.filter((vector) => vector.pairsHex !== undefined);
  const asHex = (vector: FormVector) => read(vector).map(([name, value]) => [hexOf(name), hexOf(value)]);
  expect(disagreements(bytes, (vector) => vector.pairsHex, asHex)).toEqual([]);
});

test('every form of the vectors is normalized as they say', () => {
  const normalized = (vector: FormVector) => normalizeParameters(decodeForm(formOf(vector)));
  expect(disagreements(decoding, (vector) => vector.normalized, normalized)).toEqual([]);
});

test('every list of pairs of the vectors is written as they say', () => {
  const encoding = vectors.filter((vector) => vector.operation === 'encode');
  const write = (vector: FormVector) => encodeForm(vector.pairs!);
  expect(disagreements(encoding, ({ form }) => form, write)).toEqual([]);
});

const pairs = fc.array(fc.tuple(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter })));

test('any list of pairs survives writing and reading, order and duplicates included', () => {
  fc.assert(
    fc.property(pairs, (list) => {
      assert.deepEqual(decodeForm(encodeForm(list)), list);
      assert.deepEqual(decodeForm(Buffer.from(encodeForm(list))), list);
    }),
  );
});

test('any bytes are read without an error, and two different values never become one text', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const escaped = Buffer.from(bytes).toString('hex').replace(/../g, '%$&');
      const [pair] = decodeForm(`a=${escaped}`);
      assert.equal(hexOf(pair![1]), Buffer.from(bytes).toString('hex'));
      decodeForm(bytes);
    }),
    { numRuns: 500 },
  );
});

test('ASCII text is read as URLSearchParams reads it', () => {
  // Bytes that are not UTF-8 differ on purpose, so no piece makes one. ASCII, since Node 20 garbles a raw non-ASCII
  // character that is in one value with an escape.
  const piece = fc.constantFrom(...'x y + %20 %2B % %4 %zz = & %C3%A9 ; \n __proto__'.split(' '));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      return JSON.stringify(decodeForm(text)) === JSON.stringify([...new URLSearchParams(`&${text}`)]);
    }),
    { numRuns: 1000 },
  );
});

test('a query that holds half of a surrogate pair is refused, for no byte was ever sent that way', () => {
  expect(errorCode(() => decodeForm('a=\ud800'))).toBe('not-text');
  expect(errorCode(() => decodeForm('a=\udc80'))).toBe('not-text');
  expect(decodeForm('a=😀')).toEqual([['a', '😀']]);
});

test('an escape has two hex digits, and the neighbours of digits and letters in ASCII are none', () => {
  for (const digit of '09afAF') expect(decodeForm(`a=%4${digit}`)[0]![1]).toHaveLength(1);
  for (const other of '/:`g@G') {
    expect(decodeForm(`a=%4${other}`)).toEqual([['a', `%4${other}`]]);
    expect(decodeForm(`a=%${other}4`)).toEqual([['a', `%${other}4`]]);
  }
});

test('bytes inside a larger buffer are read from where they start', () => {
  const whole = Buffer.from('x=1&a=b&y=2');
  expect(decodeForm(new Uint8Array(whole.buffer, whole.byteOffset + 4, 3))).toEqual([['a', 'b']]);
});

function formOf(vector: FormVector): Uint8Array | string {
  return vector.formHex === undefined ? vector.form! : Buffer.from(vector.formHex, 'hex');
}

/** Bytes behind a decoded text, kept ones included. */
function hexOf(text: string): string {
  const encoded = percentEncode(text);
  return encoded.replace(/%(..)|(.)/gs, (_, hex?: string, plain?: string) =>
    hex === undefined ? Buffer.from(plain!).toString('hex') : hex.toLowerCase(),
  );
}
