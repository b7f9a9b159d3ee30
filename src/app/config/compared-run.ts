/** The runs that `countersign diff` is given: folders of runs or report.json files, and a refusal of what cannot be compared. */
import { lstat, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { whyUnreadable } from '../../record/disk/files.ts';
import type { ComparedRun } from '../../verdict/diff/difference.ts';
import { UsageError } from '../usage-error.ts';
import {
  ofOtherRun,
  readHarFile,
  readReportFile,
  readStoredReport,
  refuseForeignExchanges,
  toGive,
  unboundRemark,
} from './recording-files.ts';
import { shellWord } from './run-flags.ts';

/** A run that was read. */
export interface OpenedRun extends ComparedRun {
  readonly path: string;
  /** What could not be made sure of it. */
  readonly remark?: string;
}

/** Throws UsageError. */
export async function openRun(path: string): Promise<OpenedRun> {
  const found = await stat(path).catch((cause) => {
    throw new UsageError('unreadable-file', `${path} ${whyUnreadable(cause).unreadable}`, {
      hint: toGive,
      cause,
    });
  });
  if (!found.isDirectory()) return { path, result: await readReportFile(path) };
  const result = await readStoredReport(path);
  const har = join(path, 'exchanges.har');
  if (await isMissing(har)) return { path, result };
  const recording = await readHarFile(har, path, toGive);
  const { cases, examined } = recording;
  refuseForeignExchanges(path, recording, result);
  // A run that could not begin left exchanges of neither.
  const isOther = examined !== undefined && examined !== result.subject.kind;
  if (isOther || (cases.length > 0 && cases.length !== result.exchangeCount)) throw ofOtherRun(path);
  return { path, result, cases, remark: unboundRemark(path, recording) };
}

/** Whether nothing has that name: of a link that leads nowhere, or a file that may not be looked at, whoever opens it says so. */
async function isMissing(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Throws UsageError where a comparison would say nothing. */
export async function refuseIncomparable(old: OpenedRun, fresh: OpenedRun): Promise<void> {
  const [one, other] = [old.result, fresh.result];
  const places = await Promise.all([old, fresh].map(({ path }) => realpath(path)));
  if (places[0] === places[1] || one.runId === other.runId) {
    throw new UsageError('bad-arguments', `${old.path} and ${fresh.path} are the same run`, {
      hint: 'Give the run before the change, and then the one after it.',
    });
  }
  if (one.subject.kind !== other.subject.kind) {
    throw new UsageError(
      'bad-arguments',
      `${old.path} is a run of a ${one.subject.kind}, and ${fresh.path} one of a ${other.subject.kind}`,
      { hint: 'Compare two runs of gateways, or two of clients.' },
    );
  }
  if (one.profile !== other.profile) {
    throw new UsageError(
      'bad-arguments',
      `${old.path} was judged under the profile ${one.profile}, and ${fresh.path} under ${other.profile}`,
      { hint: judgeAgain(old, fresh) },
    );
  }
}

/** The whole command for the one whose exchanges are there. */
function judgeAgain(old: OpenedRun, fresh: OpenedRun): string {
  const again = old.cases === undefined ? fresh : old;
  if (again.cases === undefined) return 'Give the folder of one of them with its exchanges.har, and judge it again.';
  const { profile } = (again === old ? fresh : old).result;
  const out = `${again.path.replace(/\/+$/, '')}-${profile}`;
  return `Judge one of them again, and compare that: countersign judge ${shellWord(again.path)} --profile ${profile} --out ${shellWord(out)}`;
}
