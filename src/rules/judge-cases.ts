/** One judge on some cases. */

import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Case } from '../record/case.ts';
import { memoize } from '../record/memoize.ts';
import { gatewayJudges } from './index.ts';
import type { Verdict } from './judge.ts';
import { laterTwin } from './twins.ts';

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
