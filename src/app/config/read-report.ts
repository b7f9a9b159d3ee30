/** report.json as a command reads it again, after a run of the engine or much later: checked before anything of it is believed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { Result } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { knownProfile } from '../../run/options/options.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { refuseIf, UsageError, usageError } from '../../run/options/usage-error.ts';

/**
 * The report that a run of the engine left behind, and its text: the only source of the command's exit code. Undefined where
 * there is none or it is of another run; `aborted` says why it cannot be used.
 */
export async function readReport(
  options: RunOptions,
): Promise<{ result: Result; text: string } | { aborted: string; hint: string } | undefined> {
  const path = join(options.out, 'report.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const result = parseReport(text, path);
    return result.runId === options.runId ? { result, text } : undefined;
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    return { aborted: `the run left no report that can be used: ${cause.message}`, hint: 'Start it again.' };
  }
}

/** The report in a text; `path` is where it was found. Throws UsageError. */
export function parseReport(text: string, path: string): Result {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw usageError(cause)`${path} is not JSON
      Give the folder of a whole run.`;
  }
  const { format, suite } = (value ?? {}) as Partial<Record<keyof Result, unknown>>;
  refuseIf(format !== 'countersign-report')`${path} is not the report of a run
    Give the folder of a run.`;
  const [fault] = validate('report', value);
  if (fault === undefined) return withKnownNames(value as Result, path);
  const { name, version } = (suite ?? {}) as Record<string, unknown>;
  const writer =
    typeof name === 'string' && typeof version === 'string' ? `${name} ${version}`.slice(0, 80) : undefined;
  const hint =
    writer === undefined
      ? 'Give the folder of a run, unchanged.'
      : `It was written by ${writer}: give it as that wrote it, or judge it with that version.`;
  const what =
    fault.path === 'formatVersion'
      ? `has another version of the format: ${fault.sentence}`
      : `cannot be used: ${fault.sentence}`;
  throw new UsageError(`${path} ${what}`, hint);
}

/** Whoever reads the outcome of an id would get one of two; and the schema leaves the profile open, since a later version may have more. */
function withKnownNames(report: Result, path: string): Result {
  const ids = [...report.results.map(({ id }) => id), ...(report.contracts ?? []).map(contractId)];
  const doubled = ids.find((id, at) => ids.indexOf(id) !== at);
  refuseIf(doubled !== undefined)`${path} has ${doubled} twice
    Give the folder of a run, unchanged.`;
  try {
    knownProfile(report.profile);
    return report;
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(`${path}: ${cause.message}`, cause.hint, cause);
  }
}
