/** From what changed to the answer that a release manager needs: safe, thin, breaks, or not known, and why in one sentence. */
import { openPoints } from '../../../contracts/open-points.ts';
import { countedWord } from '../../record/counted-word.ts';
import type { Result } from '../../record/result/result.ts';
import { isLiveTarget, isThin } from './compared.ts';
import type {
  AskedAnswer,
  BehaviourChange,
  ChangeName,
  ClientReading,
  Compared,
  Difference,
  DiffVerdict,
  Impact,
  TakenRequests,
} from './difference.ts';
import { parted } from './open-answers.ts';
import type { RequirementChanges } from './requirement-changes.ts';

export interface Weighed extends Omit<RequirementChanges, 'shareCompared'> {
  readonly answers: readonly BehaviourChange[];
  readonly behaviour: readonly BehaviourChange[];
  readonly causes: Difference['causes'];
  readonly compared: Compared;
  readonly impact?: Impact;
}

/** The verdict for people. A difference that is seen is not denied. */
export function verdictInWords(difference: Pick<Difference, 'verdict' | 'answers' | 'behaviour' | 'fixed'>): string {
  const { verdict, answers, behaviour, fixed } = difference;
  if (verdict !== 'thin') return verdict;
  return answers.length + behaviour.length + fixed.length === 0 ? 'no difference seen, thin' : 'nothing broke, thin';
}

/** What is broken is broken whatever else is not known; what is not known is never safe. */
export function verdictOf(old: Result, fresh: Result, changes: Weighed): Pick<Difference, 'verdict' | 'sentence'> {
  const breaks = brokenBy(changes);
  const unknown = unknownBecause(old, fresh, changes);
  const verdict: DiffVerdict =
    breaks.length > 0 ? 'breaks' : unknown.length > 0 ? 'not known' : isThin(changes.compared) ? 'thin' : 'safe';
  const kept = safeBecause(
    changes,
    verdict === 'thin' ? 'what both runs determined' : 'every requirement that OLD kept',
  );
  const reasons = {
    breaks,
    'not known': unknown,
    thin: [...kept, ...moreCompared(old, fresh)],
    safe: kept,
  }[verdict];
  return { verdict, sentence: `${reasons.join('; ')}${riskIn(changes)}.` };
}

function brokenBy({ newlyBroken, answers, behaviour, impact }: Weighed): string[] {
  const requirements = newlyBroken.filter(({ source }) => source === 'requirement');
  const interactions = newlyBroken.filter(({ source }) => source === 'pact');
  const hazards = newlyBroken.filter(({ source }) => source === 'hazard');
  const clients = clientsThat(impact, ({ is }) => is === 'breaks');
  const refused = clientsWhoseRequests(impact, 'breaks');
  const forbidden = [...behaviour, ...answers].filter((change) => change.class === 'forbidden');
  return [
    ...(hazards.length === 0
      ? []
      : [
          `NEW has ${countedWord(hazards.length, 'hazard')} that OLD does not have: ${named(hazards.map(({ id }) => id))}`,
        ]),
    ...(requirements.length === 0
      ? []
      : [
          `${countedWord(requirements.length, 'requirement')} ${requirements.length === 1 ? 'holds in OLD and fails' : 'hold in OLD and fail'} in NEW: ${named(requirements.map(({ id }) => id))}`,
        ]),
    ...(interactions.length === 0
      ? []
      : [
          `${countedWord(interactions.length, 'Pact interaction')} no longer ${interactions.length === 1 ? 'holds' : 'hold'}`,
        ]),
    ...(forbidden.length === 0
      ? []
      : [
          `${countedWord(forbidden.length, 'change')} that the policy forbids: ${named([...new Set(forbidden.map(changeInWords))])}`,
        ]),
    ...(clients.length === 0
      ? []
      : [
          `${clients.length} of ${countedWord(impact!.clients.length, 'client')} ${clients.length === 1 ? 'breaks' : 'break'}: ${named(clients)}`,
        ]),
    ...(refused.length === 0
      ? []
      : [`NEW refuses right requests of ${countedWord(refused.length, 'client')}: ${named(refused)}`]),
  ];
}

/** Names of the clients of whom it is true of one of the answers. */
function clientsThat(
  impact: Impact | undefined,
  isTrue: (reading: ClientReading, answer: AskedAnswer) => boolean,
): string[] {
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
  const failing = [...changes.newlyDetermined, ...changes.added].filter((one) => one.new === 'fail');
  const aborted = [
    ...(old.conclusion === 'aborted' ? ['OLD'] : []),
    ...(fresh.conclusion === 'aborted' ? ['NEW'] : []),
  ];
  const unverified = clientsThat(changes.impact, ({ is }, answer) => is === 'unverified' && answer.class !== 'allowed');
  const unsent = clientsWhoseRequests(changes.impact, 'unverified');
  return [
    ...(aborted.length === 0 ? [] : [`${aborted.join(' and ')} ${aborted.length === 1 ? 'was' : 'were'} aborted`]),
    ...(changes.gaps.length === 0
      ? []
      : [
          `NEW left undetermined what OLD kept, ${countedWord(changes.gaps.length, 'requirement')}: ${named(changes.gaps)}`,
        ]),
    ...(failing.length === 0
      ? []
      : [
          `NEW fails what OLD did not determine, ${countedWord(failing.length, 'requirement')}: ${named(failing.map(({ id }) => id))}`,
        ]),
    ...(unverified.length === 0
      ? []
      : [`what changed is unverified with ${countedWord(unverified.length, 'client')}: ${named(unverified)}`]),
    ...(unsent.length === 0
      ? []
      : [
          `what ${countedWord(unsent.length, 'client')} ${unsent.length === 1 ? 'sends' : 'send'} is unverified: ${named(unsent)}`,
        ]),
    ...(fresh.results.some(({ outcome }) => outcome === 'error') ? ['the suite itself failed in NEW'] : []),
    ...whyNothingIsCompared(old, fresh, changes),
  ];
}

