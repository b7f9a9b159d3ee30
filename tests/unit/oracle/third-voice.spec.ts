/** A third voice, where it is installed: openssl on one HMAC and on RSA signatures of the vectors. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '../../engine.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';
import { type RequestVector, requestVectors } from '../protocol/wire.ts';

const requests = requestVectors();

skipUnless(missingPrograms('openssl').length === 0, 'openssl');

test('openssl computes the HMAC-SHA1 of the first known answer', () => {
  const vector = named('kat-1');
  expect(vector.key.method).toBe('HMAC-SHA1');
  if (vector.key.method !== 'HMAC-SHA1') return;
  const digest = execFileSync('openssl', ['dgst', '-sha1', '-hmac', `${vector.key.consumerSecret}&`, '-binary'], {
    input: vector.baseString,
    timeout: 10_000,
  });
  expect(digest.toString('base64')).toBe(vector.signature);
});

for (const [name, status] of [
  ['own-rsa-non-ascii', 0],
  ['own-rsa-signature-flipped-bit', 1],
] as const) {
  test(`openssl ${status === 0 ? 'verifies' : 'refuses'} the RSA-SHA256 signature of ${name}`, () => {
    const vector = named(name);
    const folder = mkdtempSync(join(tmpdir(), 'countersign-openssl-'));
    try {
      const file = join(folder, 'signature');
      writeFileSync(file, Buffer.from(vector.signature!, 'base64'));
      const key = fileURLToPath(new URL('../../../contracts/vectors/keys/rsa-test-public.pem', import.meta.url));
      const run = spawnSync('openssl', ['dgst', '-sha256', '-verify', key, '-signature', file], {
        input: vector.baseString,
        timeout: 10_000,
      });
      expect(run.status).toBe(status);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

function named(name: string): RequestVector {
  const found = requests.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector has the name ${name}`);
  return found;
}
