/** Registry of all scenarios of the gateway suite. */
import { openBatches } from './batch-forms.ts';
import { closeDayScenarios } from './close-day.ts';
import { edgeScenarios } from './edges.ts';
import { recurringScenarios, scriptedAnswers } from './recurring.ts';
import type { Scenario } from './scenario.ts';

export const gatewayScenarios: readonly Scenario[] = [
  ...closeDayScenarios,
  ...recurringScenarios,
  ...edgeScenarios,
  scriptedAnswers,
  ...openBatches,
];
