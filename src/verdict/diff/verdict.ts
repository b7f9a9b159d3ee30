/** What changes mean by the policy, and the answer for a release manager: safe, thin, breaks or not known, with the reason. */
import compatibility from '../../../contracts/compatibility.json' with { type: 'json' };
import { openPoints } from '../../../contracts/open-points.ts';
import type { Operation } from '../../../contracts/operations.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { named } from '../../report/document.ts';
import { parted } from './behaviour-changes.ts';
import {
  type AskedAnswer,
  type BehaviourChange,
  type Change,
  type ChangeClass,
  type ChangedOutcome,
  type ChangeName,
  type ClientReading,
  type Compared,
  changeWords,
  type Difference,
  type DiffVerdict,
  type Impact,
  type Share,
  type TakenRequests,
} from './difference.ts';

type Found = 'verdict' | 'sentence' | 'compared';

type Weighed = Omit<Difference, Found | 'format' | 'formatVersion' | 'old' | 'new' | 'unlike'>;

/** The verdict for people. It does not deny a visible difference. */
export function formatVerdict(difference: Pick<Difference, 'verdict' | 'answers' | 'behaviour' | 'fixed'>): string {
  const { verdict, answers, behaviour, fixed } = difference;
  if (verdict !== 'thin') return verdict;
  return answers.length + behaviour.length + fixed.length === 0 ? 'no difference seen, thin' : 'nothing broke, thin';
}

/** A break counts even if other things are unknown. Unknown is never safe. */
export function verdictOf(old: Result, fresh: Result, shareCompared: Share, changes: Weighed): Pick<Difference, Found> {
  const compared = comparedIn(old, fresh, shareCompared);
  const breaks = brokenBy(changes);
  const unknown = unknownBecause(old, fresh, changes);
  const verdict: DiffVerdict =
    breaks.length > 0 ? 'breaks' : unknown.length > 0 ? 'not known' : isThin(compared) ? 'thin' : 'safe';
  const keeps = verdict === 'thin' ? 'what both runs determined' : 'every requirement that OLD kept';
  const kept = safeBecause(changes, keeps);
  const reasons = { breaks, 'not known': unknown, thin: [...kept, ...moreCompared(old, fresh)], safe: kept }[verdict];
  return { verdict, sentence: `${reasons.join('; ')}${riskIn(changes)}.`, compared };
}

function brokenBy({ newlyBroken, answers, behaviour, impact }: Weighed): string[] {
  const of = (source: ChangedOutcome['source']) =>
    newlyBroken.filter((one) => one.source === source).map(({ id }) => id);
  const forbidden = [...behaviour, ...answers].filter((change) => change.class === 'forbidden').map(formatChange);
  const cannot = `of ${impact?.clients.length} that cannot read NEW`;
  return [
    ...reason(of('hazard'), 'hazard', 'that OLD does not have'),
    ...reason(of('requirement'), 'requirement', 'that OLD kept and NEW breaks'),
    ...reason(of('pact'), 'Pact interaction', 'that OLD kept and NEW breaks'),
    ...reason(forbidden, 'change', 'that the policy forbids'),
    ...reason(
      clientsThat(impact, ({ is }) => is === 'breaks'),
      'client',
      cannot,
    ),
    ...reason(clientsWhoseRequests(impact, 'breaks'), 'client', 'whose right requests NEW refuses'),
  ];
}

/** Such as `2 requirements that OLD kept and NEW breaks: a, b`. */
function reason(some: readonly string[], noun: string, what: string): string[] {
  return some.length === 0 ? [] : [`${pluralize(some.length, noun)} ${what}: ${named([...new Set(some)])}`];
}

function clientsThat(impact: Impact | undefined, isTrue: (reading: ClientReading, answer: AskedAnswer) => boolean) {
  const { clients = [], answers = [] } = impact ?? {};
  return clients.flatMap(({ name, readings }) =>
    readings.some((reading, at) => isTrue(reading, answers[at]!)) ? [name] : [],
  );
}

function clientsWhoseRequests(impact: Impact | undefined, wanted: TakenRequests['is']): string[] {
  const { clients = [] } = impact ?? {};
  return clients.flatMap(({ name, requests = [] }) => (requests.some(({ is }) => is === wanted) ? [name] : []));
}

function unknownBecause(old: Result, fresh: Result, changes: Weighed): string[] {
  const aborted = Object.entries({ OLD: old, NEW: fresh }).filter(([, { conclusion }]) => conclusion === 'aborted');
  const failing = [...changes.newlyDetermined, ...changes.added].filter(isFailure).map(({ id }) => id);
  const untried = clientsThat(changes.impact, ({ is }, answer) => is === 'unverified' && answer.class !== 'allowed');
  return [
    ...reason(
      aborted.map(([name]) => name),
      'run',
      'aborted',
    ),
    ...reason(changes.gaps, 'requirement', 'that OLD kept and NEW did not determine'),
    ...reason(failing, 'requirement', 'that OLD did not determine and NEW breaks'),
    ...reason(untried, 'client', 'with which the changes are unverified'),
    ...reason(clientsWhoseRequests(changes.impact, 'unverified'), 'client', 'whose requests are unverified'),
    ...(fresh.results.some(({ outcome }) => outcome === 'error') ? ['the suite itself failed in NEW'] : []),
    ...nothingComparedReason(old, fresh, changes),
  ];
}

