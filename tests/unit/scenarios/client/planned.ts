/** The plans of every client scenario under one seed. */
import { drawFor } from '../../../../src/run/seed.ts';
import type { ClientPlan } from '../../../../src/scenarios/client/client-scenario.ts';
import { clientScenarios } from '../../../../src/scenarios/client/index.ts';

export interface Planned {
  readonly scenario: string;
  readonly plan: ClientPlan;
}

export function plannedWith(seed: string, cases = 25): Planned[] {
  return clientScenarios.flatMap((scenario) =>
    scenario.plan(drawFor(seed, scenario.id, cases)).map((plan) => ({ scenario: scenario.id, plan })),
  );
}

export const planned = plannedWith('1');
