/** The engine, Playwright Test: how the command starts it, what it tells the command, and what its tests hand to the reporter. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TemporaryFolder, temporaryFolder } from '../record/disk/files.ts';
import { endGroup, endingSignals } from '../record/disk/processes.ts';
import { messageOf } from '../record/errors.ts';
import { toJson } from '../record/json.ts';
import { type RunOptions, runVariable } from '../run/options/run-options.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';

/** What the engine tells the command over the channel between the two processes: it needs no room on a disk. */
interface EngineNews {
  /** Nothing is sent any more, and what follows takes as long as there are exchanges. */
  readonly concluding?: true;
  /** Why there is no report of a run that came to its end. */
  readonly lost?: LostReport;
  /** Why standard output, which both share, did not take what the engine printed: the code of the system. */
  readonly unprinted?: string;
}

export interface LostReport {
  readonly aborted: string;
  /** What to do about it; a sentence, or empty. */
  readonly hint: string;
  readonly isLost: true;
}

interface EngineEnd extends Pick<EngineNews, 'lost' | 'unprinted'> {
  /** A signal of this process was handed on to the engine. */
  readonly interrupted: boolean;
}

/** Runs the suite to its end. The verdict is taken from the report, never from the engine's exit code. */
export async function startEngine(options: RunOptions, environment: NodeJS.ProcessEnv): Promise<EngineEnd> {
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const isBuilt = !import.meta.url.endsWith('.ts');
  const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const folder = openEngineFolder(options);
  let news: EngineNews = {};
  // Set before there is an engine: a signal just behind its start would end this process and leave the engine running.
  // Whatever signal came, the engine gets the one that it ends its workers and its report with.
  let told: number | undefined;
  // A second one ends the engine in the midst of its report: that is for a person who has waited enough, and neither for npx, which hands
  // on what the terminal has sent already, nor for a build server, which sends SIGTERM where SIGINT takes long.
  const forward = (signal: NodeJS.Signals) => {
    if (told === undefined) {
      told = performance.now();
      if (news.concluding === undefined) child.kill('SIGINT');
    } else if (signal === 'SIGINT' && performance.now() - told > 1000) endGroup(child.pid!);
  };
  for (const signal of endingSignals) process.on(signal, forward);
  const child = spawn(
    process.execPath,
    [
      ...(isBuilt ? lateOptimization : []),
      playwright,
      'test',
      '-c',
      fromRoot(`playwright.config.${isBuilt ? 'cjs' : 'ts'}`),
    ],
    {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // In a group of its own: a signal of the terminal reaches it once, through us, and not twice.
      detached: true,
      // The engine and its workers read secrets where the command did: in the files and variables that the configuration names.
      env: {
        ...environment,
        // What it compiles it writes here and loads again: by itself it would use a folder that anybody can make before it.
        PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(folder.path, 'cache'),
        // What is built needs no compiler: without it no disk can be too full for its cache, and the start is quicker.
        ...(isBuilt ? { PW_DISABLE_TS_ESM: '1' } : {}),
        [runVariable]: folder.optionsFile,
      },
    },
  );
  child.on('message', (more: EngineNews) => {
    news = { ...news, ...more };
  });
  try {
    // What it told last may arrive behind its end.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    return { interrupted: told !== undefined, lost: news.lost, unprinted: news.unprinted };
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

/** For the engine: tells the command. Resolves to whether there is one; started by hand the engine is its own command. */
export function tellCommand(news: EngineNews): Promise<boolean> {
  return new Promise((done) => {
    if (process.connected !== true) done(false);
    else process.send!(news, undefined, undefined, (error) => done(error === null));
  });
}

/** For the engine: what to do once the command is gone, which was killed then. */
export function onceCommandIsGone(act: () => void): void {
  if (process.connected === undefined) return;
  if (!process.connected) act();
  process.once('disconnect', act);
  process.channel?.unref();
}

interface EngineFolder extends TemporaryFolder {
  readonly optionsFile: string;
}

/** Makes a fresh folder for a run of the engine. Throws DiskError where none can be made, or it has no room for the options. */
export function openEngineFolder(options: RunOptions, parent?: string): EngineFolder {
  const name = 'run-options.json';
  const folder = temporaryFolder(`countersign-engine-${process.pid}-`, { [name]: toJson(options) }, parent);
  return { ...folder, optionsFile: join(folder.path, name) };
}

/** Names a reporter that the engine adds, also where --reporter replaces those of the configuration. */
export const reporterVariable = 'PW_TEST_REPORTER';

/** Under this name a test attaches the record of its scenario, and in a live run each of its cases in a list before that. */
export const attachmentName = 'countersign-record';

/** Under this name the test of the Pact contracts attaches its rows. */
export const contractsAttachmentName = 'countersign-contracts';

/** Title of that test: it tells it from the scenarios, whose titles are their ids. */
export const contractsTitle = 'Pact contracts';

/** What a test leaves in place of a record: one that throws would restart its worker, which forgets what the others share. */
export function unrecorded(scenario: string, ...causes: readonly unknown[]): ScenarioRecord {
  return { scenario, cases: [], suiteErrors: causes.map(messageOf) };
}

/** The record of a scenario of which these parts were attached: cases, and the record with those that were not attached before. */
export function recordOf(parts: readonly unknown[]): { readonly cases: unknown[]; readonly rest?: object | undefined } {
  const rest = parts.find((part): part is { readonly cases: unknown[] } => !Array.isArray(part));
  return { cases: [...parts.filter(Array.isArray).flat(), ...(rest?.cases ?? [])], rest };
}

interface Attaching {
  readonly attachments: { name: string; contentType: string; body?: Buffer }[];
}

/** Hands a value over to the reporter; `attach` of the engine itself would make a step of it, a stack and a folder. */
export function attach(to: Attaching, name: string, value: unknown): void {
  const attachment: Attaching['attachments'][number] = { name, contentType: 'application/json' };
  to.attachments.push(Object.assign(attachment, { body: Buffer.from(toJson(value)) }));
  // It is sent with the push, and would be kept until the test ends.
  delete attachment.body;
}
