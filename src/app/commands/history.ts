/** `countersign history`: shows what changed when, from the stored runs in a folder. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../record/errors.ts';
import { printedJson } from '../../report/visible.ts';
import { UsageError, usageError, withoutPasswords } from '../../run/options/usage-error.ts';
import {
  byStart,
  type HistoricReport,
  type History,
  historyDocument,
  subjectHistories,
} from '../../verdict/diff/history.ts';
import type { ExitCode, Input, Surroundings } from '../command.ts';
import { readStoredReport } from '../config/stored-runs.ts';
import { printDocument } from '../print.ts';

export async function run(folder: string, flags: Input<'history'>, surroundings: Surroundings): Promise<ExitCode> {
  const history = await historyOf(folder);
  await printDocument(historyDocument(history), () => printedJson(history, 2), flags, surroundings);
  return 0;
}

async function historyOf(folder: string): Promise<History> {
  const skipped: { path: string; why: string }[] = [];
  const runs: HistoricReport[] = [];
  for (const path of await runFolders(folder)) {
    try {
      const result = await readStoredReport(path);
      const first = runs.find((other) => other.result.runId === result.runId);
      if (first === undefined) runs.push({ path, result });
      else skipped.push({ path, why: `the same run as ${first.path}` });
    } catch (cause) {
      if (!(cause instanceof UsageError)) throw cause;
      skipped.push({ path, why: withoutPasswords(cause.message) });
    }
  }
  if (runs.length === 0) throw noRunError(folder, skipped[0]?.why);
  return { format: 'countersign-history', formatVersion: 1, subjects: subjectHistories(runs), leftOut: skipped };
}

/** The runs in a folder, the oldest first. Throws UsageError. */
export async function storedRuns(folder: string): Promise<HistoricReport[]> {
  const paths = await runFolders(folder);
  const runs = await Promise.all(paths.map(async (path) => ({ path, result: await readStoredReport(path) })));
  if (runs.length === 0) throw noRunError(folder);
  return byStart(runs);
}

async function runFolders(folder: string): Promise<string[]> {
  const items = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    const problem = cause.code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${reasonOf(cause)})`;
    throw usageError(cause)`${folder} ${cause.code === 'ENOENT' ? 'does not exist' : problem}
      Name the folder that contains the folders of runs.`;
  });
  // List folders before links: if both lead to the same run, the first path is shown.
  items.sort((a, b) => (a.name < b.name ? -1 : 1));
  const folders = [...items.filter((entry) => entry.isDirectory()), ...items.filter((entry) => entry.isSymbolicLink())];
  const paths = folders.map(({ name }) => join(folder, name));
  const withReport = await Promise.all(paths.map(async (path) => ((await holdsReport(path)) ? [path] : [])));
  return [...(items.some(({ name }) => name === 'report.json') ? [folder] : []), ...withReport.flat()];
}

/** True if the folder has a report. Also true for an unreadable folder: reading the report then gives the error. */
async function holdsReport(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(({ code = '' }: NodeJS.ErrnoException) =>
    ['ENOENT', 'ENOTDIR'].includes(code) ? [] : ['report.json'],
  );
  return names.includes('report.json');
}

function noRunError(folder: string, reason?: string): UsageError {
  const detail = reason === undefined ? '' : ` that can be read: ${reason}`;
  return usageError(undefined, 'nothing-recorded')`${folder} contains no folder of a run${detail}
    Name the folder of a run, or the folder above, such as reports/runs.`;
}
