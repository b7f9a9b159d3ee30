/** Compares two runs. Pure, and judges no exchange. */
import { type IdRenames, idRenames as knownRenames } from '../../../contracts/id-renames.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import { groupBy } from '../../record/group-by.ts';
import { isBinding, isTestable, judgedRequirements, leavesGap } from '../../record/result/conclude.ts';
import type { EffectBudget, Outcome, Result } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { formatRun } from '../../report/phrases.ts';
import { matchesAny } from '../../run/options/selection.ts';
import { answerChanges, lastOf, wireChanges } from './behaviour-changes.ts';
import type {
  BehaviourChange,
  Change,
  ChangedOutcome,
  ComparedRun,
  Difference,
  Impact,
  RunFacts,
  SharedCause,
} from './difference.ts';
import { type DiffPolicy, defaultPolicy, idleRules, isFailure, ruleFor, verdictOf, worstFirst } from './verdict.ts';

interface DiffOptions {
  readonly policy?: DiffPolicy;
  readonly renamed?: IdRenames;
  readonly impact?: Impact;
}

/** Compares two runs. The caller ensures that both have the same kind of subject and the same profile. */
export function diffRuns(old: ComparedRun, fresh: ComparedRun, options: DiffOptions = {}): Difference {
  const { policy = defaultPolicy, renamed = knownRenames, impact } = options;
  const { shareCompared, ...requirements } = requirementChanges(old.result, fresh.result, renamed.ids);
  const wire = wireChanges(old, fresh);
  const behaviour = mergeChanges([...wire.changes, ...latencyChanges(old.result, fresh.result)], policy);
  const openAnswers = answerChanges(old, fresh, renamed.ids, wire.meanings);
  const answers = mergeChanges(withoutEchoes(openAnswers, wire.changes, policy), policy);
  const worsened = [...requirements.newlyBroken, ...requirements.newlyUndetermined.filter((one) => one.old === 'pass')];
  const causes = sharedCauses(worsened, behaviour, fresh.result.contracts?.length ?? 0, (id) =>
    renamedMember(fresh.result, id, wire.changes),
  );
  const points = [old, fresh].flatMap(({ result }) => result.observations.map(({ openPoint }) => openPoint));
  return {
    format: 'countersign-diff',
    formatVersion: 1,
    ...verdictOf(old.result, fresh.result, shareCompared, { ...requirements, causes, answers, behaviour, impact }),
    old: runFactsOf(old.result),
    new: runFactsOf(fresh.result),
    unlike: differingFacts(old.result, fresh.result),
    idleRules: wire.names && idleRules(policy, [...wire.names, ...points]),
    ...requirements,
    causes,
    answers,
    behaviour,
    impact,
    comparedExchanges: wire.compared,
  };
}

/** Ids that fail in `now` but not in `before`, and ids that failed before and pass now. */
export function changedIds(before: Result, now: Result) {
  const { newlyBroken, newlyDetermined, fixed } = diffRuns({ result: before }, { result: now });
  const broke = [...newlyBroken, ...newlyDetermined.filter(isFailure)];
  return { broke: broke.map(({ id }) => id), fixed: fixed.map(({ id }) => id) };
}

/** If all exchanges of an inconclusive requirement contain a renamed member, returns the old name of this member. */
function renamedMember({ results }: Result, id: string, changes: readonly Change[]): string | undefined {
  const { exchanges = [], outcome } = results.find((row) => row.id === id) ?? {};
  if (exchanges.length === 0 || outcome !== 'inconclusive') return undefined;
  const isIn = (change: Change) => exchanges.every((number) => change.exchanges.includes(number));
  const found = changes.find((change) => change.change === 'member-went' && change.renamedTo && isIn(change));
  return found?.name && lastOf(found.name);
}

/** Maximum number of exchanges that a change lists. `times` counts all of them. */
const maxExchanges = 5;

// Drops answers to open points that another change explains, such as the text of a new refusal.
// Keeps an answer that the policy gives a worse class than that change.
function withoutEchoes(answers: readonly Change[], wire: readonly Change[], policy: DiffPolicy): Change[] {
  const isNoWorse = (echo: Change, one: Change) => worstFirst(ruleFor(one, policy).is, ruleFor(echo, policy).is) <= 0;
  const isRename = (echo: Change) =>
    wire.some((one) => {
      const name = one.renamedTo && lastOf(one.renamedTo);
      return name && echo.new.every((answer) => answer.split(', ').includes(name)) && isNoWorse(echo, one);
    });
  const remaining = answers.filter((one) => !isRename(one));
  const source = (echo: Change) =>
    remaining
      .filter((one) => echo.old.length === 0 && one.old.length > 0 && one.operation === echo.operation)
      .filter((one) => echo.exchanges.every((number) => one.exchanges.includes(number)) && isNoWorse(echo, one))
      .sort((a, b) => a.exchanges.length - b.exchanges.length)[0];
  const sources = new Map(remaining.map((echo) => [echo, source(echo)]));
  return remaining
    .filter((one) => sources.get(one) === undefined)
    .map((one) => {
      const also = [...sources].flatMap(([echo, origin]) => (origin === one ? echo.new : []));
      return also.length === 0 ? one : { ...one, also };
    });
}

