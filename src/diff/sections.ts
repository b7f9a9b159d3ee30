/** The parts of a comparison in words, those alone that have something to say: the terminal and Markdown print the same. */
import { openPoints } from '../../contracts/open-points.ts';
import type { BehaviourChange, ChangedOutcome, Difference, RunFacts } from './difference.ts';

export interface DiffSection {
  readonly title: string;
  /** How many there are; the lines may be fewer. */
  readonly count: number;
  readonly lines: readonly DiffLine[];
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
  const sections: DiffSection[] = [
    {
      title: 'Newly broken',
      count: newlyBroken.length,
      lines: [
        ...causes.flatMap((cause) => [
          causeLine(cause),
          ...newlyBroken
            .filter(({ id, source }) => source === 'requirement' && cause.requirements.includes(id))
            .map(brokenLine),
        ]),
        ...unexplained.map(brokenLine),
      ],
    },
    ...outcomeSections('Fails in NEW, not determined in OLD', newlyDetermined.filter(isFailure)),
    ...outcomeSections(
      'Not determined in NEW, kept in OLD',
      newlyUndetermined.filter(({ id }) => gaps.has(id)),
    ),
    ...listed('Forbidden changes of behaviour', behaviour('forbidden')),
    ...listed('Risky changes of behaviour', behaviour('risky')),
    ...listed('Other answers to open points', answerLines(difference.answers)),
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
      ? ['Exchanges were not compared: a run has no exchanges.har, so only verdicts and answers to open points were']
      : []),
  ];
}

/** Who was run, when, and by what it was called: `gateway api.example (https://api.example), 2026-01-31, conformant`. */
export function runInWords({ subject, startedAt, conclusion, labels = {}, runId }: RunFacts): string {
  const called = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const who = [subject.name, subject.version].filter(Boolean).join(' ');
  return [
    ...called,
    `${subject.kind} ${who} at ${subject.target}`,
    startedAt.replace(/\.\d+Z$/, 'Z'),
    `run ${runId}`,
    conclusion,
  ].join(', ');
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

function causeLine({
  about,
  change,
  requirements,
  interactions,
  ofInteractions,
}: Difference['causes'][number]): DiffLine {
  const parts = [
    ...(interactions.length === 0 ? [] : [`${interactions.length} of ${ofInteractions} Pact interactions`]),
    ...(requirements.length === 0 ? [] : [`${requirements.length} requirement${requirements.length === 1 ? '' : 's'}`]),
  ];
  return { name: parts.join(' and '), text: `${about}${change === undefined ? '' : ` (${change})`}` };
}

function behaviourLine({ change, name, operations, old, new: now, seen, because }: BehaviourChange): DiffLine {
  const where = operations.length === 1 ? ` of ${operations[0]}` : '';
  const times = seen === undefined ? '' : ` (${seen.times} ${seen.times === 1 ? 'exchange' : 'exchanges'}${where})`;
  const why = because === undefined ? '' : `, because ${because}`;
  return {
    name: [change, name].filter(Boolean).join(' '),
    text: `${old.join(' or ')} -> ${now.join(' or ')}${times === '' ? where : times}${why}`,
  };
}

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
