/** Registry of all scenarios of the gateway suite. */
import { closeDayEdges, closeDayScenarios } from './close-day.ts';
import { lateScenarios, recurringEdges, recurringScenarios } from './recurring.ts';
import type { Scenario } from './scenario.ts';

export const gatewayScenarios: readonly Scenario[] = [
  ...closeDayScenarios,
  ...recurringScenarios,
  ...closeDayEdges,
  ...recurringEdges,
  ...lateScenarios,
];
