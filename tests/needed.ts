/** Skips tests on machines without a program or file, and names it. In CI, such a test fails. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from './engine.ts';

/** Skips the test, or outside a test the whole file. `what`: the missing thing. Throws if CI is set. */
export function skipUnless(isThere: boolean, what: string): void {
  if (isThere) return;
  if (process.env.CI) throw new Error(`CI skips nothing, and this is missing: ${what}`);
  test.skip(true, `${what}: not on this machine`);
}

/** True if the program exists and ends with code 0. */
export function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** The programs that PATH lacks. */
export function missingPrograms(...names: readonly string[]): readonly string[] {
  return names.filter((name) => !folders().some((folder) => existsSync(join(folder, name))));
}

/** The first Python in PATH with requests-oauthlib. This starts processes, so call it only in a test. */
export function pythonWithOAuth(): string | undefined {
  const pythons = folders().map((folder) => join(folder, 'python3'));
  return pythons.find((path) => existsSync(path) && succeeds(path, '-c', 'import requests_oauthlib'));
}

function folders(): readonly string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}
