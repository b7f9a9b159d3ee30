/** Draws random values. They depend only on seed and scenario id, so all workers and shards draw the same values. */
import { createHash } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';
import type { ClientDraw, Draw, TargetFacts } from './scenario.ts';

const plainTarget: TargetFacts = {
  payment: (cells) => [...cells],
  orderId: (text) => text,
  isFresh: () => true,
  totals: () => undefined,
  showsSecret: false,
  isThorough: false,
};

export function scenarioSeed(seed: string, scenarioId: string): number {
  return createHash('sha256').update(`${seed}\n${scenarioId}`).digest().readUInt32BE(0) >>> 1;
}

/** Each call has its own random stream. If `onlyPath` is set, `generate` makes only the value with this path. */
export function drawFor(
  seed: string,
  scenarioId: string,
  cases: number,
  onlyPath?: string,
  target: Partial<TargetFacts> = {},
): Draw & ClientDraw {
  const [, ofScenario = scenarioId, wanted, path] = /^(?:(.+)\/)?(\d+)\/([\d:]+)$/.exec(onlyPath ?? '') ?? [];
  let stream = 0;
  const next = () => {
    stream += 1;
    return { number: stream, seed: scenarioSeed(seed, `${scenarioId}#${stream}`) };
  };
  return {
    cases,
    ...plainTarget,
    ...target,
    values: (arbitrary, count) => fc.sample(arbitrary, { seed: next().seed, numRuns: count }),
    generate<T, Planned>(arbitrary: Arbitrary<T>, count: number, build: (value: T) => Planned) {
      const { number, seed: streamSeed } = next();
      const from = `${scenarioId}/${number}`;
      if (wanted !== undefined && from !== `${ofScenario}/${wanted}`) return [];
      const sample = { seed: streamSeed, ...(wanted === undefined ? { numRuns: count } : { path: path!, numRuns: 1 }) };
      return fc.sample(arbitrary, sample).map((value, index) => ({
        ...build(value),
        generated: generated(arbitrary, streamSeed, from, path ?? String(index), build),
      }));
    },
  };
}

function generated<T, Planned>(
  arbitrary: Arbitrary<T>,
  seed: number,
  from: string,
  path: string,
  build: (value: T) => Planned,
) {
  return {
    path: `${from}/${path}`,
    async shrink(stillFails: (planned: Planned) => Promise<boolean>) {
      let tries = 0;
      const property = fc.asyncProperty(arbitrary, async (value) => {
        tries += 1;
        // Stop the search after 400 tries. The values of this suite need fewer.
        return tries > 400 || !(await stillFails(build(value)));
      });
      const run = await fc.check(property, { seed, path, numRuns: 1 });
      const [value] = run.counterexample ?? fc.sample(fc.tuple(arbitrary), { seed, path, numRuns: 1 })[0]!;
      return { planned: build(value), path: `${from}/${run.counterexamplePath ?? path}` };
    },
  };
}
