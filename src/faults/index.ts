/** All defects of the mock gateway, in the order of `list defects` and the kill matrix. */
import { authenticationDefects } from './authentication.ts';
import { closeDayDefects } from './close-day.ts';
import type { GatewayDefect } from './defect.ts';
import { notVerifiedDefects } from './forged/not-verified.ts';
import { partlyVerifiedDefects } from './forged/partly-verified.ts';
import { readOtherwiseDefects } from './forged/read-otherwise.ts';
import { signatureDefects } from './forged/signatures.ts';
import { orderIdDefects, recurringDefects } from './recurring.ts';

export const gatewayDefects: readonly GatewayDefect[] = [
  ...authenticationDefects,
  ...orderIdDefects,
  ...signatureDefects,
  ...partlyVerifiedDefects,
  ...readOtherwiseDefects,
  ...notVerifiedDefects,
  ...closeDayDefects,
  ...recurringDefects,
];

export const mockDefects: readonly GatewayDefect[] = gatewayDefects.filter(({ reach }) => reach === undefined);
