/** The Playwright reporter: one line for each scenario while the run goes on, then the verdicts and the files of the report. */
import { rmSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { nothingVerified, verifiesContracts } from '../extras/pact/contracts.ts';
import { clientScenarios } from '../plan/client/index.ts';
import { gatewayScenarios } from '../plan/index.ts';
import { type AnyCase, inOrder } from '../record/case.ts';
import { writeWholly } from '../record/disk/files.ts';
import { DiskError, messageOf } from '../record/errors.ts';
import { fromJson, newBodyStore } from '../record/json.ts';
import { countOutcomes, exitCode } from '../record/result/conclude.ts';
import type { ContractRow, Outcome } from '../record/result/result.ts';
import { mayColour, progressLine, type ScenarioEnd } from '../report/terminal.ts';
import { shortenedSentences } from '../report/visible.ts';
import { scenarioOf } from '../run/live/order.ts';
import { endOfLive, interruptedReason } from '../run/live/session.ts';
import { type RunOptions, readRunOptions } from '../run/options/run-options.ts';
import { matchesAny } from '../run/options/selection.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';
import { type ConcludedRun, concludeRun, evidenceOf } from '../verdict/conclude.ts';
import { storedShard } from '../verdict/recordings/merge-shards.ts';
import { processSurroundings } from './command.ts';
import {
  contractsTitle,
  hasCommand,
  type LostReport,
  onceCommandIsGone,
  reporterVariable,
  tellCommand,
  unrecorded,
} from './engine.ts';
import { printRun, writeReport } from './write-report.ts';

/** What the engine calls with `new`: our reporter, or with --list one that leaves everything to the engine's own. */
export default function newReporter({ _mode }: { readonly _mode?: string } = {}): Reporter {
  // Workers inherit the environment, and an adapter may run Playwright itself.
  delete process.env[reporterVariable];
  return _mode === 'list' ? { printsToStdio: () => false } : new CountersignReporter();
}

/** What a test attaches, whole or in parts; `contracts` are the rows of the Pact contracts. */
type Attached = ScenarioRecord<AnyCase> & { readonly contracts?: readonly ContractRow[] };

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
    // What takes nothing any more, such as a full disk or a pipe without a reader, costs no report.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
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
      const fault = late ?? stripVTControlCharacters(result.error?.message ?? `it ended as ${result.status}`);
      const attached = this.attachedTo(result);
      const isWhole = attached.scenario !== undefined;
      // The run was ended underneath, which is no fault of the suite.
      const isCut = !isWhole && !['failed', 'timedOut'].includes(result.status);
      this.wasCut ||= isCut;
      if (isCut && attached.cases.length === 0) return;
      if (test.title === contractsTitle) {
        this.contracts = attached.contracts ?? nothingVerified(fault);
        print({ scenario: contractsTitle, ...at }, this.contracts);
        return;
      }
      const record = { ...unrecorded(scenarioOf(test.title), ...(isWhole || isCut ? [] : [fault])), ...attached };
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
    this.faults.push(stripVTControlCharacters(error.message ?? 'an unknown error of the engine'));
  }

  async onEnd(full: FullResult): Promise<{ status: FullResult['status'] }> {
    this.isConcluding = true;
    // From here on the engine of Playwright leaves a signal to what it does by itself, which is to end the process at once.
    process.on('SIGINT', () => {});
    try {
      const { options } = this;
      if (options === undefined) throw new Error('the run has no options');
      const run = await this.conclude(options, full);
      const { shard } = options;
      const stored = shard && { shard: storedShard({ ...options, shard }, this.records, run.result) };
      await writeReport({ ...run, ...stored }, options);
      if (!hasCommand()) printRun(run.result, options, processSurroundings());
      this.code = exitCode(run.result);
    } catch (cause) {
      const why = messageOf(cause);
      const isOfDisk = cause instanceof DiskError;
      const lost: LostReport = {
        aborted: isOfDisk ? `${why}, so its verdicts and exchanges are lost` : `the report could not be made: ${why}`,
        hint: isOfDisk ? 'Make room there, or name another folder with --out, and start again.' : '',
        isLost: true,
      };
      if (!(await tellCommand(lost))) {
        process.stderr.write(`countersign: ${shortenedSentences(`${lost.aborted}. ${lost.hint}`.trimEnd(), 600)}\n`);
      }
    }
    return { status: this.code === 0 ? 'passed' : 'failed' };
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

  private async conclude(options: RunOptions, full: FullResult): Promise<ConcludedRun> {
    const ended = !this.wasCut && (full.status === 'passed' || full.status === 'failed');
    const late = `the run did not end within ${(options.live?.limitMs ?? 0) / 1000} s`;
    const aborted = full.status === 'timedout' ? late : (this.faults[0] ?? (ended ? undefined : interruptedReason));
    const left = () => nothingVerified('the verification was not run', aborted !== undefined);
    const contracts =
      options.client === undefined && verifiesContracts(options) ? (this.contracts ?? left()) : undefined;
    const live = options.live && (await endOfLive({ ...options, live: options.live }));
    return concludeRun(options, this.records, { aborted, contracts, now: Date.now(), live });
  }

  /** The record that the test attached, or the cases that it had until it ended. The engine would keep its text to the end of the run. */
  private attachedTo({ attachments }: TestResult): Partial<Attached> & Pick<Attached, 'cases'> {
    const bodies = attachments.splice(0).flatMap(({ body }) => body ?? []);
    const parts = bodies.map((body) => fromJson(body.toString('utf8'), this.bodies) as Partial<Attached>);
    return Object.assign({}, ...parts, { cases: parts.flatMap(({ cases = [] }) => cases) });
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

/** Judges the selected rows by the scenario's own cases and writes its line; what needs the whole run is judged at its end. */
function printProgress(record: ScenarioRecord<AnyCase>, options: RunOptions, at: Place): void {
  const { settled, waiting } = weighRecord(record, options);
  print({ scenario: record.scenario, waiting, nothingSent: record.cases.length === 0, ...at }, settled);
}

/** Findings of one record: those that hold, and the number of those that only the rest of the run can settle. */
function weighRecord(
  record: ScenarioRecord<AnyCase>,
  { client, only, live, runId }: Pick<RunOptions, 'client' | 'only' | 'live' | 'runId'>,
): { readonly settled: readonly { readonly outcome: Outcome }[]; readonly waiting: number } {
  const scenarios: readonly Shown[] = client === undefined ? gatewayScenarios : clientScenarios;
  const shows = (scenarios.find(({ id }) => id === record.scenario)?.shows ?? []).filter(
    (id) => only.length === 0 || matchesAny(id, only),
  );
  const evidence = evidenceOf({ side: client === undefined ? 'gateway' : 'client', records: [record] });
  const open = live !== undefined && !isSettled(record, runId);
  const right = open ? rightRequests(record) : new Set<number>();
  const findings = shows.flatMap((id) =>
    evidence.judge(id).map(({ finding, exchanges }) => ({ id, exchanges, ...finding })),
  );
  const [waiting, settled] = split(
    findings,
    ({ id, outcome, exchanges }) =>
      // On a live target refusals wait for the one request that gives them a meaning; what is wrong with a right request may
      // be wrong credentials, which the answers to the first right requests of both operations tell.
      ((live !== undefined || id === waitsForTheEnd) && outcome === 'inconclusive') ||
      (outcome === 'fail' && exchanges.some((number) => right.has(number))),
  );
  const errors = record.suiteErrors.map(() => ({ outcome: 'error' as const }));
  return { settled: [...settled, ...errors], waiting: waiting.length };
}

/** Runs of which a right request was sent that settles what the refusals before it mean. */
const settling = new Set<string>();

/** Whether both operations had their first right request before this record; the records of a live run come in the order of its steps. */
function isSettled({ settles }: ScenarioRecord<AnyCase>, runId: string): boolean {
  if (settles !== true) return settling.has(runId);
  settling.add(runId);
  return false;
}

function rightRequests(record: ScenarioRecord<AnyCase>): Set<number> {
  return new Set(inOrder(record.cases).flatMap(({ label }, index) => (label.intent === 'valid' ? [index + 1] : [])));
}

/** Shown by requests of one scenario and by refusals of another one together. */
const waitsForTheEnd: RequirementId = 'transport/https';

function split<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}

interface Shown {
  readonly id: string;
  readonly shows: readonly RequirementId[];
}

type Place = Pick<ScenarioEnd, 'place' | 'of' | 'durationMs'>;

function print(end: Omit<ScenarioEnd, 'counts'>, found: readonly { readonly outcome: Outcome }[]): void {
  const line = progressLine(
    { ...end, counts: countOutcomes(found) },
    { colour: mayColour(process.stderr, process.env) },
  );
  process.stderr.write(`${line}\n`);
}
