/** Every defect of the mock gateway. */
import { amountDefects } from './amounts.ts';
import { authenticationDefects } from './authentication.ts';
import { closeDayDefects } from './close-day.ts';
import { closeDayErrorDefects } from './close-day-errors.ts';
import { closeDayRequestDefects } from './close-day-requests.ts';
import type { GatewayDefect } from './defect.ts';
import { fieldNameDefects } from './field-names.ts';
import { furtherLapseDefects } from './forged/further-lapses.ts';
import { nearMissDefects } from './forged/near-misses.ts';
import { notVerifiedDefects } from './forged/not-verified.ts';
import { otherSchemeDefects } from './forged/other-schemes.ts';
import { partlyVerifiedDefects } from './forged/partly-verified.ts';
import { readOtherwiseDefects } from './forged/read-otherwise.ts';
import { trustedConnectionDefects } from './forged/trusted-connections.ts';
import { twoPlacesDefects } from './forged/two-places.ts';
import { wrongSignatureDefects } from './forged/wrong-signatures.ts';
import { gateMemberDefects } from './gate-members.ts';
import { missingParameterDefects } from './missing-parameters.ts';
import { recurringDefects } from './recurring.ts';
import { recurringParameterDefects } from './recurring-parameters.ts';
import { recurringRequestDefects } from './recurring-requests.ts';
import { rightRequestDefects } from './right-requests.ts';
import { transportDefects } from './transport.ts';

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
  ...twoPlacesDefects,
  ...notVerifiedDefects,
  ...trustedConnectionDefects,
  ...gateMemberDefects,
  ...closeDayDefects,
  ...closeDayErrorDefects,
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
