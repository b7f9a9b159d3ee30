/** Performs a run with the engine, prints its report, and returns the exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { splitByExchange } from '../record/case.ts';
import { DiskError } from '../record/disk/files.ts';
import { endGroup, endingSignals } from '../record/disk/processes.ts';
import { countByDimension, exitCode } from '../record/result/conclude.ts';
import type { Result } from '../record/result/result.ts';
import { casesOf } from '../record/run.ts';
import { formatRun } from '../report/phrases.ts';
import { blocksText, textWidth } from '../report/terminal.ts';
import { headerOf, type RunOptions, runVariable } from '../run/options/run-options.ts';
import type { ExitCode, Surroundings } from './command.ts';
import { openEngineFolder } from './engine.ts';
import { printRun, writeReport } from './write-report.ts';

export interface AbortedRun {
  readonly aborted: string;
  readonly hint: string;
  readonly effects?: Result['effects'] | undefined;
  /** Set if the client reports that it cannot run on this machine. */
  readonly unsupported?: true | undefined;
}

export type EndedRun = { readonly result: Result } | AbortedRun;

/** Performs a run in the engine. If a signal interrupts the run, `hint` tells the user what to do. */
export async function performRun(options: RunOptions, env: NodeJS.ProcessEnv, hint: string): Promise<EndedRun> {
  const wasInterrupted = await startEngine(options, env);
  const text = await readFile(join(options.out, 'report.json'), 'utf8').catch(() => undefined);
  const result: Result | undefined = text && JSON.parse(text);
  if (result?.runId === options.runId) return { result };
  if (wasInterrupted) return interruptedRun('it had a report', hint);
  return { aborted: 'the run ended without a report', hint: 'The messages above may show the reason.' };
}

export function interruptedRun(event: string, hint: string): AbortedRun {
  return { aborted: `the run was interrupted before ${event}`, hint };
}

/** Prints the report and updates the baseline, or writes the report of an aborted run. */
export async function endRun(options: RunOptions, ended: EndedRun, surroundings: Surroundings): Promise<ExitCode> {
  if ('aborted' in ended) return abortRun(options, ended, surroundings.remark);
  printRun(ended.result, options, surroundings);
  if (options.trace && !options.json) await printTrace(ended.result, options, surroundings);
  if (ended.result.baseline?.updated !== undefined) {
    await (await import('./config/scoring-files.ts')).updateBaseline(ended.result, surroundings.remark);
  }
  return exitCode(ended.result);
}

async function printTrace(result: Result, { out: folder }: RunOptions, { out, colour, width }: Surroundings) {
  const { readRecordings } = await import('./config/stored-runs.ts');
  const { traceBlocks } = await import('../report/trace.ts');
  const { baseStringOf } = await import('../verdict/gateway-evidence.ts');
  const { recordings } = await readRecordings([folder], result.subject.kind);
  const blocks = traceBlocks(result, splitByExchange(recordings.flatMap(casesOf)), baseStringOf);
  if (blocks.length > 0) out(`\n${blocksText(blocks, { colour, width: textWidth(width) })}`);
}

/** Writes a report even for an aborted run. Without a report, the folder would look like that of a run in progress. */
async function abortRun(
  options: RunOptions,
  { aborted, hint, effects, unsupported }: AbortedRun,
  remark: (sentence: string) => void,
): Promise<3> {
  const noEffects = { 'closes-day': 0, 'starts-payments': 0 };
  const result: Result = {
    format: 'countersign-report',
    formatVersion: 1,
    ...headerOf(options, Date.now()),
    conclusion: 'aborted',
    aborted,
    ...(unsupported && { unsupported }),
    dimensions: countByDimension([]),
    results: [],
    observations: [],
    effects: effects ?? { predicted: noEffects, recorded: noEffects },
    exchangeCount: 0,
  };
  const phrases = formatRun(result);
  const effectText = effects === undefined ? '' : ` Effects: ${phrases.effects}; at worst ${phrases.worst}.`;
  const reportText = await writeReport({ result, cases: [] }, options)
    .then((isWritten) => (isWritten ? '' : ` The earlier report in ${options.out} stays.`))
    .catch((cause: unknown) => {
      if (cause instanceof DiskError) return ` No report was written: ${cause.message}.`;
      throw cause;
    });
  remark(`${aborted}. Nothing was judged.${effectText}${reportText}\n${hint}`.trimEnd());
  return 3;
}

/** Resolves to true if a signal interrupted the run. */
async function startEngine(options: RunOptions, env: NodeJS.ProcessEnv): Promise<boolean> {
  const isBuilt = !import.meta.url.endsWith('.ts');
  const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const config = fromRoot(`playwright.config.${isBuilt ? 'cjs' : 'ts'}`);
  const folder = openEngineFolder(options);
  let signalledAt: number | undefined;
  // The first signal makes the engine write its report. A second SIGINT kills it, but not within 1000 ms, because npx
  // repeats Ctrl+C. A second SIGTERM is ignored, because build servers send SIGTERM after SIGINT.
  const forward = (signal: NodeJS.Signals) => {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      child.kill('SIGINT');
    } else if (signal === 'SIGINT' && performance.now() - signalledAt > 1000) endGroup(child.pid!);
  };
  // Install the handlers before the engine starts: without them, a signal ends only this process.
  for (const signal of endingSignals) process.on(signal, forward);
  const child = spawn(process.execPath, [...(isBuilt ? lateOptimization : []), playwright, 'test', '-c', config], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Give the engine its own process group, so that it gets signals only from this process, not from the terminal.
    detached: true,
    // Pass on all variables, because the engine and its workers also read secrets from them.
    env: {
      ...env,
      // Do not use the default cache folder: another user of this machine could own it.
      PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(folder.path, 'cache'),
      // Built code needs no compiler. Without its compiler the engine starts faster and writes no cache.
      ...(isBuilt ? { PW_DISABLE_TS_ESM: '1' } : {}),
      [runVariable]: folder.optionsFile,
    },
  });
  try {
    await once(child, 'exit');
    return signalledAt !== undefined;
  } finally {
    for (const signal of endingSignals) process.off(signal, forward);
    folder.remove();
  }
}

/** With this flag V8 optimizes later: short runs need a tenth less CPU time. Newer versions refuse the flag. */
const lateOptimization = process.versions.v8.startsWith('11.3.') ? ['--interrupt-budget=1500000'] : [];
