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

export const clientScenarios: readonly ClientScenario[] = [
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
