/** Every scenario of the gateway suite. */
import { closeDayScenarios } from './close-day.ts';
import { recurringScenarios } from './recurring.ts';
import type { Scenario } from './scenario.ts';

export const gatewayScenarios: readonly Scenario[] = [...closeDayScenarios, ...recurringScenarios];
