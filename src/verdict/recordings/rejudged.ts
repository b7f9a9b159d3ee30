/** Which verdicts of a stored run are others when it is judged again, and why. Pure. */
import type { Result, ResultRow } from '../../record/result/result.ts';

export type Rejudged = NonNullable<Result['rejudged']>;

/** @param stored the report that the run left; `again` the result of judging its evidence now */
export function rejudged(stored: Result, again: Result): Rejudged {
  const before = new Map(stored.results.map((row) => [row.id, row]));
  const now = new Map(again.results.map((row) => [row.id, row]));
  const inScope = (id: string) => again.scope === undefined || now.has(id);
  const ids = [...new Set([...now.keys(), ...before.keys()])].filter(inScope);
  return {
    suite: stored.suite.version,
    flips: ids.flatMap((id) => {
      const [was, is] = [before.get(id), now.get(id)];
      if (was?.outcome === is?.outcome) return [];
      // A run narrowed by --only left it out.
      if (was === undefined && stored.scope !== undefined) return [];
      return [
        {
          id,
          before: was?.outcome,
          now: is?.outcome,
          why: whyFlipped(was, is, stored, again),
        },
      ];
    }),
  };
}

function whyFlipped(was: ResultRow | undefined, is: ResultRow | undefined, stored: Result, again: Result): string {
  if (stored.profile !== again.profile) return `the profile is ${again.profile}, and was ${stored.profile}`;
  if (was === undefined) return 'the requirement is new';
  if (is === undefined) return 'it is no longer a requirement';
  if (was.kind !== is.kind) return `the requirement changed: it is ${is.kind}, and was ${was.kind}`;
  if (was.statement !== undefined && was.statement !== is.statement) {
    return `the requirement changed: it said "${was.statement}"`;
  }
  if (stored.suite.version !== again.suite.version) {
    return `the judge changed between countersign ${stored.suite.version} and ${again.suite.version}`;
  }
  return 'the report does not follow from its evidence: one of the two was changed, or the judge within this version';
}
