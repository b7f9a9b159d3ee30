/** The progress of the run on standard error: one line for each scenario that ended. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { clientScenarios } from '../plan/client/index.ts';
import { gatewayScenarios } from '../plan/index.ts';
import { type AnyCase, inOrder } from '../record/case.ts';
import { countOutcomes } from '../record/result/conclude.ts';
import type { ContractRow, Outcome } from '../record/result/result.ts';
import { progressLine, type ScenarioEnd } from '../report/progress.ts';
import { mayColour } from '../report/terminal.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import { matchesAny } from '../run/options/selection.ts';
import type { ScenarioRecord } from '../run/scenario-record.ts';
import { evidenceOf } from '../verdict/conclude.ts';
import { contractsTitle } from './engine.ts';

/** Judges the selected rows by the scenario's own cases and writes its line; what needs the whole run is judged at its end. */
export function printProgress(record: ScenarioRecord<AnyCase>, options: RunOptions, at: Place): void {
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

/** Numbers of the exchanges in which a right request was sent, as the evidence of this record counts them. */
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

/** The line of the Pact contracts. */
export function printContracts(rows: readonly ContractRow[], at: Place): void {
  print({ scenario: contractsTitle, ...at }, rows);
}

type Place = Pick<ScenarioEnd, 'place' | 'of' | 'durationMs'>;

function print(end: Omit<ScenarioEnd, 'counts'>, found: readonly { readonly outcome: Outcome }[]): void {
  const line = progressLine(
    { ...end, counts: countOutcomes(found) },
    { colour: mayColour(process.stderr, process.env) },
  );
  process.stderr.write(`${line}\n`);
}
