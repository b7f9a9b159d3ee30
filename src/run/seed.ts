/** Seeds: each scenario draws from a hash of the run's seed and its own id, so that workers, shards and order change nothing. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Draw } from '../scenarios/scenario.ts';

/** A 31-bit integer for fast-check, made of the run's seed and the scenario's id. */
export function scenarioSeed(seed: string, scenarioId: string): number {
  return createHash('sha256').update(`${seed}\n${scenarioId}`).digest().readUInt32BE(0) >>> 1;
}

/** The source of a scenario's values; every call draws from a stream of its own. */
export function drawFor(seed: string, scenarioId: string, cases: number): Draw {
  let stream = 0;
  return {
    cases,
    values(arbitrary, count) {
      stream += 1;
      return fc.sample(arbitrary, { seed: scenarioSeed(seed, `${scenarioId}#${stream}`), numRuns: count });
    },
  };
}
