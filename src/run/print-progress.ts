/** The progress of the run on standard error: one line for each scenario that ended. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { progressLine } from '../report/progress.ts';
import { mayColour } from '../report/terminal.ts';
import { countOutcomes } from '../result/conclude.ts';
import type { Outcome } from '../result/outcome.ts';
import type { ContractRow } from '../result/result.ts';
import { gatewayScenarios } from '../scenarios/index.ts';
import { contractsTitle } from './attachment.ts';
import { judgeCases } from './judge-cases.ts';
import type { ScenarioRecord } from './run-scenario.ts';
import { matchesAny } from './selection.ts';

/** Judges the selected rows by the scenario's own cases and writes its line; what needs the whole run is judged at its end. */
export function printProgress(record: ScenarioRecord, only: readonly string[], at: Place): void {
  const shows = (gatewayScenarios.find(({ id }) => id === record.scenario)?.shows ?? []).filter(
    (id) => only.length === 0 || matchesAny(id, only),
  );
  const findings = shows.flatMap((id: RequirementId) => judgeCases(id, record.cases).map(({ finding }) => finding));
  const errors = record.suiteErrors.map(() => ({ outcome: 'error' as const }));
  print(record.scenario, [...findings, ...errors], at);
}

/** The line of the Pact contracts. */
export function printContracts(rows: readonly ContractRow[], at: Place): void {
  print(contractsTitle, rows, at);
}

interface Place {
  readonly place: number;
  readonly of: number;
  readonly durationMs: number;
}

function print(scenario: string, found: readonly { readonly outcome: Outcome }[], at: Place): void {
  const line = progressLine(
    { scenario, counts: countOutcomes(found), ...at },
    { colour: mayColour(process.stderr, process.env) },
  );
  process.stderr.write(`${line}\n`);
}
