/** Every defect of the mock gateway. */
import { authenticationDefects } from './authentication.ts';
import { closeDayDefects } from './close-day.ts';
import type { GatewayDefect } from './defect.ts';
import { recurringDefects } from './recurring.ts';
import { recurringParameterDefects } from './recurring-parameters.ts';

export const gatewayDefects: readonly GatewayDefect[] = [
  ...authenticationDefects,
  ...closeDayDefects,
  ...recurringDefects,
  ...recurringParameterDefects,
];
