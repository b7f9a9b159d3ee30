/** The registry of judges, of gateways and of clients. A testable row without a judge does not compile, nor does a judge without a row. */

import { type RequirementId, requirements, type TestableId } from '../../contracts/requirements/index.ts';
import type { Case } from '../record/case.ts';
import { isLoopback } from '../record/hosts.ts';
import { memoize } from '../record/memoize.ts';
import { decodingJudges } from './client/decoding/decoding.ts';
import { wireJudges } from './client/wire-judges.ts';
import * as closeDay from './close-day-response.ts';
import { errorIdWith500 } from './error-id.ts';
import { fail, pass } from './finding.ts';
import * as gates from './gate-result.ts';
import { type ClientJudge, type Judge, perCase, type Verdict } from './judge.ts';
import { exceptOwnCodes } from './open-refusals.ts';
import * as recurring from './recurring-response.ts';
import { accepted, laterTwin, refused, rightAccepted, totalAccepted } from './twins.ts';

/**
 * An answer over TLS shows it, since the transport verifies certificates. An answer over plain http breaks it, except on
 * the machine's own addresses, which show nothing.
 */
const httpsServed = perCase(({ exchange: { request, response } }) => {
  if (response === undefined) return null;
  if (request.scheme === 'https') return pass();
  return isLoopback(request.host) ? null : fail('https', 'an answer over plain http');
});

/** Requirements on refusals: the judge is the same for all. */
type Refusal = Extract<TestableId<'gateway'>, `${string}-${'refused' | 'enforced'}`>;

const refusals = Object.fromEntries(
  requirements.flatMap(({ id, side }) =>
    side === 'gateway' && /-(?:refused|enforced)$/.test(id) ? [[id, refused]] : [],
  ),
) as Record<Refusal, Judge>;

export const gatewayJudges = {
  ...refusals,
  'close-day/request-id-bounds-accepted': accepted,
  'close-day/accepts-sale-approved-count': totalAccepted,
  'close-day/accepts-sale-approved-sum': totalAccepted,
  'close-day/accepts-reversal-approved-count': totalAccepted,
  'close-day/accepts-reversal-approved-sum': totalAccepted,
  'close-day/generated-requests-accepted': accepted,
  'close-day/status-200': closeDay.status200,
  'close-day/content-type': closeDay.contentType,
  'close-day/body-decodable': closeDay.bodyDecodable,
  'close-day/response-member': closeDay.responseMember,
  'close-day/serial-present': closeDay.serialPresent,
  'close-day/serial-type': closeDay.serialType,
  'close-day/serial-shape': closeDay.serialShape,
  'close-day/status-present': closeDay.statusPresent,
  'close-day/status-value': closeDay.statusValue,
  'close-day/finished-has-gates': closeDay.finishedHasGates,
  'close-day/one-result-per-gate': gates.oneResultPerGate,
  'close-day/error-has-code': closeDay.errorHasCode,
  'close-day/error-has-message': closeDay.errorHasMessage,
  ...gates.gateResultJudges,
  'close-day/closing-gate-error': gates.closingGateError,
  'close-day/closing-gate-message': gates.closingGateMessage,
  'close-day/locked-gate-reported': gates.lockedGateReported,
  'close-day/open-gate-reported': gates.openGateReported,
  'close-day/lock-removal': gates.lockRemoval,
  'close-day/manual-close': gates.manualClose,

  'recurring/many-rows-accepted': accepted,
  'recurring/generated-requests-accepted': accepted,
  'recurring/amount-range-accepted': accepted,
  'recurring/amount-sequence-accepted': accepted,
  'recurring/success-status-200': recurring.successStatus200,
  'recurring/success-body-empty': recurring.successBodyEmpty,
  'recurring/success-content-length-zero': recurring.successContentLengthZero,
  'recurring/failure-status-403': recurring.failureStatus403,
  'recurring/failure-body-empty': recurring.failureBodyEmpty,
  'recurring/keep-alive-timeout': recurring.keepAliveTimeout,
  'recurring/keep-alive-kept': recurring.keepAliveKept,
  'recurring/parameters-content-type': recurring.parametersContentType,
  'recurring/parameters-line-feed': recurring.parametersLineFeed,
  'recurring/type-present': recurring.typePresent,
  'recurring/type-value': recurring.typeValue,
  'recurring/status-present': recurring.answerHasStatus,
  'recurring/serial-number-present': recurring.serialNumberPresent,
  'recurring/serial-number-unique': recurring.serialNumberUnique,
  'recurring/error-message-present': recurring.errorMessagePresent,
  'recurring/error-code-present': recurring.errorCodePresent,
  'recurring/error-code-value': recurring.errorCodeValue,
  'recurring/error-id-with-500': errorIdWith500,

  'authentication/close-day-valid-accepted': exceptOwnCodes(rightAccepted('close-day')),
  'authentication/recurring-valid-accepted': rightAccepted('process-recurring-payments'),

  'transport/https-served': httpsServed,
} satisfies Record<TestableId<'gateway'>, Judge>;

export const clientJudges = {
  ...wireJudges,
  ...decodingJudges,
} satisfies Record<TestableId<'client'>, ClientJudge>;

/**
 * Verdicts of the judge of that row; twins are looked for among the same cases. Where the twin that a case names was not
 * sent, the accepted request for which it waited takes its place.
 */
export function judgeCases(id: RequirementId, cases: readonly Case[]): readonly Verdict[] {
  const judge = gatewayJudges[id as keyof typeof gatewayJudges];
  return judge({
    id,
    cases,
    twinOf: (examined) => {
      const { twin } = examined.label;
      return twin && (byPlace(cases).get(`${twin.scenario}#${twin.number}`) ?? laterTwin(examined, cases));
    },
  });
}

const byPlace = memoize(
  (cases: readonly Case[]) => new Map(cases.map((examined) => [`${examined.scenario}#${examined.number}`, examined])),
);
