/** Writes the files of a run and prints its end. The report is complete or absent: files are renamed into place. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { requirementById } from '../../contracts/requirements/index.ts';
import type { ConcludedRun } from '../conclusion/conclude-gateway.ts';
import { DiskError, unwritable } from '../disk/disk-error.ts';
import type { Case } from '../exchange/case.ts';
import type { ClientRun } from '../exchange/client-case.ts';
import type { GatewayRun } from '../exchange/gateway-run.ts';
import { type HarPart, largestRest, textOfPart } from '../exchange/har.ts';
import type { RunOptions } from '../options/run-options.ts';
import { mayColour } from '../report/terminal.ts';
import { textReport } from '../report/text.ts';
import { visibleJson } from '../report/visible.ts';
import type { Result } from '../result/result.ts';
import { refuseLeaks, terminalName } from '../secrets/refuse-leaks.ts';
import type { ScannedFile } from '../secrets/scan.ts';
import type { Secret } from '../secrets/secret.ts';
import { secretsOf } from '../secrets/secrets-of.ts';

/**
 * Each file by its name, and what writes it: a format is one line here. Writers are loaded when they write, since most
 * commands need none of them. report.json is the last one: whoever finds it finds the other files too.
 */
const formats: readonly (readonly [name: string, write: (run: WrittenRun) => Promise<string | readonly HarPart[]>])[] =
  [
    ['junit.xml', async (run) => (await import('../report/junit.ts')).junitReport(run.result, run)],
    ['ctrf.json', async (run) => (await import('../report/ctrf.ts')).ctrfReport(run.result, run)],
    ['summary.md', async (run) => (await import('../report/summary.ts')).summaryReport(run.result, run)],
    ['exchanges.har', harOf],
    ['report.html', async (run) => (await import('../pages/report-page.ts')).htmlReport(run.result, run)],
    ['report.json', async (run) => (await import('../report/json.ts')).jsonReport(run.result)],
  ];

type WrittenOptions = Pick<RunOptions, 'out' | 'json' | 'live'> & Partial<Pick<RunOptions, 'runId'>>;

/** What the writers need. */
interface WrittenRun {
  readonly result: Result;
  /** In the order of their numbers (`numberCases`). */
  readonly cases: readonly Case[];
  readonly client?: ClientRun;
  readonly gateway?: GatewayRun;
  readonly statements: typeof requirementById;
  readonly questions: (openPoint: string) => string | undefined;
}

/**
 * Writes every format into the folder of the run and prints its end, unless a program reads standard output. Throws
 * LeakError where any of that, or what the run wrote into its ledger, holds a secret of the run, and DiskError where the
 * folder has no room: then no file is left and nothing is printed.
 */
export async function writeReport(
  { result, cases, client, gateway }: ConcludedRun,
  options: WrittenOptions,
  secrets?: readonly Secret[],
): Promise<void> {
  const { openPoints } = await import('../../contracts/open-points.ts');
  const questions = (id: string) => openPoints.find((point) => point.id === id)?.question;
  const run: WrittenRun = { result, cases, client, gateway, statements: requirementById, questions };
  const { files, fault } = await written(run);
  const end = options.json ? '' : endOf(result, options.out);
  await refuseSecrets([...files, { name: terminalName, parts: [end] }], options, secrets);
  if ((await putAll(files, options.out)) > largestRest) process.stderr.write(`countersign: ${beyondJudge}\n`);
  process.stdout.write(end);
  if (fault !== undefined) throw fault;
}

