/** New keys, and what is refused as a key. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expiryOf } from '../../../../src/app/commands/certificate.ts';
import { writeNew } from '../../../../src/app/print.ts';
import { checkingKey, newKeyPair, signingKey } from '../../../../src/extras/certificate/envelope.ts';
import { expect, test } from '../../../engine.ts';
import { run } from '../../app/captured.ts';

test('new keys are written for this user alone, and replace nothing', async () => {
  const folder = test.info().outputPath();
  mkdirSync(folder, { recursive: true });
  const [privateFile, publicFile] = ['countersign-key.pem', 'countersign-key.pub.pem'].map((name) =>
    join(folder, name),
  ) as [string, string];
  const written = await run(['certificate', '--new-key', folder]);
  expect([written.exitCode, written.out]).toEqual([0, '']);
  expect(statSync(privateFile).mode & 0o777).toBe(0o600);
  const text = readFileSync(privateFile, 'utf8');
  expect([typeof signingKey(text), typeof checkingKey(readFileSync(publicFile, 'utf8'))]).toEqual(['object', 'object']);
  expect(written.err).not.toContain(text.split('\n')[1]);
  expect(await run(['certificate', '--new-key', folder])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('is there already'),
  });
  const other = join(folder, 'other.pem');
  writeFileSync(other, 'kept');
  expect(await run(['certificate', '--new-key', other])).toMatchObject({ exitCode: 2 });
  expect([readFileSync(other, 'utf8'), existsSync(join(folder, 'other.pub.pem'))]).toEqual(['kept', false]);
  expect(readFileSync(privateFile, 'utf8')).toBe(text);
});

test('the public key stands beside the private one as NAME.pub.pem, whatever the place is called', async () => {
  const folder = test.info().outputPath();
  for (const [place, privateName, publicName] of [
    ['shop.pem', 'shop.pem', 'shop.pub.pem'],
    ['bank.KEY', 'bank.KEY', 'bank.pub.pem'],
    ['bare', 'bare', 'bare.pub.pem'],
    ['new/', 'new/countersign-key.pem', 'new/countersign-key.pub.pem'],
  ] as const) {
    const { out } = await run(['certificate', '--new-key', `${folder}/${place}`, '--json']);
    expect(JSON.parse(out)).toEqual({ written: [privateName, publicName].map((name) => join(folder, name)) });
  }
  const swapped = join(folder, 'x.pub.pem');
  expect(await run(['certificate', '--new-key', swapped])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('has the name of a public key'),
  });
  expect(existsSync(swapped)).toBe(false);
});

test('what is no Ed25519 key for its purpose is named, and never repeated', () => {
  const { privateKey, publicKey } = newKeyPair();
  const rsa = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n';
  expect([publicKey, rsa.privateKey, encrypted, privateKey.replace('M', '!'), ''].map(signingKey)).toEqual([
    'holds no private key in PEM',
    'holds a key for something else than Ed25519',
    'holds an encrypted key',
    'holds a key that cannot be read',
    'holds no private key in PEM',
  ]);
  expect([privateKey, rsa.publicKey, 'PUBLIC KEY', ''].map(checkingKey)).toEqual([
    'holds a private key, which nobody but its owner needs',
    'holds a key for something else than Ed25519',
    'holds a key that cannot be read',
    'holds no public key in PEM',
  ]);
});

const wrongUse: Readonly<Record<string, readonly [args: readonly string[], says: RegExp]>> = {
  'no run': [['certificate', '--key', 'k.pem'], /no run was named/],
  'no key': [['certificate', 'run'], /no key to sign with was named/],
  'a run for new keys': [['certificate', 'run', '--new-key'], /--new-key writes keys and nothing else/],
  'a date that is none': [['verify', 'c.json', '--key', 'k.pem', '--at', 'tomorrow'], /--at tomorrow is no date/],
  'no such day': [['verify', 'c.json', '--key', 'k.pem', '--at', '2026-11-31'], /2026-11-31 is no date such as/],
  'a key for nothing': [
    ['verify', 'c.json', '--key', 'k.pem', '--svr-key', 'k.pem'],
    /--svr-key signs what --svr writes/,
  ],
  'two seeds': [['gateway', '--seed', '1', '--challenge', '2'], /--seed and --challenge cannot be used together/],
  'a challenge that is no seed': [['client', '--challenge', 'a b', '--', 'x'], /--challenge takes 1 to 64 letters/],
};

for (const [what, [args, says]] of Object.entries(wrongUse)) {
  test(`wrong use is said in a sentence: ${what}`, async () => {
    const { exitCode, out, err } = await run(args);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });
}

test('a certificate expires on a day that exists, at most 1000 days after it was issued', () => {
  const expiry = (given: string) => expiryOf(given, '2026-01-31T12:00:00.000Z', Date.parse('2026-02-01'));
  for (const given of ['2026-11-31', '2026-02-30', '2028-10-28', '0', '1001', '2026-13-01']) {
    expect(() => expiry(given), given).toThrow(`--expires ${given} is neither a date such as`);
  }
  expect([expiry('2028-02-29'), expiry('1000')]).toEqual(['2028-02-29T23:59:59.999Z', '2028-10-27T12:00:00.000Z']);
});

test('a folder that the system refuses is said in a sentence, and is not waited for', async () => {
  await expect(writeNew('/proc/x/y.json', '')).rejects.toThrow('/proc/x/y.json cannot be written (');
});
