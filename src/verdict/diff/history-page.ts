/** Runs over time as one page: a strip of runs for each subject, a grid in which every change of a requirement or an open point can be seen, and what each run changed. */
import { openPoints } from '../../../contracts/open-points.ts';
import { countedWord } from '../../record/counted-word.ts';
import { groupBy } from '../../record/group-by.ts';
import { badge, bar, html, type Markup, section, table } from '../../report/pages/markup.ts';
import { page } from '../../report/pages/page.ts';
import { shortened, visible } from '../../report/visible.ts';
import { columns, likeOutcome, narrowedTo } from '../../report/words.ts';
import { answerLines, ofVerdict } from './diff-document.ts';
import type { HistoricRun, History, RunChanges, SubjectHistory } from './history.ts';

/** The text of the page. */
export function historyPage({ subjects, leftOut }: History): string {
  const all = subjects.flatMap(({ runs }) => runs);
  const broke = all.filter(({ changes }) => changes?.verdict === 'breaks').length;
  return page({
    title: `History of ${countedWord(subjects.length, 'subject')}`,
    head: html`<header class="head"><p class="product">Countersign history</p>
      <h1>${`${countedWord(all.length, 'run')} of ${countedWord(subjects.length, 'subject')}: ${broke === 0 ? 'none' : broke} broke what the one before kept`}</h1></header>`,
    parts: subjects.map(
      (series, at) => [`subject-${at}`, visible(shortened(series.subject.name, 40)), series.runs.length] as const,
    ),
    main: [
      ...subjects.map(subjectSection),
      leftOut.length === 0
        ? null
        : html`<section aria-labelledby="left-title"><h2 id="left-title">Left out <span class="count">${leftOut.length}</span></h2><ul>${leftOut.map(({ path, why }) => html`<li>${visible(shortened(path, 400))}: ${visible(shortened(why, 400))}</li>`)}</ul></section>`,
    ],
    foot: 'The same as data: countersign history DIR --json.',
  });
}

function subjectSection({ subject, profile, only, runs }: SubjectHistory, at: number): Markup {
  const id = `subject-${at}`;
  const where = [
    subject.target,
    `profile ${profile}`,
    ...(only === undefined ? [] : [`narrowed to ${narrowedTo(only)}`]),
  ];
  return section(
    id,
    visible(shortened(`${subject.kind} ${subject.name}`, 200)),
    runs.length,
    html`<p class="muted who">${visible(shortened(where.join(', '), 400))}, oldest run first; the second verdict of each compares it with the run before</p>`,
    html`<ol class="runs-strip">${runs.map((run, index) => tile(run, `${id}-run-${index}`))}</ol>`,
    grid(runs, subject.name),
    runs.map((run, index) => changesOf(run, `${id}-run-${index}`)),
  );
}

/** A run in the strip: how it ended, what its requirements came to, and what became of what the one before kept. */
function tile(run: HistoricRun, anchor: string): Markup {
  const { conclusion, concluded, counts, changes, startedAt } = run;
  const used = columns.filter((outcome) => counts[outcome] > 0);
  const told = used.filter((outcome) => outcome !== 'not-applicable');
  const name = visible(nameOf(run));
  return html`<li class=${`card ${likeOutcome[conclusion]}`}>
    <p><strong>${hasChanges(run) ? html`<a href=${`#${anchor}`}>${name}</a>` : name}</strong> <span class="muted">${visible(startedAt.slice(0, 10))}</span></p>
    ${bar(used.map((outcome) => [outcome, counts[outcome]]))}
    <p class="parts">${told.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ')}</p>
    ${concluded === undefined ? null : html`<p class="parts">${visible(concluded)}</p>`}
    <p>${badge(likeOutcome[conclusion], conclusion)} ${changes === undefined ? null : badge(ofVerdict[changes.verdict], changes.verdict)}</p></li>`;
}

/** What the run was called by: its version, else the values of its labels, else its time. */
function nameOf({ version, labels = {}, startedAt }: HistoricRun): string {
  const called = version === undefined ? Object.values(labels) : [version];
  return shortened(called.length === 0 ? startedAt.slice(11, 16) : called.join(', '), 40);
}

/** What happened to a requirement in a run, its sign, the outcome whose colour it has, and what the requirement was before and is from then on. */
const events = {
  newlyBroken: ['broke', '✗', 'fail', 'pass'],
  foundBroken: ['found broken', '✗', 'fail', 'inconclusive'],
  fixed: ['fixed', '✓', 'pass', 'fail'],
  newlyDetermined: ['determined', '✓', 'pass', 'inconclusive'],
  newlyUndetermined: ['not determined', '?', 'inconclusive', 'pass'],
  added: ['added', '+', 'none', 'none'],
  retired: ['retired', '−', 'none', 'none'],
} as const satisfies Partial<Record<keyof RunChanges, readonly [string, string, string, string]>>;

interface Seen {
  readonly word: string;
  readonly sign: string;
  readonly like: string;
  readonly before: string;
}

const otherAnswer = { forbidden: 'fail', risky: 'inconclusive', allowed: 'none' } as const;

