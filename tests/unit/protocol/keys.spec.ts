/** Keys in PEM: which spellings are read, and which keys are none for RSA-SHA256. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import forge from 'node-forge';
import { readPrivateKey, readPublicKey } from '../../../src/protocol/keys.ts';
import { expect, test } from '../../engine.ts';
import { errorCode } from './error-code.ts';
import { readVectorFile } from './vectors.ts';

const privatePem = readVectorFile('keys/rsa-test-private.pem');
const publicPem = readVectorFile('keys/rsa-test-public.pem');
const privateKey = createPrivateKey(privatePem);

test('the published test keys are a pair of 2048 bits', () => {
  expect(modulus(readPrivateKey(privatePem))).toBe(modulus(readPublicKey(publicPem)));
  expect(readPublicKey(publicPem).asymmetricKeyDetails?.modulusLength).toBe(2048);
});

test('PKCS#1, a certificate, a byte-order mark and CRLF give the same keys', () => {
  const spellings = [
    readPrivateKey(privateKey.export({ type: 'pkcs1', format: 'pem' }) as string),
    readPrivateKey(`\ufeff${privatePem.replaceAll('\n', '\r\n')}`),
    readPublicKey(readPublicKey(publicPem).export({ type: 'pkcs1', format: 'pem' }) as string),
    readPublicKey(`\ufeff${publicPem.replaceAll('\n', '\r\n')}`),
    readPublicKey(certificate()),
  ];
  expect(spellings.map(modulus)).toEqual(spellings.map(() => modulus(privateKey)));
});

test('a key of 1024 bits is too small, private or public', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
  expect(errorCode(() => readPrivateKey(privatePemOf(small.privateKey)))).toBe('key-too-small');
  expect(errorCode(() => readPublicKey(publicPemOf(small.publicKey)))).toBe('key-too-small');
});

test('an elliptic-curve key, an Ed25519 key, a DSA key and an RSA-PSS key are not RSA keys for this signature', () => {
  const others = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }),
    generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
  ];
  for (const pair of others) {
    expect(errorCode(() => readPrivateKey(privatePemOf(pair.privateKey)))).toBe('not-rsa');
    expect(errorCode(() => readPublicKey(publicPemOf(pair.publicKey)))).toBe('not-rsa');
  }
});

test('an encrypted key, an empty text and half a key are not keys', () => {
  const encrypted = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });
  const texts = [encrypted as string, '', 'secret', privatePem.slice(0, 800)];
  for (const text of texts) {
    expect(errorCode(() => readPrivateKey(text))).toBe('not-a-key');
    expect(errorCode(() => readPublicKey(text))).toBe('not-a-key');
  }
});

test('a key that is encrypted says so, in PKCS#8 and in the older form', () => {
  const passphrase = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  for (const type of ['pkcs8', 'pkcs1'] as const) {
    const pem = privateKey.export({ type, ...passphrase }) as string;
    expect(() => readPrivateKey(pem)).toThrow(/encrypted/);
  }
});

test('text around a key, as openssl writes it, does no harm', () => {
  const described = `Bag Attributes\n    friendlyName: test\n${privatePem}\n`;
  expect(modulus(readPrivateKey(described))).toBe(modulus(privateKey));
});

test('a key of exactly 2048 bits is large enough', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(errorCode(() => readPrivateKey(privatePemOf(pair.privateKey)))).toBe('none');
  expect(errorCode(() => readPublicKey(publicPemOf(pair.publicKey)))).toBe('none');
});

test('a public key is not taken for a private one, nor the other way round', () => {
  expect(errorCode(() => readPrivateKey(publicPem))).toBe('not-a-key');
  expect(errorCode(() => readPublicKey(privatePem))).toBe('not-a-key');
});

test('an error about a key does not quote it', () => {
  const broken = privatePem.replace('-----END', '-----ENDE');
  let found: Error | undefined;
  try {
    readPrivateKey(broken);
  } catch (error) {
    found = error as Error;
  }
  const line = privatePem.split('\n')[1]!;
  expect(found?.message).toMatch(/no private key/);
  expect(`${found?.stack}${JSON.stringify(found)}${String(found?.cause)}`).not.toContain(line.slice(0, 20));
});

function modulus(key: KeyObject): string {
  return (key.export({ format: 'jwk' }) as { n: string }).n;
}

function privatePemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function publicPemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }) as string;
}

function certificate(): string {
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicPem);
  made.serialNumber = '01';
  made.validity.notBefore = new Date('2024-01-01T00:00:00Z');
  made.validity.notAfter = new Date('2034-01-01T00:00:00Z');
  made.setSubject([{ name: 'commonName', value: 'test' }]);
  made.setIssuer([{ name: 'commonName', value: 'test' }]);
  made.sign(forge.pki.privateKeyFromPem(privatePem), forge.md.sha256.create());
  return forge.pki.certificateToPem(made);
}
