/** The Playwright reporter: prints a line for each scenario, then judges the run and writes its report. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { type RequirementId, requirementById } from '../../contracts/requirements/index.ts';
import { noVerdictRows, verifiesContracts } from '../extras/pact/contracts.ts';
import { clientScenarios } from '../plan/client/index.ts';
import { gatewayScenarios } from '../plan/index.ts';
import type { ClientScenario, Scenario } from '../plan/scenario.ts';
import { type AnyCase, inOrder } from '../record/case.ts';
import { DiskError, ensureFullWrites } from '../record/disk/files.ts';
import { messageOf } from '../record/errors.ts';
import { fromJson } from '../record/json.ts';
import { countOutcomes, exitCode } from '../record/result/conclude.ts';
import type { ContractRow, Outcome } from '../record/result/result.ts';
import { mayColour, progressLine } from '../report/terminal.ts';
import { scenarioOf } from '../run/live/plan.ts';
import { endOfLive, interruptedReason } from '../run/live/session.ts';
import { type RunOptions, readRunOptions } from '../run/options/run-options.ts';
import { matchesAny, selectedIds } from '../run/options/selection.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';
import { type ConcludedRun, concludeRun, evidenceOf } from '../verdict/conclude.ts';
import { storedShard } from '../verdict/recordings/merge-shards.ts';
import { processSurroundings } from './command.ts';
import { bail, contractsTitle, failedRecord, reporterVariable } from './engine.ts';
import { printMessage } from './print.ts';
import { printRun, writeReport } from './write-report.ts';

/** Playwright calls this function with `new`. For --list, the reporter prints nothing, so Playwright prints. */
export default function newReporter({ _mode }: { readonly _mode?: string } = {}): Reporter {
  // Adapters inherit the variables of the workers. An adapter that uses Playwright must not get this reporter.
  delete process.env[reporterVariable];
  return _mode === 'list' ? { printsToStdio: () => false } : new CountersignReporter();
}

type AttachedRecord = ScenarioRecord<AnyCase> & { readonly contracts?: readonly ContractRow[] };

class CountersignReporter implements Reporter {
  private readonly records: ScenarioRecord<AnyCase>[] = [];
  private readonly faults: string[] = [];
  private readonly failed = new Set<string>();
  private contracts: readonly ContractRow[] | undefined;
  private endedCount = 0;
  private wasCut = false;
  private isConcluding = false;
  private total = 0;
  private options: RunOptions | undefined;
  private readonly bodies = newBodyStore();
  private code: ReturnType<typeof exitCode> = 3;

  printsToStdio(): boolean {
    return true;
  }

  onBegin(_: FullConfig, suite: Suite): void {
    // Ignore errors of the output: a full disk or a closed pipe must not prevent the report.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
    ensureFullWrites(process.stdout);
    this.guard(() => {
      this.options = readRunOptions(process.env);
      const { engineFolder } = this.options ?? {};
      if (process.connected !== undefined && engineFolder !== undefined) this.endWithCommand(engineFolder);
      this.total = suite.allTests().length;
    });
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.guard(() => {
      this.endedCount += 1;
      const progress = { place: this.endedCount, of: this.total, durationMs: result.duration };
      const timeout = result.status === 'timedOut' ? `it did not end within ${test.timeout / 1000} s` : undefined;
      const fault = timeout ?? stripVTControlCharacters(result.error?.message ?? `it ended as ${result.status}`);
      const attached = this.detachRecord(result);
      const isWhole = attached.scenario !== undefined;
      // A signal stopped the test. This is no fault of the suite.
      const isCut = !isWhole && !['failed', 'timedOut'].includes(result.status);
      this.wasCut ||= isCut;
      if (isCut && attached.cases.length === 0) return;
      if (test.title === contractsTitle) {
        this.contracts = attached.contracts ?? noVerdictRows(fault);
        print({ scenario: contractsTitle, ...progress }, this.contracts);
        return;
      }
      const record = { ...failedRecord(scenarioOf(test.title), ...(isWhole || isCut ? [] : [fault])), ...attached };
      this.records.push(record);
      if (this.options !== undefined) this.judgeEarly(record, this.options, progress);
    });
  }