/** Merges equal changes of several groups of answers. Shows `sometimes` if their old or new values differ. */
function mergeChanges(changes: readonly Change[], policy: DiffPolicy): BehaviourChange[] {
  const keyOf = ({ change, name = '', renamedTo, old, new: now }: Change) =>
    JSON.stringify([change, name, ...(/-(?:came|went)$/.test(change) ? [renamedTo] : [old, now])]);
  const groups = [...groupBy(changes, keyOf).values()].map((group): BehaviourChange => {
    const [{ change, name, renamedTo, also, old, new: now }] = group;
    const isSame = (side: 'old' | 'new') => group.every((one) => one[side].join() === group[0][side].join());
    const exchanges = [...new Set(group.flatMap((one) => one.exchanges))].sort((a, b) => a - b);
    const times = exchanges.length;
    const of = group.reduce((total, one) => total + (one.of ?? 0), 0) || undefined;
    const [rule] = group.map((one) => ruleFor(one, policy)).sort((a, b) => worstFirst(a.is, b.is));
    return {
      change,
      class: rule!.is,
      because: rule!.because,
      name,
      renamedTo,
      also,
      operations: [...new Set(group.flatMap(({ operation }) => operation ?? []))].sort(),
      old: isSame('old') ? old : ['sometimes'],
      new: isSame('new') ? now : ['sometimes'],
      seen: times === 0 ? undefined : { times, of, exchanges: exchanges.slice(0, maxExchanges) },
    };
  });
  return groups.sort((a, b) => worstFirst(a.class, b.class));
}

export function runFactsOf(result: Result): RunFacts {
  const { runId, subject, suite, profile, seed, startedAt, conclusion, labels } = result;
  const text = formatRun(result).conclusion;
  const concluded = text === conclusion ? undefined : text;
  return { runId, subject, suite, profile, seed, startedAt, conclusion, concluded, labels };
}

function differingFacts(old: Result, fresh: Result): Difference['unlike'] {
  const factsOf = ({ suite, set, scope, effects, seed, subject }: Result) => ({
    'suite version': `${suite.name} ${suite.version}`,
    'requirement set': set ?? 'all of the suite',
    scope: scope === undefined ? 'all requirements' : scope.only.join(' '),
    allowance: formatAllowance(effects.allowed),
    seed,
    target: subject.target,
  });
  const [before, now] = [factsOf(old), factsOf(fresh)];
  return (Object.keys(now) as (keyof typeof now)[])
    .filter((fact) => before[fact] !== now[fact])
    .map((what) => ({ what, old: before[what], new: now[what] }));
}

function formatAllowance(allowed: EffectBudget | undefined): string {
  if (allowed === undefined) return 'no live target';
  const { count, total } = allowed['starts-payments'];
  return `closes-day ${allowed['closes-day']}, starts-payments ${count} with a total of ${total}`;
}

/** Minimum number of exchanges to compare times. With fewer, a percentile means nothing. */
const minCount = 20;

/** A change of speed must exceed both a factor and a number of milliseconds: 2 ms instead of 1 ms means nothing. */
const minFactor = 2;
const minStepMs = 50;

/** Compares response times, but not times of the built-in mock, which depend on this machine. */
function latencyChanges(old: Result, fresh: Result): Change[] {
  if ([old, fresh].some(({ subject }) => subject.target === 'mock')) return [];
  return (fresh.latency ?? []).flatMap((now): Change[] => {
    const previous = old.latency?.find(({ operation }) => operation === now.operation);
    if (previous === undefined || previous.count < minCount || now.count < minCount) return [];
    const change = (['p95Ms', 'p50Ms'] as const).map((name) => speedChange(previous[name], now[name])).find(Boolean);
    if (change === undefined) return [];
    const format = ({ p50Ms, p95Ms }: typeof now) => `p50 ${Math.round(p50Ms)} ms, p95 ${Math.round(p95Ms)} ms`;
    return [{ change, operation: now.operation, old: [format(previous)], new: [format(now)], exchanges: [] }];
  });
}

function speedChange(before: number, now: number): 'slower' | 'faster' | undefined {
  const [less, more] = before < now ? [before, now] : [now, before];
  if (more <= minFactor * less || more - less < minStepMs) return undefined;
  return now > before ? 'slower' : 'faster';
}