export function isFailure({ new: now }: ChangedOutcome): boolean {
  return now === 'fail';
}

function moreCompared(...runs: readonly Result[]): string[] {
  const ways = [
    ...(runs.some(({ subject }) => isLiveTarget(subject)) ? ['with a larger --allow'] : []),
    ...(runs.some(({ scope }) => scope !== undefined) ? ['without --only or --except'] : []),
  ];
  return ways.length === 0 ? [] : [`runs ${ways.join(' and ')} compare more`];
}

function safeBecause({ stillBroken, determinedByNeither, fixed, impact }: Weighed, kept: string): string[] {
  return [
    `NEW keeps ${kept}`,
    ...(fixed.length === 0 ? [] : [`fixed: ${fixed.length}`]),
    ...(stillBroken.length === 0 ? [] : [`broken in both: ${stillBroken.length}`]),
    ...(determinedByNeither.length === 0 ? [] : [`binding and determined by neither: ${determinedByNeither.length}`]),
    ...(impact === undefined ? [] : [`none of ${pluralize(impact.clients.length, 'client')} is known to break`]),
  ];
}

/** Two runs without a common verdict cannot be compared. */
function nothingComparedReason(old: Result, fresh: Result, { gaps, newlyBroken }: Weighed): string[] {
  const kept = new Set(old.results.flatMap(({ id, outcome }) => (outcome === 'pass' ? [id] : [])));
  if (kept.size === 0) return ['OLD kept nothing that NEW could break'];
  if (gaps.length > 0 || newlyBroken.length > 0) return [];
  const isCompared = fresh.results.some(({ id, outcome }) => outcome === 'pass' && kept.has(id));
  return isCompared ? [] : ['NEW determined no requirement that OLD kept'];
}

/** All answers to one open point are one item. */
function riskIn({ answers, behaviour, causes }: Weighed): string {
  const unexplained = behaviour.filter((change) => !isCause(change, causes));
  const risky = [...answers, ...unexplained].filter((change) => change.class === 'risky').map(formatChange);
  const different = [...new Set(risky)];
  if (different.length === 0) return '';
  return `; look at ${pluralize(different.length, 'risky change')}: ${named(different)}`;
}

const maxAnswers = 2;

/** Such as `an id used before: refused, was accepted (A7)`. */
function formatAnswer(point: string, old: readonly string[], now: readonly string[]): string {
  const { question } = parted(now[0]!);
  const topic =
    question || (openPoints.find(({ id }) => id === point)?.question ?? 'the open point').replace(/\?$/, '');
  const [were, are] = [old, now].map((all) => {
    const shown = all.slice(0, maxAnswers).map((one) => parted(one).answer);
    return [...shown, ...(all.length > maxAnswers ? [`${all.length - maxAnswers} more`] : [])].join(' or ');
  });
  return `${topic}: ${were === '' ? `also ${are}` : `${are}, was ${were}`} (${point})`;
}

/** True if the change is already named as the cause of a failure. */
export function isCause({ name, change, class: is }: BehaviourChange, causes: Difference['causes']): boolean {
  return is !== 'forbidden' && causes.some((cause) => cause.change === change && cause.name === name);
}

/** Such as `header Keep-Alive is gone`. Answers and renamed members also show the old value. */
export function formatChange({
  change,
  name = '',
  renamedTo,
  old = [],
  new: now = [],
}: Pick<BehaviourChange, 'change' | 'name' | 'renamedTo'> & Partial<Pick<BehaviourChange, 'old' | 'new'>>): string {
  if (change === 'open-answer' && now.length > 0) return formatAnswer(name, old, now);
  if (renamedTo !== undefined) {
    return change === 'header-went'
      ? `header ${renamedTo} in place of ${name}`
      : `member ${name} is renamed to ${renamedTo.split('.').at(-1)}`;
  }
  return changeWords[change].replace('NAME', () => name).trimEnd();
}

