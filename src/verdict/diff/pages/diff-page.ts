/** A comparison of two runs as one page: the verdict, what broke first, then everything side by side, with a filter. */
import { openPoints } from '../../../../contracts/open-points.ts';
import { requirementById } from '../../../../contracts/requirements/index.ts';
import type { Outcome } from '../../../record/result/result.ts';
import { badge, html, likeOutcome, type Markup, rowAnchor, rowFilter, value } from '../../../report/pages/markup.ts';
import { page } from '../../../report/pages/page.ts';
import { shortened, visible } from '../../../report/visible.ts';
import { comparedInWords } from '../compared.ts';
import type { BehaviourChange, ChangedOutcome, Difference, DiffVerdict, Impact, RunFacts } from '../difference.ts';
import { worstFirst } from '../policy.ts';
import { remarksOf, sectionsOf } from '../sections.ts';
import { changeInWords, isCause, verdictInWords } from '../verdict.ts';
import { whoBreaks } from '../who-breaks.ts';

/** The outcome whose sign and colour a verdict has. */
export const ofVerdict: Readonly<Record<DiffVerdict, Outcome>> = {
  safe: 'pass',
  thin: 'inconclusive',
  breaks: 'fail',
  'not known': 'inconclusive',
};

const titles: Readonly<Record<DiffVerdict, string>> = {
  safe: 'Safe: NEW may take the place of OLD',
  thin: 'Nothing broke, but not all was compared',
  breaks: 'NEW breaks what OLD kept',
  'not known': 'It is not known whether NEW may take the place of OLD',
};

const ofClass = { forbidden: 'fail', risky: 'inconclusive', allowed: 'not-applicable' } as const;

/** The text of the page. */
export function diffPage(difference: Difference): string {
  const outcomes = outcomeRows(difference);
  const unexplained = difference.behaviour.filter((change) => !isCause(change, difference.causes));
  const behaviour = [...difference.answers, ...unexplained].sort((a, b) => worstFirst(a.class, b.class));
  const others = sectionsOf(difference).filter(({ title }) =>
    ['Renamed', 'Kind changed', 'Fail in both'].includes(title),
  );
  return page({
    title: `${verdictInWords(difference)}: ${shortened(difference.new.subject.name, 100)}`,
    head: head(difference),
    parts: [
      ['impact', 'Who breaks', difference.impact?.clients.length ?? 0],
      ['requirements', 'Requirements', outcomes.length],
      ['behaviour', 'Behaviour', behaviour.length],
      ['others', 'Also', others.length],
    ],
    main: [
      difference.impact === undefined ? null : impactTable(difference.impact),
      outcomeTable(outcomes),
      behaviourTable(behaviour),
      others.length === 0
        ? null
        : html`<section id="others" aria-labelledby="others-title"><h2 id="others-title">Also</h2>${others.map(
            ({
              title,
              count,
              lines,
            }) => html`<details class="card fold"><summary>${title} <span class="count">${count}</span></summary>
              <ul>${lines.map(({ name, text }) => html`<li>${visible(shortened(name, 200))} <span class="muted">${visible(shortened(text, 300))}</span></li>`)}</ul></details>`,
          )}</section>`,
    ],
    foot: 'The same as data: countersign diff OLD NEW --json. The reports of both runs have the evidence.',
  });
}

function head(difference: Difference): Markup {
  const { verdict, sentence, old, new: fresh } = difference;
  const remarks = remarksOf(difference);
  return html`<header class="head">
    <p class="product">Countersign comparison ${badge(ofVerdict[verdict], verdictInWords(difference))}</p>
    <h1 class=${ofVerdict[verdict]}>${titles[verdict]}</h1>
    <p class="lead">${visible(comparedInWords(difference.compared).replace(/^c/, 'C'))}. ${visible(shortened(sentence, 600))}</p>
    <div class="pair runs">${run('OLD', old)}${run('NEW', fresh)}</div>
    ${brokeFirst(difference)}
    ${remarks.length === 0 ? null : html`<details class="fold"><summary>${remarks.length === 1 ? 'In one thing the runs are not alike' : `In ${remarks.length} things the runs are not alike`}</summary><ul>${remarks.map((remark) => html`<li>${visible(shortened(remark, 600))}</li>`)}</ul></details>`}
  </header>`;
}

