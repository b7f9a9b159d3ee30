/** The parts of a comparison in words, those alone that have something to say: the terminal and Markdown print the same. */
import { countedWord } from '../../record/counted-word.ts';
import { subjectAt } from '../../report/words.ts';
import type { BehaviourChange, ChangedOutcome, Difference, RunFacts } from './difference.ts';
import { changeInWords, isCause } from './verdict.ts';

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
  const undetermined = newlyUndetermined.filter(({ id }) => !explained.has(id));
  const behaviour = (wanted: BehaviourChange['class']) =>
    difference.behaviour.filter((change) => change.class === wanted && !isCause(change, causes)).map(behaviourLine);
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
      ...listed('Forbidden changes of behaviour', behaviour('forbidden')),
      ...listed('Risky or forbidden answers to open points', answerLines(answers((one) => one !== 'allowed'))),
      ...listed('Risky changes of behaviour', behaviour('risky')),
      ...foldedSection(
        'Not determined in NEW, kept in OLD',
        undetermined.filter(({ id }) => gaps.has(id)),
      ),
    ]),
    ...listed('Other answers to open points', answerLines(answers((one) => one === 'allowed'))),
    ...listed('Allowed changes of behaviour', behaviour('allowed')),
    ...outcomeSections('Fixed', fixed),
    ...outcomeSections(
      'Determined in NEW alone, and kept',
      newlyDetermined.filter((one) => !isFailure(one)),
    ),
    ...foldedSection(
      'No longer determined, no effect on the verdict',
      undetermined.filter(({ id }) => !gaps.has(id)),
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
  return sections.filter(({ count, lines }) => count > 0 && lines.length > 0);
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

/** Names of one line. */
const mostNames = 3;

/** What was not determined for one reason is one line. */
function foldedSection(title: string, changes: readonly ChangedOutcome[]): DiffSection[] {
  const reasons = new Map<string, ChangedOutcome[]>();
  for (const one of changes) {
    const reason = one.actual ?? transition(one);
    reasons.set(reason, [...(reasons.get(reason) ?? []), one]);
  }
  const lines = [...reasons].map(([text, all]): DiffLine => {
    const beyond = all.length - mostNames;
    return {
      name: `${all.slice(0, mostNames).map(nameOf).join(', ')}${beyond > 0 ? ` and ${beyond} more` : ''}`,
      text,
    };
  });
  return [{ title, count: changes.length, lines }];
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
  { about, change, name, renamedTo, requirements, interactions, ofInteractions }: Difference['causes'][number],
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
  return {
    name: parts.join(', '),
    text: change === undefined ? about : changeInWords({ change, name: name ?? about, renamedTo }),
  };
}

/** The word that a policy has for the change is there too. */
function behaviourLine(one: BehaviourChange): DiffLine {
  const { change, operations, old, new: now, seen, because, renamedTo } = one;
  const where = operations.length === 1 ? ` of ${operations[0]}` : '';
  const times = seen === undefined ? '' : `${countedWord(seen.times, 'exchange')}${where}`;
  const why = because === undefined ? '' : `, because ${because}`;
  if (change === 'meaning') {
    return { name: `${meaningInWords(one)} (${change})`, text: `${operations.join(' and ')}${why}` };
  }
  const share = /-(?:came|went)$/.test(change) ? shares[now[0] ?? ''] : undefined;
  const became = renamedTo === undefined ? (share ?? `${valuesInWords(old)} -> ${valuesInWords(now)}`) : '';
  const seenIn = became === '' || times === '' ? times || where : ` (${times})`;
  return { name: `${changeInWords(one)} (${change})`, text: `${became}${seenIn}${why}` };
}

/** How often a name is there in NEW. */
const shares: Readonly<Record<string, string>> = {
  always: 'now always there',
  sometimes: 'now there at times',
  never: 'now never there',
};

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

/** The answers to one open point in one line, the first of them as examples. */
export function answerLines(answers: readonly BehaviourChange[]): DiffLine[] {
  const points = new Map<string, BehaviourChange[]>();
  for (const answer of answers) points.set(answer.name!, [...(points.get(answer.name!) ?? []), answer]);
  return [...points].map(([name, changes]) => {
    const [first] = changes as [BehaviourChange];
    const text = [
      `${first.class}${first.because === undefined ? '' : `, because ${first.because}`}`,
      ...(first.also ?? []).map((one) => `answered with ${one}`),
      ...(changes.length === 1 ? [] : [`${changes.length - 1} more to ${name}`]),
    ];
    return { name: changeInWords(first), text: text.join('; ') };
  });
}
