/** One scenario of a run against the built-in mock, from start to record: a mock and a transport of its own, and everything closed again. */
import { randomBytes } from 'node:crypto';
import type { Alteration } from '../mock/alteration.ts';
import type { RunOptions } from '../options/run-options.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { mockTarget } from '../target/mock-target.ts';
import { eachBodyOnce, keepingTransport } from '../transport/each-body-once.ts';
import { openTransport } from '../transport/transport.ts';
import type { Fresh } from './build-request.ts';
import { mockEndpoints } from './mock-gates.ts';
import type { ScenarioRecord } from './perform-case.ts';
import { runScenario } from './run-scenario.ts';

/** What tests of the suite itself ask for. */
export interface OfTheMock {
  /** Applied after the defects and variants of the options. */
  readonly alterations?: readonly Alteration[];
  /** Whether every signature is computed a second time; default yes. */
  readonly secondVoice?: boolean;
}

/** Performs the scenario as the options say. Throws only for a fault of the suite. */
export async function performScenario(
  scenario: Scenario,
  options: RunOptions,
  { alterations, secondVoice }: OfTheMock = {},
): Promise<ScenarioRecord> {
  const endpoints = mockEndpoints(options.seed, scenario.id);
  const opened = await mockTarget(options.defects, options.variants, alterations, endpoints);
  const transport = keepingTransport(openTransport(), eachBodyOnce(options.engineFolder));
  try {
    const { target } = opened;
    return await runScenario(scenario, {
      ...options,
      target,
      transport,
      fresh: freshNow,
      secondVoice,
    });
  } finally {
    await transport.close();
    await opened.close();
  }
}

/** The machine's time, and a nonce that never comes twice. */
export function freshNow(): Fresh {
  return { timestamp: String(Math.floor(Date.now() / 1000)), nonce: randomBytes(16).toString('hex') };
}
