/** The envelope of a certificate, and its keys. Every form of DSSE is read, and only signed content is returned. */
import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expiryOf } from '../../../../src/app/commands/certificate.ts';
import { writeNew } from '../../../../src/app/print.ts';
import {
  CertificateError,
  keyId,
  newKeyPair,
  payloadType,
  preAuthEncoding,
  seal,
  signingKey,
  unseal,
  verifierKey,
} from '../../../../src/extras/certificate/envelope.ts';
import { digestFiles } from '../../../../src/extras/certificate/evidence-digest.ts';
import { expect, test } from '../../../engine.ts';
import { privatePemOf, shopKeys } from '../../../keys/index.ts';
import { missingPrograms, skipUnless, succeeds } from '../../../needed.ts';
import { folderAt, here, refuses, run } from '../../app/run-command.ts';
import { file, pem } from '../../app/signed-call.ts';
import { keyFiles } from './stored-run.ts';

const pair = newKeyPair();
const privateKey = createPrivateKey(pair.privateKey);
const publicKey = createPublicKey(pair.publicKey);
const payload = Buffer.from('{"a":"é"}', 'utf8');
const sealed = seal(payload, privateKey);

test('the signed bytes equal the example of the DSSE protocol, with lengths in bytes', () => {
  const signed = preAuthEncoding('http://example.com/HelloWorld', Buffer.from('hello world'));
  expect(signed.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  expect(preAuthEncoding('é', payload).toString('utf8')).toBe('DSSEv1 2 é 10 {"a":"é"}');
});

test('a flipped bit, a missing or doubled byte is refused with its place, or does not change the signed content', () => {
  const bytes = Buffer.from(sealed);
  const accepted = new Set<string>();
  const without: string[] = [];
  const tried = (changed: Buffer, what: string) => {
    const reason = refusal(changed);
    if (reason === undefined) accepted.add(unseal(changed, publicKey, 'c.json').toString());
    else if (!/is not JSON|payload|signatures/.test(reason)) without.push(`${what}: ${reason}`);
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
  expect([[...accepted], without]).toEqual([[payload.toString()], []]);
});

const { payload: text, signatures } = JSON.parse(sealed);
const [{ keyid, sig }] = signatures;
const built = (parts: object) => `${JSON.stringify({ payload: text, payloadType, signatures, ...parts })}\n`;

const { sig: otherSig } = JSON.parse(seal(payload, createPrivateKey(newKeyPair().privateKey))).signatures[0];

const forms: Readonly<Record<string, string>> = {
  'without a line end': sealed.trimEnd(),
  'indented JSON': JSON.stringify(JSON.parse(sealed), undefined, 2),
  'members in another order': JSON.stringify({ signatures: [{ sig, keyid }], payloadType, payload: text }),
  'unknown members': built({ more: { a: [1] }, signatures: [{ keyid, sig, cert: 'x' }] }),
  'slashes escaped, as PHP does': sealed.replaceAll('/', '\\/'),
  'base64 for URLs, without padding': built({
    payload: payload.toString('base64url'),
    signatures: [{ keyid, sig: Buffer.from(sig, 'base64').toString('base64url') }],
  }),
  'no key id': built({ signatures: [{ sig }] }),
  'a key id of another form': built({ signatures: [{ keyid: 'shop', sig }] }),
  'a second signature, of somebody else': built({ signatures: [{ keyid: 'other', sig: otherSig }, ...signatures] }),
};

test('an envelope is read in every form that DSSE allows', () => {
  for (const [what, form] of Object.entries(forms))
    expect(unseal(Buffer.from(form), publicKey, 'c.json'), what).toEqual(payload);
});

const hostile: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  'nothing at all': ['', /is empty/],
  'no object': ['[]', /is not a JSON object/],
  'no payload': [built({ payload: undefined }), /payload in c\.json is missing/],
  'no type': [built({ payloadType: undefined }), /payloadType in c\.json is missing/],
  'no signature': [built({ signatures: [] }), /has no signatures/],
  'a signature that is no object': [built({ signatures: ['a'] }), /signatures\[0\] in c\.json is not an object/],
  'a thousand signatures': [built({ signatures: Array(1000).fill({ keyid, sig }) }), /more than 16 signatures/],
  'the signature of another key': [built({ signatures: [{ keyid, sig: otherSig }] }), /is wrong/],
  'base64 with bits to spare': [built({ payload: 'QR==' }), /payload in c\.json is not base64/],
  'a signed statement of another type': [retyped('text/plain', privateKey), /payloadType in c\.json is not/],
  'another type than the signed one': [built({ payloadType: 'text/plain' }), /is wrong/],
};

test('every form that DSSE does not allow is refused with a sentence', () => {
  for (const [what, [changed, message]] of Object.entries(hostile))
    expect(refusal(Buffer.from(changed)), what).toMatch(message);
});

function refusal(bytes: Buffer): string | undefined {
  try {
    unseal(bytes, publicKey, 'c.json');
    return undefined;
  } catch (cause) {
    if (cause instanceof CertificateError) return cause.message;
    throw cause;
  }
}

function retyped(type: string, key: KeyObject): string {
  const signed = preAuthEncoding(type, payload);
  const signature = { keyid: keyId(createPublicKey(key)), sig: sign(null, signed, key).toString('base64') };
  return `${JSON.stringify({ payload: payload.toString('base64'), payloadType: type, signatures: [signature] })}\n`;
}

const script = fileURLToPath(new URL('verify_dsse.py', import.meta.url));

test('Python and openssl accept the envelope, and refuse a changed envelope or another key', () => {
  skipUnless(missingPrograms('python3', 'openssl').length === 0, 'python3 and openssl');
  skipUnless(succeeds('sh', '-c', 'openssl pkeyutl -help 2>&1 | grep -q rawin'), 'an openssl that verifies Ed25519');
  const folder = folderAt();
  const [privateFile, publicFile] = keyFiles(folder, 'shop');
  const [, other] = keyFiles(folder, 'other');
  const sealed = seal(payload, createPrivateKey(readFileSync(privateFile)));
  const envelopes = [
    [sealed, publicFile],
    [sealed, other],
    // Change a letter of the payload. Its base64 stays valid.
    [sealed.replace('"payload":"eyJhI', '"payload":"eyJiI'), publicFile],
    [sealed.replace('in-toto+json', 'in-toto+jsom'), publicFile],
  ] as const;
  const words = envelopes.flatMap(([text, key], at) => {
    const path = join(folder, `${at}.json`);
    writeFileSync(path, text);
    return [path, key];
  });
  const { status, stdout } = spawnSync('python3', [script, ...words], { encoding: 'utf8', timeout: 60_000 });
  expect([status, stdout]).toEqual([0, '{"a":"é"}\nrefused\nrefused\nrefused\n']);
});

test('the digest of the evidence is the SHA-256 of the output of sha256sum', async () => {
  skipUnless(missingPrograms('sha256sum').length === 0, 'sha256sum');
  const folder = folderAt();
  for (const [name, size] of Object.entries({ 'report.json': 0, 'exchanges.har': 70_000, 'summary.md': 256 }))
    writeFileSync(join(folder, name), Buffer.alloc(size, name));
  const toError = (path: string) => new Error(path);
  const evidence = await digestFiles(folder, ['summary.md', 'report.json', 'exchanges.har', 'not-there.xml'], toError);
  expect(evidence.files.map(({ name, annotations: { blocks } }) => [name, blocks.length / 8])).toEqual([
    ['exchanges.har', 137],
    ['report.json', 0],
    ['summary.md', 1],
  ]);
  const command = 'sha256sum exchanges.har report.json summary.md | sha256sum';
  const { stdout } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe(`${evidence.digest.sha256}  -\n`);
});

test('only this user can read new keys, and new keys do not replace files', async () => {
  const folder = folderAt();
  const [privateFile, publicFile] = [here('countersign-key.pem'), here('countersign-key.pub.pem')];
  const written = await run(['certificate', '--new-key', folder]);
  expect([written.exitCode, written.out]).toEqual([0, '']);
  expect(statSync(privateFile).mode & 0o777).toBe(0o600);
  const text = readFileSync(privateFile, 'utf8');
  expect([typeof signingKey(text), typeof verifierKey(readFileSync(publicFile, 'utf8'))]).toEqual(['object', 'object']);
  expect(written.err).not.toContain(text.split('\n')[1]);
  await refuses(['certificate', '--new-key', folder], 'already exists');
  const other = file(here('other.pem'), 'kept');
  await refuses(['certificate', '--new-key', other]);
  expect([readFileSync(other, 'utf8'), existsSync(here('other.pub.pem'))]).toEqual(['kept', false]);
  expect(readFileSync(privateFile, 'utf8')).toBe(text);
});

test('the public key is written next to the private key, as NAME.pub.pem', async () => {
  for (const [place, privateName, publicName] of [
    ['shop.pem', 'shop.pem', 'shop.pub.pem'],
    ['bank.KEY', 'bank.KEY', 'bank.pub.pem'],
    ['bare', 'bare', 'bare.pub.pem'],
    ['new/', 'new/countersign-key.pem', 'new/countersign-key.pub.pem'],
  ] as const) {
    const { out } = await run(['certificate', '--new-key', `${here()}/${place}`, '--json']);
    expect(JSON.parse(out)).toEqual({ written: [here(privateName), here(publicName)] });
  }
  await refuses(['certificate', '--new-key', here('x.pub.pem')], 'but .pub.pem is for public keys');
  expect(existsSync(here('x.pub.pem'))).toBe(false);
});

test('an unusable key file is refused with the reason, and the message does not quote it', () => {
  const { privateKey, publicKey } = pair;
  const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n';
  expect([publicKey, privatePemOf(shopKeys), encrypted, privateKey.replace('M', '!'), ''].map(signingKey)).toEqual([
    'contains no private key in PEM',
    'contains a key that is not Ed25519',
    'contains an encrypted key',
    'contains an unreadable key',
    'contains no private key in PEM',
  ]);
  expect([privateKey, pem(shopKeys.publicKey), 'PUBLIC KEY', ''].map(verifierKey)).toEqual([
    'contains a private key, which only its owner should have',
    'contains a key that is not Ed25519',
    'contains an unreadable key',
    'contains no public key in PEM',
  ]);
});

test('wrong use is refused with a sentence', async () => {
  for (const [line, says] of [
    ['certificate --key k.pem', 'the folder of the run is missing'],
    ['certificate run', '--key is missing'],
    ['certificate run --new-key', '--new-key only writes keys'],
    ['verify c.json --key k.pem --at tomorrow', '--at tomorrow is not a date'],
    ['verify c.json --key k.pem --at 2026-11-31', '2026-11-31 is not a date'],
    ['verify c.json --key k.pem --svr-key k.pem', '--svr-key needs --svr'],
    ['gateway --seed 1 --challenge 2', '--seed and --challenge exclude each other'],
  ] as const)
    await refuses(line.split(' '), says);
  await refuses(['client', '--challenge', 'a b', '--', 'x'], '--challenge takes 1 to 64 letters');
});

test('a certificate expires on an existing day, at most 1000 days after it was issued', () => {
  const expiry = (input: string) => expiryOf(input, '2026-01-31T12:00:00.000Z', Date.parse('2026-02-01'));
  for (const input of ['2026-11-31', '2026-02-30', '2028-10-28', '0', '1001', '2026-13-01'])
    expect(() => expiry(input), input).toThrow(`--expires ${input} is neither a date in`);
  expect([expiry('2028-02-29'), expiry('1000')]).toEqual(['2028-02-29T23:59:59.999Z', '2028-10-27T12:00:00.000Z']);
});

test('a folder that the system refuses is an error at once', async () => {
  await expect(writeNew('/proc/x/y.json', '')).rejects.toThrow('/proc/x/y.json cannot be written (');
});
