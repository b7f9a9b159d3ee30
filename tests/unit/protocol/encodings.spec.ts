/** Percent-encoding, base64, forms and the Authorization header: no byte is lost, and malformed text is refused. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeBase64, encodeBase64 } from '../../../src/protocol/base64.ts';
import { decodeForm, encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { normalizeParameters } from '../../../src/protocol/oauth/base-string.ts';
import { parseAuthorization, printAuthorization } from '../../../src/protocol/oauth/header.ts';
import { percentDecode, percentEncode } from '../../../src/protocol/percent.ts';
import { textKeepingBytes } from '../../../src/protocol/utf8.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';
import { disagreements, errorCode, readVectors, type Vector } from './vectors.ts';

fc.configureGlobal({ seed: 20_260_131 });

interface PercentVector extends Vector {
  readonly operation: 'encode' | 'decode';
  readonly text?: string;
  readonly encoded: string;
}

const percentVectors = readVectors<PercentVector>('percent.json');
const ok = percentVectors.filter((vector) => vector.class === 'ok');

test('every text of the vectors is encoded as they say, and decoded back', () => {
  const encoding = ok.filter((vector) => vector.operation === 'encode');
  const encode = ({ text }: PercentVector) => percentEncode(text!);
  expect(disagreements(encoding, ({ encoded }) => encoded, encode)).toEqual([]);
  const decode = ({ encoded }: PercentVector) => percentDecode(encoded);
  expect(disagreements(ok, ({ text }) => text, decode)).toEqual([]);
});

test('every malformed text of the vectors is refused, with another code for bytes that are not UTF-8', () => {
  const malformed = percentVectors.filter((vector) => vector.class === 'malformed');
  const refusal = /^(malformed-escape|invalid-utf8)$/;
  const codes = malformed.map((vector) => errorCode(() => percentDecode(vector.encoded)));
  expect(codes.filter((code) => !refusal.test(code))).toEqual([]);
  expect(codes.length).toBeGreaterThan(5);
  expect(['a%2', 'a%FF'].map((text) => errorCode(() => percentDecode(text)))).toEqual([
    'malformed-escape',
    'invalid-utf8',
  ]);
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
  expect(encodeBase64(Buffer.from('xABC').subarray(1))).toBe('QUJD');
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

test('the hint for a malformed base64 names the mistake', () => {
  for (const [text, hint] of [
    ['QUJD /==', /%2B/],
    ['QUJD\nQUJD', /line breaks/],
    ['QUJD-_8=', /URL-safe/],
    ['QUJDé', /outside/],
    ['QUI', /padding/],
    ['QUJDRF==', /unused bits/],
  ] as const) {
    const error = { name: 'ProtocolError', hint: expect.stringMatching(hint) };
    expect(() => decodeBase64(text)).toThrow(expect.objectContaining(error));
  }
});

interface FormVector extends Vector {
  readonly operation: 'encode' | 'decode';
  readonly form?: string;
  readonly formHex?: string;
  readonly pairs?: Pair[];
  readonly pairsHex?: Pair[];
  readonly normalized?: string;
}

const formVectors = readVectors<FormVector>('form.json');
const decoding = formVectors.filter((vector) => vector.operation === 'decode');

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
  const encoding = formVectors.filter((vector) => vector.operation === 'encode');
  const write = (vector: FormVector) => encodeForm(vector.pairs!);
  expect(disagreements(encoding, ({ form }) => form, write)).toEqual([]);
});

test('any list of pairs survives writing and reading, order and duplicates included', () => {
  const text = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (list) => assert.deepEqual(decodeForm(encodeForm(list)), list)),
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
  // Only ASCII: Node 20 garbles other raw characters next to an escape. No invalid UTF-8: decodeForm keeps such bytes.
  const piece = fc.constantFrom(...'x y + %20 %2B % %4 %4/ %4: %4g %@4 %`4 %zz = & %C3%A9 ; \n __proto__'.split(' '));
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

test('bytes inside a larger buffer are read from where they start', () => {
  const whole = Buffer.from('x=1&a=b&y=2');
  expect(decodeForm(new Uint8Array(whole.buffer, whole.byteOffset + 4, 3))).toEqual([['a', 'b']]);
});

function formOf(vector: FormVector): Uint8Array | string {
  return vector.formHex === undefined ? vector.form! : Buffer.from(vector.formHex, 'hex');
}

/** The bytes of a decoded text, with the bytes that are not UTF-8. */
function hexOf(text: string): string {
  const encoded = percentEncode(text);
  return encoded.replace(/%(..)|(.)/gs, (_, hex?: string, plain?: string) =>
    hex === undefined ? Buffer.from(plain!).toString('hex') : hex.toLowerCase(),
  );
}

test('names and values are decoded, and kept as they were', () => {
  const header = parseAuthorization('oauth realm="a \\"b\\"", oauth%5Fnonce="a%20b" ,\toauth_signature="x+/=%3D"');
  expect(header.realm).toBe('a "b"');
  expect(header.parameters).toEqual(Object.entries({ oauth_nonce: 'a b', oauth_signature: 'x+/==' }));
  expect(header.raw).toEqual([
    ['realm', 'a \\"b\\"'],
    ['oauth%5Fnonce', 'a%20b'],
    ['oauth_signature', 'x+/=%3D'],
  ]);
});

test('the scheme alone has no parameters, and separators inside quotes belong to the value', () => {
  for (const value of ['OAuth', 'OAuth  ']) expect(parseAuthorization(value).parameters).toEqual([]);
  expect(parseAuthorization('OAuth a="b,c=d [e]"').parameters).toEqual([['a', 'b,c=d [e]']]);
});

test('another scheme or no scheme has another error than a malformed header', () => {
  for (const value of ['Basic YTpi', 'OAuth2 a="b"', '', 'a="b"', 'OAuth,a="b"'])
    expect(errorCode(() => parseAuthorization(value))).toBe('other-scheme');
});

test('any list of distinct names survives printing and reading', () => {
  const text = fc.string({ unit: anyCharacter });
  const pairs = fc.uniqueArray(fc.tuple(fc.string({ unit: anyCharacter, minLength: 1 }), text), {
    selector: ([name]) => name,
  });
  const realm = fc.option(fc.string({ unit: 'grapheme-ascii' }), { nil: undefined });
  fc.assert(
    fc.property(pairs, realm, (written, name) => {
      fc.pre(written.every(([found]) => found.toLowerCase() !== 'realm'));
      const read = parseAuthorization(printAuthorization(written, { realm: name }));
      assert.deepEqual(read.parameters, written);
      assert.equal(read.realm, name);
    }),
  );
});
