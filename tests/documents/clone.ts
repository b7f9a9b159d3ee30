/** A copy of the project as after cloning and installing it, to run documented commands in. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { madeByTheBuild, root } from '../house/tree.ts';

export interface Ran {
  readonly code: number | null;
  /** Standard output and standard error as received, without npm's own warnings. */
  readonly text: string;
}

/** npm's own, or one that starts the command at once. */
export type Npx = 'npm' | 'quick';

export interface Clone {
  /** Runs a script in sh and waits for its end. */
  run(script: string, limitMs: number, npx?: Npx): Promise<Ran>;
  /** Starts a script and waits for a text in what it prints; `stop` interrupts it and gives all that it printed. */
  start(script: string, readyText: string, limitMs: number): Promise<{ stop(): Promise<Ran> }>;
  readonly folder: string;
  remove(): void;
}

/** What the package and its documents name, with the build and the installed packages of this tree. */
export function makeClone(): Clone {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-readme-')));
  for (const part of [
    'package.json',
    'bin',
    'dist',
    'schemas',
    'adapters',
    'templates',
    'contracts/vectors',
    'contracts/pacts',
    'contracts/sets',
    ...madeByTheBuild,
  ]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const bin = join(folder, 'home', 'bin');
  mkdirSync(bin, { recursive: true });
  // npx takes a second to find what it starts.
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = countersign ] && shift && exec '${folder}/dist/src/app/main.js' "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const environment = {
    TMPDIR: tmpdir(),
    // Nothing of the person who runs the tests: no npm settings, and a cache of npx of its own.
    HOME: join(folder, 'home'),
    npm_config_cache: join(folder, 'home', 'npm'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    // npx would build the project once more when it links it.
    npm_config_ignore_scripts: 'true',
  };
  const launch = (script: string, npx: Npx = 'quick') => {
    const PATH = [...(npx === 'quick' ? [bin] : []), process.env.PATH].join(delimiter);
    const child = spawn('sh', ['-c', script], { cwd: folder, env: { PATH, ...environment }, detached: true });
    let text = '';
    const listeners: (() => void)[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (const listener of listeners) listener();
      });
    }
    const ended = new Promise<Ran>((done, failed) => {
      child.once('error', failed);
      child.once('close', (code) => done({ code, text: text.replace(/^npm warn .*\n?/gm, '') }));
    });
    const kill = (signal: NodeJS.Signals) => {
      // The script's own process group: npx, node and whatever they started.
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch {
        // It has ended by itself.
      }
    };
    // Nothing outlives the tests, whatever became of them.
    const killAtExit = () => kill('SIGKILL');
    process.once('exit', killAtExit);
    child.once('close', () => process.removeListener('exit', killAtExit));
    return { ended, kill, listeners, printed: () => text };
  };
  return {
    folder,
    async run(script, limitMs, npx) {
      const { ended, kill } = launch(script, npx);
      const timer = setTimeout(() => kill('SIGKILL'), limitMs);
      try {
        return await ended;
      } finally {
        clearTimeout(timer);
      }
    },
    async start(script, readyText, limitMs) {
      const { ended, kill, listeners, printed } = launch(script);
      let timer: NodeJS.Timeout | undefined;
      try {
        await new Promise<void>((ready, failed) => {
          timer = setTimeout(() => failed(new Error(`not ready in ${limitMs} ms: ${printed()}`)), limitMs);
          listeners.push(() => printed().includes(readyText) && ready());
          ended.then(({ text }) => failed(new Error(`it ended before it was ready: ${text}`)), failed);
        });
      } catch (cause) {
        kill('SIGKILL');
        throw cause;
      } finally {
        clearTimeout(timer);
      }
      return {
        async stop() {
          kill('SIGINT');
          const late = setTimeout(() => kill('SIGKILL'), 5_000);
          try {
            return await ended;
          } finally {
            clearTimeout(late);
          }
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
