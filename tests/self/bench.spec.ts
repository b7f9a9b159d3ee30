/** The measurements run: every contender in this checkout gives the answer of the others, each with a handful of units. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';

test('contenders of the measurements give the same answers', { tag: '@all' }, async () => {
  // Exit code 1, where one is wrong, makes this reject.
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench', 'run.mjs'), '--smoke']);
  const told = stdout.trimEnd().split('\n').slice(1);
  expect(told.filter((line) => !/: the same from .*\bcountersign\b/.test(line))).toEqual([]);
  expect(told.length).toBe(4);
  expect(told.filter((line) => line.includes('oauth-1.0a') && line.includes('createHmac'))).toHaveLength(1);
});
