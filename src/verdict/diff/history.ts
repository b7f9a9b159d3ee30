/** The history of each subject: its runs, and what changed in each run, as data and as a document. Pure. */
import { groupBy } from '../../record/group-by.ts';
import { pluralize } from '../../record/pluralize.ts';
import { countOutcomes, exitCode } from '../../record/result/conclude.ts';
import type { Outcome, OutcomeCounts, Result } from '../../record/result/result.ts';
import { type Block, type Card, type Document, fact, type Line, named, type Section } from '../../report/document.ts';
import { badge, bar, html, type Markup, table } from '../../report/pages/markup.ts';
import { columns, conclusionOutcomes, formatGlobs, formatLabels } from '../../report/phrases.ts';
import { shortened, visible } from '../../report/visible.ts';
import { answerLines, verdictOutcomes, withQuestion } from './diff-document.ts';
import { diffRuns, runFactsOf } from './diff-runs.ts';
import type { Difference, RunFacts } from './difference.ts';
import { isFailure } from './verdict.ts';

export interface History {
  readonly format: 'countersign-history';
  readonly formatVersion: 1;
  readonly subjects: readonly SubjectHistory[];
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** Runs with the same subject, profile and scope. Only such runs are compared. */
interface SubjectHistory {
  readonly subject: Pick<Result['subject'], 'kind' | 'name' | 'target'>;
  readonly profile: string;
  readonly only?: readonly string[];
  readonly runs: readonly HistoricRun[];
}

interface HistoricRun extends Omit<RunFacts, 'subject' | 'profile'> {
  readonly path: string;
  readonly version?: string;
  readonly counts: OutcomeCounts;
  readonly exitCode: ReturnType<typeof exitCode>;
  /** Changes since the previous run; absent for the first run and for an aborted run. */
  readonly changes?: RunChanges;
}

/** Ids of requirements by kind of change. `foundBroken`: the requirement fails, and had no verdict before. */
type RunChanges = Pick<Difference, 'verdict' | 'sentence' | 'answers' | 'renamed' | 'kindChanged'> &
  Readonly<Record<EventName, readonly string[]>>;

export interface HistoricReport {
  readonly path: string;
  readonly result: Result;
}

function historyKeys({ subject, profile, scope, labels = {}, reproduce }: Result): string[] {
  const { kind, name, target } = subject;
  const common = [kind, profile, scope?.only ?? []];
  const [, ...config] = / --config ('[^']*'|\S+)/.exec(reproduce) ?? [];
  const shared = [...Object.keys(labels).map((label) => `label ${label}`), ...config];
  const hostKeys = URL.canParse(target) ? shared.map((one) => [...common, withoutPort(target), one]) : [];
  return [[...common, name, target], ...hostKeys].map((key) => JSON.stringify(key));
}

/** Groups the runs of the same subject, and compares each run with the last finished run before it. */
export function subjectHistories(runs: readonly HistoricReport[]): SubjectHistory[] {
  let groups: { readonly keys: readonly string[]; readonly runs: readonly HistoricReport[] }[] = [];
  for (const run of runs) {
    const keys = historyKeys(run.result);
    const own = groups.filter((group) => group.keys.some((key) => keys.includes(key)));
    const all = { keys: [...own.flatMap((one) => one.keys), ...keys], runs: [...own.flatMap((one) => one.runs), run] };
    // A history keeps the position of its first run.
    const position = own[0] === undefined ? groups.length : groups.indexOf(own[0]);
    groups = groups.filter((one) => !own.includes(one)).toSpliced(position, 0, all);
  }
  return groups.map((group) => subjectHistory(byStart(group.runs)));
}

/** The runs, the oldest first. */
export function byStart(runs: readonly HistoricReport[]): HistoricReport[] {
  return runs.toSorted((a, b) => Date.parse(a.result.startedAt) - Date.parse(b.result.startedAt));
}

function withoutPort(target: string): string {
  const url = new URL(target);
  url.port = '';
  return url.href.replace(/\/$/, '');
}

function subjectHistory(runs: readonly HistoricReport[]): SubjectHistory {
  const [{ result: first }] = runs as [HistoricReport];
  const { kind, name, target } = first.subject;
  const isMoved = URL.canParse(target) && runs.some(({ result }) => result.subject.target !== target);
  const subject = isMoved
    ? { kind, name: new URL(target).hostname, target: withoutPort(target) }
    : { kind, name, target };
  const entries = runs.map(({ path, result }, index): HistoricRun => {
    const { subject: _, profile: __, ...facts } = runFactsOf(result);
    // Skip aborted runs, which have no verdicts: compare each run with the last finished run before it.
    const before = runs.slice(0, index).findLast((one) => one.result.conclusion !== 'aborted');
    const changes =
      before === undefined || result.conclusion === 'aborted' ? undefined : changesOf(before.result, result);
    const { version } = result.subject;
    return { path, ...facts, version, counts: countOutcomes(result.results), exitCode: exitCode(result), changes };
  });
  return { subject, profile: first.profile, only: first.scope?.only, runs: entries };
}

function changesOf(old: Result, fresh: Result): RunChanges {
  const difference = diffRuns({ result: old }, { result: fresh });
  const { verdict, sentence, answers, renamed, kindChanged, newlyDetermined } = difference;
  const foundBroken = newlyDetermined.filter(isFailure);
  const passing = newlyDetermined.filter((one) => !isFailure(one));
  const changed = { ...difference, foundBroken, newlyDetermined: passing };
  const ids = Object.fromEntries(eventNames.map((name) => [name, changed[name].map(({ id }) => id)]));
  return { verdict, sentence, ...(ids as Record<EventName, string[]>), renamed, kindChanged, answers };
}

export function historyDocument({ subjects, leftOut }: History): Document {
  const all = subjects.flatMap(({ runs }) => runs);
  const compared = all.flatMap(({ changes }) => changes ?? []);
  const broke = compared.filter(({ verdict }) => verdict === 'breaks').length;
  const otherOutcome = compared.length > 0 ? 'pass' : 'inconclusive';
  const rows = leftOut.map(({ path, why }): Line => [{ value: path }, `: ${why}`]);
  const emptyText = 'Nothing was comparable: no two finished runs have the same target, profile and scope';
  const breakText = `${broke === 0 ? 'No run' : pluralize(broke, 'run')} broke what the previous run kept`;
  return {
    product: 'Countersign history',
    name: `History of ${pluralize(subjects.length, 'subject')}`,
    outcome: broke > 0 ? 'fail' : otherOutcome,
    verdict: compared.length === 0 ? emptyText : breakText,
    counts: `${pluralize(all.length, 'run')} of ${pluralize(subjects.length, 'subject')}`,
    head: [],
    sections: [
      ...subjects.map(subjectSection),
      { anchor: 'left-out', title: 'Left out', count: rows.length, blocks: rows.length === 0 ? [] : [{ list: rows }] },
    ],
    moreHint: '--json has them all',
    foot: 'For programs: countersign history DIR --json.',
  };
}

function subjectSection({ subject, profile, only, runs }: SubjectHistory, position: number): Section {
  const scopeText = only === undefined ? '' : `, narrowed to ${formatGlobs(only)}`;
  const anchor = `subject-${position}`;
  const anchorOf = (index: number) => `${anchor}-run-${index}`;
  const order = 'The oldest run is first. The second verdict of a run compares the run with the previous run.';
  return {
    anchor,
    title: shortened(`${subject.kind} ${subject.name}`, 200),
    count: runs.length,
    blocks: [
      { text: `${subject.target}, profile ${profile}${scopeText}` },
      { text: order, only: 'page' },
      { picture: html`<ol class="runs-strip">${runs.map((run, index) => tile(run, anchorOf(index)))}</ol>` },
      { picture: grid(runs, subject.name) },
      ...runs.map((run, index): Block => {
        const card = runCard(run, anchorOf(index), index);
        return { card, only: hasChanges(run) ? undefined : 'text' };
      }),
    ],
  };
}

function runCard(run: HistoricRun, anchor: string, position: number): Card {
  const { startedAt, conclusion, concluded = conclusion, counts, version, path, changes } = run;
  const names = [version, formatLabels(run)].filter((text) => text !== undefined);
  const lists = changes === undefined ? [] : listsOf(changes);
  const counted = lists.map(([word, ids]) => `${ids.length} ${word}`);
  const isSkipped = changes === undefined && position > 0 && conclusion === 'aborted';
  const skipped = 'not compared; the next run is compared with the last finished run';
  return {
    outcome: outcomeOf(run),
    title: startedAt.slice(0, 16).replace('T', ' '),
    place: [concluded, ...acceptedCode(run), ...formatCounts(counts), ...names, path].join(', '),
    because: `${nameOf(run)}: ${[changes?.verdict, ...counted].join(', ')}`,
    anchor,
    blocks: [
      ...(changes === undefined ? [] : [{ text: changes.sentence, only: 'page' } as const]),
      ...lists.flatMap(([word, ids]) => [
        ...fact(word, named(ids, maxIds), 'text'),
        ...fact(word, ids.join(', '), 'page'),
      ]),
      ...fact('Folder', path, 'page'),
      ...fact('aborted', isSkipped ? skipped : undefined),
    ],
  };
}

/** A conformant run can still fail because of the baseline or a hazard. Then it gets no tick. */
function outcomeOf({ conclusion, exitCode }: HistoricRun): Outcome {
  return conclusion === 'conformant' && exitCode !== 0 ? 'fail' : conclusionOutcomes[conclusion];
}

function formatCounts(counts: OutcomeCounts): string[] {
  const judged = columns.filter((outcome) => outcome !== 'not-applicable' && counts[outcome] > 0);
  return judged.map((outcome) => `${counts[outcome]} ${outcome}`);
}

function acceptedCode({ conclusion, exitCode }: HistoricRun): string[] {
  return conclusion !== 'conformant' && exitCode === 0 ? ['exit code 0'] : [];
}

const maxIds = 8;

function listsOf(changes: RunChanges): readonly (readonly [word: string, ids: readonly string[]])[] {
  const lists: (readonly [word: string, ids: readonly string[]])[] = [
    ...eventNames.map((name) => [events[name].word, changes[name]] as const),
    ['renamed', changes.renamed.map(({ old, new: now }) => `${old} -> ${now}`)],
    ['kind changed', changes.kindChanged.map(({ id, old, new: now }) => `${id} ${old} -> ${now}`)],
    ['answers', answerLines(changes.answers).map(({ name, text }) => `${name}: ${text}`)],
  ];
  return lists.filter(([, ids]) => ids.length > 0);
}

function tile(run: HistoricRun, anchor: string): Markup {
  const { conclusion, concluded, counts, changes, startedAt } = run;
  const more = [...(concluded === undefined ? [] : [concluded]), ...acceptedCode(run)].join(', ');
  const used = columns.filter((outcome) => counts[outcome] > 0);
  const name = visible(nameOf(run));
  return html`<li class=${`card ${outcomeOf(run)}`}>
    <p><strong>${hasChanges(run) ? html`<a href=${`#${anchor}`}>${name}</a>` : name}</strong> <span class="muted">${visible(startedAt.slice(0, 10))}</span></p>
    ${bar(used.map((outcome) => [outcome, counts[outcome]]))}
    <p class="parts">${formatCounts(counts).join(', ')}</p>
    ${more === '' ? null : html`<p class="parts">${visible(more)}</p>`}
    <p>${badge(outcomeOf(run), conclusion)} ${changes === undefined ? null : badge(verdictOutcomes[changes.verdict], changes.verdict)}</p></li>`;
}

function nameOf({ version, labels = {}, startedAt }: HistoricRun): string {
  const names = version === undefined ? Object.values(labels) : [version];
  return shortened(names.length === 0 ? startedAt.slice(11, 16) : names.join(', '), 40);
}

/** Ways in which a requirement changes. `like`: the colour of the mark. `before`: the state in the previous run. */
const events = {
  newlyBroken: { word: 'broke', sign: '✗', like: 'fail', before: 'pass' },
  foundBroken: { word: 'found broken', sign: '✗', like: 'fail', before: 'inconclusive' },
  fixed: { word: 'fixed', sign: '✓', like: 'pass', before: 'fail' },
  newlyDetermined: { word: 'decided', sign: '✓', like: 'pass', before: 'inconclusive' },
  newlyUndetermined: { word: 'undecided', sign: '?', like: 'inconclusive', before: 'pass' },
  added: { word: 'added', sign: '+', like: 'none', before: 'none' },
  retired: { word: 'retired', sign: '−', like: 'none', before: 'none' },
} as const;

type EventName = keyof typeof events;

const eventNames = Object.keys(events) as EventName[];

type Mark = Readonly<Record<'word' | 'sign' | 'like' | 'before', string>>;

const answerColours = { forbidden: 'fail', risky: 'inconclusive', allowed: 'none' } as const;

function linesOf(runs: readonly HistoricRun[]): ReadonlyMap<string, ReadonlyMap<number, Mark>> {
  const all = runs.flatMap(({ changes }, run) => [
    ...eventNames.flatMap((event) => (changes?.[event] ?? []).map((id) => ({ line: id, run, mark: events[event] }))),
    ...(changes?.answers ?? []).map(({ name = '', class: level }) => {
      const mark = { word: 'other answer', sign: '≠', like: answerColours[level], before: 'none' };
      return { line: `Open point ${withQuestion(name)}`, run, mark };
    }),
  ]);
  const lines = [...groupBy(all, ({ line }) => line)];
  return new Map(lines.map(([line, some]) => [line, new Map(some.map(({ run, mark }) => [run, mark]))]));
}

function grid(runs: readonly HistoricRun[], subject: string): Markup {
  const lines = linesOf(runs);
  if (lines.size === 0) {
    return runs.length < 2 ? null : html`<p>No requirement and no answer to an open point changed.</p>`;
  }
  const changesOfLine = ([, marks]: readonly [string, ReadonlyMap<number, Mark>]) =>
    JSON.stringify([...marks].map(([run, { word, like }]) => [run, word, like]));
  return table(
    `Changes of ${visible(shortened(subject, 60))}`,
    ['What changed', ...runs.map((run) => visible(nameOf(run)))],
    [...groupBy([...lines], changesOfLine).values()].map(([[name, marks], ...others]) => {
      const names = [name, ...others.map(([other]) => other)];
      return html`<tr><th scope="row">${namesOf(names)}</th>${runs.map((_, index) => html`<td>${cell(marks, index)}</td>`)}</tr>`;
    }),
    'strip',
  );
}

function namesOf([first = '', ...others]: readonly string[]): Markup {
  // On a phone an id must break at its slash, or the column becomes too wide.
  const name = (text: string) => {
    const [area, ...rest] = visible(shortened(text, 120)).split('/');
    return html`<span>${area}${rest.map((part) => html`/<wbr/>${part}`)}</span>`;
  };
  if (others.length === 0) return name(first);
  return html`<details><summary>${name(first)} <span class="muted">and ${others.length} more</span></summary><ul>${others.map((one) => html`<li>${name(one)}</li>`)}</ul></details>`;
}

function cell(marks: ReadonlyMap<number, Mark>, index: number): Markup {
  const mark = marks.get(index);
  if (mark !== undefined) {
    return html`<span class=${`badge ${mark.like}`}><span aria-hidden="true">${mark.sign}</span> <span class="word">${mark.word}</span></span>`;
  }
  const earlier = [...marks].filter(([run]) => run < index).at(-1)?.[1];
  const later = [...marks].find(([run]) => run > index)?.[1];
  const state = earlier?.like === 'none' || earlier?.sign === '≠' ? 'none' : (earlier?.like ?? later?.before ?? 'none');
  return html`<span class=${`same ${state}`}>${state === 'fail' || state === 'inconclusive' ? html`<span class="word">${state}</span>` : null}</span>`;
}

function hasChanges({ changes }: HistoricRun): boolean {
  return changes !== undefined && listsOf(changes).length > 0;
}
