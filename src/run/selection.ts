/** Selection of rows and scenarios by patterns of requirement ids. */
import { requirements } from '../../contracts/requirements/index.ts';
import type { Scenario } from '../scenarios/scenario.ts';

/** Whether the id matches one of the patterns; `*` stands for any run of characters. */
export function matchesAny(id: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => toExpression(pattern).test(id));
}

/** The testable rows of a side that the patterns select; all of them without a pattern. */
export function selectedIds(side: 'client' | 'gateway', patterns: readonly string[]): string[] {
  return requirements
    .filter((row) => row.side === side && row.untestable === undefined)
    .map((row) => row.id)
    .filter((id) => patterns.length === 0 || matchesAny(id, patterns));
}

/** The scenarios that are needed for these rows. A row that every response of an operation shows needs its plain scenarios. */
export function selectScenarios(all: readonly Scenario[], ids: readonly string[]): Scenario[] {
  const named = new Set<string>(all.flatMap((scenario) => scenario.shows));
  const unnamed = requirements.filter((row) => ids.includes(row.id) && !named.has(row.id));
  return all.filter(
    (scenario) =>
      scenario.shows.some((id) => ids.includes(id)) ||
      unnamed.some((row) => row.operation === 'both' || row.operation === scenario.operation),
  );
}

function toExpression(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*')}$`);
}
