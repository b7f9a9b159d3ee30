/** Which verdicts changed between two runs, and which share a cause. What only one run determined is neither fixed nor broken. */
import { answers, profileByName } from '../../../contracts/profiles.ts';
import type { Renamed } from '../../../contracts/renamed.ts';
import { requirements } from '../../../contracts/requirements/index.ts';
import { canArise, leavesGap } from '../../record/result/conclude.ts';
import type { Outcome, Result } from '../../record/result/result.ts';
import { matchesAny } from '../../run/options/selection.ts';
import type { BehaviourChange, ChangedOutcome, Difference, Share, SharedCause } from './difference.ts';

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

/** A requirement, a Pact interaction or a hazard. A hazard that occurs has the outcome `fail`. */
interface Judged {
  readonly id: string;
  readonly source: ChangedOutcome['source'];
  readonly kind: ChangedOutcome['kind'];
  readonly outcome: Outcome;
  readonly expected?: string;
  readonly actual?: string;
  readonly binding: boolean;
}

export function requirementChanges(old: Result, fresh: Result, { ids }: Renamed): RequirementChanges {
  const hazards = [...new Set([old, fresh].flatMap((run) => run.hazards ?? []).map(({ id }) => id))];
  const before = new Map(judgedIn(old, hazards).map((one) => [keyOf(one, ids), one]));
  const now = new Map(judgedIn(fresh, hazards).map((one) => [keyOf(one, ids), one]));
  const pairs = [...new Set([...now.keys(), ...before.keys()])].map((key) => pairOf(before.get(key), now.get(key)));
  const wasInScope = ({ id }: Judged) => old.scope === undefined || matchesAny(id, old.scope.only);
  const isInScope = ({ id }: Judged) => fresh.scope === undefined || matchesAny(id, fresh.scope.only);
  const changed = (wanted: (pair: Pair) => boolean) => pairs.filter(wanted).map(({ change }) => change);
  // What a run leaves out, with --only or without the Pact verifier, is undetermined. It is not a new contract.
  const isNew = ({ old: one, fresh: other }: Pair) =>
    one === undefined && (other!.source === 'requirement' ? wasInScope(other!) : old.contracts !== undefined);
  // The same suite retires no requirement: what it left out is undetermined.
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
  const { id, source, kind } = (fresh ?? old)!;
  const renamedFrom = fresh === undefined || old?.id === id ? undefined : old?.id;
  const { outcome, expected, actual } = fresh ?? {};
  return { old, fresh, change: { id, source, kind, old: old?.outcome, new: outcome, expected, actual, renamedFrom } };
}

/** A run without the Pact files determined no interactions. Only a complete run shows that a hazard of the other run is absent. */
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
      actual: mismatches.join('; ') || undefined,
      binding: true,
    })),
    ...hazards.map((id): Judged => {
      const found = (result.hazards ?? []).filter((one) => one.id === id).map(({ sentence }) => sentence);
      const outcome = found.length > 0 ? 'fail' : isWhole ? 'pass' : 'inconclusive';
      const actual = found.join('; ') || undefined;
      return { id, source: 'hazard', kind: 'required', outcome, actual, binding: false };
    }),
  ];
}

function bindingIn({ subject, profile }: Result): string[] {
  const judged = profileByName(profile);
  return requirements
    .filter(({ side, kind }) => side === subject.kind && leavesGap({ kind, outcome: 'inconclusive' }, profile))
    .filter(({ kind, basis = 'document' }) => kind !== 'probe' && judged !== undefined && answers(judged, basis))
    .map(({ id }) => id)
    .filter((id) => canArise(id, subject));
}

function counts({ notScored }: { readonly notScored?: true }): boolean {
  return notScored !== true;
}

function keyOf({ id, source }: Judged, ids: Renamed['ids']): string {
  return `${source} ${source === 'requirement' && Object.hasOwn(ids, id) ? ids[id] : id}`;
}

function isKnown(one: Judged | undefined): boolean {
  return one?.outcome === 'pass' || one?.outcome === 'fail';
}

