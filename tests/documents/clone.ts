/** Makes a copy of the project, as after cloning and installing, to run documented commands there. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { madeByTheBuild, root } from '../house/tree.ts';

export interface Ran {
  readonly code: number | null;
  /** Standard output and standard error together, without warnings of npm. */
  readonly text: string;
}

/** The npx of npm, or a script that starts the command directly. */
export type Npx = 'npm' | 'quick';

export interface Clone {
  /** Runs a shell script to its end. */
  run(script: string, limitMs: number, npx?: Npx): Promise<Ran>;
  /** Starts a shell script and waits until it prints a text. `stop` interrupts it and returns its output. */
  start(script: string, readyText: string, limitMs: number): Promise<{ stop(): Promise<Ran> }>;
  readonly folder: string;
  remove(): void;
}

/** Copies the files that the package and its documents name. Uses the build and the packages of this tree. */
export function makeClone(): Clone {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-readme-')));
  const folders = 'bin dist schemas adapters templates contracts/vectors contracts/pacts contracts/sets'.split(' ');
  for (const part of ['package.json', ...folders, ...madeByTheBuild]) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const bin = join(folder, 'home', 'bin');
  mkdirSync(bin, { recursive: true });
  // The npx of npm needs a second to find the command.
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = countersign ] && shift && exec '${folder}/dist/src/app/main.js' "$@"\n`,
    { mode: 0o755 },
  );
  const environment = {
    TMPDIR: tmpdir(),
    // Do not use the npm settings and the npm cache of the user.
    HOME: join(folder, 'home'),
    npm_config_cache: join(folder, 'home', 'npm'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    // Else npx would build the project again when it links it.
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
      // Signal the whole process group: npx, node and their children.
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch {
        // The process has already ended.
      }
    };
    // No process may outlive the tests.
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
