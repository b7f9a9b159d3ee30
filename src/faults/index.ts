/** Every defect of the mock gateway. */
import { authenticationDefects, missingParameterDefects, rightRequestDefects } from './authentication.ts';
import { closeDayDefects } from './close-day.ts';
import { closeDayRequestDefects, fieldNameDefects } from './close-day-requests.ts';
import type { GatewayDefect } from './defect.ts';
import { nearMissDefects } from './forged/near-misses.ts';
import { notVerifiedDefects } from './forged/not-verified.ts';
import { partlyVerifiedDefects, trustedConnectionDefects } from './forged/partly-verified.ts';
import { readOtherwiseDefects } from './forged/read-otherwise.ts';
import { wrongSignatureDefects } from './forged/wrong-signatures.ts';
import { recurringDefects, recurringParameterDefects, transportDefects } from './recurring.ts';
import { orderIdDefects, recurringRequestDefects } from './recurring-requests.ts';

export const gatewayDefects: readonly GatewayDefect[] = [
  ...authenticationDefects,
  ...rightRequestDefects,
  ...orderIdDefects,
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
  ...recurringParameterDefects,
  ...transportDefects,
];

/** Those that a mock can be given. */
export const mockDefects: readonly GatewayDefect[] = gatewayDefects.filter(({ reach }) => reach === undefined);
