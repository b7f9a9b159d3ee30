/** Every defect of the mock gateway. */
import { amountDefects } from './amounts.ts';
import { authenticationDefects, missingParameterDefects } from './authentication.ts';
import { closeDayDefects } from './close-day.ts';
import { closeDayRequestDefects, fieldNameDefects } from './close-day-requests.ts';
import type { GatewayDefect } from './defect.ts';
import { nearMissDefects } from './forged/near-misses.ts';
import { notVerifiedDefects } from './forged/not-verified.ts';
import { partlyVerifiedDefects, trustedConnectionDefects } from './forged/partly-verified.ts';
import { readOtherwiseDefects } from './forged/read-otherwise.ts';
import { wrongSignatureDefects } from './forged/wrong-signatures.ts';
import { recurringDefects, recurringParameterDefects, transportDefects } from './recurring.ts';
import { recurringRequestDefects } from './recurring-requests.ts';
import { rightRequestDefects } from './right-requests.ts';

export const gatewayDefects: readonly GatewayDefect[] = [
  ...authenticationDefects,
  ...rightRequestDefects,
  ...wrongSignatureDefects,
  ...missingParameterDefects,
  ...nearMissDefects,
  ...partlyVerifiedDefects,
  ...readOtherwiseDefects,
  ...notVerifiedDefects,
  ...trustedConnectionDefects,
  ...closeDayDefects,
  ...closeDayRequestDefects,
  ...fieldNameDefects,
  ...recurringDefects,
  ...recurringRequestDefects,
  ...amountDefects,
  ...recurringParameterDefects,
  ...transportDefects,
];

/** Those that a mock can be given. */
export const mockDefects: readonly GatewayDefect[] = gatewayDefects.filter(({ reach }) => reach === undefined);