/** Lines by the name of a requirement or an open point: what happened to it, by the index of the run. */
function linesOf(runs: readonly HistoricRun[]): ReadonlyMap<string, ReadonlyMap<number, Seen>> {
  const lines = new Map<string, Map<number, Seen>>();
  const put = (name: string, run: number, seen: Seen) =>
    lines.set(name, (lines.get(name) ?? new Map<number, Seen>()).set(run, seen));
  for (const [index, { changes }] of runs.entries()) {
    if (changes === undefined) continue;
    for (const [kind, [word, sign, like, before]] of Object.entries(events)) {
      for (const id of changes[kind as keyof typeof events]) put(id, index, { word, sign, like, before });
    }
    for (const { name = '', class: said } of changes.answers) {
      const question = openPoints.find(({ id }) => id === name)?.question;
      const asked = question === undefined ? name : `${name}: ${question}`;
      put(`Open point ${asked}`, index, { word: 'other answer', sign: '≠', like: otherAnswer[said], before: 'none' });
    }
  }
  return lines;
}

/** Null where nothing changed. Names with the same fate share a line. */
function grid(runs: readonly HistoricRun[], subject: string): Markup {
  const lines = linesOf(runs);
  if (lines.size === 0) {
    return runs.length < 2 ? null : html`<p>No requirement and no answer to an open point changed.</p>`;
  }
  const fates = groupBy([...lines], ([, seen]) =>
    JSON.stringify([...seen].map(([run, { word, like }]) => [run, word, like])),
  );
  return table(
    `Changes of ${visible(shortened(subject, 60))}`,
    ['What changed', ...runs.map((run) => visible(nameOf(run)))],
    [...fates.values()].map(([[name, seen], ...others]) => {
      const names = [name, ...others.map(([other]) => other)];
      return html`<tr><th scope="row">${namesOf(names)}</th>${runs.map((_, index) => html`<td>${cell(seen, index)}</td>`)}</tr>`;
    }),
    'strip',
  );
}

function namesOf([first = '', ...others]: readonly string[]): Markup {
  // On a phone an area is as wide as its column: a browser breaks a line at the slash only where it is told.
  const name = (text: string) => {
    const [area, ...rest] = visible(shortened(text, 120)).split('/');
    return html`<span>${area}${rest.map((part) => html`/<wbr/>${part}`)}</span>`;
  };
  if (others.length === 0) return name(first);
  return html`<details><summary>${name(first)} <span class="muted">and ${others.length} more</span></summary><ul>${others.map((one) => html`<li>${name(one)}</li>`)}</ul></details>`;
}

/** What happened in the run, or how it stands since the one before. */
function cell(seen: ReadonlyMap<number, Seen>, index: number): Markup {
  const here = seen.get(index);
  if (here !== undefined) {
    return html`<span class=${`badge ${here.like}`}><span aria-hidden="true">${here.sign}</span> <span class="word">${here.word}</span></span>`;
  }
  const earlier = [...seen].filter(([run]) => run < index).at(-1)?.[1];
  const later = [...seen].find(([run]) => run > index)?.[1];
  const state = earlier?.like === 'none' || earlier?.sign === '≠' ? 'none' : (earlier?.like ?? later?.before ?? 'none');
  return html`<span class=${`same ${state}`}>${state === 'fail' || state === 'inconclusive' ? html`<span class="word">${state}</span>` : null}</span>`;
}

function hasChanges({ changes }: HistoricRun): boolean {
  return changes !== undefined && (listsOf(changes).length > 0 || changes.answers.length > 0);
}

function listsOf(changes: RunChanges): readonly (readonly [word: string, ids: readonly string[]])[] {
  return Object.entries(events)
    .map(([kind, [word]]) => [word, changes[kind as keyof typeof events]] as const)
    .filter(([, ids]) => ids.length > 0);
}

/** What changed beside the run before, folded; null where nothing did. */
function changesOf(run: HistoricRun, anchor: string): Markup {
  const { changes } = run;
  if (changes === undefined || !hasChanges(run)) return null;
  const lists = listsOf(changes);
  const answers = answerLines(changes.answers);
  const told = [
    ...lists.map(([word, ids]) => `${ids.length} ${word}`),
    ...(answers.length === 0 ? [] : [countedWord(answers.length, 'other answer')]),
  ];
  return html`<details class="card fold" id=${anchor}><summary><strong>${visible(nameOf(run))}</strong> ${badge(ofVerdict[changes.verdict], changes.verdict)} <span class="muted">${told.join(', ')}</span></summary>
    <p>${visible(shortened(changes.sentence, 600))}</p>
    <dl class="facts">${lists.map(([word, ids]) => html`<div><dt>${word}</dt><dd>${ids.map((id) => html`<div>${visible(shortened(id, 200))}</div>`)}</dd></div>`)}
    ${answers.map(({ name, text }) => html`<div><dt>other answer</dt><dd>${visible(name)}<br/><span class="muted">${visible(shortened(text, 400))}</span></dd></div>`)}</dl>
    <p class="muted">${visible(shortened(run.path, 300))}</p></details>`;
}
