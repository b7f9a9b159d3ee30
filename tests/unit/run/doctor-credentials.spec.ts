/** Secrets and keys that an editor, a copy or a mix-up has spoilt: each is named, and none is quoted. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { examinePrivateKey, examineSecret, fingerprint } from '../../../src/run/target/credentials.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';

const secret = 'R4nd0m/secret+of-the-test';

const [base64, hex] = [Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')];
const digits = '9f86d081884c7d659a2feaa0c55ad015';
const secrets: [name: string, text: string | Buffer, secret: string | undefined, findings: string[]][] = [
  ['as it was issued', secret, secret, ['ok secret']],
  ['with a line end', `${secret}\n`, secret, ['ok secret', 'remark secret/line-end']],
  ['with a line end of Windows', `${secret}\r\n`, secret, ['ok secret', 'remark secret/line-end']],
  ['with a byte-order mark', `\uFEFF${secret}`, secret, ['ok secret', 'remark secret/byte-order-mark']],
  ['in quotes', `"${secret}"`, `"${secret}"`, ['problem secret/quotes']],
  ['with a blank at its end', `${secret} `, `${secret} `, ['problem secret/spaces']],
  ['in quotes and blanks', ` '${secret}' `, ` '${secret}' `, ['problem secret/spaces']],
  ['in base64', base64, base64, ['ok secret', 'remark secret/encoded']],
  ['in hexadecimal', hex, hex, ['ok secret', 'remark secret/encoded']],
  ['percent-encoded', encodeURIComponent(secret), encodeURIComponent(secret), ['ok secret', 'remark secret/encoded']],
  ['of random hexadecimal digits', digits, digits, ['ok secret']],
  ['of 15 characters', 'x'.repeat(15), undefined, ['problem secret/short']],
  ['of 16 characters', 'x'.repeat(16), 'x'.repeat(16), ['ok secret']],
  ['of 1025 characters', 'x'.repeat(1025), undefined, ['problem secret/long']],
  ['of two lines', `${secret}\n${secret}\n`, undefined, ['problem secret/lines']],
  ['with two line ends', `${secret}\n\n`, undefined, ['problem secret/lines']],
  ['that is empty', '\n', undefined, ['problem secret/empty']],
  ['in UTF-16', Buffer.from(`\uFEFF${secret}`, 'utf16le'), undefined, ['problem secret/encoding']],
  ['that is a key', exported(shopKeys.privateKey, 'pkcs8'), undefined, ['problem secret/key']],
];
for (const [name, text, expected, findings] of secrets) {
  test(`a secret ${name}: ${findings.join(', ')}`, () => {
    const examined = examineSecret(Buffer.from(text as string), 'the file s');
    expect(examined.secret).toBe(expected);
    expect(examined.findings.map(({ status, id }) => `${status} ${id}`)).toEqual(findings);
    expect(JSON.stringify(examined.findings)).not.toContain(secret);
    expect(examined.findings.filter(({ status, hint }) => status === 'problem' && !hint)).toEqual([]);
  });
}

const rsa = shopKeys;
const pkcs8 = exported(rsa.privateKey, 'pkcs8');
const ofCurve = exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'pkcs8');
const publicPem = (type: 'spki' | 'pkcs1') => rsa.publicKey.export({ type, format: 'pem' }).toString();
const locked = (type: 'pkcs8' | 'pkcs1') =>
  rsa.privateKey.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString();
const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

const keys: [name: string, text: string | Buffer, finding: string][] = [
  ['in PKCS#8', pkcs8, 'ok private-key'],
  ['in PKCS#1', exported(rsa.privateKey, 'pkcs1'), 'ok private-key'],
  ['with a byte-order mark and line ends of Windows', `\uFEFF${pkcs8.replaceAll('\n', '\r\n')}`, 'ok private-key'],
  ['of 1024 bits', pem('rsa', 1024), 'problem private-key/small'],
  ['of an elliptic curve', ofCurve, 'problem private-key/type'],
  ['that is the public half', publicPem('spki'), 'problem private-key/public'],
  ['that is a public key in PKCS#1', publicPem('pkcs1'), 'problem private-key/public'],
  ['that is a certificate', certificate, 'problem private-key/certificate'],
  ['with its certificate before it', certificate + pkcs8, 'ok private-key'],
  ['with a passphrase', locked('pkcs8'), 'problem private-key/encrypted'],
  ['with a passphrase in PKCS#1', locked('pkcs1'), 'problem private-key/encrypted'],
  ['of OpenSSH', `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----\nb3Bl\n`, 'problem private-key/openssh'],
  ['with escaped line ends', pkcs8.replaceAll('\n', '\\n'), 'ok private-key, remark private-key/escaped'],
  ['in DER', rsa.privateKey.export({ type: 'pkcs8', format: 'der' }), 'ok private-key, remark private-key/der'],
  ['that is cut off', pkcs8.slice(0, 400), 'problem private-key/cut-off'],
  ['that is empty', '', 'problem private-key/empty'],
];
for (const [name, text, finding] of keys) {
  test(`a private key ${name}: ${finding}`, () => {
    const { privateKey, findings } = examinePrivateKey(Buffer.from(text as string), 'the file k');
    expect(findings.map(({ status, id }) => `${status} ${id}`)).toEqual(finding.split(', '));
    expect(privateKey === undefined).toBe(finding.startsWith('problem'));
    expect(findings[0]?.what).toMatch(/^the file k/);
    expect(JSON.stringify(findings)).not.toContain(pkcs8.split('\n')[1]);
  });
}

test('a right key is reported by its size, its form and the fingerprint of its public half', () => {
  const { findings } = examinePrivateKey(Buffer.from(pkcs8), 'the file k');
  expect(findings[0]?.what).toBe(
    `the file k holds an RSA key of 2048 bits (PKCS#8); its public half has the SHA-256 ${fingerprint(rsa.privateKey)}`,
  );
});

function pem(type: 'rsa', modulusLength: number): string {
  return exported(generateKeyPairSync(type, { modulusLength }).privateKey, 'pkcs8');
}

function exported(key: KeyObject, type: 'pkcs1' | 'pkcs8'): string {
  return key.export({ type, format: 'pem' }).toString();
}