  /** Judges a scenario by its own cases, to print its progress and to stop the run for --bail. */
  private judgeEarly(record: ScenarioRecord<AnyCase>, options: RunOptions, progress: Progress): void {
    const { settled, waiting } = judgeRecord(record, options);
    if (record.isLeftOut !== true) print({ scenario: record.scenario, waiting, ...progress }, settled);
    const known = options.scoring?.baseline?.known ?? [];
    for (const { id, outcome } of settled) {
      if (outcome === 'fail' && !known.some((entry) => entry.id === id)) this.failed.add(id);
    }
    if (this.failed.size >= (options.bail ?? Number.POSITIVE_INFINITY)) bail(options);
  }

  /** Prints the lines of the suite, and drops the lines of libraries. */
  onStdErr(chunk: string | Buffer): void {
    for (const line of chunk.toString().split('\n')) {
      if (line.startsWith('countersign: ')) process.stderr.write(`${line}\n`);
    }
  }

  onError(error: { message?: string }): void {
    this.faults.push(stripVTControlCharacters(error.message ?? 'an unknown error of the engine'));
  }

  async onEnd(full: FullResult): Promise<{ status: FullResult['status'] }> {
    this.isConcluding = true;
    // Playwright no longer handles signals. Without this handler, a signal ends the process without a report.
    process.on('SIGINT', () => {});
    try {
      const { options } = this;
      if (options === undefined) throw new Error('the run has no options');
      const run = await this.conclude(options, full);
      const { shard } = options;
      const stored = shard && { shard: storedShard({ ...options, shard }, this.records, run.result) };
      const isWritten = await writeReport({ ...run, ...stored }, options);
      const { aborted } = run.result;
      // Usually the command prints the report. Print it here if a person started the engine without the command.
      if (process.connected !== true || (!isWritten && aborted === undefined)) {
        printRun(run.result, options, processSurroundings());
      }
      if (isWritten) this.code = exitCode(run.result);
      else printMessage(`${aborted ?? 'the run sent nothing'}.`);
    } catch (cause) {
      const hint = 'Free some space or name another folder with --out, then run again.';
      const reason = messageOf(cause);
      if (cause instanceof DiskError) printMessage(`${reason}, so its verdicts and exchanges are lost.\n${hint}`);
      else printMessage(`the report could not be written: ${reason}.`);
    }
    return { status: this.code === 0 ? 'passed' : 'failed' };
  }

  /** Ends with exit code 3 if there is no verdict. Playwright itself ends with 0 or 1. */
  async onExit(): Promise<void> {
    if (this.code === 3) process.exit(this.code);
  }

  /** Stops the engine if the command was killed, unless the engine is already writing its report. */
  private endWithCommand(engineFolder: string): void {
    const end = () => {
      process.once('exit', () => rmSync(engineFolder, { recursive: true, force: true }));
      // The engine ignores signals while it starts, so wait a second.
      setTimeout(() => {
        if (!this.isConcluding) process.kill(process.pid, 'SIGINT');
      }, 1000);
    };
    if (!process.connected) end();
    process.once('disconnect', end);
    process.channel?.unref();
  }

  private async conclude(options: RunOptions, full: FullResult): Promise<ConcludedRun> {
    const ended = !this.wasCut && (full.status === 'passed' || full.status === 'failed');
    const timeout = `the run did not end within ${(options.live?.limitMs ?? 0) / 1000} s`;
    const aborted = full.status === 'timedout' ? timeout : (this.faults[0] ?? (ended ? undefined : interruptedReason));
    const skippedContracts = () => noVerdictRows('the verification was not run', aborted !== undefined);
    const contracts =
      options.client === undefined && verifiesContracts(options) ? (this.contracts ?? skippedContracts()) : undefined;
    const live = options.live && (await endOfLive({ ...options, live: options.live }));
    return concludeRun(options, this.records, { aborted, contracts, now: Date.now(), live });
  }

