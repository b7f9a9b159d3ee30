/** One scenario of a run against the built-in mock, from start to record: a mock and a transport of its own, and everything closed again. */
import type { Alteration } from '../../mock/alteration.ts';
import type { Scenario } from '../../plan/scenario.ts';
import type { RunOptions } from '../options/run-options.ts';
import { mockTarget } from '../target/mock-target.ts';
import { eachBodyOnce, keepingTransport } from '../transport/each-body-once.ts';
import { openTransport, transportDefaults } from '../transport/transport.ts';
import type { Fresh } from './build-request.ts';
import { freshNonce } from './fresh-nonce.ts';
import { mockEndpoints } from './mock-gates.ts';
import type { RunContext, ScenarioRecord } from './perform-case.ts';
import { runScenario } from './run-scenario.ts';

/** What tests of the suite itself ask for. */
export interface OfTheMock {
  /** Applied after the defects and variants of the options. */
  readonly alterations?: readonly Alteration[];
  /** Whether every signature is computed a second time; default yes. */
  readonly secondVoice?: boolean;
}

/** Performs the scenario as the options say. Throws only for a fault of the suite. */
export function performScenario(scenario: Scenario, options: RunOptions, mock?: OfTheMock): Promise<ScenarioRecord> {
  const use = (context: Omit<RunContext, 'policy'>) => runScenario(scenario, { ...options, ...context });
  return onMock(scenario.id, options, { ...mock, oneConnection: scenario.inFlight === 1 }, use);
}

/** A mock of its own for what `use` does. `id`: another scenario has other gates. */
export async function onMock<T>(
  id: string,
  options: RunOptions,
  { alterations, secondVoice, oneConnection }: OfTheMock & { readonly oneConnection?: boolean } = {},
  use: (context: Omit<RunContext, 'policy'>) => Promise<T>,
): Promise<T> {
  const endpoints = mockEndpoints(options.seed, id);
  const opened = await mockTarget(options.defects, options.variants, alterations, endpoints);
  const transport = keepingTransport(
    openTransport({ ...transportDefaults, ...(oneConnection ? { connections: 1 } : {}) }),
    eachBodyOnce(options.engineFolder),
  );
  try {
    return await use({
      seed: options.seed,
      target: opened.target,
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
  return { timestamp: String(Math.floor(Date.now() / 1000)), nonce: freshNonce() };
}
