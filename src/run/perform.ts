/** One scenario of a run from start to record: a fresh mock or the live target, a transport of its own, and everything closed again. */
import { randomBytes } from 'node:crypto';
import type { Scenario } from '../scenarios/scenario.ts';
import { newBreaker } from './breaker.ts';
import { liveTarget } from './live-target.ts';
import { mockTarget } from './mock-target.ts';
import type { RunOptions } from './run-options.ts';
import { type RunContext, runScenario, type ScenarioRecord } from './run-scenario.ts';
import { openTransport } from './transport.ts';

const liveBreaker = newBreaker();

/** Performs the scenario as the options say. Throws only for a fault of the suite. */
export async function performScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioRecord> {
  const opened =
    options.target === 'mock' ? await mockTarget(options.defects, options.variants) : liveTarget(options.target);
  const transport = openTransport();
  try {
    const context: RunContext = {
      target: opened.target,
      transport,
      // A mock is new for every scenario; a live target is one for all of them.
      breaker: options.target === 'mock' ? newBreaker() : liveBreaker,
      seed: options.seed,
      cases: options.cases,
      path: options.path,
      fresh: () => ({ timestamp: String(Math.floor(Date.now() / 1000)), nonce: randomBytes(16).toString('hex') }),
    };
    return await runScenario(scenario, context);
  } finally {
    await transport.close();
    await opened.close();
  }
}
