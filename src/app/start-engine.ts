/** Starts Playwright Test with our configuration and waits for its end. The verdict is taken from the report, never from its exit code. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { endGroup, endingSignals } from '../record/disk/processes.ts';
import { toJson } from '../record/json.ts';
import { type RunOptions, runVariable } from '../run/options/run-options.ts';
import { cacheIn, type LostReport, openEngineFolder, optionsFile } from './engine-folder.ts';

export interface EngineEnd {
  /** A signal of this process was handed on to the engine. */
  readonly interrupted: boolean;
  /** Why it left no report, where it could say so. */
  readonly lost?: LostReport | undefined;
  /** Why standard output did not take what it printed, as the code of the system; undefined where it did. */
  readonly unprinted?: string | undefined;
}

/** Runs the suite to its end. */
export async function startEngine(options: RunOptions, environment: NodeJS.ProcessEnv): Promise<EngineEnd> {
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'cjs';
  const config = fileURLToPath(new URL(`../../playwright.config.${extension}`, import.meta.url));
  const folder = openEngineFolder();
  // Set before there is an engine: a signal just behind its start would end this process and leave the engine running.
  // Whatever signal came, the engine gets the one that it ends its workers and its report with.
  let told: number | undefined;
  // A second one ends the engine in the midst of its report: that is for a person who has waited enough, and neither for npx, which hands
  // on what the terminal has sent already, nor for a build server, which sends SIGTERM where SIGINT takes long.
  const forward = (signal: NodeJS.Signals) => {
    if (told === undefined) {
      told = performance.now();
      // The engine hears no signal while it writes its report: this one would end it in the midst of that.
      if (!folder.isConcluding()) child.kill('SIGINT');
    } else if (signal === 'SIGINT' && performance.now() - told > 1000) endGroup(child.pid!);
  };
  for (const signal of endingSignals) process.on(signal, forward);
  const cached =
    extension === 'cjs' ? ['--require', fileURLToPath(new URL('../../src/app/code-cache.cjs', import.meta.url))] : [];
  const child = spawn(process.execPath, [...cached, playwright, 'test', '-c', config], {
    stdio: 'inherit',
    // In a group of its own: a signal of the terminal reaches it once, through us, and not twice.
    detached: true,
    // The engine and its workers read secrets where the command did: in the files and variables that the configuration names.
    env: {
      ...environment,
      PLAYWRIGHT_TRANSFORM_CACHE_DIR: cacheIn(folder.path),
      // What is built needs no compiler: without it no disk can be too full for its cache, and the start is quicker.
      ...(extension === 'cjs' ? { PW_DISABLE_TS_ESM: '1' } : {}),
      [runVariable]: folder.write(optionsFile, toJson(options)),
    },
  });
  if (child.pid !== undefined) folder.lend(child.pid);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => resolve());
    });
    return { interrupted: told !== undefined, lost: folder.lost(), unprinted: folder.unprinted() };
  } finally {
    for (const signal of endingSignals) process.off(signal, forward);
    folder.remove();
  }
}
