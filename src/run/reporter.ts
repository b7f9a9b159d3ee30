/** The Playwright reporter: one line for each scenario while the run goes on, then the result, its files and the exit status. */
import type { FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { fromJson } from '../exchange/json.ts';
import { exitCode } from '../result/conclude.ts';
import type { ContractRow } from '../result/result.ts';
import { gatewayScenarios } from '../scenarios/index.ts';
import { attachmentName, contractsAttachmentName, contractsTitle } from './attachment.ts';
import { countEffects } from './effects.ts';
import { finishRun, type RunRecord } from './finish-run.ts';
import { headerOf } from './header.ts';
import { numberCases } from './number-cases.ts';
import { nothingVerified } from './pact/read-verdicts.ts';
import { verifiesContracts } from './pact/verifies-contracts.ts';
import { printContracts, printProgress } from './print-progress.ts';
import { provenBy } from './proven-by.ts';
import { type RunOptions, readRunOptions } from './run-options.ts';
import type { ScenarioRecord } from './run-scenario.ts';
import { selectedIds, selectScenarios } from './selection.ts';
import { writeReport } from './write-report.ts';

export default class CountersignReporter implements Reporter {
  private readonly records: ScenarioRecord[] = [];
  private readonly faults: string[] = [];
  private contracts: readonly ContractRow[] = nothingVerified('the verification was not run');
  private ended = 0;
  private total = 0;

  printsToStdio(): boolean {
    return true;
  }

  onBegin(_config: unknown, all: Suite): void {
    this.guard(() => {
      this.total = all.allTests().length;
    });
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.guard(() => {
      this.ended += 1;
      const at = { place: this.ended, of: this.total, durationMs: result.duration };
      const fault = result.error?.message ?? `it ended as ${result.status}`;
      if (test.title === contractsTitle) {
        this.contracts = attached<ContractRow[]>(result, contractsAttachmentName) ?? nothingVerified(fault);
        printContracts(this.contracts, at);
        return;
      }
      const record: ScenarioRecord = attached(result, attachmentName) ?? {
        scenario: test.title,
        cases: [],
        suiteErrors: [fault],
      };
      this.records.push(record);
      printProgress(record, readRunOptions(process.env)?.only ?? [], at);
    });
  }

  onError(error: { message?: string }): void {
    this.faults.push(error.message ?? 'an unknown error of the engine');
  }

  async onEnd(full: FullResult): Promise<{ status: FullResult['status'] }> {
    try {
      const options = readRunOptions(process.env);
      if (options === undefined) throw new Error('the run has no options');
      const record = this.record(options, full);
      const result = finishRun(record);
      await writeReport(result, options, numberCases(record.records));
      return { status: exitCode(result) === 0 ? 'passed' : 'failed' };
    } catch (cause) {
      process.stderr.write(
        `countersign: the report could not be made: ${cause instanceof Error ? cause.message : cause}\n`,
      );
      return { status: 'failed' };
    }
  }

  private record(options: RunOptions, full: FullResult): RunRecord {
    const planned = selectScenarios(gatewayScenarios, selectedIds('gateway', options.only));
    const ended = full.status === 'passed' || full.status === 'failed';
    const givenUp = this.records.find((record) => record.givenUp !== undefined)?.givenUp;
    const aborted = this.faults[0] ?? givenUp ?? (ended ? undefined : `the run was ${full.status} before its end`);
    return {
      header: { ...headerOf(options, Date.now()), effects: countEffects(planned, this.records, options) },
      only: options.only,
      planned,
      records: this.records,
      ...(verifiesContracts(options) ? { contracts: this.contracts } : {}),
      provenBy: provenBy(),
      ...(aborted === undefined ? {} : { aborted }),
    };
  }

  /** An exception in a reporter prints nothing and loses the run: it is kept as a fault instead. */
  private guard(step: () => void): void {
    try {
      step();
    } catch (cause) {
      this.faults.push(`the reporter failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
}

/** What the test attached under that name; undefined where it ended before it could. */
function attached<T>(result: TestResult, name: string): T | undefined {
  const body = result.attachments.find((attachment) => attachment.name === name)?.body;
  return body === undefined ? undefined : fromJson<T>(body.toString('utf8'));
}
