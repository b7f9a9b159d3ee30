/** The verdict on a comparison, with its reason, and the policy that classifies changes. */
import compatibility from '../../../contracts/compatibility.json' with { type: 'json' };
import { openPoints } from '../../../contracts/open-points.ts';
import type { Operation } from '../../../contracts/operations.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { named } from '../../report/document.ts';
import { matches } from '../../run/options/selection.ts';
import { lastOf, splitAnswer } from './behaviour-changes.ts';
import {
  type BehaviourChange,
  type Change,
  type ChangeClass,
  type ChangedOutcome,
  type ChangeName,
  type CheckedClient,
  type ClientRequests,
  changeTexts,
  type Difference,
  type DiffVerdict,
  type Impact,
} from './difference.ts';

type VerdictKey = 'verdict' | 'sentence' | 'compared';
type Compared = Difference['compared'];
type Changes = Omit<Difference, VerdictKey | 'format' | 'formatVersion' | 'old' | 'new' | 'unlike'>;

/** The verdict as text. For `thin`, the text also says whether a difference was found. */
export function formatVerdict(difference: Pick<Difference, 'verdict' | 'answers' | 'behaviour' | 'fixed'>): string {
  const { verdict, answers, behaviour, fixed } = difference;
  if (verdict !== 'thin') return verdict;
  return answers.length + behaviour.length + fixed.length === 0 ? 'no difference found, thin' : 'nothing broke, thin';
}

/** The verdict is `breaks` if anything breaks, else `not known` if anything is unknown, else `safe` or `thin`. */
export function verdictOf(
  old: Result,
  fresh: Result,
  shareCompared: Compared['requirements'],
  changes: Changes,
): Pick<Difference, VerdictKey> {
  const compared = comparedIn(old, fresh, shareCompared);
  const { requirements, openPoints, defects } = compared;
  const isThin = requirements.both < requirements.of || openPoints.both < openPoints.of || defects?.unnoticed !== 0;
  const conclude = (verdict: DiffVerdict, parts: readonly string[]) => {
    return { verdict, sentence: `${parts.join('; ')}${riskIn(changes)}.`, compared };
  };
  const breaks = breakReasons(changes);
  if (breaks.length > 0) return conclude('breaks', breaks);
  const unknown = unknownReasons(old, fresh, changes);
  if (unknown.length > 0) return conclude('not known', unknown);
  if (!isThin) return conclude('safe', safeReasons(changes, 'every requirement that OLD kept'));
  return conclude('thin', [...safeReasons(changes, 'what both runs decided'), ...comparisonHints(old, fresh)]);
}

function breakReasons({ newlyBroken, answers, behaviour, impact }: Changes): string[] {
  const forbidden = [...behaviour, ...answers].filter((change) => change.class === 'forbidden').map(formatChange);
  const failingClients = clientsThat(impact, ({ readings }) => readings.some(({ is }) => is === 'breaks'));
  return [
    ...reasons(newlyBroken, 'that OLD kept and NEW breaks', 'that OLD does not have'),
    ...reason(forbidden, 'change', 'that the policy forbids'),
    ...reason(failingClients, 'client', `of ${impact?.clients.length} that cannot read NEW`),
    ...reason(clientsThat(impact, hasRequests('breaks')), 'client', 'whose correct requests NEW refuses'),
  ];
}

/** Returns a reason for each source. `ofHazards` replaces `clause`, because a run cannot keep or break a hazard. */
function reasons(changed: readonly ChangedOutcome[], clause: string, ofHazards: string): string[] {
  const idsOf = (wanted: ChangedOutcome['source']) =>
    changed.filter(({ source }) => source === wanted).map(({ id }) => id);
  return [
    ...reason(idsOf('hazard'), 'hazard', ofHazards),
    ...reason(idsOf('requirement'), 'requirement', clause),
    ...reason(idsOf('pact'), 'Pact interaction', clause),
  ];
}

function reason(names: readonly string[], noun: string, what: string): string[] {
  return names.length === 0 ? [] : [`${pluralize(names.length, noun)} ${what}: ${named([...new Set(names)])}`];
}

function clientsThat(impact: Impact | undefined, predicate: (client: CheckedClient) => boolean): string[] {
  return (impact?.clients ?? []).filter(predicate).map(({ name }) => name);
}

function hasRequests(wanted: ClientRequests['is']) {
  return ({ requests = [] }: CheckedClient) => requests.some(({ is }) => is === wanted);
}

