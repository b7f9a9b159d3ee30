/** Which verdicts changed between two runs. What one run determined and the other did not is neither fixed nor broken. */
import { answers, profileByName } from '../../../contracts/profiles/index.ts';
import type { Renamed } from '../../../contracts/renamed.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import { canArise, leavesGap } from '../../record/result/conclude.ts';
import type { Outcome, Result } from '../../record/result/result.ts';
import type { ChangedOutcome, Difference, Share } from './difference.ts';

export type RequirementChanges = Pick<
  Difference,
  | 'newlyBroken'
  | 'fixed'
  | 'newlyUndetermined'
  | 'gaps'
  | 'newlyDetermined'
  | 'added'
  | 'retired'
  | 'renamed'
  | 'kindChanged'
  | 'stillBroken'
  | 'determinedByNeither'
> & { readonly shareCompared: Share };

/** A requirement, a Pact interaction or a hazard with its outcome: a hazard that occurs fails. */
interface Judged {
  readonly id: string;
  readonly source: ChangedOutcome['source'];
  readonly kind: ChangedOutcome['kind'];
  readonly outcome: Outcome;
  readonly expected?: string;
  readonly actual?: string;
  readonly binding: boolean;
}

/** @param selects whether patterns of ids, as --only takes them, select an id */
export function requirementChanges(
  old: Result,
  fresh: Result,
  { ids }: Renamed,
  selects: (id: string, patterns: readonly string[]) => boolean,
): RequirementChanges {
  const hazards = [...new Set([old, fresh].flatMap((run) => run.hazards ?? []).map(({ id }) => id))];
  const before = new Map(judgedIn(old, hazards).map((one) => [keyOf(one, ids), one]));
  const now = new Map(judgedIn(fresh, hazards).map((one) => [keyOf(one, ids), one]));
  const pairs = [...new Set([...now.keys(), ...before.keys()])].map((key) => pairOf(before.get(key), now.get(key)));
  const wasInScope = ({ id }: Judged) => old.scope === undefined || selects(id, old.scope.only);
  const isInScope = ({ id }: Judged) => fresh.scope === undefined || selects(id, fresh.scope.only);
  const changed = (wanted: (pair: Pair) => boolean) => pairs.filter(wanted).map(({ change }) => change);
  // What a run narrowed by --only, or without the Pact verifier, leaves out is undetermined there, and not another contract.
  const isNew = ({ old: one, fresh: other }: Pair) =>
    one === undefined && (other!.source === 'requirement' ? wasInScope(other!) : old.contracts !== undefined);
  // The same suite retires nothing: what it left out is undetermined.
  const isGone = ({ old: one, fresh: other }: Pair) =>
    other === undefined &&
    old.suite.version !== fresh.suite.version &&
    (one!.source === 'requirement' ? isInScope(one!) : fresh.contracts !== undefined);
  const undetermined = changed((pair) => isKnown(pair.old) && !isKnown(pair.fresh) && !isGone(pair));
  const binding = pairs.filter(
    (pair) =>
      pair.change.source === 'requirement' &&
      (pair.fresh ?? pair.old)!.binding &&
      canArise(pair.change.id, fresh.subject) &&
      !isNew(pair) &&
      !isGone(pair) &&
      !(pair.change.kind === 'expected' && [pair.old, pair.fresh].every((one) => one?.outcome === 'not-applicable')),
  );
  const isNarrowed = old.scope !== undefined || fresh.scope !== undefined;
  const leftOut = bindingIn(fresh).filter((id) => !pairs.some((pair) => pair.change.id === id));
  return {
    shareCompared: {
      both: binding.filter((pair) => isKnown(pair.old) && isKnown(pair.fresh)).length,
      of: binding.length + (isNarrowed ? leftOut.length : 0),
    },
    newlyBroken: changed((pair) => pair.old?.outcome === 'pass' && pair.fresh?.outcome === 'fail'),
    fixed: changed((pair) => pair.old?.outcome === 'fail' && pair.fresh?.outcome === 'pass'),
    newlyUndetermined: undetermined,
    gaps: pairs
      .filter(
        (pair) =>
          pair.old?.outcome === 'pass' && (pair.fresh ?? pair.old).binding && !isGone(pair) && isGap(pair.fresh, fresh),
      )
      .map(({ change }) => change.id),
    newlyDetermined: changed((pair) => !isKnown(pair.old) && isKnown(pair.fresh) && !isNew(pair)),
    added: changed(isNew),
    retired: changed(isGone),
    renamed: pairs.flatMap(({ change: { id, renamedFrom } }) =>
      renamedFrom === undefined ? [] : [{ old: renamedFrom, new: id }],
    ),
    kindChanged: pairs.flatMap(({ old: one, fresh: other }) =>
      one === undefined || other === undefined || one.kind === other.kind
        ? []
        : [{ id: other.id, old: one.kind, new: other.kind }],
    ),
    stillBroken: changed((pair) => pair.old?.outcome === 'fail' && pair.fresh?.outcome === 'fail').map(({ id }) => id),
    determinedByNeither: pairs
      .filter((pair) => pair.fresh?.binding && isOpen(pair.old) && isGap(pair.fresh, fresh))
      .map(({ change }) => change.id),
  };
}

