/** A desk for one test: in this process, over plain HTTP, with a state file of its own, and a client at it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from '../../../../schemas/index.ts';
import type { FaultOfLine } from '../../../../src/extras/desk/log.ts';
import { type DeskOptions, type RunningDesk, startDesk } from '../../../../src/extras/desk/start-desk.ts';
import { judgeCalls } from '../../../../src/verdict/conclude.ts';
import { baseStringOf } from '../../../../src/verdict/explain-refusal.ts';
import { test as withoutDesk } from '../../../engine.ts';
import { Visitor } from './desk-visitor.ts';

export const faultOfLine: FaultOfLine = (value) => validate('desk-line', value)[0]?.sentence;

export interface StateFolder {
  readonly stateFile: string;
  /** Starts a desk on the file; it is closed with the folder at the latest. */
  open(more?: Partial<DeskOptions>): Promise<RunningDesk>;
  remove(): Promise<void>;
}

export async function stateFolder(): Promise<StateFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-desk-'));
  const stateFile = join(folder, 'below', 'desk.jsonl');
  const opened: RunningDesk[] = [];
  return {
    stateFile,
    open: async (more = {}) => {
      const desk = await startDesk({
        port: 0,
        plainHttp: true,
        stateFile,
        now: Date.now,
        faultOfLine,
        judge: judgeCalls,
        baseStringOf,
        ...more,
      });
      opened.push(desk);
      return desk;
    },
    remove: async () => {
      for (const desk of opened) await desk.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `visitor` is at `desk`, whose state file is in `folder`. */
export const test = withoutDesk.extend<{ folder: StateFolder; desk: RunningDesk; visitor: Visitor }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
  folder: async ({}, use) => {
    const folder = await stateFolder();
    await use(folder);
    await folder.remove();
  },
  desk: async ({ folder }, use) => use(await folder.open()),
  visitor: async ({ desk }, use) => use(await Visitor.arrive(desk.pageUrl)),
});
