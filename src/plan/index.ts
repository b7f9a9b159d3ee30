/** Registry of all scenarios of the gateway suite. */
import { closeDayScenarios } from './close-day.ts';
import { edgeScenarios } from './edges.ts';
import { lateScenarios, recurringScenarios } from './recurring.ts';
import type { Scenario } from './scenario.ts';

export const gatewayScenarios: readonly Scenario[] = [
  ...closeDayScenarios,
  ...recurringScenarios,
  ...edgeScenarios,
  ...lateScenarios,
];
