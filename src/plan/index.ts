/** Every scenario of the gateway suite. */
import { closeDayScenarios } from './close-day.ts';
import { edgeScenarios } from './edges.ts';
import { openBatches } from './open-batches.ts';
import { recurringScenarios } from './recurring.ts';
import type { Scenario } from './scenario.ts';
import { scriptedAnswers } from './scripted-answers.ts';

export const gatewayScenarios: readonly Scenario[] = [
  ...closeDayScenarios,
  ...recurringScenarios,
  ...edgeScenarios,
  scriptedAnswers,
  ...openBatches,
];
