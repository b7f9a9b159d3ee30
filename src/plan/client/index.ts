/** Every scenario for a client under test. */
import { brokenBodies } from './broken-bodies.ts';
import type { ClientScenario } from './client-scenario.ts';
import { closeDayDecoding } from './close-day-decoding.ts';
import { closeDayInputScenarios } from './close-day-inputs.ts';
import { decodingProbes } from './decoding-probes.ts';
import { surroundingScenarios } from './destinations.ts';
import { environments } from './environments.ts';
import { recurringDecoding } from './recurring-decoding.ts';
import { recurringForbidden } from './recurring-forbidden.ts';
import { recurringInputScenarios } from './recurring-inputs.ts';

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
