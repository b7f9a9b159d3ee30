/** Folders are made with those around them, and what cannot be made is said at once. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolders } from '../../../src/record/disk/files.ts';
import { expect, test } from '../../engine.ts';
import { skipUnless } from '../../needed.ts';

test('it says which folders were not there, gives them the mode, and leaves those that were', () => {
  const base = mkdtempSync(join(tmpdir(), 'countersign-folders-'));
  try {
    const [outer, inner] = [join(base, 'a'), join(base, 'a', 'b')];
    expect(makeFolders(inner, 0o700)).toEqual([outer, inner]);
    expect(statSync(outer).mode & 0o777).toBe(0o700);
    expect(makeFolders(inner)).toEqual([]);
    writeFileSync(join(base, 'file'), '');
    expect(() => makeFolders(join(base, 'file', 'c'))).toThrow(/ENOTDIR/);
  } finally {
    rmSync(base, { recursive: true });
  }
});

test('a file system that refuses new folders is not asked for ever', () => {
  skipUnless(existsSync('/proc/self'), 'a file system under /proc');
  expect(() => makeFolders('/proc/no-such-folder/a/b')).toThrow(/ENOENT/);
});
