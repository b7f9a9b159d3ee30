/** Keys from files, as a run against a gateway needs them. */

import { longestSecret, readSecretFile, shortestSecret } from '../../../src/app/config/keys.ts';
import { expect, test } from '../../engine.ts';
import { file } from './signed-call.ts';

const option = 'credentials.privateKeyFile';

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
    name: 'UsageError',
    message: expect.stringContaining('holds a secret of more than 1024 characters'),
  });
});

test('spaces around a secret belong to it', async () => {
  const path = file(test.info().outputPath('secret.txt'), '  a secret with spaces  \n');
  expect(await readSecretFile({ path, option }, () => {})).toBe('  a secret with spaces  ');
});
