/** Skips tests that need a missing program or file, and names what is missing. In CI, such tests fail. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from './engine.ts';

/** Skips a test, or, if called outside a test, the whole file. `what` names what is missing. Throws if CI is set. */
export function skipUnless(isThere: boolean, what: string): void {
  if (isThere) return;
  if (process.env.CI) throw new Error(`CI skips nothing, and this is missing: ${what}`);
  test.skip(true, `${what}: not on this machine`);
}

/** Runs a program. True if it exists and ends with code 0. */
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
