/** A run by the engine, from its options to its report, to what is printed of it, and to the exit code of the command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endGroup, endingSignals } from '../record/disk/processes.ts';
import { DiskError } from '../record/errors.ts';
import { exitCode } from '../record/result/conclude.ts';
import type { Result } from '../record/result/result.ts';
import { shortenedSentences, visible } from '../report/visible.ts';
import { formatEffects, formatWorst } from '../report/words.ts';
import { abortedResult, type RunOptions, runVariable } from '../run/options/run-options.ts';
import type { ExitCode, Surroundings } from './command.ts';
import { updateBaseline } from './config/scoring-flags.ts';
import { type LostReport, openEngineFolder } from './engine.ts';
import { printRun, writeReport } from './write-report.ts';

export interface AbortedRun {
  readonly aborted: string;
  readonly hint: string;
  /** It came to its end. */
  readonly isLost?: boolean;
  readonly effects?: Result['effects'] | undefined;
  /** The subject says of itself that it is not for this machine. */
  readonly unsupported?: true | undefined;
}

type EndedRun = { readonly result: Result } | AbortedRun;

/** Lets the engine perform the run. `again` says what to do where it was interrupted. */
export async function performRun(options: RunOptions, env: NodeJS.ProcessEnv, again: string): Promise<EndedRun> {
  const { interrupted, lost } = await startEngine(options, env);
  const text = await readFile(join(options.out, 'report.json'), 'utf8').catch(() => undefined);
  const result: Result | undefined = text && JSON.parse(text);
  if (result?.runId === options.runId) return { result };
  if (interrupted) return interruptedBefore('it had a report', again);
  return lost ?? { aborted: 'the run ended without a report', hint: 'The output of the engine is above.' };
}

export function interruptedBefore(what: string, again: string): AbortedRun {
  return { aborted: `the run was interrupted before ${what}`, hint: again };
}

/** Prints the end of a run that has its report, and brings the baseline up to date; or leaves the report of an aborted one. */
export async function endRun(options: RunOptions, ended: EndedRun, surroundings: Surroundings): Promise<ExitCode> {
  if ('aborted' in ended) return abortRun(options, ended, surroundings.remark);
  printRun(ended.result, options, surroundings);
  await updateBaseline(ended.result, surroundings.remark);
  return exitCode(ended.result);
}

/** A folder without a report could be of a run that still goes on. */
async function abortRun(
  options: RunOptions,
  { aborted, hint, isLost, effects, unsupported }: AbortedRun,
  remark: (sentence: string) => void,
): Promise<3> {
  const result = { ...abortedResult(options, aborted, Date.now(), unsupported), ...(effects && { effects }) };
  const done = effects === undefined ? '' : ` Effects: ${formatEffects(result)}; at worst ${formatWorst(result)}.`;
  const unwritten = await writeReport({ result, cases: [] }, options).catch((cause) => {
    // That this report cannot be written either is no reason to say nothing of the run.
    if (cause instanceof DiskError) return ` No report was written: ${cause.message}.`;
    throw cause;
  });
  const words = isLost ? `${done} ${hint}` : ` Nothing was judged.${done} ${hint}${unwritten ?? ''}`;
  remark(visible(shortenedSentences(`${aborted}.${words}`.trimEnd(), 600)));
  return 3;
}

async function startEngine(
  options: RunOptions,
  env: NodeJS.ProcessEnv,
): Promise<{ interrupted: boolean; lost: LostReport | undefined }> {
  const isBuilt = !import.meta.url.endsWith('.ts');
  const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const config = fromRoot(`playwright.config.${isBuilt ? 'cjs' : 'ts'}`);
  const folder = openEngineFolder(options);
  let lost: LostReport | undefined;
  // Set before there is an engine: a signal just behind its start would end this process and leave the engine running.
  // Whatever signal came, the engine gets the one that it ends its workers and its report with.
  let told: number | undefined;
  // A second one ends the engine in the midst of its report: that is for a person who has waited enough, and neither for npx, which hands
  // on what the terminal has sent already, nor for a build server, which sends SIGTERM where SIGINT takes long.
  const forward = (signal: NodeJS.Signals) => {
    if (told === undefined) {
      told = performance.now();
      child.kill('SIGINT');
    } else if (signal === 'SIGINT' && performance.now() - told > 1000) endGroup(child.pid!);
  };
  for (const signal of endingSignals) process.on(signal, forward);
  const child = spawn(process.execPath, [...(isBuilt ? lateOptimization : []), playwright, 'test', '-c', config], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // In a group of its own: a signal of the terminal reaches it once, through us, and not twice.
    detached: true,
    // The engine and its workers read secrets where the command did: in the files and variables that the configuration names.
    env: {
      ...env,
      // What it compiles it writes here and loads again: by itself it would use a folder that anybody can make before it.
      PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(folder.path, 'cache'),
      // What is built needs no compiler: without it no disk can be too full for its cache, and the start is quicker.
      ...(isBuilt ? { PW_DISABLE_TS_ESM: '1' } : {}),
      [runVariable]: folder.optionsFile,
    },
  });
  child.on('message', (why: LostReport) => {
    lost = why;
  });
  try {
    // What it told last may arrive behind its end.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    return { interrupted: told !== undefined, lost };
  } finally {
    for (const signal of endingSignals) process.off(signal, forward);
    folder.remove();
  }
}

/**
 * A run is over before most of what V8 optimizes has paid for itself: where a function has to run some eleven times as long before, a
 * run takes a tenth less of the processor. A later V8 than that of Node 20 knows no such flag, and says so.
 */
const lateOptimization = process.versions.v8.startsWith('11.3.') ? ['--interrupt-budget=1500000'] : [];