/** A requirement, a Pact interaction or a hazard. A hazard that occurs has the outcome `fail`. */
interface Judged extends Pick<ChangedOutcome, 'id' | 'source' | 'kind' | 'expected' | 'actual'> {
  readonly outcome: Outcome;
  readonly binding: boolean;
}

function requirementChanges(old: Result, fresh: Result, ids: IdRenames['ids']) {
  const hazards = [...new Set([old, fresh].flatMap((run) => run.hazards ?? []).map(({ id }) => id))];
  const before = new Map(judgedIn(old, hazards).map((one) => [newIdOf(one, ids), one]));
  const now = new Map(judgedIn(fresh, hazards).map((one) => [newIdOf(one, ids), one]));
  const pairs = [...new Set([...now.keys(), ...before.keys()])].map((key) => pairOf(before.get(key), now.get(key)));
  const isInScope = (id: string, { scope }: Result) => scope === undefined || matchesAny(id, scope.only);
  const couldJudge = ({ change: { id, source } }: Pair, run: Result) =>
    source === 'requirement' ? isInScope(id, run) : run.contracts !== undefined;
  // A requirement is not new if OLD could not judge it, because of --only or a missing Pact verifier.
  const isNew = (pair: Pair) => pair.old === undefined && couldJudge(pair, old);
  // A requirement is retired only if the suite versions differ. If they are the same, NEW just has no verdict on it.
  const isRetired = (pair: Pair) =>
    pair.fresh === undefined && old.suite.version !== fresh.suite.version && couldJudge(pair, fresh);
  const changed = (wanted: (pair: Pair) => boolean) => pairs.filter(wanted).map(({ change }) => change);
  const changedFrom = (from: Outcome, to: Outcome) =>
    changed((pair) => pair.old?.outcome === from && pair.fresh?.outcome === to);
  const idsOf = (some: readonly ChangedOutcome[]) => some.map(({ id }) => id);
  const bindingPairs = pairs.filter(
    (pair) =>
      pair.change.source === 'requirement' &&
      (pair.fresh ?? pair.old)!.binding &&
      isTestable(pair.change.id, fresh.subject) &&
      !isNew(pair) &&
      !isRetired(pair) &&
      !(pair.change.kind === 'expected' && [pair.old, pair.fresh].every((one) => one?.outcome === 'not-applicable')),
  );
  const isNarrowed = old.scope !== undefined || fresh.scope !== undefined;
  const skipped = isNarrowed ? bindingIds(fresh).filter((id) => !pairs.some((pair) => pair.change.id === id)) : [];
  return {
    shareCompared: {
      both: bindingPairs.filter((pair) => isDecided(pair.old) && isDecided(pair.fresh)).length,
      of: bindingPairs.length + skipped.length,
    },
    newlyBroken: changedFrom('pass', 'fail'),
    fixed: changedFrom('fail', 'pass'),
    newlyUndetermined: changed((pair) => isDecided(pair.old) && !isDecided(pair.fresh) && !isRetired(pair)),
    gaps: idsOf(
      changed(
        (pair) =>
          pair.old?.outcome === 'pass' &&
          (pair.fresh ?? pair.old).binding &&
          !isRetired(pair) &&
          isGap(pair.fresh, fresh),
      ),
    ),
    newlyDetermined: changed((pair) => !isDecided(pair.old) && isDecided(pair.fresh) && !isNew(pair)),
    added: changed(isNew),
    retired: changed(isRetired),
    renamed: pairs.flatMap(({ change: { id, renamedFrom } }) => (renamedFrom ? [{ old: renamedFrom, new: id }] : [])),
    kindChanged: pairs.flatMap(({ old: one, fresh: other }) =>
      one && other && one.kind !== other.kind ? [{ id: other.id, old: one.kind, new: other.kind }] : [],
    ),
    stillBroken: idsOf(changedFrom('fail', 'fail')),
    determinedByNeither: idsOf(
      changed((pair) => pair.fresh?.binding === true && isOpen(pair.old) && isGap(pair.fresh, fresh)),
    ),
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

/** All outcomes of a run. A hazard of only the other run gets `pass`, or `inconclusive` if this run is incomplete. */
function judgedIn(result: Result, hazards: readonly string[]): Judged[] {
  const isWhole = result.scope === undefined && result.conclusion !== 'aborted';
  return [
    ...result.results.filter(isScored).map((row) => ({
      ...row,
      source: 'requirement' as const,
      actual: row.actual ?? row.reason,
      binding: isBinding(row.kind, result.profile),
    })),
    ...(result.contracts ?? []).filter(isScored).map((row) => ({
      id: contractId(row),
      source: 'pact' as const,
      kind: 'required' as const,
      outcome: row.outcome,
      actual: row.mismatches.join('; ') || undefined,
      binding: true,
    })),
    ...hazards.map((id): Judged => {
      const found = (result.hazards ?? []).filter((one) => one.id === id).map(({ sentence }) => sentence);
      const ifAbsent = isWhole ? 'pass' : 'inconclusive';
      const outcome = found.length > 0 ? 'fail' : ifAbsent;
      const actual = found.join('; ') || undefined;
      return { id, source: 'hazard', kind: 'required', outcome, actual, binding: false };
    }),
  ];
}

function bindingIds({ subject, profile }: Result): string[] {
  return judgedRequirements(subject.kind, profile)
    .filter(({ id, kind }) => isBinding(kind, profile) && isTestable(id, subject))
    .map(({ id }) => id);
}

function isScored({ notScored }: { readonly notScored?: true }): boolean {
  return notScored !== true;
}

function newIdOf({ id, source }: Judged, ids: IdRenames['ids']): string {
  return `${source} ${source === 'requirement' ? (ids[id] ?? id) : id}`;
}

function isDecided(one: Judged | undefined): boolean {
  return one?.outcome === 'pass' || one?.outcome === 'fail';
}

function isOpen(one: Judged | undefined): boolean {
  return one === undefined || one.outcome === 'inconclusive' || one.outcome === 'error';
}

/** True if the run leaves the requirement undecided. `not-applicable` with a reason counts as decided. */
function isGap(one: Judged | undefined, result: Result): boolean {
  if (one === undefined || one.outcome === 'error') return true;
  const row = result.results.find(({ id }) => id === one.id);
  return row === undefined ? isOpen(one) : leavesGap(row, result.profile);
}

/** Finds common causes of changed outcomes. The cause of a single outcome must be a change in `behaviour`. */
function sharedCauses(
  symptoms: readonly ChangedOutcome[],
  behaviour: readonly BehaviourChange[],
  interactionCount: number,
  memberOf: (id: string) => string | undefined,
): SharedCause[] {
  const renames = new Set(behaviour.flatMap(({ name, renamedTo }) => (renamedTo && name ? lastOf(name) : [])));
  const topics = new Map(
    symptoms.map((symptom) => {
      const words = `${symptom.expected ?? ''} ${symptom.actual ?? ''}`.match(/[\w-]+/g) ?? [];
      const renamed = [...words.filter((word) => renames.has(word)), memberOf(symptom.id) ?? []].flat();
      return [symptom, new Set([...topicsOf(symptom), ...renamed])];
    }),
  );
  const byName = new Map(behaviour.toReversed().map((one) => [one.name && lastOf(one.name).toLowerCase(), one]));
  const changeOf = (about: string) => byName.get(about.toLowerCase());
  const causes: SharedCause[] = [];
  let remaining = [...symptoms];
  for (;;) {
    const pairs = remaining.flatMap((symptom) => [...topics.get(symptom)!].map((topic) => ({ topic, symptom })));
    const [best] = [...groupBy(pairs, ({ topic }) => topic)]
      .map(([about, all]) => ({
        about,
        explained: all.map(({ symptom }) => symptom),
        broken: all.filter(({ symptom }) => symptom.new === 'fail').length,
        isChanged: changeOf(about) !== undefined,
      }))
      .filter(({ explained, broken, isChanged }) => broken > 0 && (explained.length > 1 || isChanged))
      .sort(
        (a, b) =>
          b.broken - a.broken || b.explained.length - a.explained.length || Number(b.isChanged) - Number(a.isChanged),
      );
    if (best === undefined) return causes;
    const { about, explained } = best;
    const { change, name, renamedTo } = changeOf(about) ?? {};
    const idsOf = (source: ChangedOutcome['source']) =>
      explained.filter((one) => one.source === source).map(({ id }) => id);
    const [requirements, interactions] = [idsOf('requirement'), idsOf('pact')];
    causes.push({ about, change, name, renamedTo, requirements, interactions, ofInteractions: interactionCount });
    remaining = remaining.filter((symptom) => !explained.includes(symptom));
  }
}

/** Names in messages: `errorCode`, `Content-Type`, and the parameters of section 2.4. */
const wireName = /\b(?:[a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]+(?:-[A-Z][a-z]+)+|serial-number|error-(?:code|message|id))\b/g;

function topicsOf({ id, actual = '', expected = '', source }: ChangedOutcome): Set<string> {
  if (source === 'hazard') return new Set();
  const statement = requirementById(id)?.statement ?? '';
  const names = `${statement} ${expected} ${actual}`.match(wireName) ?? [];
  // Requirements that fail with the same received value may have one cause, so the value also groups them.
  return new Set([...names, ...(source === 'requirement' && actual !== '' ? [actual] : [])]);
}
