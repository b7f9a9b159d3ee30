/** Judges of what a client read in an answer, by what it reports as decoded: sections 2.2, 2.4, 3, 4 and 7. */

import type { TestableId } from '../../../../contracts/requirements/index.ts';
import type { ClientCase, Decoded } from '../../../record/client-case.ts';
import { type Finding, fail, pass } from '../../finding.ts';
import type { ClientJudge } from '../client-judge.ts';
import {
  readsError,
  readsExtraMembers,
  readsFinished,
  readsGateMember,
  readsGates,
  readsLockedGate,
  readsSerial,
} from './close-day.ts';
import { findingOf, judgeReading, questionsFor, readsJsonTypeAlone } from './forms.ts';
import {
  readsAccepted,
  readsErrorId,
  readsFailureType,
  readsOwnLineFeed,
  readsParameters,
  readsRefused,
  readsResponseType,
} from './recurring.ts';
import { readingOf, readsNoSuccess } from './success.ts';
import { sameDate, sameLong, sameQuantity, sameText, sameTruth } from './values.ts';

/** Rows that `decoded` decides. */
export type DecodingId = Extract<
  TestableId<'client'>,
  `${string}/decodes-${string}` | `${string}/broken-body-not-success`
>;

/** Fails only a client that reads application/json and nothing under text/html: any other trouble is another row's. */
const readsTextHtml: ClientJudge = ({ id, cases }) => {
  const deaf = readsJsonTypeAlone(cases);
  return questionsFor(id, cases).flatMap((asked) => {
    const underHtml = asked.filter(({ label }) => label.decoding!.form !== 'json');
    const findings = underHtml.flatMap((examined) => {
      const finding = findingOf(examined, (decoded) => ofReading(decoded, examined, deaf));
      return finding === undefined ? [] : [{ examined, finding }];
    });
    const passed = findings.find(({ finding }) => finding.outcome === 'pass');
    return [passed ?? findings[0]].filter((verdict) => verdict !== undefined);
  });
};

export const decodingJudges = {
  'close-day/decodes-finished': judgeReading(readsFinished),
  'close-day/decodes-text-html': readsTextHtml,
  'close-day/decodes-gates': judgeReading(readsGates),
  'close-day/decodes-serial': judgeReading(readsSerial),
  'close-day/decodes-error': judgeReading(readsError),
  'close-day/decodes-error-99': judgeReading(readsError),
  'close-day/decodes-locked-gate': judgeReading(readsLockedGate),
  'close-day/decodes-unknown-status': judgeReading(readsNoSuccess),
  'close-day/decodes-extra-members': judgeReading(readsExtraMembers),
  'close-day/broken-body-not-success': judgeReading(readsNoSuccess),
  'close-day/decodes-gate-id': judgeReading(readsGateMember('gateId', sameLong)),
  'close-day/decodes-gate-is-day-closing': judgeReading(readsGateMember('isDayClosing', sameTruth)),
  'close-day/decodes-gate-close-date': judgeReading(readsGateMember('gateCloseDate', sameDate)),
  'close-day/decodes-gate-epnt-id': judgeReading(readsGateMember('epntId', sameLong)),
  'close-day/decodes-gate-sale-approved-count': judgeReading(readsGateMember('saleApprovedCount', sameQuantity)),
  'close-day/decodes-gate-sale-amount': judgeReading(readsGateMember('saleAmount', sameQuantity)),
  'close-day/decodes-gate-reversal-approved-count': judgeReading(
    readsGateMember('reversalApprovedCount', sameQuantity),
  ),
  'close-day/decodes-gate-reversal-amount': judgeReading(readsGateMember('reversalAmount', sameQuantity)),
  'close-day/decodes-gate-code39': judgeReading(readsGateMember('code39', sameText)),
  'close-day/decodes-gate-rrn': judgeReading(readsGateMember('RRN', sameText)),
  'recurring/decodes-accepted': judgeReading(readsAccepted),
  'recurring/decodes-refused': judgeReading(readsRefused),
  'recurring/decodes-parameters': judgeReading(readsParameters),
  'recurring/decodes-response-type': judgeReading(readsResponseType),
  'recurring/decodes-validation-error': judgeReading(readsFailureType),
  'recurring/decodes-error': judgeReading(readsFailureType),
  'recurring/decodes-error-id': judgeReading(readsErrorId),
  'recurring/decodes-own-line-feed': judgeReading(readsOwnLineFeed),
  'recurring/broken-body-not-success': judgeReading(readsNoSuccess),
} as const satisfies Record<DecodingId, ClientJudge>;

function ofReading(decoded: Decoded, { label }: ClientCase, deaf: boolean): Finding | undefined {
  if (deaf) return fail('the answer, as under application/json', readingOf(decoded));
  return decoded.kind === label.decoding!.expected.kind ? pass() : undefined;
}
