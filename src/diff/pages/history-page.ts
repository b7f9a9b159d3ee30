/** Runs over time as one page: a strip of runs for each subject, in which every change of a requirement or an open point can be seen. */
import { html, type Markup } from '../../pages/markup.ts';
import { page } from '../../pages/page.ts';
import { shortened, visible } from '../../report/visible.ts';
import { columns } from '../../report/words.ts';
import type { HistoricRun, History, RunChanges, SubjectHistory } from '../history.ts';

const conclusions = {
  conformant: 'pass',
  partial: 'inconclusive',
  'non-conformant': 'fail',
  aborted: 'error',
} as const;

/** The text of the page. */
export function historyPage({ subjects, leftOut }: History): string {
  const runs = subjects.flatMap((series) => series.runs).length;
  const broke = subjects.flatMap(({ runs: all }) => all).filter(({ changes }) => changes?.verdict === 'breaks').length;
  return page({
    title: `History of ${subjects.length} subjects`,
    head: html`<header class="head"><p class="product">Countersign history</p>
      <h1>${`${runs} ${runs === 1 ? 'run' : 'runs'} of ${subjects.length} ${subjects.length === 1 ? 'subject' : 'subjects'}: ${broke === 0 ? 'none broke what the one before kept' : `${broke} broke what the one before kept`}`}</h1></header>`,
    parts: subjects.map(
      (series, at) => [`subject-${at}`, visible(shortened(series.subject.name, 40)), series.runs.length] as const,
    ),
    main: [
      ...subjects.map(strip),
      leftOut.length === 0
        ? null
        : html`<section aria-labelledby="left-title"><h2 id="left-title">Left out <span class="count">${leftOut.length}</span></h2><ul>${leftOut.map(({ path, why }) => html`<li>${visible(path)}: ${visible(why)}</li>`)}</ul></section>`,
    ],
    foot: 'The same as data: countersign history DIR --json.',
  });
}

/** What happened to a requirement in a run, and the outcome whose colour it has. */
const marks = {
  newlyBroken: ['broke', 'fail'],
  foundBroken: ['found broken', 'fail'],
  fixed: ['fixed', 'pass'],
  newlyDetermined: ['determined', 'pass'],
  newlyUndetermined: ['undetermined', 'inconclusive'],
  added: ['added', 'none'],
  retired: ['retired', 'none'],
} as const satisfies Partial<Record<keyof RunChanges, readonly [string, string]>>;

interface Event {
  readonly what: string;
  readonly like: string;
  readonly title: string;
}

function strip({ subject, profile, only, runs }: SubjectHistory, at: number): Markup {
  const lines = new Map<string, Map<number, Event>>();
  const put = (name: string, run: number, event: Event) =>
    lines.set(name, (lines.get(name) ?? new Map()).set(run, event));
  for (const [index, { changes }] of runs.entries()) {
    if (changes === undefined) continue;
    for (const [kind, [what, like]] of Object.entries(marks)) {
      for (const id of changes[kind as keyof typeof marks]) put(id, index, { what, like, title: what });
    }
    for (const { name = '', old, new: now, class: said } of changes.answers) {
      const like = { forbidden: 'fail', risky: 'inconclusive', allowed: 'none' }[said];
      put(`open point ${name}`, index, {
        what: 'other answer',
        like,
        title: `${old.join(' or ')} -> ${now.join(' or ')}`,
      });
    }
  }
  const id = `subject-${at}`;
  return html`<section id=${id} aria-labelledby=${`${id}-title`}>
    <h2 id=${`${id}-title`}>${visible(`${subject.kind} ${subject.name}`)} <span class="count">${runs.length}</span></h2>
    <p class="muted">${visible(`${subject.target}, profile ${profile}${only === undefined ? '' : `, narrowed to ${only.join(' ')}`}`)}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${`Runs of ${visible(subject.name)}`}><table class="strip">
      <thead><tr><th scope="col">Oldest first</th>${runs.map((run) => html`<th scope="col">${runHead(run)}</th>`)}</tr></thead>
      <tbody>
        <tr><th scope="row">Conclusion</th>${runs.map(({ conclusion }) => html`<td><span class=${`badge ${conclusions[conclusion]}`}>${conclusion}</span></td>`)}</tr>
        <tr><th scope="row">Outcomes</th>${runs.map(trend)}</tr>
        <tr><th scope="row">Beside the run before</th>${runs.map(({ changes }) => html`<td>${changes === undefined ? html`<span class="muted">–</span>` : html`<span class=${`badge ${{ safe: 'pass', breaks: 'fail', 'not known': 'inconclusive' }[changes.verdict]}`} title=${visible(changes.sentence)}>${changes.verdict}</span>`}</td>`)}</tr>
        ${[...lines].map(
          ([name, events]) =>
            html`<tr><th scope="row">${visible(shortened(name, 90))}</th>${runs.map((_, index) => {
              const event = events.get(index);
              return html`<td>${event === undefined ? html`<span class="same" aria-hidden="true"></span>` : html`<span class=${`badge ${event.like}`} title=${visible(shortened(event.title, 300))}>${event.what}</span>`}</td>`;
            })}</tr>`,
        )}
      </tbody></table></div>
    ${lines.size === 0 && runs.length > 1 ? html`<p>No requirement and no answer to an open point changed.</p>` : null}
  </section>`;
}

function runHead({ startedAt, version, labels = {}, path }: HistoricRun): Markup {
  const called = [version, ...Object.entries(labels).map((pair) => pair.join('='))].filter(Boolean).join(', ');
  return html`<span title=${visible(path)}>${visible(startedAt.slice(0, 10))}<br/><span class="muted">${visible(shortened(called === '' ? startedAt.slice(11, 16) : called, 40))}</span></span>`;
}

/** A column of the trend: what passed at the bottom. */
function trend({ counts }: HistoricRun): Markup {
  const used = columns.filter((outcome) => counts[outcome] > 0);
  return html`<td><div class="trend" aria-hidden="true">${used.map((outcome) => html`<span class=${outcome} style=${`flex-grow:${counts[outcome]}`}></span>`)}</div><span class="parts">${used
    .filter((outcome) => outcome !== 'not-applicable')
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(', ')}</span></td>`;
}
