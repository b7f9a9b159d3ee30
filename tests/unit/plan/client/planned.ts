/** The plans of every client scenario under one seed. */
import { clientScenarios } from '../../../../src/plan/client/index.ts';
import type { ClientPlan } from '../../../../src/plan/scenario.ts';
import { drawFor } from '../../../../src/plan/seed.ts';

export interface Planned {
  readonly scenario: string;
  readonly plan: ClientPlan;
  readonly path?: string | undefined;
}

export function planWith(seed: string, cases = 25): Planned[] {
  return clientScenarios.flatMap((scenario) =>
    scenario.plan(drawFor(seed, scenario.id, cases)).map(({ generated, ...plan }) => ({
      scenario: scenario.id,
      plan: plan satisfies ClientPlan as ClientPlan,
      path: generated?.path,
    })),
  );
}

export const planned = planWith('1');
