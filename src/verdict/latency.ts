/** How long a gateway took to answer: two percentiles for each operation, from the exchanges of a run. */
import { operationNames } from '../../contracts/operations.ts';
import type { Case } from '../record/case.ts';
import type { Latency } from '../record/result/result.ts';

/** Operations without an answer are left out. */
export function latencyOf(cases: readonly Case[]): Latency[] {
  return operationNames.flatMap((operation) => {
    const times = cases
      .filter(({ label, exchange }) => label.operation === operation && exchange.response !== undefined)
      .map(({ exchange }) => exchange.durationMs)
      .sort((a, b) => a - b);
    if (times.length === 0) return [];
    return [{ operation, count: times.length, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) }];
  });
}

/** By nearest rank: always a time that was measured. In tenths of a millisecond. */
function percentile(sorted: readonly number[], share: number): number {
  const at = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return Math.round(10 * sorted[at]!) / 10;
}
