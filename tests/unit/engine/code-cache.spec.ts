/** What a process keeps of compiled code changes nothing of what the code does. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/run/options/suite-version.ts';
import { expect, test } from '../../engine.ts';

const cache = join(packageRoot, 'dist/src/app/code-cache.cjs');

test('a module runs as written, whether its compiled code was kept, is of another text, is broken, or cannot be kept', () => {
  const folder = test.info().outputPath('package');
  const required = join(folder, 'src/app/code-cache.cjs');
  const kept = join(folder, 'code-cache');
  const main = join(folder, 'main.cjs');
  mkdirSync(join(folder, 'src/app'), { recursive: true });
  copyFileSync(cache, required);
  const print = (env: NodeJS.ProcessEnv = {}) =>
    execFileSync(process.execPath, ['--require', required, main], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
  const says = (word: string) =>
    writeFileSync(
      main,
      `#!/usr/bin/env node\nprocess.stdout.write(['${word}', require.main === module, __filename === ${JSON.stringify(main)}, typeof require.resolve].join(' '))`,
    );

  says('one');
  expect(print({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('one true true function');
  expect(existsSync(kept)).toBe(false);
  expect([print(), print()]).toEqual(['one true true function', 'one true true function']);
  expect(readdirSync(kept).length).toBe(1);
  says('two');
  expect(print()).toBe('two true true function');
  for (const name of readdirSync(kept)) {
    rmSync(join(kept, name), { recursive: true });
    writeFileSync(join(kept, name), 'no line of JSON');
  }
  expect([print(), print()]).toEqual(['two true true function', 'two true true function']);
  rmSync(kept, { recursive: true });
  writeFileSync(kept, '');
  expect(print()).toBe('two true true function');
});

test('where what was compiled cannot be kept nothing of it is left: it would take whatever room is made', () => {
  const folder = test.info().outputPath('package');
  const required = join(folder, 'src/app/code-cache.cjs');
  const main = join(folder, 'main.cjs');
  mkdirSync(join(folder, 'src/app'), { recursive: true });
  copyFileSync(cache, required);
  writeFileSync(main, '');
  // The system refuses a file in the place of a folder as it refuses one for which there is no room: at the last step.
  const kept = join(folder, 'code-cache');
  mkdirSync(join(kept, `main.cjs-${process.version}-${process.arch}`, 'in the way'), { recursive: true });
  execFileSync(process.execPath, ['--require', required, main]);
  // From Node 22 on it keeps that itself, in a folder of its own.
  const ours = readdirSync(kept).filter((name) => !name.startsWith(process.version));
  expect(ours).toEqual([`main.cjs-${process.version}-${process.arch}`]);
});

test('a process that keeps its compiled code writes nothing of its own', () => {
  const main = test.info().outputPath('main.cjs');
  writeFileSync(main, '');
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--require', cache, main], { encoding: 'utf8' });
  expect([stdout, stderr, status]).toEqual(['', '', 0]);
});
