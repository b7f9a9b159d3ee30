/** The progress of the run on standard error: one line for each scenario that ended. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { progressLine } from '../report/progress.ts';
import { mayColour } from '../report/terminal.ts';
import { countOutcomes } from '../result/conclude.ts';
import { gatewayScenarios } from '../scenarios/index.ts';
import { judgeCases } from './finish-run.ts';
import type { ScenarioRecord } from './run-scenario.ts';

/** Judges the scenario by its own cases and writes its line; what needs the whole run is judged at its end. */
export function printProgress(
  record: ScenarioRecord,
  { place, of, durationMs }: { readonly place: number; readonly of: number; readonly durationMs: number },
): void {
  const shows = gatewayScenarios.find(({ id }) => id === record.scenario)?.shows ?? [];
  const findings = shows.flatMap((id: RequirementId) => judgeCases(id, record.cases).map(({ finding }) => finding));
  const errors = record.suiteErrors.map(() => ({ outcome: 'error' as const }));
  const line = progressLine(
    { scenario: record.scenario, counts: countOutcomes([...findings, ...errors]), durationMs, place, of },
    { colour: mayColour(process.stderr, process.env) },
  );
  process.stderr.write(`${line}\n`);
}
