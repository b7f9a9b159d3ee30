/** One judge on some cases. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { gatewayJudges } from '../checks/index.ts';
import type { Verdict } from '../checks/judge.ts';
import { laterTwin } from '../checks/twins.ts';
import type { Case } from '../exchange/case.ts';

/**
 * Verdicts of the judge of that row; twins are looked for among the same cases. Where the twin that a case names was not
 * sent, the accepted request for which it waited takes its place.
 */
export function judgeCases(id: RequirementId, cases: readonly Case[]): readonly Verdict[] {
  const byRef = new Map(cases.map((examined) => [`${examined.scenario}#${examined.number}`, examined]));
  const judge = gatewayJudges[id as keyof typeof gatewayJudges];
  return judge({
    id,
    cases,
    twinOf: (examined) => {
      const { twin } = examined.label;
      return twin && (byRef.get(`${twin.scenario}#${twin.number}`) ?? laterTwin(examined, cases));
    },
  });
}