/** A format that cannot be made costs neither the others nor the evidence: report.json then says that the run has no conclusion. */
async function written(run: WrittenRun): Promise<{ files: readonly ReportFile[]; fault?: Error }> {
  const files: ReportFile[] = [];
  let fault: Error | undefined;
  for (const [name, write] of formats) {
    const told = fault && { ...run, result: { ...run.result, conclusion: 'aborted', aborted: fault.message } as const };
    try {
      files.push({ name, parts: [await write(told ?? run)].flat() });
    } catch (cause) {
      fault ??= new Error(`${name} could not be made: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  }
  return fault === undefined ? { files } : { files, fault };
}

/** In parts: the whole may be longer than a text of this runtime can be, and than the memory. */
async function harOf(run: WrittenRun): Promise<readonly HarPart[]> {
  const { toHarParts } = await import('../exchange/har.ts');
  return Array.from(toHarParts(run.cases, run.result, run, visibleJson));
}

interface ReportFile {
  readonly name: string;
  /** The text, cut where no value is cut. */
  readonly parts: readonly HarPart[];
}

function endOf(result: Result, out: string): string {
  return `\n${textReport(result, {
    statements: requirementById,
    colour: mayColour(process.stdout, process.env),
    width: process.stdout.columns ?? 100,
    files: [relative(process.cwd(), out) || '.'],
  })}`;
}

/** An older report in the folder goes too: nobody shall take it for the one of this run. */
async function refuseSecrets(
  files: readonly ReportFile[],
  options: WrittenOptions,
  given: readonly Secret[] | undefined,
): Promise<void> {
  const secrets = given ?? (await secretsOf(options, process.env));
  if (secrets.length === 0) return;
  try {
    refuseLeaks(inPieces([...files, ...(await ledgerLines(options))]), secrets);
  } catch (cause) {
    await Promise.all(formats.map(([name]) => rm(join(options.out, name), { force: true })));
    throw cause;
  }
}

/** What is searched for secrets at a time: a secret is in one value, and no value is in two pieces. */
function* inPieces(files: readonly ReportFile[]): Generator<ScannedFile> {
  for (const { name, parts } of files) {
    for (const piece of gathered(parts)) yield { name, bytes: Buffer.from(piece, 'utf8') };
  }
}

/** What this run wrote into its ledger; runs before it are not its business. */
async function ledgerLines({ live, runId }: WrittenOptions): Promise<readonly ReportFile[]> {
  if (live === undefined || runId === undefined) return [];
  const lines = (await readFile(live.ledger, 'utf8')).split('\n');
  return [{ name: `the ledger ${live.ledger}`, parts: [lines.filter((line) => line.includes(runId)).join('\n')] }];
}

/**
 * Half a report would be taken for a whole one: where not all of it can be written, nothing is left of it. Returns the length
 * of exchanges.har without its long bodies.
 */
async function putAll(files: readonly ReportFile[], folder: string): Promise<number> {
  try {
    await mkdir(folder, { recursive: true });
    let ofHar = 0;
    for (const { name, parts } of files) {
      const length = await put(folder, name, parts);
      if (name === 'exchanges.har') ofHar = length;
    }
    return ofHar;
  } catch (cause) {
    const names = formats.flatMap(([name]) => [name, partialOf(name)]);
    await Promise.all(names.map((name) => rm(join(folder, name), { force: true }).catch(() => {})));
    const hint = 'Nothing of it is kept: make room there, or name another folder with --out, and start again.';
    throw unwritable('report-folder', `the report in ${folder}`, hint, cause);
  }
}

/**
 * The report of a run that was given up. Returns a sentence with a blank before it where it cannot be written: that is no
 * reason to say nothing of the run.
 */
export async function writeAborted(result: Result, options: WrittenOptions): Promise<string> {
  try {
    await writeReport({ result, cases: [] }, { ...options, json: true });
    return '';
  } catch (cause) {
    if (cause instanceof DiskError) return ` No report was written: ${cause.message}.`;
    throw cause;
  }
}

/** Returns the length of what it wrote, without long bodies. */
async function put(folder: string, name: string, parts: readonly HarPart[]): Promise<number> {
  const partial = join(folder, partialOf(name));
  let length = 0;
  await writeFile(
    partial,
    gathered(parts, (part) => {
      length += part.length;
    }),
  );
  await rename(partial, join(folder, name));
  return length;
}

/** Parts put together until they are worth a write. */
function* gathered(parts: readonly HarPart[], told?: (withoutBodies: string) => void): Generator<string> {
  let text = '';
  for (const part of parts) {
    const made = textOfPart(part);
    if (typeof part === 'string' || part.isLongBody !== true) told?.(made);
    text += made;
    if (text.length < 1024 * 1024) continue;
    yield text;
    text = '';
  }
  yield text;
}

const beyondJudge =
  'exchanges.har is longer than countersign judge and rekey can read (256 MB beside long bodies): keep report.json, and narrow the next run with --only.';

function partialOf(name: string): string {
  return `.${name}.partial`;
}
