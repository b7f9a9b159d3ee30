/** The parts of a comparison in words, those alone that have something to say: the terminal and Markdown print the same. */

import { openPoints } from '../../contracts/open-points.ts';
import { countedWord } from '../exchange/counted-word.ts';
import { subjectAt } from '../report/words.ts';
import type { BehaviourChange, ChangedOutcome, ChangeName, Difference, RunFacts } from './difference.ts';
import { changeInWords } from './verdict.ts';

export interface DiffSection {
  readonly title: string;
  /** How many there are; the lines may be fewer. */
  readonly count: number;
  readonly lines: readonly DiffLine[];
  /** Somebody has to look at it: no writer folds it away. */
  readonly asks?: true;
}

/** A name, and what is said of it. Both may quote a subject. */
export interface DiffLine {
  readonly name: string;
  readonly text: string;
}

/** What asks for action comes first. */
export function sectionsOf(difference: Difference): DiffSection[] {
  const { causes, newlyBroken, newlyUndetermined, newlyDetermined, fixed, added, retired } = difference;
  const explained = new Set(causes.flatMap(({ requirements, interactions }) => [...requirements, ...interactions]));
  const unexplained = newlyBroken.filter(({ id }) => !explained.has(id));
  const gaps = new Set(difference.gaps);
  const behaviour = (wanted: BehaviourChange['class']) =>
    difference.behaviour.filter((change) => change.class === wanted).map(behaviourLine);
  const answers = (isWanted: (one: BehaviourChange['class']) => boolean) =>
    difference.answers.filter((answer) => isWanted(answer.class));
  const sections: DiffSection[] = [
    {
      title: 'Newly broken',
      count: newlyBroken.length,
      asks: true,
      lines: [
        ...causes.flatMap((cause) => [
          causeLine(cause, newlyBroken),
          ...newlyBroken
            .filter(({ id, source }) => source === 'requirement' && cause.requirements.includes(id))
            .map(brokenLine),
        ]),
        ...unexplained.map(brokenLine),
      ],
    },
    ...asking([
      ...outcomeSections('Fails in NEW, not determined in OLD', newlyDetermined.filter(isFailure)),
      ...outcomeSections(
        'Not determined in NEW, kept in OLD',
        newlyUndetermined.filter(({ id }) => gaps.has(id)),
      ),
      ...listed('Forbidden changes of behaviour', behaviour('forbidden')),
      ...listed('Risky changes of behaviour', behaviour('risky')),
      ...listed('Risky or forbidden answers to open points', answerLines(answers((one) => one !== 'allowed'))),
    ]),
    ...listed('Other answers to open points', answerLines(answers((one) => one === 'allowed'))),
    ...listed('Allowed changes of behaviour', behaviour('allowed')),
    ...outcomeSections('Fixed', fixed),
    ...outcomeSections(
      'Determined in NEW alone, and kept',
      newlyDetermined.filter((one) => !isFailure(one)),
    ),
    ...outcomeSections(
      'No longer determined, no effect on the verdict',
      newlyUndetermined.filter(({ id }) => !gaps.has(id)),
    ),
    ...outcomeSections('Added to the contract', added),
    ...outcomeSections('Retired from the contract', retired),
    ...listed(
      'Renamed',
      difference.renamed.map(({ old, new: now }) => ({ name: now, text: `was ${old}` })),
    ),
    ...listed(
      'Kind changed',
      difference.kindChanged.map(({ id, old, new: now }) => ({ name: id, text: `${old} -> ${now}` })),
    ),
    ...listed(
      'Fail in both',
      difference.stillBroken.map((id) => ({ name: id, text: '' })),
    ),
  ];
  return sections.filter(({ count }) => count > 0);
}

/** In what the runs are not alike, and what could not be compared: one sentence each. */
export function remarksOf({ unlike, comparedExchanges, idleRules }: Difference): string[] {
  return [
    ...(idleRules ?? []).map((rule) => `A rule of the policy fits nothing in either run: ${rule}`),
    ...unlike.map(({ what, old, new: now }) => `Differs: ${what} ${old} in OLD, ${now} in NEW`),
    ...(comparedExchanges === undefined
      ? [
          'Exchanges were not compared: a run was given without its exchanges.har, so only verdicts and answers to open points were',
        ]
      : []),
  ];
}

/** Who was run, when, and by what it was called: `gateway api.example (https://api.example), 2026-01-31, conformant`. */
export function runInWords({ subject, startedAt, conclusion, concluded, labels = {}, runId }: RunFacts): string {
  const called = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return [
    ...called,
    subjectAt({ ...subject, language: undefined }),
    startedAt.replace(/\.\d+Z$/, 'Z'),
    `run ${runId}`,
    concluded ?? conclusion,
  ].join(', ');
}

function asking(sections: readonly DiffSection[]): DiffSection[] {
  return sections.map((section) => ({ ...section, asks: true }));
}

