/** The judges of gateways and clients. The compiler ensures that exactly the testable requirements have a judge. */
import type { RequirementId, TestableId } from '../../contracts/requirements/index.ts';
import type { Case } from '../record/case.ts';
import { isLoopback } from '../record/hosts.ts';
import { authenticationJudges } from './client/authentication.ts';
import { decodingJudges } from './client/decoding.ts';
import { environmentIndependent } from './client/environments.ts';
import { requestJudges } from './client/request.ts';
import { requestBodyJudges } from './client/request-body.ts';
import { closeDayResponseJudges } from './close-day-response.ts';
import { byArea, type ClientJudge, fail, type Judge, pass, perCase, type Verdict } from './judge.ts';
import { recurringResponseJudges } from './recurring-response.ts';
import { acceptanceJudges, laterTwin, namedTwin } from './twins.ts';

/** The transport verifies certificates, so an answer over TLS passes. Plain http fails, except on loopback. */
const httpsServed = perCase(({ exchanges: [{ request, response }] }) => {
  if (response === undefined) return null;
  if (request.scheme === 'https') return pass();
  return isLoopback(request.host) ? null : fail('https', 'an answer over plain http');
});

export const gatewayJudges = {
  ...acceptanceJudges,
  ...closeDayResponseJudges,
  ...recurringResponseJudges,
  'transport/https-served': httpsServed,
} satisfies Record<TestableId<'gateway'>, Judge>;

/** Judges of what a client sends or refuses to send. */
export const wireJudges = {
  ...requestJudges,
  ...requestBodyJudges,
  ...authenticationJudges,
  ...byArea({ 'environment-independent': environmentIndependent }),
};

export const clientJudges = {
  ...wireJudges,
  ...decodingJudges,
} satisfies Record<TestableId<'client'>, ClientJudge>;

/** Judges one requirement. If a twin was not sent, `laterTwin` finds another valid request for the comparison. */
export function judgeCases(id: RequirementId, cases: readonly Case[]): readonly Verdict[] {
  const judge = gatewayJudges[id as keyof typeof gatewayJudges];
  return judge({
    id,
    cases,
    twinOf: (testCase) => testCase.label.twin && (namedTwin(testCase, cases) ?? laterTwin(testCase, cases)),
  });
}
