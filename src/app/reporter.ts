/** The Playwright reporter: one line for each scenario while the run goes on, then the result, its files and the exit status. */
import { rmSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { nothingVerified, verifiesContracts } from '../extras/pact/contracts.ts';
import type { AnyCase } from '../record/case.ts';
import { writeWholly } from '../record/disk/files.ts';
import { DiskError, messageOf } from '../record/errors.ts';
import { fromJson, newBodyStore } from '../record/json.ts';
import { exitCode } from '../record/result/conclude.ts';
import type { ContractRow } from '../record/result/result.ts';
import { shortenedSentences } from '../report/visible.ts';
import { type EndOfLive, endOfLive, interruptedReason } from '../run/live/begin-live.ts';
import { scenarioOf } from '../run/live/order.ts';
import { type RunOptions, readRunOptions } from '../run/options/run-options.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';
import { secretsAt } from '../run/secrets/secret.ts';
import { type ConcludedRun, concludeRun } from '../verdict/conclude.ts';
import { storedShard } from '../verdict/recordings/shard.ts';
import {
  attachmentName,
  contractsAttachmentName,
  contractsTitle,
  type LostReport,
  onceCommandIsGone,
  recordOf,
  reporterVariable,
  tellCommand,
  unrecorded,
} from './engine.ts';
import { printContracts, printProgress } from './progress.ts';
import { writeReport } from './write-report.ts';

/** What the engine calls with `new`: our reporter, or with --list one that leaves everything to the engine's own. */
export default function newReporter({ _mode }: { readonly _mode?: string } = {}): Reporter {
  // Workers inherit the environment, and an adapter may run Playwright itself.
  delete process.env[reporterVariable];
  return _mode === 'list' ? { printsToStdio: () => false } : new CountersignReporter();
}

class CountersignReporter implements Reporter {
  private readonly records: ScenarioRecord<AnyCase>[] = [];
  private readonly faults: string[] = [];
  private contracts: readonly ContractRow[] | undefined;
  private ended = 0;
  private wasCut = false;
  private isConcluding = false;
  private total = 0;
  private options: RunOptions | undefined;
  private readonly bodies = newBodyStore();
  private code: ReturnType<typeof exitCode> = 3;

  printsToStdio(): boolean {
    return true;
  }

  onBegin(_: FullConfig, all: Suite): void {
    // What takes nothing any more, such as a full disk or a pipe without a reader, is the command's to report; the report is in its folder.
    process.stderr.on('error', () => {});
    process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      if (code !== 'EPIPE') void tellCommand({ unprinted: code });
    });
    writeWholly(process.stdout);
    this.guard(() => {
      this.options = readRunOptions(process.env);
      const engineFolder = this.options?.engineFolder;
      onceCommandIsGone(() => this.endAlone(engineFolder!));
      this.total = all.allTests().length;
    });
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.guard(() => {
      this.ended += 1;
      const at = { place: this.ended, of: this.total, durationMs: result.duration };
      const late = result.status === 'timedOut' ? `it did not end within ${test.timeout / 1000} s` : undefined;
      const fault = late ?? inPlainText(result.error?.message ?? `it ended as ${result.status}`);
      const isOfContracts = test.title === contractsTitle;
      const parts = this.partsOf(result, isOfContracts ? contractsAttachmentName : attachmentName);
      const { cases, rest } = recordOf(parts);
      const taken = isOfContracts ? parts[0] : rest;
      // The run was ended underneath, which is no fault of the suite.
      const isCut = taken === undefined && !['failed', 'timedOut'].includes(result.status);
      this.wasCut ||= isCut;
      if (isCut && cases.length === 0) return;
      if (isOfContracts) {
        this.contracts = (taken as ContractRow[] | undefined) ?? nothingVerified(fault);
        printContracts(this.contracts, at);
        return;
      }
      const alone = unrecorded(scenarioOf(test.title), ...(isCut ? [] : [fault]));
      const record = { ...((rest as ScenarioRecord<AnyCase> | undefined) ?? alone), cases } as ScenarioRecord<AnyCase>;
      this.records.push(record);
      if (this.options !== undefined) printProgress(record, this.options, at);
    });
  }

  /** What a worker tells the person in front of it, such as the port at which it waits; the rest is the talk of libraries. */
  onStdErr(chunk: string | Buffer): void {
    for (const line of chunk.toString().split('\n')) {
      if (line.startsWith('countersign: ')) process.stderr.write(`${line}\n`);
    }
  }

  onError(error: { message?: string }): void {
    this.faults.push(inPlainText(error.message ?? 'an unknown error of the engine'));
  }

  async onEnd(full: FullResult): Promise<{ status: FullResult['status'] }> {
    this.isConcluding = true;
    void tellCommand({ concluding: true });
    // From here on the engine of Playwright leaves a signal to what it does by itself, which is to end the process at once.
    process.on('SIGINT', () => {});
    try {
      const { options } = this;
      if (options === undefined) throw new Error('the run has no options');
      const live = options.live === undefined ? undefined : await endOfLive({ ...options, live: options.live });
      const run = this.conclude(options, full, live);
      const { shard } = options;
      const stored = shard && { shard: storedShard({ ...options, shard }, this.records, run.result) };
      await writeReport({ ...run, ...stored }, options, await secretsAt(options.live?.config.credentials, process.env));
      this.code = exitCode(run.result);
      return { status: this.code === 0 ? 'passed' : 'failed' };
    } catch (cause) {
      const why = messageOf(cause);
      const isOfDisk = cause instanceof DiskError;
      const lost: LostReport = {
        aborted: isOfDisk ? `${why}, so its verdicts and exchanges are lost` : `the report could not be made: ${why}`,
        hint: isOfDisk ? 'Make room there, or name another folder with --out, and start again.' : '',
        isLost: true,
      };
      if (!(await tellCommand({ lost }))) {
        process.stderr.write(`countersign: ${shortenedSentences(`${lost.aborted}. ${lost.hint}`.trimEnd(), 600)}\n`);
      }
      return { status: 'failed' };
    }
  }

  /** For whoever starts the engine by hand: it knows 0 and 1 alone. */
  async onExit(): Promise<void> {
    if (this.code === 3) process.exit(this.code);
  }

  /**
   * A command that was killed can end nobody: its engine ends itself as after Ctrl+C, and leaves what there is of a report. One that
   * writes it already goes on.
   */
  private endAlone(engineFolder: string): void {
    process.once('exit', () => rmSync(engineFolder, { recursive: true, force: true }));
    // While it begins, the engine takes no signal.
    setTimeout(() => {
      if (!this.isConcluding) process.kill(process.pid, 'SIGINT');
    }, 1000);
  }

  private conclude(options: RunOptions, full: FullResult, live: EndOfLive | undefined): ConcludedRun {
    const ended = !this.wasCut && (full.status === 'passed' || full.status === 'failed');
    const late = `the run did not end within ${(options.live?.limitMs ?? 0) / 1000} s`;
    const aborted = full.status === 'timedout' ? late : (this.faults[0] ?? (ended ? undefined : interruptedReason));
    const now = Date.now();
    const left = () => nothingVerified('the verification was not run', aborted !== undefined);
    const contracts =
      options.client === undefined && verifiesContracts(options) ? (this.contracts ?? left()) : undefined;
    return concludeRun(options, this.records, { aborted, contracts, now, live });
  }

  /** What the test attached under that name; none where it ended before it could. The engine would keep them to the end of the run. */
  private partsOf({ attachments }: TestResult, wanted: string): unknown[] {
    const parts: unknown[] = [];
    for (const { name, body } of attachments.splice(0)) {
      if (name === wanted && body !== undefined) parts.push(fromJson(body.toString('utf8'), this.bodies));
    }
    return parts;
  }

  /** An exception in a reporter prints nothing and loses the run: it is kept as a fault instead. */
  private guard(step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.faults.push(`the reporter failed: ${messageOf(cause)}`);
    }
  }
}

function inPlainText(text: string): string {
  return stripVTControlCharacters(text);
}
