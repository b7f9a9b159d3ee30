/** The one place where tests are skipped: what is missing is named. CI has everything, so there it is a failure. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from './engine.ts';

/** Skips the test, or the file where it is outside of one; `what` says what is needed. Throws if CI is set. */
export function skipUnless(isThere: boolean, what: string): void {
  if (isThere) return;
  if (process.env.CI) throw new Error(`CI skips nothing, and this is missing: ${what}`);
  test.skip(true, `${what}: not on this machine`);
}

/** Whether the program is there and ends with 0. */
export function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Those of the programs that no folder of PATH has. */
export function missingPrograms(...names: readonly string[]): readonly string[] {
  return names.filter((name) => !folders().some((folder) => existsSync(join(folder, name))));
}

/** The first Python of PATH that has requests-oauthlib: a machine may have several. It starts them: never while a file is loaded. */
export function pythonWithOAuth(): string | undefined {
  const pythons = folders().map((folder) => join(folder, 'python3'));
  return pythons.find((path) => existsSync(path) && succeeds(path, '-c', 'import requests_oauthlib'));
}

function folders(): readonly string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}