function unknownReasons(old: Result, fresh: Result, changes: Changes): string[] {
  const { impact } = changes;
  const runs = Object.entries({ OLD: old, NEW: fresh });
  const aborted = runs.flatMap(([name, { conclusion }]) => (conclusion === 'aborted' ? [name] : []));
  const gaps = changes.newlyUndetermined.filter(({ id }) => changes.gaps.includes(id));
  const failing = [...changes.newlyDetermined, ...changes.added].filter(isFailure);
  const unverified = clientsThat(impact, ({ readings }) =>
    readings.some(({ is }, index) => is === 'unverified' && impact!.answers[index]!.class !== 'allowed'),
  );
  return [
    ...reason(aborted, 'run', 'aborted'),
    ...reasons(gaps, 'that OLD kept and NEW leaves undecided', 'that NEW leaves undecided'),
    ...reasons(failing, 'that OLD leaves undecided and NEW breaks', 'that OLD leaves undecided and NEW has'),
    ...reason(unverified, 'client', 'whose reading of the changes is unverified'),
    ...reason(clientsThat(impact, hasRequests('unverified')), 'client', 'whose requests are unverified'),
    ...(fresh.results.some(({ outcome }) => outcome === 'error') ? ['the suite itself failed in NEW'] : []),
    ...nothingComparedReason(old, fresh, changes),
  ];
}

export function isFailure({ new: now }: ChangedOutcome): boolean {
  return now === 'fail';
}

function comparisonHints(...runs: readonly Result[]): string[] {
  const ways = [
    runs.some(({ subject }) => isLiveTarget(subject)) && 'with a larger --allow',
    runs.some(({ scope }) => scope !== undefined) && 'without --only or --except',
  ].filter(Boolean);
  return ways.length === 0 ? [] : [`runs ${ways.join(' and ')} compare more`];
}

function safeReasons({ stillBroken, determinedByNeither, fixed, impact }: Changes, scope: string): string[] {
  const counts = { fixed, 'failing in both runs': stillBroken, 'binding, undecided in both runs': determinedByNeither };
  const counted = Object.entries(counts).filter(([, some]) => some.length > 0);
  return [
    `NEW keeps ${scope}`,
    ...counted.map(([what, { length }]) => `${what}: ${length}`),
    ...(impact === undefined ? [] : [`none of ${pluralize(impact.clients.length, 'client')} is known to break`]),
  ];
}

function nothingComparedReason(old: Result, fresh: Result, { gaps, newlyBroken }: Changes): string[] {
  const passed = new Set(old.results.flatMap(({ id, outcome }) => (outcome === 'pass' ? [id] : [])));
  if (passed.size === 0) return ['no requirement passes in OLD, so NEW cannot break any'];
  if (gaps.length > 0 || newlyBroken.length > 0) return [];
  const isCompared = fresh.results.some(({ id, outcome }) => outcome === 'pass' && passed.has(id));
  return isCompared ? [] : ['no requirement that passes in OLD has a verdict in NEW'];
}

function riskIn({ answers, behaviour, causes }: Changes): string {
  const unexplained = behaviour.filter((change) => !isCause(change, causes));
  const risky = [...answers, ...unexplained].filter((change) => change.class === 'risky').map(formatChange);
  const unique = [...new Set(risky)];
  return unique.length === 0 ? '' : `; look at ${pluralize(unique.length, 'risky change')}: ${named(unique)}`;
}

const maxAnswers = 2;

function formatAnswer(point: string, old: readonly string[], now: readonly string[]): string {
  const { question } = splitAnswer(now[0]!);
  const topic =
    question || (openPoints.find(({ id }) => id === point)?.question ?? 'the open point').replace(/\?$/, '');
  const [were, are] = [old, now].map((all) => {
    const listed = all.slice(0, maxAnswers).map((one) => splitAnswer(one).answer);
    return [...listed, ...(all.length > maxAnswers ? [`${all.length - maxAnswers} more`] : [])].join(' or ');
  });
  const text = were === '' ? `also ${are}` : `${are}, was ${were}`;
  return `${topic}: ${text} (${point})`;
}

/** True if the report already names the change as a cause of failures. False for a forbidden change. */
export function isCause({ name, change, class: is }: BehaviourChange, causes: Difference['causes']): boolean {
  return is !== 'forbidden' && causes.some((cause) => cause.change === change && cause.name === name);
}

/** A change as text, such as `header Keep-Alive is gone`. Answers and renamed members also show the old value. */
export function formatChange(item: Pick<BehaviourChange, 'change'> & Partial<BehaviourChange>): string {
  const { change, name = '', renamedTo, old = [], new: now = [] } = item;
  if (change === 'open-answer' && now.length > 0) return formatAnswer(name, old, now);
  if (renamedTo !== undefined) {
    return change === 'header-went'
      ? `header ${renamedTo} instead of ${name}`
      : `member ${name} is renamed to ${lastOf(renamedTo)}`;
  }
  return changeTexts[change].replace('NAME', () => name).trimEnd();
}

