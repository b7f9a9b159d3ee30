/** A comparison of two runs as one page: the verdict, what broke first, then everything side by side, with a filter. */
import { openPoints } from '../../../contracts/open-points.ts';
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Outcome } from '../../record/result/result.ts';
import {
  badge,
  facts,
  html,
  likeOutcome,
  type Markup,
  rowAnchor,
  rowFilter,
  section,
  table,
  value,
} from '../../report/pages/markup.ts';
import { page } from '../../report/pages/page.ts';
import { shortened, visible } from '../../report/visible.ts';
import { follows, remarksOf, sectionsOfNames, shareInWords, timesInWords, whoBreaks } from './diff-report.ts';
import type {
  BehaviourChange,
  ChangedOutcome,
  Difference,
  DiffVerdict,
  Impact,
  RunFacts,
  SharedCause,
} from './difference.ts';
import { worstFirst } from './policy.ts';
import { changeInWords, comparedInWords, isCause, isFailure, verdictInWords } from './verdict.ts';

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
  const { causes } = difference;
  const renames = causes.filter(({ renamedTo }) => renamedTo !== undefined);
  const rows = outcomeRows(difference);
  // What a new name alone broke or left open is folded under it.
  const isFolded = (row: OutcomeRow, rename: SharedCause) => isWorse(row) && follows(row, rename);
  const outcomes = rows.filter((row) => !renames.some((rename) => isFolded(row, rename)));
  const followers = renames.map((rename) => {
    const lines = rows
      .filter((row) => isFolded(row, rename))
      .map(({ id, change }) => ({ name: id, text: change, anchor: rowAnchor(id) }));
    const title = `Only because ${changeInWords({ ...rename, change: rename.change ?? 'member-went' })}`;
    return { title, count: lines.length, lines };
  });
  const unexplained = difference.behaviour.filter((change) => !isCause(change, causes));
  const behaviour = [...difference.answers, ...unexplained].sort((a, b) => worstFirst(a.class, b.class));
  const also: readonly Fold[] = [...followers.filter(({ count }) => count > 0), ...sectionsOfNames(difference)];
  const others = also.map(
    ({
      title,
      count,
      lines,
    }) => html`<details class="card fold"><summary>${visible(shortened(title, 200))} <span class="count">${count}</span></summary>
      <ul>${lines.map(({ name, text, anchor }) => html`<li id=${anchor}>${visible(shortened(name, 200))} <span class="muted">${visible(shortened(text, 300))}</span></li>`)}</ul></details>`,
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
      others.length === 0 ? null : section('others', 'Also', undefined, ...others),
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
    ${remarks.length === 0 ? null : html`<details class="fold"><summary>${remarks.length === 1 ? 'In one thing the runs are not alike' : `In ${remarks.length} things the runs are not alike`}</summary>${listOf(remarks)}</details>`}
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
function brokeFirst({ verdict, causes, gaps, answers, behaviour, ...changed }: Difference): Markup {
  const broken =
    changed.newlyBroken[0] ??
    changed.newlyDetermined.find(isFailure) ??
    changed.newlyUndetermined.find(({ id }) => gaps.includes(id));
  const card = (like: string, title: string, ...children: Markup[]) =>
    html`<section class=${`card first ${like}`} aria-labelledby="first-title"><h2 id="first-title">${title}</h2>${children}</section>`;
  if (broken !== undefined) {
    const cause = causes.find(({ requirements, interactions }) =>
      [...requirements, ...interactions].includes(broken.id),
    );
    const shared = cause === undefined ? 0 : cause.requirements.length + cause.interactions.length - 1;
    return card(
      'fail',
      isFailure(broken) ? 'What broke first' : 'What is not known any more',
      html`<p class="what-first"><a href=${`#${rowAnchor(broken.id)}`}>${visible(shortened(broken.id, 200))}</a>${shared > 0 ? html` <span class="muted">and ${shared} more, about ${visible(shortened(cause!.about, 120))}</span>` : null}</p>`,
      html`<p>${requirementById(broken.id)?.statement ?? ''}</p>`,
      cause?.change === undefined
        ? null
        : html`<p>${visible(shortened(changeInWords({ ...cause, change: cause.change }), 300))}</p>`,
      facts([
        ['Expected', value(broken.expected ?? 'what OLD showed')],
        ['Received', value(broken.actual ?? String(broken.new))],
      ]),
    );
  }
  const [change] = [...answers, ...behaviour]
    .filter((one) => one.class !== 'allowed')
    .sort((a, b) => worstFirst(a.class, b.class));
  if (change === undefined) {
    const text = 'No requirement that holds in OLD fails in NEW, and no change of behaviour is forbidden or risky.';
    return card(ofVerdict[verdict], 'Nothing broke', html`<p>${text}</p>`);
  }
  return card(
    ofClass[change.class],
    `What changed, ${change.class}`,
    html`<p class="what-first">${visible(shortened(titleOf(change), 300))}</p>`,
    html`<p>${value(change.old.join(' or '))} became ${value(change.new.join(' or '))}</p>`,
  );
}

interface OutcomeRow extends ChangedOutcome {
  readonly change: string;
}

/** Lines that are shown when asked for; the first screen may lead to one. */
interface Fold {
  readonly title: string;
  readonly count: number;
  readonly lines: readonly { readonly name: string; readonly text: string; readonly anchor?: string }[];
}

function isWorse({ change }: OutcomeRow): boolean {
  return change === 'broken' || change === 'undetermined';
}

function outcomeRows({ newlyDetermined, ...difference }: Difference): OutcomeRow[] {
  const rows: Readonly<Record<string, readonly ChangedOutcome[]>> = {
    broken: difference.newlyBroken,
    'found broken': newlyDetermined.filter(isFailure),
    undetermined: difference.newlyUndetermined,
    fixed: difference.fixed,
    determined: newlyDetermined.filter((one) => !isFailure(one)),
    added: difference.added,
    retired: difference.retired,
  };
  return Object.entries(rows).flatMap(([change, all]) => all.map((one) => ({ ...one, change })));
}

function outcomeTable(rows: readonly OutcomeRow[]): Markup {
  if (rows.length === 0) return null;
  const cell = (of: string, outcome: Outcome | undefined) =>
    html`<td data-of=${of}>${outcome === undefined ? html`<span class="muted">absent</span>` : badge(outcome)}</td>`;
  return section(
    'requirements',
    'Requirements and contracts, side by side',
    rows.length,
    rowFilter('requirements', 'Change', [...new Set(rows.map(({ change }) => change))], rows.length),
    table(
      'Changed outcomes',
      ['Requirement', 'Old', 'New', 'What was seen'],
      rows.map(
        (row) =>
          html`<tr data-row=${row.change} id=${rowAnchor(row.id)}><th scope="row">${visible(shortened(row.id, 200))} <span class="muted">${row.change}, ${row.kind}</span></th>${cell('Old', row.old)}${cell('New', row.new)}
          <td>${row.expected === undefined ? null : html`<span class="muted">expected</span> ${value(row.expected)}<br/>`}${row.actual === undefined ? null : html`${row.new === 'inconclusive' ? null : html`<span class="muted">received</span> `}${value(row.actual)}`}</td></tr>`,
      ),
      'changes',
    ),
  );
}

function behaviourTable(changes: readonly BehaviourChange[]): Markup {
  if (changes.length === 0) return null;
  const texts = (of: string, all: readonly string[]) =>
    html`<td data-of=${of}>${
      all.length === 0
        ? html`<span class="muted">nothing</span>`
        : html`<span>${all.slice(0, 6).map((text) => html`<div>${value(shortened(text, 300))}</div>`)}</span>`
    }</td>`;
  const row = (one: BehaviourChange) => {
    const { name, renamedTo, old, new: now, also = [] } = one;
    const share = shareInWords(one);
    return html`<tr data-row=${one.class}><th scope="row">${visible(shortened(titleOf(one), 300))} <span class=${`badge ${ofClass[one.class]}`}>${one.class}</span> <span class="muted">${one.change}</span></th>
      ${texts('Old', renamedTo === undefined ? old : [name!])}${texts('New', renamedTo === undefined ? (share === undefined ? [...now, ...also] : [share]) : [renamedTo])}<td>${seenInWords(one)}</td></tr>`;
  };
  return section(
    'behaviour',
    'Behaviour, side by side',
    changes.length,
    rowFilter('behaviour', 'Change', [...new Set(changes.map((change) => change.class))], changes.length),
    table('Changed behaviour', ['Change', 'Old', 'New', 'Seen'], changes.map(row), 'changes'),
  );
}

/** An open point is told by its question. */
function titleOf(change: BehaviourChange): string {
  const question = openPoints.find(({ id }) => change.change === 'open-answer' && id === change.name)?.question;
  return question === undefined ? changeInWords(change) : `${change.name}: ${question}`;
}

function seenInWords({ seen }: BehaviourChange): string {
  if (seen === undefined) return '';
  const times = timesInWords(seen);
  return seen.exchanges.length === 0 ? times : `${times}, as in exchange ${seen.exchanges[0]} of NEW`;
}

function impactTable(impact: Impact): Markup {
  const { title, answers, head: columns, rows, reasons } = whoBreaks(impact);
  const reading = (cell: string) =>
    html`<td><span class=${`badge ${cell === 'breaks' ? 'fail' : cell === 'unverified' ? 'inconclusive' : 'pass'}`}>${visible(cell)}</span></td>`;
  const clients = rows.map(
    ([name = '', ...cells]) => html`<tr><th scope="row">${visible(shortened(name, 80))}</th>${cells.map(reading)}</tr>`,
  );
  return section(
    'impact',
    title,
    undefined,
    columns.length === 0
      ? null
      : html`<ol class="answers">${answers.map(({ number, text }) => html`<li value=${number}>${visible(shortened(text, 400))}</li>`)}</ol>`,
    columns.length === 0 ? null : table('Clients and answers', ['Client', ...columns], clients),
    listOf(reasons),
  );
}

function listOf(sentences: readonly string[]): Markup {
  if (sentences.length === 0) return null;
  return html`<ul>${sentences.map((sentence) => html`<li>${visible(shortened(sentence, 600))}</li>`)}</ul>`;
}
