/** Keys from files, as a run against a gateway needs them. */

import {
  longestSecret,
  publicHalf,
  readPrivateKeyFile,
  readSecretFile,
  shortestSecret,
} from '../../../src/cli/config/credentials.ts';
import { expect, test } from '../../engine.ts';
import { shopKeys } from '../../keys/index.ts';
import { file, pem } from './signed-call.ts';

const pair = shopKeys;
const option = 'credentials.privateKeyFile';

for (const type of ['pkcs8', 'pkcs1'] as const) {
  test(`a private key is read as ${type}, and its public half fits`, async () => {
    const text = pair.privateKey.export({ type, format: 'pem' }).toString();
    const key = await readPrivateKeyFile({ path: file(test.info().outputPath('key.pem'), text), option });
    expect(publicHalf(key)).toBe(pem(pair.publicKey));
  });
}

test('a public key in the place of a private one is refused by the name of its file and option', async () => {
  const path = file(test.info().outputPath('key.pem'), pem(pair.publicKey));
  const error = await readPrivateKeyFile({ path, option }).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'UsageError', code: 'bad-key' });
  expect(error.message).toContain(`the private key file ${path}: `);
});

test('a secret of exactly the shortest length is taken, without a remark', async () => {
  const remarks: string[] = [];
  const secret = 'x'.repeat(shortestSecret);
  const path = file(test.info().outputPath('secret.txt'), secret);
  expect(await readSecretFile({ path, option }, (remark) => remarks.push(remark))).toBe(secret);
  expect(remarks).toEqual([]);
});

test('a text that is longer than any secret is refused', async () => {
  const read = (length: number) =>
    readSecretFile({ path: file(test.info().outputPath('secret.txt'), 'x'.repeat(length)), option }, () => {});
  expect(await read(longestSecret)).toHaveLength(longestSecret);
  await expect(read(longestSecret + 1)).rejects.toMatchObject({
    code: 'bad-secret',
    message: expect.stringContaining('holds a secret of more than 1024 characters'),
  });
});

test('spaces around a secret belong to it', async () => {
  const path = file(test.info().outputPath('secret.txt'), '  a secret with spaces  \n');
  expect(await readSecretFile({ path, option }, () => {})).toBe('  a secret with spaces  ');
});