function comparedIn(old: Result, fresh: Result, requirements: Compared['requirements']): Compared {
  const [before, now] = [pointsIn(old), pointsIn(fresh)];
  const both = [...before].filter((id) => now.has(id)).length;
  // A complete run lacks only open points that its suite version does not have. So do not count these.
  const missing = (isIncomplete(fresh) ? before.size - both : 0) + (isIncomplete(old) ? now.size - both : 0);
  const missed = [missedBy(old), missedBy(fresh)];
  const of = fresh.unnoticed?.of ?? old.unnoticed?.of;
  const defects = missed.includes(undefined) ? undefined : { unnoticed: new Set(missed.flat()).size, of };
  return { requirements, openPoints: { both, of: both + missing }, defects };
}

/** Returns text such as `compared 9 of 9 requirements and 3 open points; both runs would notice 6 of 40 ...`. */
export function formatCompared({ requirements, openPoints, defects }: Compared): string {
  const points = openPoints.both < openPoints.of ? `${openPoints.both} of ` : '';
  const compared = `compared ${requirements.both} of ${pluralize(requirements.of, 'requirement')} and ${points}${pluralize(openPoints.of, 'open point')}`;
  if (defects === undefined) return `${compared}; it is not known which defects both runs would notice`;
  const { unnoticed, of = 0 } = defects;
  const noticed = unnoticed === 0 ? 'every known defect' : `${of - unnoticed} of ${of} known defects`;
  return `${compared}; both runs would notice ${noticed}`;
}

function pointsIn({ observations }: Result): Set<string> {
  return new Set(observations.flatMap(({ openPoint, confidence }) => (confidence === 'none' ? [] : [openPoint])));
}

function isLiveTarget({ kind, target }: Result['subject']): boolean {
  return kind === 'gateway' && target !== 'mock' && target !== 'recording';
}

function isIncomplete({ scope, conclusion, effects }: Result): boolean {
  return scope !== undefined || conclusion === 'aborted' || (effects.notSent ?? []).length > 0;
}

/** Ids of known defects that the run misses or may miss; undefined if the report does not name them. */
function missedBy({ subject, scope, conclusion, unnoticed, results }: Result): string[] | undefined {
  const isLive = isLiveTarget(subject);
  // A comparison also reports failed `expected` requirements. So it notices each defect that breaks a passed one.
  const found = new Set(isLive ? [] : results.flatMap(({ outcome, provenBy }) => (outcome === 'pass' ? provenBy : [])));
  if (unnoticed !== undefined) {
    const missed = [...unnoticed.groups.flatMap(({ defects }) => defects), ...unnoticed.notKnown];
    return missed.filter((id) => !found.has(id));
  }
  return isLive || conclusion === 'aborted' || scope?.shard !== undefined ? undefined : [];
}

export interface DiffPolicy {
  readonly formatVersion: 1;
  readonly rules: readonly PolicyRule[];
}

interface PolicyRule {
  readonly change: ChangeName | '*';
  readonly name?: string;
  readonly operation?: Operation;
  readonly is: ChangeClass;
  readonly because?: string;
}

/** The default policy. It forbids no change: requirements already judge what the interface document forbids. */
export const defaultPolicy = compatibility as DiffPolicy;

/** The first matching rule: of `policy`, then of the default policy. If no rule matches, the class is `risky`. */
export function ruleFor(
  { change, name = '', renamedTo, operation }: Pick<Change, 'change' | 'name' | 'renamedTo' | 'operation'>,
  policy: DiffPolicy,
): Pick<PolicyRule, 'is' | 'because'> {
  // A rename is two changes: one name is gone, and one name is new. The rule with the worse class counts.
  if (renamedTo !== undefined) {
    const goneRule = ruleFor({ change, name, operation }, policy);
    const newChange = { change: change.replace('went', 'came') as ChangeName, name: renamedTo, operation };
    return [goneRule, ruleFor(newChange, policy)].sort((a, b) => worstFirst(a.is, b.is))[0]!;
  }
  const applies = (rule: PolicyRule) =>
    (rule.change === '*' || rule.change === change) &&
    (rule.name === undefined || matchesAnyCase(name, rule.name)) &&
    (rule.operation === undefined || rule.operation === operation);
  return [...policy.rules, ...defaultPolicy.rules].find(applies) ?? { is: 'risky' };
}

const severity: readonly ChangeClass[] = ['forbidden', 'risky', 'allowed'];

export function worstFirst(a: ChangeClass, b: ChangeClass): number {
  return severity.indexOf(a) - severity.indexOf(b);
}

const checkable = /^(?:\*|header-(?:came|went|value|spelling)|member-(?:came|went|type)|value-form|open-answer)$/;

/** Rules for a header, member or open point that occurs in neither run. Perhaps the rule misspells the name. */
export function idleRules({ rules }: DiffPolicy, names: readonly string[]): string[] {
  return rules.flatMap(({ change, name }) => {
    if (name === undefined || !checkable.test(change) || names.some((one) => matchesAnyCase(one, name))) return [];
    return [`${change} ${name}`];
  });
}

function matchesAnyCase(name: string, pattern: string): boolean {
  return matches(name.toLowerCase(), pattern.toLowerCase());
}
