/** Performs a scenario on a mock in this process, without a socket where HTTP makes no difference. */
import { createHash } from 'node:crypto';
import { type Alteration, defaultWorld, type World } from '../../mock/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { Scenario } from '../../plan/scenario.ts';
import type { BuiltRequest } from '../../run/gateway/build-request.ts';
import { nonceFrom, type ScenarioRecord } from '../../run/gateway/perform-case.ts';
import { mockEndpoints } from '../../run/gateway/planned-cases.ts';
import { type OfTheMock, performScenario, runScenario } from '../../run/gateway/run-scenario.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { alterationsOf, targetOf } from '../../run/target/mock-target.ts';
import { needsSocket, transportTo } from './transport-in-memory.ts';

/** What runs with the same options that differ by their mocks alone have in common. */
export interface Repeated {
  /** The moment of all of them, in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly built: Map<string, BuiltRequest>;
  readonly worlds: Map<string, World>;
}

export function newRepeated(): Repeated {
  return { at: Date.now(), built: new Map(), worlds: new Map() };
}

/** A scenario goes over a socket as soon as an exchange of it is one that a socket could change. */
export async function performInMemory(
  scenario: Scenario,
  options: RunOptions,
  mock: OfTheMock,
  repeated: Repeated,
): Promise<ScenarioRecord> {
  if (isOddlyFramed(scenario)) return performScenario(scenario, options, mock);
  const alterations = alterationsOf(options.defects, options.variants, mock.alterations);
  return perform(scenario, options, alterations, { ...repeated, secondVoice: mock.secondVoice }).catch(
    (error: Error) => {
      if (error.cause !== needsSocket) throw error;
      return performScenario(scenario, options, mock);
    },
  );
}

/** Whether the scenario is about framing that only a socket can carry. */
export function isOddlyFramed({ id }: Scenario): boolean {
  return id.endsWith('/framings');
}

function perform(
  scenario: Scenario,
  options: RunOptions,
  alterations: readonly Alteration[],
  { at, built, worlds, secondVoice }: Repeated & Pick<OfTheMock, 'secondVoice'>,
): Promise<ScenarioRecord> {
  const place = gatewayScenarios.indexOf(scenario);
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
    transport: transportTo(world, alterations, { at, strict: true }),
    fresh: () => {
      nonces += 1;
      const nonce = nonceFrom(createHash('sha512').update(`${place} ${nonces}`).digest());
      return { timestamp: String(Math.floor(at / 1000)), nonce };
    },
    secondVoice,
    built,
  };
  return runScenario(scenario, context, options);
}
