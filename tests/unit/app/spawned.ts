/** Starts the built command in its own process, and captures its output. Needs dist/, which `npm test` builds. */

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { root } from '../../house/tree.ts';
import { listen } from '../../listen.ts';
import { skipUnless } from '../../needed.ts';

export const main = join(root, 'dist/src/app/main.cjs');
/** The command of the adapter in JavaScript. */
export const adapter = [process.execPath, join(root, 'adapters/node/adapter.mjs')] as const;

export interface Spawned {
  readonly child: ChildProcess;
  /** Standard output and standard error so far. */
  readonly output: { out: string; err: string };
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export function spawnMain(words: readonly string[], options: SpawnOptions = {}): Spawned {
  skipUnless(existsSync(main), 'the build under dist/');
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const output = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => resolve(code ?? signal));
  });
  return { child, output, ended };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = await listen(server);
  await new Promise((closed) => server.close(closed));
  return port;
}
