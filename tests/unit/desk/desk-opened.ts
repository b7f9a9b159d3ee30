/** A desk for one test: in this process, over plain HTTP, with a state file of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { FaultOfLine } from '../../../src/extras/desk/log.ts';
import { type DeskOptions, type RunningDesk, startDesk } from '../../../src/extras/desk/start-desk.ts';
import { judgeCalls } from '../../../src/verdict/client/judge-calls.ts';

export const faultOfLine: FaultOfLine = (value) => validate('desk-line', value)[0]?.sentence;

export interface StateFolder {
  readonly stateFile: string;
  /** Starts a desk on the file; the test closes it. */
  open(more?: Partial<DeskOptions>): Promise<RunningDesk>;
  remove(): Promise<void>;
}

export async function stateFolder(): Promise<StateFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-desk-'));
  const stateFile = join(folder, 'below', 'desk.jsonl');
  return {
    stateFile,
    open: (more = {}) =>
      startDesk({
        port: 0,
        plainHttp: true,
        stateFile,
        now: Date.now,
        faultOfLine,
        judge: judgeCalls,
        explainSignature: () => 'the reason that was handed in',
        ...more,
      }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs `body` with a desk, and ends it whatever happens. */
export async function withDesk(
  body: (desk: RunningDesk, folder: StateFolder) => Promise<void>,
  more: Partial<DeskOptions> = {},
): Promise<void> {
  const folder = await stateFolder();
  try {
    const desk = await folder.open(more);
    try {
      await body(desk, folder);
    } finally {
      await desk.close();
    }
  } finally {
    await folder.remove();
  }
}
