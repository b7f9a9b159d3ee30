/** Keys: common forms are read, some with a remark. Wrong files are refused with the name of the mistake. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import forge from 'node-forge';
import { parseKey, readPrivateKey, readPublicKey } from '../../../src/protocol/keys.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf } from '../../keys/index.ts';
import { errorCode, readVectorFile } from './vectors.ts';

const privatePem = readVectorFile('keys/rsa-test-private.pem');
const publicPem = readVectorFile('keys/rsa-test-public.pem');
const key = createPrivateKey(privatePem);
const jwk = key.export({ format: 'jwk' }) as Record<string, string>;
const publicJwk = { kty: 'RSA', n: jwk.n, e: jwk.e };

/** Changes of the text of a private or public key. */
const copies: readonly (readonly [note: string, copy: (pem: string) => string | Buffer])[] = [
  ['', (pem) => pem],
  ['', (pem) => `\ufeff${pem.replaceAll('\n', '\r\n')}`],
  ['', (pem) => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(pem)])],
  ['', (pem) => `Bag Attributes\n    friendlyName: x\n${pem}\n\n`],
  ['spelling', (pem) => pem.replaceAll('\n', '\\n')],
  ['spelling', (pem) => JSON.stringify({ key_id: '1', key: pem })],
  ['spelling', (pem) => `"${pem.trim().replaceAll('\n', '\\n" +\n  "')}"`],
  ['spelling', (pem) => pem.replaceAll('\n', '&#10;')],
  ['spelling', (pem) => pem.replaceAll('\n', ' ')],
  ['spelling', (pem) => `"${pem.trim()}"`],
  ['spelling', (pem) => `\u201c${pem.trim()}\u201d`],
  ['spelling', (pem) => Buffer.from(`\u0093${pem.trim()}\u0094`, 'latin1')],
  ['spelling', (pem) => pem.replace('-----BEGIN', '----BEGIN')],
  ['spelling', (pem) => pem.replaceAll('-----', '\u2014\u2014')],
  ['spelling', (pem) => `key: |\n${pem.replace(/^/gm, '\t')}`],
  ['spelling', (pem) => pem.replace(/^/gm, '> ')],
  ['utf-16', (pem) => Buffer.from(`\ufeff${pem}`, 'utf16le')],
  ['utf-16', (pem) => Buffer.from(`\ufeff${pem}`, 'utf16le').swap16()],
  ['base64', (pem) => Buffer.from(pem).toString('base64')],
  ['frame', (pem) => pem.replace(/-----.*-----|\n/g, '')],
  ['frame', (pem) => Buffer.from(pem.replace(/-----.*-----|\n/g, ''), 'base64').toString('hex')],
  ['der', (pem) => Buffer.from(pem.replace(/-----.*-----|\n/g, ''), 'base64')],
  ['spelling', (pem) => pem.replaceAll('\n', '\u00a0\n')],
];

const asXml = (names: Readonly<Record<string, string>>) => {
  const inBase64 = (member: string) => Buffer.from(jwk[member]!, 'base64url').toString('base64');
  const members = Object.entries(names).map(([name, member]) => `<${name}>${inBase64(member)}</${name}>`);
  return `<RSAKeyValue>${members.join('')}</RSAKeyValue>`;
};
const numbers = { Modulus: 'n', Exponent: 'e' };
const secrets = { P: 'p', Q: 'q', DP: 'dp', DQ: 'dq', InverseQ: 'qi', D: 'd' };
const pkcs1 = key.export({ type: 'pkcs1', format: 'pem' }) as string;

const forgeKey = forge.pki.privateKeyFromPem(privatePem);
const certificate = (() => {
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicPem);
  made.serialNumber = '01';
  made.validity.notBefore = new Date('2024-01-01T00:00:00Z');
  made.validity.notAfter = new Date('2034-01-01T00:00:00Z');
  made.sign(forgeKey, forge.md.sha256.create());
  return made;
})();
const certificatePem = forge.pki.certificateToPem(certificate).replaceAll('\r', '');
const der = (pem: string) => Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
const request = (() => {
  const made = forge.pki.createCertificationRequest();
  made.publicKey = forge.pki.publicKeyFromPem(publicPem);
  made.sign(forgeKey, forge.md.sha256.create());
  return forge.pki.certificationRequestToPem(made);
})();
const pkcs7 = (() => {
  const made = forge.pkcs7.createSignedData();
  made.addCertificate(certificate);
  return forge.pkcs7.messageToPem(made);
})();
const pkcs12 = Buffer.from(
  forge.asn1.toDer(forge.pkcs12.toPkcs12Asn1(forgeKey, certificate, 'x', { algorithm: '3des' })).getBytes(),
  'latin1',
);
const ssh = (() => {
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]), bytes]);
  const [e, n] = [Buffer.from(jwk.e!, 'base64url'), Buffer.from(jwk.n!, 'base64url')];
  const parts = [Buffer.from('ssh-rsa'), e, Buffer.concat([Buffer.of(0), n])];
  return Buffer.concat(parts.map(part)).toString('base64');
})();
const encrypted = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
const ppk = 'PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPublic-Lines: 1\nAAAA\n';
const modulus = Buffer.from(jwk.n!, 'base64url').toString('hex').toUpperCase();

