/** All defects and variants, in the order in which `list` and the kill matrix show them. */
import { authenticationDefects, notVerifiedDefects, partlyVerifiedDefects } from './authentication.ts';
import { answerDefects } from './client/answers.ts';
import type { ClientDefect } from './client/defect.ts';
import { requestDefects } from './client/requests.ts';
import { signingDefects } from './client/signing.ts';
import { closeDayFieldDefects, closeDayRequestDefects } from './close-day-request.ts';
import { closeDayAnswerDefects } from './close-day-response.ts';
import type { GatewayDefect, Variant } from './defect.ts';
import { batchDefects, orderIdDefects, recurringRequestDefects } from './recurring-request.ts';
import { otherAnswerDefects, recurringAnswerDefects } from './recurring-response.ts';
import { misreadDefects, signatureDefects } from './signatures.ts';
import { answerVariants } from './variants/answers.ts';
import { requestVariants } from './variants/requests.ts';

export type { Variant } from './defect.ts';

/** Gateways with one fault each. */
export const gatewayDefects: readonly GatewayDefect[] = [
  ...authenticationDefects,
  ...orderIdDefects,
  ...signatureDefects,
  ...partlyVerifiedDefects,
  ...misreadDefects,
  ...notVerifiedDefects,
  ...closeDayAnswerDefects,
  ...closeDayRequestDefects,
  ...recurringAnswerDefects,
  ...recurringRequestDefects,
  ...otherAnswerDefects,
];

/** Reference clients with one fault each. */
export const clientDefects: readonly ClientDefect[] = [
  ...signingDefects,
  ...requestDefects,
  ...closeDayFieldDefects,
  ...batchDefects,
  ...answerDefects,
];

/** Gateway defects that a run on the mock can detect. Every other gateway defect has stored exchanges. */
export const mockDefects: readonly GatewayDefect[] = gatewayDefects.filter(({ reach }) => reach === undefined);
export const usableClientDefects: readonly ClientDefect[] = clientDefects.filter(({ reach }) => reach === undefined);

/** Gateways that differ from the mock only where the document permits the difference. */
export const variants: readonly Variant[] = [...answerVariants, ...requestVariants];