interface Pair {
  readonly old?: Judged;
  readonly fresh?: Judged;
  readonly change: ChangedOutcome;
}

function pairOf(old: Judged | undefined, fresh: Judged | undefined): Pair {
  const { id, source, kind, expected, actual } = (fresh ?? old)!;
  const change: ChangedOutcome = {
    id,
    source,
    kind,
    old: old?.outcome,
    new: fresh?.outcome,
    ...(fresh === undefined || expected === undefined ? {} : { expected }),
    ...(fresh === undefined || actual === undefined ? {} : { actual }),
    ...(old === undefined || fresh === undefined || old.id === fresh.id ? {} : { renamedFrom: old.id }),
  };
  return { old, fresh, change };
}

/**
 * A run that did not verify the Pact files determined nothing of their interactions. Only a whole run shows that it has none of
 * the hazards of the other one.
 */
function judgedIn(result: Result, hazards: readonly string[]): Judged[] {
  const isWhole = result.scope === undefined && result.conclusion !== 'aborted';
  return [
    ...result.results.filter(counts).map((row) => ({
      ...row,
      source: 'requirement' as const,
      actual: row.actual ?? row.reason,
      binding: leavesGap({ kind: row.kind, outcome: 'inconclusive' }, result.profile),
    })),
    ...(result.contracts ?? []).filter(counts).map(({ pact, interaction, outcome, mismatches }) => ({
      id: `${pact}: ${interaction}`,
      source: 'pact' as const,
      kind: 'required' as const,
      outcome,
      ...(mismatches.length === 0 ? {} : { actual: mismatches.join('; ') }),
      binding: true,
    })),
    ...hazards.map((id): Judged => {
      const found = (result.hazards ?? []).filter((one) => one.id === id).map(({ sentence }) => sentence);
      const outcome = found.length > 0 ? 'fail' : isWhole ? 'pass' : 'inconclusive';
      const actual = found.length === 0 ? {} : { actual: found.join('; ') };
      return { id, source: 'hazard', kind: 'required', outcome, ...actual, binding: false };
    }),
  ];
}

/** Ids of all that binds such a subject under the profile of the run. */
function bindingIn({ subject, profile }: Result): string[] {
  const judged = profileByName(profile);
  return requirements
    .filter(({ side, kind }) => side === subject.kind && leavesGap({ kind, outcome: 'inconclusive' }, profile))
    .filter(({ kind, basis = 'document' }) => kind !== 'probe' && judged !== undefined && answers(judged, basis))
    .map(({ id }) => id)
    .filter((id) => canArise(id, subject));
}

/** What the set of requirements does not have counts in neither run. */
function counts({ notScored }: { readonly notScored?: true }): boolean {
  return notScored !== true;
}

function keyOf({ id, source }: Judged, ids: Renamed['ids']): string {
  return `${source} ${source === 'requirement' && Object.hasOwn(ids, id) ? ids[id] : id}`;
}

/** Only what was judged is known: what does not apply has no verdict. */
function isKnown(one: Judged | undefined): boolean {
  return one?.outcome === 'pass' || one?.outcome === 'fail';
}

function isOpen(one: Judged | undefined): boolean {
  return one === undefined || one.outcome === 'inconclusive' || one.outcome === 'error';
}

/** A requirement that NEW leaves out is a gap like one that it could not determine; one that gives a reason why it does not apply is none. */
function isGap(one: Judged | undefined, result: Result): boolean {
  if (one === undefined || one.outcome === 'error') return true;
  const row = result.results.find(({ id }) => id === one.id);
  return row === undefined ? isOpen(one) : leavesGap(row, result.profile);
}