/** An id with ! is a problem. Other ids are remarks on a key that was read; an empty one means no remark. */
const files: readonly (readonly [half: 'private' | 'public', note: string, file: string | Buffer])[] = [
  ['private', '', pkcs1],
  ['private', 'jwk', JSON.stringify({ kty: 'RSA', ...jwk })],
  ['private', 'xml', asXml({ ...numbers, ...secrets })],
  ['private', '!modulus', asXml({ Modulus: 'n' })],
  ['private', 'label', pkcs1.replaceAll('RSA PRIVATE', 'PRIVATE')],
  ['private', '', privatePem + publicPem],
  ['private', '', certificatePem + privatePem],
  ['private', '!public', publicPem],
  ['private', '!public', der(publicPem)],
  ['private', '!public', JSON.stringify(publicJwk)],
  ['private', '!public', `ssh-rsa ${ssh} me@host`],
  ['private', '!certificate', certificatePem],
  ['private', '!certificate', der(certificatePem)],
  ['private', '!request', request],
  ['private', '!request', request.replaceAll('CERTIFICATE', 'NEW CERTIFICATE')],
  ['private', '!pkcs7', pkcs7],
  ['private', '!pkcs12', pkcs12],
  ['private', '!putty', ppk],
  ['private', '!encrypted', key.export({ type: 'pkcs8', ...encrypted }) as string],
  ['private', '!encrypted', key.export({ type: 'pkcs1', ...encrypted }) as string],
  ['private', '!encrypted', der(key.export({ type: 'pkcs8', ...encrypted }) as string)],
  ['private', '!openssh', `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----\nb3Bl\n-----END OPENSSH ${'PRIVATE'} KEY-----\n`],
  ['private', '!cut-off', `${privatePem.slice(0, 800)}\n-----END PRIVATE KEY-----\n`],
  ['private', '!unreadable', 'only words'],
  ['private', '!unreadable', JSON.stringify({ ...jwk, p: undefined })],
  ['private', '!empty', ' \n'],
  ['public', '', createPublicKey(publicPem).export({ type: 'pkcs1', format: 'pem' }) as string],
  ['public', '', certificatePem],
  ['public', 'chain', certificatePem + certificatePem],
  ['public', 'der', der(certificatePem)],
  ['public', 'base64', Buffer.from(certificatePem).toString('base64')],
  ['public', 'jwk', JSON.stringify(publicJwk)],
  ['public', 'jwk', JSON.stringify({ keys: [publicJwk] })],
  ['public', 'xml', asXml(numbers)],
  ['public', 'ssh', `restrict,no-pty ssh-rsa ${ssh} me@host\n`],
  ['public', 'ssh', `---- BEGIN SSH2 PUBLIC KEY ----\nComment: "x-y"\n${ssh}\n---- END SSH2 PUBLIC KEY ----\n`],
  ['public', '!ssh', 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABxxx me@host'],
  ['public', '!ssh', '---- BEGIN SSH2 PUBLIC KEY ----\nAAAAB3NzaC1yc2E\n---- END SSH2 PUBLIC KEY ----\n'],
  ['public', '!ssh', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIxxx me@host'],
  ['public', '!modulus', `Modulus=${modulus}\n`],
  ['public', '!modulus', modulus.replace(/..(?=.)/g, '$&:')],
  ['public', '!private', privatePem],
  ['public', '!private', publicPem + privatePem],
  ['public', '!private', der(pkcs1)],
  ['public', '!private', JSON.stringify({ kty: 'RSA', ...jwk })],
  ['public', '!private', asXml({ ...numbers, ...secrets })],
  ['public', '!private', ppk],
  ['public', '!request', request],
  ['public', '!pkcs7', pkcs7],
  ['public', '!pkcs12', pkcs12],
  ['public', '!cut-off', `${publicPem.slice(0, 200)}\n-----END PUBLIC KEY-----\n`],
  ['public', '!unreadable', 'only words'],
];

const rows = [
  ...copies.flatMap(([note, copy], at) => [
    ['private', note, copy(privatePem), `copy ${at}`] as const,
    ['public', note, copy(publicPem), `copy ${at}`] as const,
  ]),
  ...files.map(([half, note, file], at) => [half, note, file, `file ${at}`] as const),
];
for (const [half, note, file, name] of rows) {
  test(`${half} key, ${name}: ${note === '' ? 'read' : note}`, () => {
    for (const input of typeof file === 'string' ? [file, Buffer.from(file)] : [file]) {
      const found = parseKey(input, half);
      if ('problem' in found) expect(`!${found.problem.id}`).toBe(note);
      else {
        expect(modulusOf(found.key)).toBe(jwk.n);
        expect(found.key.type).toBe(half);
        expect(found.remarks.map(({ id }) => id)[0] ?? '').toBe(note);
      }
      expect(JSON.stringify('problem' in found ? found.problem : found.remarks)).not.toMatch(/MII|AAAAB/);
    }
  });
}

test('a key of 1024 bits is too small, private or public', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
  expect(errorCode(() => readPrivateKey(privatePemOf(small)))).toBe('key-too-small');
  expect(errorCode(() => readPublicKey(publicPemOf(small.publicKey)))).toBe('key-too-small');
});

test('an elliptic-curve key, an Ed25519 key and an RSA-PSS key are not RSA keys for this signature', () => {
  const others = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('rsa-pss', { modulusLength: 1024 }),
  ];
  for (const pair of others) {
    expect(errorCode(() => readPrivateKey(privatePemOf(pair)))).toBe('not-rsa');
    expect(errorCode(() => readPublicKey(publicPemOf(pair.publicKey)))).toBe('not-rsa');
  }
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
  expect(found?.message).toMatch(/no readable private key/);
  expect(`${found?.stack}${JSON.stringify(found)}${String(found?.cause)}`).not.toContain(line.slice(0, 20));
});

function modulusOf(found: KeyObject): string | undefined {
  return (found.export({ format: 'jwk' }) as { n?: string }).n;
}

function publicPemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }) as string;
}
