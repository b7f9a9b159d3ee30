/** `countersign history`: shows what changed when, from the stored runs in a folder. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../record/errors.ts';
import { printedJson } from '../../report/visible.ts';
import { UsageError, usageError, withoutPasswords } from '../../run/options/usage-error.ts';
import {
  type HistoricReport,
  type History,
  historyDocument,
  joined,
  seriesKeys,
  subjectHistory,
} from '../../verdict/diff/history.ts';
import type { ExitCode, Given, Surroundings } from '../command.ts';
import { readStoredReport } from '../config/stored-runs.ts';
import { printDocument } from '../print.ts';

export async function run(folder: string, given: Given<'history'>, surroundings: Surroundings): Promise<ExitCode> {
  const history = await historyOf(folder);
  await printDocument(historyDocument(history), () => printedJson(history, 2), given, surroundings);
  return 0;
}

/** Reads reports twice, to sort and to compare them: a year of reports may exceed the memory. */
async function historyOf(folder: string): Promise<History> {
  const leftOut: { path: string; why: string }[] = [];
  const read: { keys: string[]; path: string; startedAt: string; runId: string }[] = [];
  for (const path of await runFolders(folder)) {
    try {
      const result = await readStoredReport(path);
      read.push({ keys: seriesKeys(result), path, startedAt: result.startedAt, runId: result.runId });
    } catch (cause) {
      if (!(cause instanceof UsageError)) throw cause;
      leftOut.push({ path, why: withoutPasswords(cause.message) });
    }
  }
  if (read.length === 0) throw noRun(folder, noRunReason(leftOut));
  const subjects = [];
  for (const found of joined(read)) {
    const inOrder = found.sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
    subjects.push((await subjectHistory(readAgain(withoutCopies(inOrder, leftOut))))!);
  }
  return { format: 'countersign-history', formatVersion: 1, subjects, leftOut };
}

export async function storedRuns(folder: string): Promise<HistoricReport[]> {
  const paths = await runFolders(folder);
  const runs = await Promise.all(paths.map(async (path) => ({ path, result: await readStoredReport(path) })));
  if (runs.length === 0) throw noRun(folder);
  return runs.sort((a, b) => Date.parse(a.result.startedAt) - Date.parse(b.result.startedAt));
}

/** A copy, or a run judged again, counts once. */
function withoutCopies<T extends { readonly path: string; readonly runId: string }>(
  runs: readonly T[],
  leftOut: { path: string; why: string }[],
): T[] {
  return runs.filter(({ path, runId }, at) => {
    const first = runs.find((other) => other.runId === runId)!;
    if (first === runs[at]) return true;
    leftOut.push({ path, why: `it is the run in ${first.path} again` });
    return false;
  });
}

async function* readAgain(runs: readonly { readonly path: string }[]): AsyncIterable<HistoricReport> {
  for (const { path } of runs) yield { path, result: await readStoredReport(path) };
}

/** The folder itself if it is a run, and the runs in it. */
async function runFolders(folder: string): Promise<string[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    const what = cause.code === 'ENOTDIR' ? 'is not a folder' : `cannot be read (${reasonOf(cause)})`;
    throw usageError(cause)`${folder} ${cause.code === 'ENOENT' ? 'does not exist' : what}
      Name the folder that holds the folders of runs.`;
  });
  // Links come after folders: they count only if they are the only way to a run.
  names.sort((a, b) => (a.name < b.name ? -1 : 1));
  const folders = [...names.filter((entry) => entry.isDirectory()), ...names.filter((entry) => entry.isSymbolicLink())];
  const inside: string[] = [];
  for (const { name } of folders) {
    const path = join(folder, name);
    if (await holdsReport(path)) inside.push(path);
  }
  return [...(names.some(({ name }) => name === 'report.json') ? [folder] : []), ...inside];
}

/** True for an unreadable folder, so that reading its report gives the error. */
async function holdsReport(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(({ code = '' }: NodeJS.ErrnoException) =>
    ['ENOENT', 'ENOTDIR'].includes(code) ? [] : ['report.json'],
  );
  return names.includes('report.json');
}

function noRun(folder: string, why = ''): UsageError {
  return usageError(undefined, 'nothing-recorded')`${folder} holds no folder of a run${why}
    Name the folder of a run, or the one above those that --out named, such as reports/runs.`;
}

function noRunReason(leftOut: readonly { readonly why: string }[]): string {
  return leftOut.length === 0 ? '' : ` that can be used: ${leftOut[0]!.why}`;
}