/** @param requirements the binding ones that both runs determined */
function comparedIn(old: Result, fresh: Result, requirements: Share): Compared {
  const [before, now] = [pointsIn(old), pointsIn(fresh)];
  const both = [...before].filter((id) => now.has(id)).length;
  // A complete run asked everything that its suite knew. What only the other run asks is new, or did not come up.
  const missing = (leftOut(fresh) ? before.size - both : 0) + (leftOut(old) ? now.size - both : 0);
  const [lets, letsNow] = [letThrough(old), letThrough(fresh)];
  const of = fresh.unnoticed?.of ?? old.unnoticed?.of;
  return {
    requirements,
    openPoints: { both, of: both + missing },
    ...(lets === undefined || letsNow === undefined
      ? {}
      : { defects: { unnoticed: new Set([...lets, ...letsNow]).size, ...(of === undefined ? {} : { of }) } }),
  };
}

function isThin({ requirements, openPoints, defects }: Compared): boolean {
  return requirements.both < requirements.of || openPoints.both < openPoints.of || defects?.unnoticed !== 0;
}

/** `compared 100 of 100 requirements and 38 open points; both runs would notice 68 of 400 known defects`. */
export function formatCompared({ requirements, openPoints, defects }: Compared): string {
  const points = openPoints.both < openPoints.of ? `${openPoints.both} of ` : '';
  const { unnoticed = 0, of = 0 } = defects ?? {};
  const noticed =
    defects === undefined
      ? 'it is not known which defects both runs would notice'
      : `both runs would notice ${unnoticed === 0 ? 'every known defect' : `${of - unnoticed} of ${of} known defects`}`;
  return `compared ${requirements.both} of ${pluralize(requirements.of, 'requirement')} and ${points}${pluralize(openPoints.of, 'open point')}; ${noticed}`;
}

function pointsIn({ observations }: Result): Set<string> {
  return new Set(observations.flatMap(({ openPoint, confidence }) => (confidence === 'none' ? [] : [openPoint])));
}

function isLiveTarget({ kind, target }: Result['subject']): boolean {
  return kind === 'gateway' && target !== 'mock' && target !== 'recording';
}

function leftOut({ scope, conclusion, effects }: Result): boolean {
  return scope !== undefined || conclusion === 'aborted' || (effects.notSent ?? []).length > 0;
}

/**
 * Ids of known defects that the run misses or may miss; undefined if its report does not know. A failure of an expected row gives
 * no verdict on a run, but the comparison shows it.
 */
function letThrough({ subject, scope, conclusion, unnoticed, results }: Result): string[] | undefined {
  const isLive = isLiveTarget(subject);
  const shown = new Set(isLive ? [] : results.flatMap(({ outcome, provenBy }) => (outcome === 'pass' ? provenBy : [])));
  if (unnoticed !== undefined) {
    return [...unnoticed.groups.flatMap(({ defects }) => defects), ...unnoticed.notKnown].filter(
      (id) => !shown.has(id),
    );
  }
  return isLive || conclusion === 'aborted' || scope?.shard !== undefined ? undefined : [];
}

/** schemas/files/diff-policy.json defines the file format. */
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

/** It forbids nothing, because what the interface document forbids is a requirement. */
export const defaultPolicy = compatibility as DiffPolicy;

/** The first matching rule decides. Rules of `policy` precede those of the default. */
export function ruleFor(
  { change, name = '', renamedTo }: Pick<Change, 'change' | 'name' | 'renamedTo'>,
  operation: Operation | undefined,
  policy: DiffPolicy,
): Pick<PolicyRule, 'is' | 'because'> {
  // A rename is one name that went and one that came: the worse rule counts.
  if (renamedTo !== undefined) {
    const came = { change: change.replace('went', 'came') as ChangeName, name: renamedTo };
    return [ruleFor({ change, name }, operation, policy), ruleFor(came, operation, policy)].sort((a, b) =>
      worstFirst(a.is, b.is),
    )[0]!;
  }
  const fits = (rule: PolicyRule) =>
    (rule.change === '*' || rule.change === change) &&
    (rule.name === undefined || matches(name, rule.name)) &&
    (rule.operation === undefined || rule.operation === operation);
  return [...policy.rules, ...defaultPolicy.rules].find(fits) ?? { is: 'risky' };
}

const severity: readonly ChangeClass[] = ['forbidden', 'risky', 'allowed'];

export function worstFirst(a: ChangeClass, b: ChangeClass): number {
  return severity.indexOf(a) - severity.indexOf(b);
}

/** Kinds of change whose name occurs in messages, such as a header or a member. */
const namedAsSent = /^(?:\*|header-(?:came|went|value|spelling)|member-(?:came|went|type)|value-form|open-answer)$/;

/** Rules whose name occurs in neither run: misspelt, or about something that is gone. */
export function idleRules({ rules }: DiffPolicy, names: readonly string[]): string[] {
  return rules.flatMap(({ change, name }) => {
    if (name === undefined || !namedAsSent.test(change) || names.some((one) => matches(one, name))) return [];
    return [`${change} ${name}`];
  });
}

/** `*` matches any characters. Not a regular expression, because a hostile name could make it run forever. */
function matches(name: string, pattern: string): boolean {
  const text = name.toLowerCase();
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
