/** A third voice, where it is installed: openssl on one HMAC and on RSA signatures of the vectors. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { readVectors } from '../protocol/vectors.ts';
import type { RequestVector, SignatureVector } from '../protocol/wire.ts';

const hasOpenssl = spawnSync('openssl', ['version'], { timeout: 10_000 }).status === 0;
const requests = readVectors<SignatureVector>('signature.json').filter(
  (vector): vector is RequestVector => vector.kind === 'request',
);

test.beforeEach(() => {
  test.skip(!hasOpenssl, 'openssl is not installed');
});

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

for (const [id, status] of [
  ['own-rsa-non-ascii', 0],
  ['own-rsa-signature-flipped-bit', 1],
] as const) {
  test(`openssl ${status === 0 ? 'verifies' : 'refuses'} the RSA-SHA256 signature of ${id}`, () => {
    const vector = named(id);
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

function named(id: string): RequestVector {
  const found = requests.find((vector) => vector.id === id);
  if (found === undefined) throw new Error(`no vector has the id ${id}`);
  return found;
}