function run(
  title: string,
  { subject, labels = {}, startedAt, runId, conclusion, concluded, suite }: RunFacts,
): Markup {
  const labelled = Object.entries(labels).map((pair) => pair.join('='));
  const called = shortened([...labelled, subject.version].filter(Boolean).join(', '), 200);
  return html`<section class="card" aria-label=${`${title} run`}><p><strong>${title}</strong> ${badge(likeOutcome[conclusion], conclusion)}</p>
    <p>${visible(shortened(`${subject.kind} ${subject.name}`, 200))}${called === '' ? null : html` <strong>${visible(called)}</strong>`}</p>
    ${concluded === undefined ? null : html`<p>${visible(concluded)}</p>`}
    <p class="muted">${visible(shortened(`${subject.target}, ${startedAt.slice(0, 16).replace('T', ' ')}, run ${runId}, suite ${suite.version}`, 400))}</p></section>`;
}

/** The cause of most of what is newly broken; else what is not known any more, or the worst change of behaviour. */
function brokeFirst({
  verdict,
  causes,
  newlyBroken,
  newlyDetermined,
  newlyUndetermined,
  gaps,
  answers,
  behaviour,
}: Difference): Markup {
  const broken =
    newlyBroken[0] ??
    newlyDetermined.find((one) => one.new === 'fail') ??
    newlyUndetermined.find(({ id }) => gaps.includes(id));
  if (broken !== undefined) {
    const cause = causes.find(({ requirements, interactions }) =>
      [...requirements, ...interactions].includes(broken.id),
    );
    const shared = cause === undefined ? 0 : cause.requirements.length + cause.interactions.length - 1;
    return html`<section class="card first fail" aria-labelledby="first-title"><h2 id="first-title">${broken.new === 'fail' ? 'What broke first' : 'What is not known any more'}</h2>
      <p class="what-first"><a href=${`#${rowAnchor(broken.id)}`}>${visible(shortened(broken.id, 200))}</a>${shared > 0 ? html` <span class="muted">and ${shared} more, about ${visible(shortened(cause!.about, 120))}</span>` : null}</p>
      <p>${requirementById(broken.id)?.statement ?? ''}</p>
      ${cause?.change === undefined ? null : html`<p>${visible(shortened(changeInWords({ ...cause, change: cause.change }), 300))}</p>`}
      <dl class="facts"><div><dt>Expected</dt><dd>${value(broken.expected ?? 'what OLD showed')}</dd></div><div><dt>Received</dt><dd>${value(broken.actual ?? String(broken.new))}</dd></div></dl></section>`;
  }
  const [change] = [...answers, ...behaviour]
    .filter((one) => one.class !== 'allowed')
    .sort((a, b) => worstFirst(a.class, b.class));
  if (change === undefined)
    return html`<section class=${`card first ${ofVerdict[verdict]}`} aria-labelledby="first-title"><h2 id="first-title">Nothing broke</h2><p>No requirement that holds in OLD fails in NEW, and no change of behaviour is forbidden or risky.</p></section>`;
  return html`<section class=${`card first ${ofClass[change.class]}`} aria-labelledby="first-title"><h2 id="first-title">What changed, ${change.class}</h2>
    <p class="what-first">${visible(shortened(titleOf(change), 300))}</p><p>${value(change.old.join(' or '))} became ${value(change.new.join(' or '))}</p></section>`;
}

interface OutcomeRow extends ChangedOutcome {
  readonly change: string;
}

function outcomeRows(difference: Difference): OutcomeRow[] {
  const named = (change: string, all: readonly ChangedOutcome[]) => all.map((one): OutcomeRow => ({ ...one, change }));
  const { newlyBroken, newlyDetermined, newlyUndetermined, fixed, added, retired } = difference;
  return [
    ...named('broken', newlyBroken),
    ...named(
      'found broken',
      newlyDetermined.filter((one) => one.new === 'fail'),
    ),
    ...named('undetermined', newlyUndetermined),
    ...named('fixed', fixed),
    ...named(
      'determined',
      newlyDetermined.filter((one) => one.new !== 'fail'),
    ),
    ...named('added', added),
    ...named('retired', retired),
  ];
}

function outcomeTable(rows: readonly OutcomeRow[]): Markup {
  if (rows.length === 0) return null;
  const cell = (outcome: Outcome | undefined) =>
    outcome === undefined ? html`<span class="muted">absent</span>` : badge(outcome);
  return html`<section id="requirements" aria-labelledby="requirements-title"><h2 id="requirements-title">Requirements and contracts, side by side <span class="count">${rows.length}</span></h2>
    ${rowFilter('requirements', 'Change', [...new Set(rows.map(({ change }) => change))], rows.length)}
    <div class="scroll" tabindex="0" role="region" aria-label="Changed outcomes"><table class="changes"><thead><tr><th scope="col">Requirement</th><th scope="col">Old</th><th scope="col">New</th><th scope="col">What was seen</th></tr></thead>
    <tbody>${rows.map(
      (
        row,
      ) => html`<tr data-row=${row.change} id=${rowAnchor(row.id)}><th scope="row">${visible(shortened(row.id, 200))} <span class="muted">${row.change}, ${row.kind}</span></th><td data-of="Old">${cell(row.old)}</td><td data-of="New">${cell(row.new)}</td>
        <td>${row.expected === undefined ? null : html`<span class="muted">expected</span> ${value(row.expected)}<br/>`}${row.actual === undefined ? null : html`${row.new === 'inconclusive' ? null : html`<span class="muted">received</span> `}${value(row.actual)}`}</td></tr>`,
    )}</tbody></table></div></section>`;
}

function behaviourTable(changes: readonly BehaviourChange[]): Markup {
  if (changes.length === 0) return null;
  const texts = (all: readonly string[]) =>
    all.length === 0
      ? html`<span class="muted">nothing</span>`
      : html`<span>${all.slice(0, 6).map((text) => html`<div>${value(shortened(text, 300))}</div>`)}</span>`;
  return html`<section id="behaviour" aria-labelledby="behaviour-title"><h2 id="behaviour-title">Behaviour, side by side <span class="count">${changes.length}</span></h2>
    ${rowFilter('behaviour', 'Change', [...new Set(changes.map((change) => change.class))], changes.length)}
    <div class="scroll" tabindex="0" role="region" aria-label="Changed behaviour"><table class="changes"><thead><tr><th scope="col">Change</th><th scope="col">Old</th><th scope="col">New</th><th scope="col">Seen</th></tr></thead>
    <tbody>${changes.map(
      (
        change,
      ) => html`<tr data-row=${change.class}><th scope="row">${visible(shortened(titleOf(change), 300))} <span class=${`badge ${ofClass[change.class]}`}>${change.class}</span> <span class="muted">${change.change}</span></th>
        <td data-of="Old">${texts(change.renamedTo === undefined ? change.old : [change.name!])}</td><td data-of="New">${texts(change.renamedTo === undefined ? [...change.new, ...(change.also ?? [])] : [change.renamedTo])}</td><td>${seenInWords(change)}</td></tr>`,
    )}</tbody></table></div></section>`;
}

/** An open point is told by its question. */
function titleOf(change: BehaviourChange): string {
  const question = openPoints.find(({ id }) => change.change === 'open-answer' && id === change.name)?.question;
  return question === undefined ? changeInWords(change) : `${change.name}: ${question}`;
}

function seenInWords({ seen }: BehaviourChange): string {
  if (seen === undefined) return '';
  const times = seen.times === 1 ? 'once' : `${seen.times} times`;
  return seen.exchanges.length === 0 ? times : `${times}, as in exchange ${seen.exchanges[0]} of NEW`;
}

function impactTable(impact: Impact): Markup {
  const { title, answers, head: columns, rows, reasons } = whoBreaks(impact);
  const reading = (cell: string) =>
    html`<span class=${`badge ${cell === 'breaks' ? 'fail' : cell === 'unverified' ? 'inconclusive' : 'pass'}`}>${visible(cell)}</span>`;
  return html`<section id="impact" aria-labelledby="impact-title"><h2 id="impact-title">${title}</h2>
    ${
      columns.length === 0
        ? null
        : html`<ol class="answers">${answers.map(({ number, text }) => html`<li value=${number}>${visible(shortened(text, 400))}</li>`)}</ol>
    <div class="scroll" tabindex="0" role="region" aria-label="Clients and answers"><table><thead><tr><th scope="col">Client</th>${columns.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
      <tbody>${rows.map(([name = '', ...cells]) => html`<tr><th scope="row">${visible(shortened(name, 80))}</th>${cells.map((cell) => html`<td>${reading(cell)}</td>`)}</tr>`)}</tbody></table></div>`
    }
    ${reasons.length === 0 ? null : html`<ul>${reasons.map((reason) => html`<li>${visible(shortened(reason, 600))}</li>`)}</ul>`}</section>`;
}
