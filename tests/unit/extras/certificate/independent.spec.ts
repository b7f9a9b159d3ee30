/** What others find in a certificate: DSSE by Python and openssl, and the digest of the evidence by sha256sum. */
import { spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seal } from '../../../../src/extras/certificate/envelope.ts';
import { evidenceIn } from '../../../../src/extras/certificate/evidence-digest.ts';
import { expect, test } from '../../../engine.ts';
import { missingPrograms, skipUnless, succeeds } from '../../../needed.ts';
import { keyFiles } from './stored-run.ts';

const script = fileURLToPath(new URL('verify_dsse.py', import.meta.url));

test('Python and openssl accept the right envelope, and refuse a changed one and another key', () => {
  skipUnless(missingPrograms('python3', 'openssl').length === 0, 'python3 and openssl');
  skipUnless(succeeds('sh', '-c', 'openssl pkeyutl -help 2>&1 | grep -q rawin'), 'an openssl that verifies Ed25519');
  const folder = test.info().outputPath();
  mkdirSync(folder, { recursive: true });
  const [privateFile, publicFile] = keyFiles(folder, 'shop');
  const [, other] = keyFiles(folder, 'other');
  const sealed = seal(Buffer.from('{"a":"é"}', 'utf8'), createPrivateKey(readFileSync(privateFile)));
  const path = join(folder, 'certificate.json');
  const verified = (text: string, key: string) => {
    writeFileSync(path, text);
    const { status, stdout } = spawnSync('python3', [script, path, key], { encoding: 'utf8', timeout: 30_000 });
    return [status, stdout];
  };
  expect(verified(sealed, publicFile)).toEqual([0, '{"a":"é"}\n']);
  expect(verified(sealed, other)).toEqual([1, '']);
  // Another letter in the payload; its base64 is right.
  expect(verified(sealed.replace('"payload":"eyJhI', '"payload":"eyJiI'), publicFile)).toEqual([1, '']);
  expect(verified(sealed.replace('in-toto+json', 'in-toto+jsom'), publicFile)).toEqual([1, '']);
});

test('the digest of the evidence is that of what sha256sum prints', async () => {
  skipUnless(missingPrograms('sha256sum').length === 0, 'sha256sum');
  const folder = test.info().outputPath();
  mkdirSync(folder, { recursive: true });
  for (const [name, size] of [
    ['report.json', 0],
    ['exchanges.har', 70_000],
    ['summary.md', 256],
  ] as const) {
    writeFileSync(join(folder, name), Buffer.alloc(size, name));
  }
  const never = (path: string) => new Error(path);
  const evidence = await evidenceIn(folder, ['summary.md', 'report.json', 'exchanges.har', 'not-there.xml'], never);
  expect(evidence.files.map(({ name, annotations: { blocks } }) => [name, blocks.length / 8])).toEqual([
    ['exchanges.har', 137],
    ['report.json', 0],
    ['summary.md', 1],
  ]);
  const command = 'sha256sum exchanges.har report.json summary.md | sha256sum';
  const { stdout } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe(`${evidence.digest.sha256}  -\n`);
});
