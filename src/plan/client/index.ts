/** Every scenario for a client under test. */
import type { ClientScenario } from '../scenario.ts';
import { brokenBodies, decodingProbes } from './broken-bodies.ts';
import { closeDayDecoding } from './close-day-decoding.ts';
import { closeDayInputScenarios } from './close-day-inputs.ts';
import { recurringDecoding } from './recurring-decoding.ts';
import { recurringForbidden, recurringInputScenarios } from './recurring-inputs.ts';
import { environments, surroundingScenarios } from './surroundings.ts';

const scenarios: readonly ClientScenario[] = [
  // First, since they take longest: the client is started for each environment, and some answers never end.
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

/** A nonce may come again after any answer, so that each scenario shows them. */
export const clientScenarios: readonly ClientScenario[] = scenarios.map((scenario) => ({
  ...scenario,
  shows: [...new Set([...scenario.shows, 'authentication/nonce-unique'] as const)],
}));
