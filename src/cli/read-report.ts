/** The report that a run of the engine left behind: the only source of the command's exit code. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Result } from '../result/result.ts';
import type { RunOptions } from '../run/run-options.ts';

/** The report of this run and its text; undefined where there is none or it is of another run. */
export async function readReport(options: RunOptions): Promise<{ result: Result; text: string } | undefined> {
  try {
    const text = await readFile(join(options.out, 'report.json'), 'utf8');
    const result: Result = JSON.parse(text);
    return result.runId === options.runId ? { result, text } : undefined;
  } catch {
    return undefined;
  }
}
