/** What a judge is: a pure function from the cases of a run to verdicts on one requirement. */

import type { RequirementId } from '../../contracts/requirements/index.ts';
import type { Case } from '../record/case.ts';
import { memoize } from '../record/memoize.ts';
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

/** A judge that looks at each case by itself, of all or of some; null means that the case says nothing of the requirement. */
export function perCase(
  look: (examined: Case) => Finding | null,
  some = (cases: readonly Case[]): readonly Case[] => cases,
): Judge {
  return ({ cases }) => {
    const verdicts: Verdict[] = [];
    for (const examined of some(cases)) {
      const finding = look(examined);
      if (finding !== null) verdicts.push({ examined, finding });
    }
    return verdicts;
  };
}

/** Cases by a key of theirs, in their order; a case without one is left out. Made once for all rows. */
export function groupedOnce<Key>(
  keyOf: (examined: Case) => Key | undefined,
): (cases: readonly Case[], key: Key) => readonly Case[] {
  const groups = memoize((cases: readonly Case[]) => groupedBy(cases, keyOf));
  return (cases, key) => groups(cases).get(key) ?? [];
}

function groupedBy<Key>(cases: readonly Case[], keyOf: (examined: Case) => Key): ReadonlyMap<Key, readonly Case[]> {
  const groups = new Map<Key, Case[]>();
  for (const examined of cases) {
    const key = keyOf(examined);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [examined]);
    else group.push(examined);
  }
  return groups;
}
