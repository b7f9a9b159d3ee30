/** Every defect of the mock gateway. */
import { amountDefects } from './amounts.ts';
import { authenticationDefects } from './authentication.ts';
import { closeDayDefects } from './close-day.ts';
import { closeDayErrorDefects } from './close-day-errors.ts';
import { closeDayRequestDefects } from './close-day-requests.ts';
import type { GatewayDefect } from './defect.ts';
import { furtherLapseDefects } from './further-lapses.ts';
import { gateMemberDefects } from './gate-members.ts';
import { missingParameterDefects } from './missing-parameters.ts';
import { nearMissDefects } from './near-misses.ts';
import { notVerifiedDefects } from './not-verified.ts';
import { otherSchemeDefects } from './other-schemes.ts';
import { partlyVerifiedDefects } from './partly-verified.ts';
import { readOtherwiseDefects } from './read-otherwise.ts';
import { recurringDefects } from './recurring.ts';
import { recurringParameterDefects } from './recurring-parameters.ts';
import { recurringRequestDefects } from './recurring-requests.ts';
import { rightRequestDefects } from './right-requests.ts';
import { transportDefects } from './transport.ts';
import { wrongSignatureDefects } from './wrong-signatures.ts';

export const gatewayDefects: readonly GatewayDefect[] = [
  ...authenticationDefects,
  ...rightRequestDefects,
  ...wrongSignatureDefects,
  ...missingParameterDefects,
  ...nearMissDefects,
  ...otherSchemeDefects,
  ...partlyVerifiedDefects,
  ...furtherLapseDefects,
  ...readOtherwiseDefects,
  ...notVerifiedDefects,
  ...gateMemberDefects,
  ...closeDayDefects,
  ...closeDayErrorDefects,
  ...closeDayRequestDefects,
  ...recurringDefects,
  ...recurringRequestDefects,
  ...amountDefects,
  ...recurringParameterDefects,
  ...transportDefects,
];

/** Those that a mock can be given. */
export const mockDefects: readonly GatewayDefect[] = gatewayDefects.filter(({ reach }) => reach === undefined);
