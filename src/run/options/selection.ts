/** Selects requirements and scenarios by patterns of requirement ids. */
import { requirements } from '../../../contracts/requirements/index.ts';
import { clientScenarios } from '../../plan/client/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { ClientScenario, Scenario } from '../../plan/scenario.ts';
import type { Shard } from '../../record/result/result.ts';

/** Prefix of a pattern that excludes requirements: `--except ID` becomes the pattern `!ID`. */
export const exception = '!';

export function isWholeButExceptions(patterns: readonly string[]): boolean {
  return patterns.every((pattern) => pattern.startsWith(exception));
}

/** Patterns as in `matches`. A pattern with a leading `!` excludes the ids that match. */
export function matchesAny(id: string, patterns: readonly string[]): boolean {
  const isExcluded = patterns.some((one) => one.startsWith(exception) && matches(id, one.slice(exception.length)));
  if (patterns.length === 0 || isExcluded) return false;
  return isWholeButExceptions(patterns) || patterns.some((pattern) => matches(id, pattern));
}

export function narrowingFlags(patterns: readonly string[]): string[] {
  return patterns.map((one) => (one.startsWith(exception) ? `--except '${one.slice(1)}'` : `--only '${one}'`));
}

export function selectedIds(side: 'client' | 'gateway', patterns: readonly string[]): string[] {
  return requirements
    .filter((row) => row.side === side && row.untestable === undefined)
    .map((row) => row.id)
    .filter((id) => patterns.length === 0 || matchesAny(id, patterns));
}

/** If no scenario names a requirement, every response tests it. So it selects all scenarios of its operation. */
export function selectScenarios<S extends (Scenario | ClientScenario) & { readonly slow?: boolean }>(
  all: readonly S[],
  ids: readonly string[],
  slow = false,
): S[] {
  const named = new Set<string>(all.flatMap((scenario) => scenario.shows));
  // Any valid request tests `…-valid-accepted`, so treat this requirement as unnamed.
  const isUnnamed = (id: string) => !named.has(id) || id.endsWith('-valid-accepted');
  const unnamed = requirements.filter(({ id }) => ids.includes(id) && isUnnamed(id));
  return all.filter((scenario) => {
    const isOf = ({ operation }: { readonly operation: string }) =>
      [operation, scenario.operation].includes('both') || operation === scenario.operation;
    return (slow || scenario.slow !== true) && (scenario.shows.some((id) => ids.includes(id)) || unnamed.some(isOf));
  });
}

function shareOf<T>(scenarios: readonly T[], shard: Shard | undefined): readonly T[] {
  return scenarios.filter((_, place) => shard === undefined || place % shard.of === shard.index - 1);
}

type Selection = { readonly only: readonly string[]; readonly slow?: boolean | undefined; readonly shard?: Shard };

export function gatewayPlan({ only, slow, shard }: Selection): readonly Scenario[] {
  return shareOf(selectScenarios(gatewayScenarios, selectedIds('gateway', only), slow), shard);
}

export function clientPlan({ only, shard }: Selection): readonly ClientScenario[] {
  return shareOf(selectScenarios(clientScenarios, selectedIds('client', only)), shard);
}

/** In a pattern, `*` matches any characters. Do not use a regular expression: a hostile text could make it very slow. */
export function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
