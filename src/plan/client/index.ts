/** Registry of all scenarios for a client under test. */
import type { ClientScenario } from '../scenario.ts';
import { brokenBodies, decodingProbes } from './broken-bodies.ts';
import { decodingScenarios } from './decoding.ts';
import { environments, surroundingScenarios } from './environments.ts';
import { inputScenarios } from './inputs.ts';

const scenarios: readonly ClientScenario[] = [
  // The slowest scenarios come first: `environments` starts the client often, and `decodingProbes` has endless answers.
  environments,
  ...decodingProbes,
  ...inputScenarios,
  ...surroundingScenarios,
  ...decodingScenarios,
  ...brokenBodies,
];

/** Every scenario tests nonces, because any request may repeat a nonce. */
export const clientScenarios: readonly ClientScenario[] = scenarios.map((scenario) => ({
  ...scenario,
  shows: [...new Set([...scenario.shows, 'authentication/nonce-unique'] as const)],
}));
