/** A whole run against an altered mock in this process: the requests of one plan, built once, go to each mock without a socket. */
import { concludeGateway } from '../conclusion/conclude-gateway.ts';
import type { BuiltRequest } from '../gateway-run/build-request.ts';
import { mockEndpoints } from '../gateway-run/mock-gates.ts';
import { performScenario } from '../gateway-run/perform.ts';
import type { ScenarioRecord } from '../gateway-run/perform-case.ts';
import { runScenario } from '../gateway-run/run-scenario.ts';
import { type Alteration, defaultWorld, type World } from '../mock/index.ts';
import type { RunOptions } from '../options/run-options.ts';
import { selectedIds, selectScenarios } from '../options/selection.ts';
import type { Result } from '../result/result.ts';
import { gatewayScenarios } from '../scenarios/index.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { targetOf } from '../target/mock-target.ts';
import { needsSocket, transportTo } from './transport-in-memory.ts';

/** What runs that differ by their mocks alone have in common; everything of them takes place at its moment. */
export interface Repeated {
  readonly options: RunOptions;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly built: Map<string, BuiltRequest>;
  readonly worlds: Map<string, World>;
}

/**
 * The result of the run against a mock with this alteration. A scenario goes over a socket as soon as an exchange of it is one
 * that a socket could change, and scenarios of odd framing are left out: what they show is observed and never judged.
 */
export async function runInMemory(repeated: Repeated, alteration: Alteration): Promise<Result> {
  const { options } = repeated;
  const records: ScenarioRecord[] = [];
  for (const [place, scenario] of selectScenarios(gatewayScenarios, selectedIds('gateway', options.only)).entries()) {
    if (/\/framings$/.test(scenario.id)) continue;
    records.push(
      await perform(scenario, place, repeated, alteration).catch((error: Error) => {
        if (error.cause !== needsSocket) throw error;
        return performScenario(scenario, options, { alterations: [alteration], secondVoice: false });
      }),
    );
  }
  return concludeGateway(options, records, { now: Date.now() }).result;
}

function perform(
  scenario: Scenario,
  place: number,
  { options, at, built, worlds }: Repeated,
  alteration: Alteration,
): Promise<ScenarioRecord> {
  // No serial number comes twice in a run (2.4).
  const untouched =
    worlds.get(scenario.id) ??
    defaultWorld({ serial: (place + 1) * 1_000_000, endpoints: mockEndpoints(options.seed, scenario.id) });
  worlds.set(scenario.id, untouched);
  const world = structuredClone(untouched);
  let nonces = 0;
  const context = {
    ...options,
    target: targetOf(world, '127.0.0.1:8080'),
    transport: transportTo(world, [alteration], { at, strict: true }),
    fresh: () => {
      nonces += 1;
      return { timestamp: String(Math.floor(at / 1000)), nonce: `${place}nonce${nonces}` };
    },
    secondVoice: false,
    built,
  };
  return runScenario(scenario, context, options);
}
