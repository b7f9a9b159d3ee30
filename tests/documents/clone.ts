/** Makes a copy of the project, like an installed clone, in which tests run documented commands. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { builtFiles, root } from '../house/tree.ts';

export interface Output {
  readonly code: number | null;
  readonly text: string;
}

export type Clone = ReturnType<typeof makeClone>;

/** Copies the files that the package and its documents name. Uses the build and the packages of this tree. */
export function makeClone() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-readme-')));
  const folders = 'bin dist schemas adapters templates contracts/vectors contracts/pacts contracts/sets'.split(' ');
  for (const part of ['package.json', ...folders, ...builtFiles])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const bin = join(folder, 'home', 'bin');
  mkdirSync(bin, { recursive: true });
  // Replace npx by a script, because the npx of npm needs a second to find the command.
  writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = countersign ] && shift && exec '${folder}/dist/src/app/main.cjs' "$@"\n`,
    { mode: 0o755 },
  );
  const environment = {
    TMPDIR: tmpdir(),
    // Do not let npm use the settings and the cache of the user.
    HOME: join(folder, 'home'),
    npm_config_cache: join(folder, 'home', 'npm'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    // Without this setting, npx would build the project again before it links the command.
    npm_config_ignore_scripts: 'true',
  };
  const start = (script: string, ownNpx = false) => {
    const PATH = [...(ownNpx ? [] : [bin]), process.env.PATH].join(delimiter);
    const child = spawn('sh', ['-c', script], { cwd: folder, env: { PATH, ...environment }, detached: true });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    const ended = new Promise<Output>((done, failed) => {
      child.once('error', failed);
      child.once('close', (code) => done({ code, text: text.replace(/^npm warn .*\n?/gm, '') }));
    });
    const kill = (signal: NodeJS.Signals) => {
      // Signal the whole process group: npx, node and their children. The group may have ended.
      try {
        process.kill(-child.pid!, signal);
      } catch {}
    };
    // No process may outlive the tests.
    const killAtExit = () => kill('SIGKILL');
    process.once('exit', killAtExit);
    child.once('close', () => process.removeListener('exit', killAtExit));
    return { ended, printed: () => text, interrupt: () => kill('SIGINT') };
  };
  return { folder, start, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
