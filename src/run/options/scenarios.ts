/** The scenarios of a run: those of its selected requirements and of its shard. */
import { requirements } from '../../../contracts/requirements/index.ts';
import { clientScenarios } from '../../plan/client/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { ClientScenario, Scenario } from '../../plan/scenario.ts';
import type { Shard } from '../../record/result/result.ts';
import { selectedIds } from './selection.ts';

/** Selects the scenarios that test `ids`: if no scenario names a requirement, all scenarios of its operation. */
export function selectScenarios<S extends (Scenario | ClientScenario) & { readonly slow?: boolean }>(
  all: readonly S[],
  ids: readonly string[],
  slow = false,
): S[] {
  const named = new Set<string>(all.flatMap((scenario) => scenario.shows));
  // All scenarios with a valid request test `…-valid-accepted`, not only those that name it.
  const isUnnamed = (id: string) => !named.has(id) || id.endsWith('-valid-accepted');
  const unnamed = requirements.filter(({ id }) => ids.includes(id) && isUnnamed(id));
  return all.filter((scenario) => {
    const fits = ({ operation }: { readonly operation: string }) =>
      [operation, scenario.operation].includes('both') || operation === scenario.operation;
    return (slow || scenario.slow !== true) && (scenario.shows.some((id) => ids.includes(id)) || unnamed.some(fits));
  });
}

function shareOf<T>(scenarios: readonly T[], shard: Shard | undefined): readonly T[] {
  return scenarios.filter((_, index) => shard === undefined || index % shard.of === shard.index - 1);
}

type Selection = { readonly only: readonly string[]; readonly slow?: boolean | undefined; readonly shard?: Shard };

export function gatewayPlan({ only, slow, shard }: Selection): readonly Scenario[] {
  return shareOf(selectScenarios(gatewayScenarios, selectedIds('gateway', only), slow), shard);
}

export function clientPlan({ only, shard }: Selection): readonly ClientScenario[] {
  return shareOf(selectScenarios(clientScenarios, selectedIds('client', only)), shard);
}
