/** The envelope of a certificate: DSSE, in one form in which every byte counts. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { CertificateError } from '../../../src/certificate/certificate-error.ts';
import { keyId, payloadType, preAuthentication, seal, unseal } from '../../../src/certificate/envelope.ts';
import { newKeyPair } from '../../../src/certificate/keys.ts';
import { expect, test } from '../../engine.ts';

const pair = newKeyPair();
const privateKey = createPrivateKey(pair.privateKey);
const publicKey = createPublicKey(pair.publicKey);
const payload = Buffer.from('{"a":"é"}', 'utf8');
const sealed = seal(payload, privateKey);

test('what is signed is the example of the DSSE protocol', () => {
  const signed = preAuthentication('http://example.com/HelloWorld', Buffer.from('hello world'));
  expect(signed.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
});

test('lengths are in bytes, and not in characters', () => {
  expect(preAuthentication('é', payload).toString('utf8')).toBe('DSSEv1 2 é 10 {"a":"é"}');
});

test('the payload comes back', () => {
  expect(unseal(Buffer.from(sealed), publicKey, 'c.json')).toEqual(payload);
  expect(JSON.parse(sealed)).toMatchObject({ payloadType, signatures: [{ keyid: keyId(publicKey) }] });
});

test('a byte with any bit flipped, left out, or doubled is refused at every place, with the place', () => {
  const bytes = Buffer.from(sealed);
  const accepted: string[] = [];
  const without: string[] = [];
  const tried = (changed: Buffer, what: string) => {
    const said = refusal(changed);
    if (said === undefined) accepted.push(what);
    else if (!/byte \d+|payload|signatures\[0\]/.test(said)) without.push(`${what}: ${said}`);
  };
  for (let at = 0; at < bytes.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << bit;
      tried(changed, `bit ${bit} of byte ${at}`);
    }
    tried(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]), `without byte ${at}`);
    tried(Buffer.concat([bytes.subarray(0, at + 1), bytes.subarray(at)]), `byte ${at} twice`);
  }
  expect(accepted).toEqual([]);
  expect(without).toEqual([]);
});

const { payload: text, signatures } = JSON.parse(sealed);
const [{ keyid, sig }] = signatures;
const built = (parts: object) => `${JSON.stringify({ payload: text, payloadType, signatures, ...parts })}\n`;

const hostile: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  'nothing at all': ['', /is empty/],
  'a line end too few': [
    sealed.trimEnd(),
    /ends at byte \d+, where "\\n" of a certificate has to follow: it was cut off/,
  ],
  'half of it': [sealed.slice(0, sealed.length / 2), /ends at byte \d+, where .* has to follow: it was cut off/],
  'another line behind it': [`${sealed}{}`, /goes on at byte \d+/],
  'a byte-order mark': [`\ufeff${sealed}`, /byte 0/],
  'JSON with spaces': [JSON.stringify(JSON.parse(sealed), undefined, 1), /byte 1 /],
  'members in another order': [`${JSON.stringify({ payloadType, payload: text, signatures })}\n`, /byte 9 /],
  'a member twice': [sealed.replace('{', `{"payload":"${text}",`), /is not the start of/],
  'a further member': [built({ more: 1 }), /is not the start of/],
  'no signature': [built({ signatures: [] }), /has no signature/],
  'two signatures': [built({ signatures: [...signatures, ...signatures] }), /has more than one signature/],
  'an empty signature': [built({ signatures: [{ keyid, sig: '' }] }), /signature of c\.json does not fit/],
  'base64 for URLs': [built({ payload: Buffer.from([0xfb, 0xff]).toString('base64url') }), /is not the start of/],
  'base64 without its end': [
    built({ signatures: [{ keyid, sig: sig.replace(/=+$/, '') }] }),
    /sig in c\.json is not base64/,
  ],
  'base64 with bits to spare': [built({ payload: 'QR==' }), /payload in c\.json is not base64/],
  'a signed statement of another type': [retyped('text/plain', privateKey), /payloadType in c\.json is not/],
  'JSON of a million levels': ['['.repeat(1_000_000), /byte 0/],
  'megabytes of base64': [built({ payload: 'A'.repeat(4_000_000) }), /does not fit/],
  'no key id': [built({ signatures: [{ sig }] }), /byte \d+/],
};

for (const [what, [changed, says]] of Object.entries(hostile)) {
  test(`it is refused in a sentence: ${what}`, () => {
    expect(refusal(Buffer.from(changed))).toMatch(says);
  });
}

test('another key is refused before anything else is believed', () => {
  const other = createPublicKey(newKeyPair().publicKey);
  expect(() => unseal(Buffer.from(sealed), other, 'c.json')).toThrow(
    /names the key [0-9a-f]{64} in signatures\[0\]\.keyid/,
  );
  const renamed = sealed.replace(keyId(publicKey), keyId(other));
  expect(() => unseal(Buffer.from(renamed), other, 'c.json')).toThrow(/signature of c\.json does not fit/);
});

/** What a refusal says; undefined where the bytes are taken. Anything else that is thrown fails the test. */
function refusal(bytes: Buffer): string | undefined {
  try {
    unseal(bytes, publicKey, 'c.json');
    return undefined;
  } catch (cause) {
    if (cause instanceof CertificateError) return cause.message;
    throw cause;
  }
}

/** As `seal` would, with a type of someone else. */
function retyped(type: string, key: KeyObject): string {
  const signed = preAuthentication(type, payload);
  const signature = { keyid: keyId(createPublicKey(key)), sig: sign(null, signed, key).toString('base64') };
  return `${JSON.stringify({ payload: payload.toString('base64'), payloadType: type, signatures: [signature] })}\n`;
}
