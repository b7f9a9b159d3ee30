/** What a judge is: a pure function from the cases of a run to verdicts on one requirement. */
import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Case } from '../exchange/case.ts';
import type { Finding } from './finding.ts';

/** The question that a judge answers. */
export interface RowQuestion {
  readonly id: RequirementId;
  /** All cases at hand: of one scenario, or of the whole run. */
  readonly cases: readonly Case[];
  /** The twin that a case names; undefined where it names none or the twin is not at hand. */
  twinOf(examined: Case): Case | undefined;
}

/** What one case says of the requirement. */
export interface Verdict {
  readonly examined: Case;
  readonly finding: Finding;
}

/** Cases that say nothing of the requirement get no verdict: silence is not a pass. */
export type Judge = (question: RowQuestion) => readonly Verdict[];

/** A judge that looks at each case by itself; null means that the case says nothing of the requirement. */
export function perCase(look: (examined: Case) => Finding | null): Judge {
  return ({ cases }) => {
    const verdicts: Verdict[] = [];
    for (const examined of cases) {
      const finding = look(examined);
      if (finding !== null) verdicts.push({ examined, finding });
    }
    return verdicts;
  };
}
