/** One judge on some cases. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import { gatewayJudges } from '../checks/index.ts';
import type { Verdict } from '../checks/judge.ts';
import type { Case } from '../exchange/case.ts';

/** Verdicts of the judge of that row; twins are looked for among the same cases. */
export function judgeCases(id: RequirementId, cases: readonly Case[]): readonly Verdict[] {
  const byRef = new Map(cases.map((examined) => [`${examined.scenario}#${examined.number}`, examined]));
  const judge = gatewayJudges[id as keyof typeof gatewayJudges];
  return judge({
    id,
    cases,
    twinOf: ({ label: { twin } }) => (twin === undefined ? undefined : byRef.get(`${twin.scenario}#${twin.number}`)),
  });
}
