/** Base64 is read strictly (RFC 4648 sections 3.5 and 4): one text for each value. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeBase64, encodeBase64 } from '../../../src/protocol/base64.ts';
import { expect, test } from '../../engine.ts';
import { disagreements, errorCode, readVectors, type Vector } from './vectors.ts';

// The same values in every run.
fc.configureGlobal({ seed: 20_260_131 });

interface Base64Vector extends Vector {
  readonly text: string;
  readonly bytesHex?: string;
}

const vectors = readVectors<Base64Vector>('base64.json');

test('every canonical text of the vectors is decoded, and its bytes give it back', () => {
  const ok = vectors.filter((vector) => vector.class === 'ok');
  const hex = (vector: Base64Vector) => Buffer.from(decodeBase64(vector.text)).toString('hex');
  expect(disagreements(ok, (vector) => vector.bytesHex, hex)).toEqual([]);
  const text = (vector: Base64Vector) => encodeBase64(Buffer.from(vector.bytesHex!, 'hex'));
  expect(disagreements(ok, (vector) => vector.text, text)).toEqual([]);
});

test('every malformed text of the vectors is refused', () => {
  const malformed = vectors.filter((vector) => vector.class === 'malformed');
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
