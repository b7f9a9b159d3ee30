/** What a scenario sends under these options: the same plan for the run, its time limit and its predicted effects. */

import { noTotals, type Totals } from '../../mock/state.ts';
import type { Draw, OwnTotals, PlannedCase, Scenario } from '../../plan/scenario.ts';
import { type AsSent, drawFor } from '../../plan/seed.ts';
import { madeOnce } from '../../record/made-once.ts';
import { chargeable } from '../allowance/chargeable.ts';
import type { RunOptions } from '../options/run-options.ts';
import { mockEndpoints } from './mock-gates.ts';
import { onlyGenerated } from './only-generated.ts';

export type PlanOptions = Pick<RunOptions, 'seed' | 'cases' | 'path'> &
  Partial<Pick<RunOptions, 'live' | 'runId' | 'slow'>>;

/** Drawn once for the same options: a live run asks in each of its steps, and drawing takes time. */
export function plannedCases(scenario: Scenario, options: PlanOptions): readonly PlannedCase[] {
  const plans = drawn(options);
  const plan = plans.get(scenario) ?? draw(scenario, options);
  plans.set(scenario, plan);
  return plan;
}

const drawn = madeOnce((_: PlanOptions) => new Map<Scenario, readonly PlannedCase[]>());

function draw(scenario: Scenario, options: PlanOptions): readonly PlannedCase[] {
  const all = scenario.plan(drawOf(scenario.id, options));
  return options.path === undefined ? all : onlyGenerated(all);
}

/** What a scenario of that id draws from. */
export function drawOf(id: string, { seed, cases, path, live, runId }: PlanOptions): Draw {
  const values = live === undefined ? ofTheMock(seed, id) : chargeable(live.config, `${runId} ${id}`);
  return drawFor(seed, id, cases, path, values);
}

/** The mock of a scenario is its own: its totals are those of its world, and every close-day starts them again. */
function ofTheMock(seed: string, scenarioId: string): Partial<AsSent> {
  const { totals } = mockEndpoints(seed, scenarioId)['1111']![0]!;
  return {
    totals: (closedBefore) => asSent(closedBefore === 0 ? totals : noTotals),
    showsSecret: true,
    hasRoom: true,
  };
}

function asSent(totals: Totals): OwnTotals {
  return {
    sale_approved_count: String(totals.saleApprovedCount),
    sale_approved_sum: totals.saleAmount,
    reversal_approved_count: String(totals.reversalApprovedCount),
    reversal_approved_sum: totals.reversalAmount,
  };
}
