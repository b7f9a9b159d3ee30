/** What a run did to the world, at worst, and what it is known to have done. */
import { classify } from '../checks/acceptance.ts';
import type { EffectCount } from '../result/result.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { mostPayments } from './payload-rows.ts';
import { plannedCases } from './planned-cases.ts';
import type { RunOptions } from './run-options.ts';
import type { ScenarioRecord } from './run-scenario.ts';

/**
 * Predicted: what happens at most if the target refuses what it must refuse (close-days, and payments by row).
 * Recorded: the cases that the target accepted.
 */
export function countEffects(
  planned: readonly Scenario[],
  records: readonly ScenarioRecord[],
  options: RunOptions,
): { predicted: EffectCount; recorded: EffectCount } {
  const arranged = planned.filter(({ id }) => !records.some((r) => r.scenario === id && r.notArranged !== undefined));
  const predicted = arranged.flatMap((scenario) =>
    plannedCases(scenario, options)
      .filter(({ label }) => label.intent !== 'fault' && scenario.situation !== 'closing')
      .map(({ request }) => ({ operation: scenario.operation, rows: mostPayments(request.body) })),
  );
  const recorded = records
    .flatMap((record) => record.cases)
    .filter((examined) => classify(examined) === 'accepted')
    .map(({ label, exchange }) => ({ operation: label.operation, rows: mostPayments(exchange.request.body) }));
  return { predicted: sum(predicted), recorded: sum(recorded) };
}

function sum(effects: readonly { readonly operation: string; readonly rows: number }[]): EffectCount {
  const closes = effects.filter(({ operation }) => operation === 'close-day').length;
  const starts = effects
    .filter(({ operation }) => operation === 'process-recurring-payments')
    .reduce((total, { rows }) => total + rows, 0);
  return { 'closes-day': closes, 'starts-payments': starts };
}
