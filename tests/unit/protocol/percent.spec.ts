/** Percent-encoding (RFC 5849 section 3.6) and base64 (RFC 4648 sections 3.5 and 4): one encoding for each text, and strict decoding. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeBase64, encodeBase64 } from '../../../src/protocol/base64.ts';
import { percentDecode, percentEncode } from '../../../src/protocol/percent.ts';
import { textKeepingBytes } from '../../../src/protocol/utf8.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
import { disagreements, errorCode, readVectors, type Vector } from './vectors.ts';

// The same values in every run.
fc.configureGlobal({ seed: 20_260_131 });

interface PercentVector extends Vector {
  readonly operation: 'encode' | 'decode';
  readonly text?: string;
  readonly encoded: string;
}

const vectors = readVectors<PercentVector>('percent.json');
const ok = vectors.filter((vector) => vector.class === 'ok');

test('every text of the vectors is encoded as they say, and decoded back', () => {
  const encoding = ok.filter((vector) => vector.operation === 'encode');
  const encode = ({ text }: PercentVector) => percentEncode(text!);
  expect(disagreements(encoding, ({ encoded }) => encoded, encode)).toEqual([]);
  const decode = ({ encoded }: PercentVector) => percentDecode(encoded);
  expect(disagreements(ok, ({ text }) => text, decode)).toEqual([]);
});

test('every malformed text of the vectors is refused', () => {
  const malformed = vectors.filter((vector) => vector.class === 'malformed');
  const refusal = /^(malformed-escape|invalid-utf8)$/;
  const codes = malformed.map((vector) => errorCode(() => percentDecode(vector.encoded)));
  expect(codes.filter((code) => !refusal.test(code))).toEqual([]);
  expect(codes.length).toBeGreaterThan(5);
});

test('a broken escape and bytes that are not UTF-8 are told apart', () => {
  expect(errorCode(() => percentDecode('a%2'))).toBe('malformed-escape');
  expect(errorCode(() => percentDecode('a%FF'))).toBe('invalid-utf8');
});

test('any text survives encoding and decoding', () => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => percentDecode(percentEncode(text)) === text));
});

test('any bytes are kept in a text that is encoded, each as itself or as its escape', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 600 });
  const mixed = fc.tuple(bytes, fc.string({ unit: anyCharacter, maxLength: 300 }), bytes);
  fc.assert(
    fc.property(mixed, ([before, text, after]) => {
      const all = Buffer.concat([before, Buffer.from(text), after]);
      const escaped = [...all].map((byte) => percentEncode(byte < 0x80 ? String.fromCharCode(byte) : byteAsText(byte)));
      assert.equal(percentEncode(textKeepingBytes(all)), escaped.join(''));
    }),
  );
});

function byteAsText(byte: number): string {
  return String.fromCharCode(0xdc00 + byte);
}

test('half of a surrogate pair is refused, except where it stands for a kept byte', () => {
  expect(errorCode(() => percentEncode('a\ud800'))).toBe('not-text');
  expect(errorCode(() => percentEncode('\udfff'))).toBe('not-text');
  expect(percentEncode('é\udcff😀')).toBe('%C3%A9%FF%F0%9F%98%80');
});

interface Base64Vector extends Vector {
  readonly text: string;
  readonly bytesHex?: string;
}

const base64Vectors = readVectors<Base64Vector>('base64.json');

test('every canonical base64 of the vectors is decoded, and its bytes give it back', () => {
  const ok = base64Vectors.filter((vector) => vector.class === 'ok');
  const hex = (vector: Base64Vector) => Buffer.from(decodeBase64(vector.text)).toString('hex');
  expect(disagreements(ok, (vector) => vector.bytesHex, hex)).toEqual([]);
  const text = (vector: Base64Vector) => encodeBase64(Buffer.from(vector.bytesHex!, 'hex'));
  expect(disagreements(ok, (vector) => vector.text, text)).toEqual([]);
});

test('every malformed base64 of the vectors is refused', () => {
  const malformed = base64Vectors.filter((vector) => vector.class === 'malformed');
  const code = (vector: Base64Vector) => errorCode(() => decodeBase64(vector.text));
  expect(disagreements(malformed, () => 'malformed-base64', code)).toEqual([]);
});

const mistakes: [text: string, hint: RegExp][] = [
  ['QUJD /==', /%2B/],
  ['QUJD\nQUJD', /lines/],
  ['QUJD-_8=', /URL-safe/],
  ['QUJDé', /outside/],
  ['QUI', /padding/],
  ['QUJDRF==', /unused bits/],
];
for (const [text, hint] of mistakes) {
  test(`the hint for ${JSON.stringify(text)} names ${hint.source}`, () => {
    expect(() => decodeBase64(text)).toThrow(
      expect.objectContaining({ name: 'ProtocolError', hint: expect.stringMatching(hint) }),
    );
  });
}

test('any bytes survive encoding and decoding, a part of a larger buffer too', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(5), (bytes, skip) => {
      const part = bytes.subarray(skip);
      assert.deepEqual([...decodeBase64(encodeBase64(part))], [...part]);
    }),
  );
});
