/** Which defects each requirement catches, and what a run on the mock, or with a client, does not rule out by these. Pure. */
import { clientDefects, usableClientDefects } from '../../faults/client/index.ts';
import { mockDefects } from '../../faults/index.ts';
import type { Case } from '../../record/case.ts';
import { leavesGap } from '../../record/result/conclude.ts';
import type { Result, Unnoticed } from '../../record/result/result.ts';
import { groupsOf } from './forecast.ts';
import { keysOfCases, noticedBy, withUnknownEndpoint } from './shown-by.ts';

/** The kill matrix holds that each defect fails exactly what it breaks, wherever that is judged. Undefined where nothing is let through. */
export function unnoticedWhereJudged(side: 'gateway' | 'client', judged: ReadonlySet<string>): Unnoticed | undefined {
  const known = side === 'gateway' ? mockDefects : clientDefects.filter(({ reach }) => reach === undefined);
  const lets = known.filter(({ breaks }) => !breaks.some((id) => judged.has(id)));
  if (lets.length === 0) return undefined;
  return {
    ...(side === 'client' ? { side } : {}),
    of: known.length,
    count: lets.length,
    groups: groupsOf(lets),
    notKnown: [],
    allowances: [],
  };
}

/** The result with what it does not rule out. A failure that is known already, or that nobody counts, is no notice; a shard has no verdicts of its own. */
export function withUnnoticed(result: Result): Result {
  if (result.aborted !== undefined || result.scope?.shard !== undefined) return result;
  const unnoticed = unnoticedWhereJudged(result.subject.kind, judgedIn(result));
  return unnoticed === undefined ? result : { ...result, unnoticed };
}

/** The same of a stored run against a live target, by what was sent in it. What to allow is said before a run. */
export function withUnnoticedLive(result: Result, cases: readonly Case[]): Result {
  if (result.aborted !== undefined) return result;
  const asked = cases.some(({ label }) => label.facts?.gate === 'unknown') ? { unknownEndpointId: '0' } : {};
  const keys = withUnknownEndpoint(keysOfCases(cases), { config: asked });
  const { unnoticed, notKnown } = noticedBy(keys, judgedIn(result, true));
  const lets = mockDefects.filter(({ id }) => unnoticed.includes(id));
  const told = { of: mockDefects.length, count: lets.length, groups: groupsOf(lets), notKnown, allowances: [] };
  return { ...result, unnoticed: told };
}

/** Requirements whose failure counts, as far as the run determined them, or all of them. */
function judgedIn({ results, profile }: Result, undetermined = false): Set<string> {
  return new Set(
    results
      .filter(({ outcome }) => undetermined || outcome === 'pass' || outcome === 'fail')
      .filter(({ kind, known, notScored }) => {
        const binds = leavesGap({ kind, outcome: 'inconclusive' }, profile);
        return binds && known === undefined && notScored === undefined;
      })
      .map(({ id }) => id),
  );
}

/** Ids of the defects that a subject of that side can be given, by the id of the row that they break. */
export function provenBy(side: 'client' | 'gateway'): ReadonlyMap<string, readonly string[]> {
  const proven = new Map<string, string[]>();
  for (const { id, breaks } of side === 'gateway' ? mockDefects : usableClientDefects) {
    for (const row of breaks) proven.set(row, [...(proven.get(row) ?? []), id]);
  }
  return proven;
}
