/** Registry of all scenarios for a client under test. */
import type { ClientScenario } from '../scenario.ts';
import { brokenBodies, decodingProbes } from './broken-bodies.ts';
import { closeDayDecoding } from './close-day-decoding.ts';
import { closeDayInputScenarios } from './close-day-inputs.ts';
import { recurringDecoding } from './recurring-decoding.ts';
import { recurringForbidden, recurringInputScenarios } from './recurring-inputs.ts';
import { environments, surroundingScenarios } from './surroundings.ts';

const scenarios: readonly ClientScenario[] = [
  // The slowest scenarios come first. `environments` starts the client many times, and `decodingProbes` has endless answers.
  environments,
  ...decodingProbes,
  ...closeDayInputScenarios,
  ...recurringInputScenarios,
  recurringForbidden,
  ...surroundingScenarios,
  closeDayDecoding,
  recurringDecoding,
  ...brokenBodies,
];

/** Every scenario tests nonces, because any request may repeat a nonce. */
export const clientScenarios: readonly ClientScenario[] = scenarios.map((scenario) => ({
  ...scenario,
  shows: [...new Set([...scenario.shows, 'authentication/nonce-unique'] as const)],
}));
