/** What a run did to the world, at worst, and what it is known to have done. */
import { classify, neverArrived } from '../checks/acceptance.ts';
import type { Case } from '../exchange/case.ts';
import type { EffectCount } from '../result/result.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { mostPayments } from './payload-rows.ts';
import { plannedCases } from './planned-cases.ts';
import type { RunOptions } from './run-options.ts';
import type { ScenarioRecord } from './run-scenario.ts';

/**
 * Predicted: what happens at most if the target refuses what it must refuse (close-days, and payments by row).
 * Recorded: the cases that the target accepted. Unclear: what those can have done besides whose answer says neither yes nor no, or never came.
 */
export function countEffects(
  planned: readonly Scenario[],
  records: readonly ScenarioRecord[],
  options: RunOptions,
): { predicted: EffectCount; recorded: EffectCount; unclear: EffectCount } {
  const arranged = planned.filter(({ id }) => !records.some((r) => r.scenario === id && r.notArranged !== undefined));
  const predicted = arranged.flatMap((scenario) =>
    plannedCases(scenario, options)
      .filter(({ label }) => label.intent !== 'fault' && scenario.situation !== 'closing')
      .map(({ request }) => ({ operation: scenario.operation, rows: mostPayments(request.body) })),
  );
  const cases = records.flatMap((record) => record.cases);
  const recorded = cases
    .filter((examined) => classify(examined) === 'accepted')
    .map((examined) => ({ operation: examined.label.operation, rows: rowsOf(examined) }));
  const unclear = cases
    .filter((examined) => classify(examined) === 'unclear' && !neverArrived(examined.exchange))
    // A gateway may find a payment where we see none.
    .map((examined) => ({ operation: examined.label.operation, rows: Math.max(rowsOf(examined), 1) }));
  return { predicted: sum(predicted), recorded: sum(recorded), unclear: sum(unclear) };
}

function rowsOf({ exchange }: Case): number {
  return mostPayments(exchange.request.body);
}

function sum(effects: readonly { readonly operation: string; readonly rows: number }[]): EffectCount {
  const closes = effects.filter(({ operation }) => operation === 'close-day').length;
  const starts = effects
    .filter(({ operation }) => operation === 'process-recurring-payments')
    .reduce((total, { rows }) => total + rows, 0);
  return { 'closes-day': closes, 'starts-payments': starts };
}
