/** Form bodies: every sender is read, no byte is lost, and five megabytes are not a burden. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeForm, encodeForm, type Pair, readPieces } from '../../../src/protocol/form.ts';
import { normalizeParameters } from '../../../src/protocol/oauth/base-string.ts';
import { countOnce, mapOnce } from '../../../src/protocol/once-each.ts';
import { percentEncode } from '../../../src/protocol/percent.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
import { errorCode } from './error-code.ts';
import { disagreements, readVectors, type Vector } from './vectors.ts';

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

test('a cut escape at the end of a name or a value stands for itself', () => {
  // The hex digits that would complete it stand on the other side of the sign.
  expect(decodeForm('a%4=1&b=%4&1=c%&41')).toEqual([
    ['a%4', '1'],
    ['b', '%4'],
    ['1', 'c%'],
    ['41', ''],
  ]);
});

test('an escape has two hex digits, and the neighbours of digits and letters in ASCII are none', () => {
  for (const digit of '09afAF') expect(decodeForm(`a=%4${digit}`)[0]![1]).toHaveLength(1);
  for (const other of '/:`g@G') {
    expect(decodeForm(`a=%4${other}`)).toEqual([['a', `%4${other}`]]);
    expect(decodeForm(`a=%${other}4`)).toEqual([['a', `%${other}4`]]);
  }
});

test('a long value without escapes is read like a short one', () => {
  for (const tail of ['', 'é', '\n', '=']) {
    const value = `${'x'.repeat(1000)}${tail}`;
    expect(decodeForm(`a=${value}&b=${value}+&c=${value}%2B`)).toEqual([
      ['a', value],
      ['b', `${value} `],
      ['c', `${value}+`],
    ]);
  }
});

test('bytes inside a larger buffer are read from where they start', () => {
  const whole = Buffer.from('x=1&a=b&y=2');
  expect(decodeForm(new Uint8Array(whole.buffer, whole.byteOffset + 4, 3))).toEqual([['a', 'b']]);
});

test('a body of half a million names is read in linear time, with and without an equals sign: quadratic time takes minutes', () => {
  for (const piece of ['a&', 'a=&', '&', '%']) {
    const startedAt = performance.now();
    decodeForm(Buffer.from(piece.repeat(500_000)));
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  }
});

test('short names and values of many parameters are decoded together, and kept bytes are written one by one', () => {
  let calls = 0;
  const { toString: text, write } = Buffer.prototype;
  Buffer.prototype.toString = function (...given: Parameters<typeof text>) {
    calls += 1;
    return text.apply(this, given);
  };
  Buffer.prototype.write = function (...given: unknown[]) {
    calls += 1;
    return (write as (...all: unknown[]) => number).apply(this, given);
  };
  try {
    expect(decodeForm(Buffer.from('name=value&'.repeat(10_000))).length).toBe(10_000);
    const [[, kept] = ['', '']] = decodeForm(Buffer.from('x=%FFabc'.padEnd(40_000, '%FFabc')));
    percentEncode(kept);
  } finally {
    Object.assign(Buffer.prototype, { toString: text, write });
  }
  expect(calls).toBeLessThan(100);
});

test('a payload of five megabytes is written and read in linear time: quadratic time takes minutes', () => {
  const payload = Buffer.alloc(3_750_000, 'é;+/\u00ff').toString('base64');
  const startedAt = performance.now();
  const form = encodeForm([['payload', payload]]);
  const [pair] = decodeForm(Buffer.from(form));
  const milliseconds = performance.now() - startedAt;
  expect(pair![1] === payload).toBe(true);
  expect(milliseconds).toBeLessThan(30_000);
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

test('equal short pieces of a long form are read, encoded and sorted once, and the rest as ever', () => {
  const long = 'v'.repeat(300);
  const piece = (at: number) => (at % 1000 === 0 ? `n${at}=${long}` : `%4${(at % 7) + 1}${at % 3 === 0 ? '' : '='}`);
  const body = Buffer.from(Array.from({ length: 100_000 }, (_, at) => piece(at)).join('&'));
  const written = new Set<string>();
  let made = 0;
  const pairs = readPieces(body, (name, value, piece): Pair => {
    made += 1;
    written.add(piece());
    return [name, value];
  });
  // Long pieces are read each by itself.
  expect([pairs.length, made, written.size]).toEqual([100_000, 114, 114]);
  expect(pairs).toEqual(
    body
      .toString()
      .split('&')
      .flatMap((one) => decodeForm(one)),
  );
  expect(pairs).toEqual(decodeForm(body));
  expect(countOnce(pairs).length).toBe(114);
  let mapped = 0;
  const names = mapOnce(pairs, ([name]) => {
    mapped += 1;
    return name;
  });
  expect([mapped, names]).toEqual([114, pairs.map(([name]) => name)]);
  const copies = pairs.map(([name, value]): Pair => [name, value]);
  expect(normalizeParameters(pairs)).toBe(normalizeParameters(copies));
});