/** What to do for a comparison of more. */
function moreCompared(...runs: readonly Result[]): string[] {
  const ways = [
    ...(runs.some(({ subject }) => isLiveTarget(subject)) ? ['with a larger --allow'] : []),
    ...(runs.some(({ scope }) => scope !== undefined) ? ['without --only or --except'] : []),
  ];
  return ways.length === 0 ? [] : [`runs ${ways.join(' and ')} compare more`];
}

function safeBecause({ stillBroken, determinedByNeither, fixed, impact }: Weighed, kept: string): string[] {
  const parts: readonly (readonly [count: number, one: string, several: string])[] = [
    [fixed.length, '1 that failed passes', `${fixed.length} that failed pass`],
    [stillBroken.length, '1 fails in both', `${stillBroken.length} fail in both`],
    [
      determinedByNeither.length,
      '1 binding requirement was determined by neither',
      `${determinedByNeither.length} binding requirements were determined by neither`,
    ],
  ];
  return [
    `NEW keeps ${kept}`,
    ...parts.flatMap(([count, one, several]) => (count === 0 ? [] : [count === 1 ? one : several])),
    ...(impact === undefined ? [] : [`none of ${countedWord(impact.clients.length, 'client')} is known to break`]),
  ];
}

/** Two runs that have no verdict in common say nothing of one another. */
function whyNothingIsCompared(old: Result, fresh: Result, { gaps, newlyBroken }: Weighed): string[] {
  const kept = new Set(old.results.flatMap(({ id, outcome }) => (outcome === 'pass' ? [id] : [])));
  if (kept.size === 0) return ['OLD kept nothing that NEW could break'];
  if (gaps.length > 0 || newlyBroken.length > 0) return [];
  const isCompared = fresh.results.some(({ id, outcome }) => outcome === 'pass' && kept.has(id));
  return isCompared ? [] : ['NEW determined nothing of what OLD kept'];
}

/** The answers to one open point are one thing to look at. */
function riskIn({ answers, behaviour, causes }: Weighed): string {
  const unexplained = behaviour.filter((change) => !isCause(change, causes));
  const risky = [...answers, ...unexplained].filter((change) => change.class === 'risky').map(changeInWords);
  const different = [...new Set(risky)];
  if (different.length === 0) return '';
  return `; look at ${countedWord(different.length, 'risky change')}: ${named(different)}`;
}

/** Names that a sentence has room for; the list below it has all of them. */
const mostNames = 3;

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, mostNames).join(', ');
  return ids.length > mostNames ? `${shown} and ${ids.length - mostNames} more` : shown;
}

/** Answers of one question that are named. */
const mostAnswers = 2;

/** `an id used before: refused, was accepted (A7)`. */
function answerInWords(point: string, old: readonly string[], now: readonly string[]): string {
  const { question } = parted(now[0]!);
  const asked =
    question || (openPoints.find(({ id }) => id === point)?.question ?? 'the open point').replace(/\?$/, '');
  const [were, are] = [old, now].map((all) => {
    const shown = all.slice(0, mostAnswers).map((one) => parted(one).answer);
    return [...shown, ...(all.length > mostAnswers ? [`${all.length - mostAnswers} more`] : [])].join(' or ');
  });
  return `${asked}: ${were === '' ? `also ${are}` : `${are}, was ${were}`} (${point})`;
}

/** What a reader is told of a change; `NAME` is the header, the member or the open point. */
const changeWords: Readonly<Record<ChangeName, string>> = {
  'header-came': 'header NAME is new',
  'header-went': 'header NAME is gone',
  'header-value': 'header NAME has another value',
  'header-order': 'headers NAME in another order',
  'header-spelling': 'header NAME in other letters',
  'member-came': 'member NAME is new',
  'member-went': 'member NAME is gone',
  'member-type': 'member NAME has another type',
  'member-order': 'members NAME in another order',
  'value-form': 'another form of NAME',
  'body-layout': 'body laid out in another way, NAME',
  'body-where-empty': 'a body where there was none',
  'body-kind': 'another kind of body',
  status: 'another HTTP status',
  'reason-phrase': 'other words behind NAME',
  meaning: 'other requests are accepted or refused',
  'open-answer': 'another answer to NAME',
  slower: 'slower answers',
  faster: 'faster answers',
};

/** Whether the change is told already, as the cause of what broke. */
export function isCause({ name, change, class: is }: BehaviourChange, causes: Difference['causes']): boolean {
  return is !== 'forbidden' && causes.some((cause) => cause.change === change && cause.name === name);
}

/** A change in words: `header Keep-Alive is gone`; of an answer and a new name what was before and after. */
export function changeInWords({
  change,
  name = '',
  renamedTo,
  old = [],
  new: now = [],
}: Pick<BehaviourChange, 'change' | 'name' | 'renamedTo'> & Partial<Pick<BehaviourChange, 'old' | 'new'>>): string {
  if (change === 'open-answer' && now.length > 0) return answerInWords(name, old, now);
  if (renamedTo !== undefined) {
    return change === 'header-went'
      ? `header ${renamedTo} in place of ${name}`
      : `member ${name} is renamed to ${renamedTo.split('.').at(-1)}`;
  }
  return changeWords[change].replace('NAME', () => name).trimEnd();
}