function listed(title: string, lines: readonly DiffLine[]): DiffSection[] {
  return [{ title, count: lines.length, lines }];
}

function outcomeSections(title: string, changes: readonly ChangedOutcome[]): DiffSection[] {
  return listed(
    title,
    changes.map((one) => ({
      name: nameOf(one),
      text: `${transition(one)}${one.actual === undefined ? '' : `: ${one.actual}`}`,
    })),
  );
}

/** The id of an interaction has a colon of its own. */
function nameOf({ id, source }: ChangedOutcome): string {
  const [, file, interaction] = (source === 'pact' && /^([^/]+\.json): (.*)$/s.exec(id)) || [];
  return file === undefined ? id : `${interaction} (${file})`;
}

function isFailure({ new: now }: ChangedOutcome): boolean {
  return now === 'fail';
}

function transition({ old, new: now }: ChangedOutcome): string {
  if (old === undefined) return now ?? '';
  return now === undefined ? `was ${old}` : `${old} -> ${now}`;
}

function brokenLine(one: ChangedOutcome): DiffLine {
  const { expected, actual } = one;
  const came = actual === undefined ? '' : `received ${actual}`;
  return {
    name: nameOf(one),
    text: [expected === undefined ? '' : `expected ${expected}`, came].filter(Boolean).join(', '),
  };
}

/** What shares the cause is counted by what became of it: only some of it may be newly broken. */
function causeLine(
  { about, change, requirements, interactions, ofInteractions }: Difference['causes'][number],
  newlyBroken: readonly ChangedOutcome[],
): DiffLine {
  const failing = requirements.filter((id) => newlyBroken.some((one) => one.id === id)).length;
  const others = requirements.length - failing;
  const parts = [
    ...(interactions.length === 0
      ? []
      : [
          `${interactions.length} of ${ofInteractions} Pact interactions no longer ${interactions.length === 1 ? 'holds' : 'hold'}`,
        ]),
    ...(failing === 0 ? [] : [`${countedWord(failing, 'requirement')} ${failing === 1 ? 'fails' : 'fail'}`]),
    ...(others === 0 ? [] : [`${others} ${others === 1 ? 'is' : 'are'} not determined any more`]),
  ];
  return { name: parts.join(', '), text: changed(about, change) };
}

function changed(about: string, change: string | undefined): string {
  return change === undefined ? about : changeInWords({ change: change as ChangeName, name: about });
}

/** The word that a policy has for the change is there too. */
function behaviourLine(one: BehaviourChange): DiffLine {
  const { change, operations, old, new: now, seen, because } = one;
  const where = operations.length === 1 ? ` of ${operations[0]}` : '';
  const times = seen === undefined ? '' : ` (${countedWord(seen.times, 'exchange')}${where})`;
  const why = because === undefined ? '' : `, because ${because}`;
  if (change === 'meaning') {
    return { name: `${meaningInWords(one)} (${change})`, text: `${operations.join(' and ')}${why}` };
  }
  return {
    name: `${changeInWords(one)} (${change})`,
    text: `${valuesInWords(old)} -> ${valuesInWords(now)}${times === '' ? where : times}${why}`,
  };
}

function valuesInWords(values: readonly string[]): string {
  return values.map((value) => (value === '' ? '(empty)' : value)).join(' or ');
}

/** `97 requests that were refused are now accepted`. */
function meaningInWords({ old, new: now, seen }: BehaviourChange): string {
  const [were, are] = [old, now].map((all) => all.map((meaning) => meanings[meaning] ?? meaning).join(' or '));
  return seen?.times === 1
    ? `1 request that was ${were} is now ${are}`
    : `${seen === undefined ? '' : `${seen.times} `}requests that were ${were} are now ${are}`;
}

/** What became of a request, where its name is not a word for it. */
const meanings: Readonly<Record<string, string>> = {
  'past-authentication': 'refused after authentication',
  unclear: 'answered unclearly',
};

/** `A10 (is errorCode text or a number)`. */
function pointInWords(id: string): string {
  const question = openPoints.find((point) => point.id === id)?.question.replace(/\?$/, '');
  return question === undefined ? id : `${id} (${question[0]!.toLowerCase()}${question.slice(1)})`;
}

/** The answers to one open point in one line, the first of them as examples. */
export function answerLines(answers: readonly BehaviourChange[]): DiffLine[] {
  const points = new Map<string, BehaviourChange[]>();
  for (const answer of answers) points.set(answer.name!, [...(points.get(answer.name!) ?? []), answer]);
  return [...points].map(([name, changes]) => {
    const [first] = changes as [BehaviourChange];
    const more = changes.length === 1 ? '' : `, and ${changes.length - 1} more`;
    const before = first.old.length === 0 ? 'also' : `${first.old.join(' or ')} ->`;
    const why = first.because === undefined ? '' : `, because ${first.because}`;
    return { name: pointInWords(name), text: `${before} ${first.new.join(' or ')}${more} (${first.class}${why})` };
  });
}
