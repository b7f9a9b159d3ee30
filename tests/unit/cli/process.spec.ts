/** The built command as a process: signals, pipes and exit codes. Needs dist/, which `npm test` builds first. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { skipUnless } from '../../needed.ts';

const main = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));

skipUnless(existsSync(main), 'the build under dist/');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends a mock with exit code 0 and removes its files`, async () => {
    const child = spawn(process.execPath, [main, 'mock', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (bytes) => resolve(String(bytes)));
      child.once('exit', (code) => reject(new Error(`it ended with ${code} before it was ready`)));
    });
    const folder = dirname(JSON.parse(line).consumerSecretFile);
    expect(existsSync(folder)).toBe(true);
    const started = Date.now();
    child.kill(signal);
    const code = await new Promise((resolve) => child.once('exit', (exit, by) => resolve(exit ?? by)));
    expect(code).toBe(0);
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(existsSync(folder)).toBe(false);
  });
}

test('a reader that closes the pipe early causes no error', async () => {
  const child = spawn(process.execPath, [main, 'list', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let err = '';
  child.stderr.on('data', (bytes) => {
    err += bytes;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, err]).toEqual([0, '']);
});

test('everything arrives in a pipe before the process ends', async () => {
  const child = spawn(process.execPath, [main, 'list', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  expect(JSON.parse(out).length).toBeGreaterThan(50);
});

test('wrong use ends the process with exit code 2', async () => {
  const child = spawn(process.execPath, [main, 'explain'], { stdio: 'ignore' });
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(2);
});