  /** Removes the record from the attachments, because the engine keeps attachments to the end of the run. */
  private detachRecord({ attachments }: TestResult): Partial<AttachedRecord> & Pick<AttachedRecord, 'cases'> {
    const bodies = attachments.splice(0).flatMap(({ body }) => body ?? []);
    const parts = bodies.map((body) => fromJson(body.toString('utf8'), this.bodies) as Partial<AttachedRecord>);
    return Object.assign({}, ...parts, { cases: parts.flatMap(({ cases = [] }) => cases) });
  }

  /** Records an exception as a fault of the run. Playwright would ignore the exception and lose the result. */
  private guard(step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.faults.push(`the reporter failed: ${messageOf(cause)}`);
    }
  }
}

/** Returns the final findings on one record, and the number of findings that also depend on other records. */
function judgeRecord(
  record: ScenarioRecord<AnyCase>,
  { client, only, live, runId }: Pick<RunOptions, 'client' | 'only' | 'live' | 'runId'>,
): { readonly settled: readonly { readonly id: string; readonly outcome: Outcome }[]; readonly waiting: number } {
  const side = client === undefined ? 'gateway' : 'client';
  const scenarios: readonly (Scenario | ClientScenario)[] = side === 'gateway' ? gatewayScenarios : clientScenarios;
  const isWanted = (id: string) => only.length === 0 || matchesAny(id, only);
  const shows: readonly RequirementId[] = (scenarios.find(({ id }) => id === record.scenario)?.shows ?? []).filter(
    isWanted,
  );
  const evidence = evidenceOf({ side, records: [record] });
  const findingsOn = (ids: readonly RequirementId[]) =>
    ids.flatMap((id) => evidence.judge(id).map(({ finding: { outcome }, exchanges }) => ({ id, outcome, exchanges })));
  const isUnsettled = live !== undefined && !isSettled(record, runId);
  const valid = inOrder(record.cases).flatMap(({ label }, index) => (label.intent === 'valid' ? [index + 1] : []));
  // The first valid requests of a live run may fail because of wrong credentials. So their failures do not count yet.
  const undecided = new Set(isUnsettled ? valid : []);
  type Found = ReturnType<typeof findingsOn>[number];
  const isCertain = ({ exchanges }: Found) => !exchanges.some((number) => undecided.has(number));
  const findings = findingsOn(shows);
  const final = findings.filter((found) =>
    found.outcome === 'inconclusive'
      ? live === undefined && found.id !== wholeRunRequirement
      : found.outcome !== 'fail' || isCertain(found),
  );
  // A case may also break a requirement that is not in the `shows` list of its scenario. Judge such requirements too.
  const others = (selectedIds(side, only) as RequirementId[]).filter(
    (id) => !shows.includes(id) && id !== wholeRunRequirement && requirementById(id)?.kind === 'required',
  );
  const strays = findingsOn(others).filter((found) => found.outcome === 'fail' && isCertain(found));
  const errors = record.suiteErrors.map(() => ({ id: '', outcome: 'error' as const }));
  return { settled: [...final, ...strays, ...errors], waiting: findings.length - final.length };
}

const settledRuns = new Set<string>();

/** True if an earlier record had the first valid requests (`settles`). */
function isSettled({ settles }: ScenarioRecord<AnyCase>, runId: string): boolean {
  if (settles !== true) return settledRuns.has(runId);
  settledRuns.add(runId);
  return false;
}

/** Only a whole run can decide this requirement: it needs requests of one scenario and refusals of another. */
const wholeRunRequirement: RequirementId = 'transport/https';

type ScenarioEnd = Parameters<typeof progressLine>[0];
type Progress = Pick<ScenarioEnd, 'place' | 'of' | 'durationMs'>;

function print(end: Omit<ScenarioEnd, 'counts'>, findings: readonly { readonly outcome: Outcome }[]): void {
  const colour = mayColour(process.stderr, process.env);
  process.stderr.write(`${progressLine({ ...end, counts: countOutcomes(findings) }, { colour })}\n`);
}

/** Keeps one Buffer for equal bodies, because a run may get the same long answer many times. */
function newBodyStore(): (body: Buffer) => Buffer {
  const stored = new Map<string, Buffer>();
  return (body) => {
    const digest = createHash('sha256').update(body).digest('hex');
    const known = stored.get(digest) ?? body;
    stored.set(digest, known);
    return known;
  };
}