function isOpen(one: Judged | undefined): boolean {
  return one === undefined || one.outcome === 'inconclusive' || one.outcome === 'error';
}

/** A requirement that NEW leaves out is a gap, unless the row gives a reason why it does not apply. */
function isGap(one: Judged | undefined, result: Result): boolean {
  if (one === undefined || one.outcome === 'error') return true;
  const row = result.results.find(({ id }) => id === one.id);
  return row === undefined ? isOpen(one) : leavesGap(row, result.profile);
}

/** The fewest causes of what became worse. A single symptom is not listed, unless a change on the wire caused it. */
export function sharedCauses(
  symptoms: readonly ChangedOutcome[],
  behaviour: readonly BehaviourChange[],
  interactionCount: number,
  statementOf: (id: string) => string | undefined,
  renamedUnder: (id: string) => string | undefined,
): SharedCause[] {
  const renames = new Set(behaviour.flatMap(({ name, renamedTo }) => (renamedTo && name?.split('.').at(-1)) || []));
  const topics = new Map(
    symptoms.map((symptom) => {
      const words = `${symptom.expected ?? ''} ${symptom.actual ?? ''}`.match(/[\w-]+/g) ?? [];
      const renamed = [...words.filter((word) => renames.has(word)), renamedUnder(symptom.id) ?? []].flat();
      return [symptom, new Set([...topicsOf(symptom, statementOf(symptom.id)), ...renamed])];
    }),
  );
  const causes: SharedCause[] = [];
  const byName = new Map([...behaviour].reverse().map((one) => [one.name?.split('.').at(-1)?.toLowerCase(), one]));
  const changeOf = (about: string) => byName.get(about.toLowerCase());
  let left = [...symptoms];
  for (;;) {
    const about = commonest(left, topics, (topic) => changeOf(topic) !== undefined);
    if (about === undefined) return causes;
    const explained = left.filter((symptom) => topics.get(symptom)!.has(about));
    const { change, name, renamedTo } = changeOf(about) ?? {};
    const ids = (source: ChangedOutcome['source']) =>
      explained.filter((one) => one.source === source).map(({ id }) => id);
    causes.push({
      about,
      change,
      name,
      renamedTo,
      requirements: ids('requirement'),
      interactions: ids('pact'),
      ofInteractions: interactionCount,
    });
    left = left.filter((symptom) => !explained.includes(symptom));
  }
}

/** The topic of most symptoms. It needs two of them, or a change on the wire, and at least one broken requirement; else undefined. */
function commonest(
  symptoms: readonly ChangedOutcome[],
  topics: ReadonlyMap<ChangedOutcome, ReadonlySet<string>>,
  isChanged: (topic: string) => boolean,
): string | undefined {
  const found = new Map<string, { all: number; broken: number }>();
  for (const symptom of symptoms) {
    for (const topic of topics.get(symptom)!) {
      const { all, broken } = found.get(topic) ?? { all: 0, broken: 0 };
      found.set(topic, { all: all + 1, broken: broken + Number(symptom.new === 'fail') });
    }
  }
  const [best] = [...found]
    .filter(([topic, { all, broken }]) => broken > 0 && (all > 1 || isChanged(topic)))
    .sort(
      ([one, a], [other, b]) =>
        b.broken - a.broken || b.all - a.all || Number(isChanged(other)) - Number(isChanged(one)),
    );
  return best?.[0];
}

/** Names on the wire: `errorCode`, `Content-Type`, and the parameters of section 2.4. */
const wireName = /\b(?:[a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]+(?:-[A-Z][a-z]+)+|serial-number|error-(?:code|message|id))\b/g;

function topicsOf({ actual = '', expected = '', source }: ChangedOutcome, statement = ''): Set<string> {
  if (source === 'hazard') return new Set();
  const names = `${statement} ${expected} ${actual}`.match(wireName) ?? [];
  // If two received values are exactly equal, the value itself is the cause.
  return new Set([...names, ...(source === 'requirement' && actual !== '' ? [actual] : [])]);
}
