/** A matrix for people: a page for a browser, and lines for a terminal. What changed, then a row for each implementation with a cell for each profile. Pure. */

import { countedWord } from '../../record/counted-word.ts';
import type { Outcome } from '../../record/result/result.ts';
import { badge, html, type Markup, rowFilter } from '../../report/pages/markup.ts';
import { page } from '../../report/pages/page.ts';
import { painter } from '../../report/terminal.ts';
import { shortened, visible } from '../../report/visible.ts';
import { columns, likeOutcome } from '../../report/words.ts';
import type { Cell, CellChange, CellRun, CellState, Implementation, ImplementationMatrix, PairCell } from './matrix.ts';
import type { SubjectKind } from './matrix-plan.ts';

/** The outcome whose colour and sign a state has. */
const looks: Readonly<Record<CellState, Outcome>> = { ...likeOutcome, unsupported: 'not-applicable' };

const meanings: Readonly<Record<CellState, string>> = {
  conformant: 'every requirement that binds was determined and holds',
  partial: 'no requirement failed, and something that binds could not be determined',
  'non-conformant': 'at least one requirement is broken',
  aborted: 'the run could not be done, which says nothing of the implementation',
  unsupported: 'it cannot be had on the machine of the matrix: no such program, or exit code 127',
};

/** Runs of a cell that its trend shows. */
const shownRuns = 24;
const shownChanges = 50;

/** The text of the page. */
export function implementationsPage(matrix: ImplementationMatrix): string {
  const { title, implementations, changes, news } = matrix;
  const listed = implementations.filter(({ unlisted }) => unlisted !== true);
  const unlisted = implementations.filter((one) => one.unlisted === true);
  const [clients, gateways] = (['client', 'gateway'] as const).map((kind) => listed.filter((one) => one.kind === kind));
  return page({
    title,
    style,
    head: head(matrix, listed),
    parts: [
      ['clients', 'Clients', clients!.length],
      ['gateways', 'Gateways', gateways!.length],
      ['pairs', 'Clients beside gateways', matrix.pairs?.length ?? 0],
      ['changes', 'Changes', changes.length],
      ['unlisted', 'No longer in the file', unlisted.length],
    ],
    main: [
      table('client', clients!, matrix),
      table('gateway', gateways!, matrix),
      pairTable(matrix.pairs ?? []),
      changes.length === 0
        ? null
        : html`<section id="changes" aria-labelledby="changes-title"><h2 id="changes-title">Changes <span class="count">${changes.length}</span></h2>
          <ul class="card changed">${changes.slice(0, shownChanges).map((change, at) => changeLine(change, at < news))}</ul>
          ${changes.length > shownChanges ? html`<p class="muted">${`matrix.json has ${changes.length - shownChanges} more.`}</p>` : null}</section>`,
      unlisted.length === 0
        ? null
        : html`<details class="card fold" id="unlisted"><summary>No longer in the file <span class="count">${unlisted.length}</span></summary>
          <ul>${unlisted.map(({ kind, name, cells }) => html`<li>${visible(`${kind} ${name}`)} <span class="muted">${lastSeen(cells)}</span></li>`)}</ul></details>`,
      legend(matrix.pairs !== undefined),
    ],
    foot: html`The same as data: <a href="matrix.json">matrix.json</a>. Times are UTC; ages are those of ${timeOf(matrix.updatedAt)}.`,
  });
}

function head(
  { title, updatedAt, suite, news, changes, pairs = [] }: ImplementationMatrix,
  listed: readonly Implementation[],
): Markup {
  const broken = pairs.filter(({ is }) => is === 'breaks').length;
  const runs = listed.flatMap(({ cells }) => cells.map((cell) => cell.runs.at(-1)));
  const last = runs.map((run) => run?.state);
  const partly = runs.filter((run) => run?.state === 'conformant' && run.concluded?.includes('exercised')).length;
  const states = (Object.keys(looks) as CellState[]).map(
    (state) => [state, last.filter((one) => one === state).length] as const,
  );
  const waiting = last.filter((state) => state === undefined).length;
  const conformant = states[0]![1];
  // Red where the command ends with 1 for it: what breaks beside a gateway may be conformant by itself.
  const isRed = broken > 0 || last.includes('non-conformant');
  const like = isRed ? 'fail' : last.length > 0 && conformant === last.length ? 'pass' : 'inconclusive';
  return html`<header class="head">
    <p class="product">Countersign matrix</p>
    <h1 class=${like}>${visible(title)}: ${conformant} of ${last.length} ${last.length === 1 ? 'cell is' : 'cells are'} conformant${partly === 0 ? '' : `, ${partly} of them as far as exercised`}${broken === 0 ? '' : `, ${broken} of ${countedWord(pairs.length, 'pair')} ${broken === 1 ? 'breaks' : 'break'}`}</h1>
    <p class="who">As of ${timeOf(updatedAt)} UTC, suite ${visible(suite.version)}</p>
    <p class="states">${states.filter(([, count]) => count > 0).map(([state, count]) => html`<span>${badge(looks[state], state)} ${count}</span>`)}${waiting === 0 ? null : html`<span><span class="badge none">not run yet</span> ${waiting}</span>`}</p>
    <section class=${`card first ${changes.slice(0, news).some(({ is }) => is === 'worse') ? 'fail' : news > 0 ? 'inconclusive' : 'pass'}`} aria-labelledby="news-title"><h2 id="news-title">${news === 0 ? 'Nothing changed in the last run' : `${countedWord(news, 'cell')} changed in the last run`}</h2>
      ${news === 0 ? html`<p class="muted">No cell found anything else than in the run before it, where there was one.</p>` : html`<ul class="changed">${changes.slice(0, Math.min(news, 5)).map((change) => changeLine(change, false))}</ul>${news > 5 ? html`<p><a href="#changes">All ${news} changes</a></p>` : null}`}</section>
  </header>`;
}

function table(kind: SubjectKind, implementations: readonly Implementation[], matrix: ImplementationMatrix): Markup {
  if (implementations.length === 0) return null;
  const part = `${kind}s`;
  const { profiles } = matrix;
  const title = kind === 'client' ? 'Clients' : 'Gateways';
  const kinds = [...new Set(implementations.map(worstOf))];
  const news = new Set(
    matrix.changes
      .slice(0, matrix.news)
      .flatMap((change) => (change.kind === kind ? [keyOf(change.name, change.profile)] : [])),
  );
  return html`<section id=${part} aria-labelledby=${`${part}-title`}><h2 id=${`${part}-title`}>${title} <span class="count">${implementations.length}</span></h2>
    ${rowFilter(part, 'State', kinds, implementations.length)}
    <div class="scroll" tabindex="0" role="region" aria-label=${title}><table class="cells"><thead><tr><th scope="col">Implementation</th>${profiles.map((profile) => html`<th scope="col">Profile ${visible(profile)}</th>`)}</tr></thead>
    <tbody>${implementations.map(
      (one) =>
        html`<tr data-row=${worstOf(one)}><th scope="row">${visible(one.name)}${versionOf(one)}${one.waits === undefined ? null : html`<span class="aside">${visible(one.waits)}</span>`}</th>
          ${profiles.map((profile) =>
            cellOf(
              one.cells.find((cell) => cell.profile === profile),
              matrix.updatedAt,
              news.has(keyOf(one.name, profile)),
            ),
          )}</tr>`,
    )}</tbody></table></div></section>`;
}

const pairMeanings = {
  works: 'the client reads what the gateway answers, and a mock like the gateway takes what the client sends',
  breaks: 'it misreads an answer of that gateway alone, or its request is refused',
  unverified: 'not known, for the reason beside it',
} as const;

const pairLooks = { works: 'pass', breaks: 'fail', unverified: 'inconclusive' } as const;

function pairTable(pairs: readonly PairCell[]): Markup {
  if (pairs.length === 0) return null;
  const [clients, gateways] = [unique(pairs.map(({ client }) => client)), unique(pairs.map(({ gateway }) => gateway))];
  const cell = (client: string, gateway: string) => {
    const pair = pairs.find((one) => one.client === client && one.gateway === gateway);
    if (pair === undefined) return html`<td></td>`;
    const { is, reason, mock, at } = pair;
    return html`<td data-profile=${visible(gateway)}><div class="state">${badge(pairLooks[is], is)}</div>
      ${reason === undefined ? null : html`<span class="figures">${visible(shortened(reason, 300))}</span>`}
      <span class="figures">${mock === undefined ? null : `mock alike in ${mock.alike} of ${mock.compared} answers, `}${timeOf(at)}</span></td>`;
  };
  return html`<section id="pairs" aria-labelledby="pairs-title"><h2 id="pairs-title">Clients beside gateways <span class="count">${pairs.length}</span></h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Clients beside gateways"><table class="cells"><thead><tr><th scope="col">Client</th>${gateways.map((name) => html`<th scope="col">${visible(name)}</th>`)}</tr></thead>
    <tbody>${clients.map((client) => html`<tr><th scope="row">${visible(client)}</th>${gateways.map((gateway) => cell(client, gateway))}</tr>`)}</tbody></table></div></section>`;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

const keyOf = (name: string, profile: string) => JSON.stringify([name, profile]);

/** The state that a row is found by. */
function worstOf({ cells }: Implementation): string {
  const order: readonly (CellState | undefined)[] = [
    'non-conformant',
    'aborted',
    'partial',
    'unsupported',
    'conformant',
  ];
  const states = cells.map(({ runs }) => runs.at(-1)?.state);
  return order.find((state) => states.includes(state)) ?? 'not run yet';
}

function versionOf({ cells }: Implementation): Markup {
  const version = cells.map(({ runs }) => runs.at(-1)?.version).find((one) => one !== undefined);
  return version === undefined ? null : html`<span class="aside">${visible(shortened(version, 60))}</span>`;
}

function cellOf(cell: Cell | undefined, updatedAt: string, isNew: boolean): Markup {
  const profile = `profile ${visible(cell?.profile ?? '')}`;
  const last = cell?.runs.at(-1);
  if (cell === undefined || last === undefined)
    return html`<td data-profile=${profile}><span class="badge none">not run yet</span></td>`;
  const { state, concluded, run, reason, counts, hazards, only } = last;
  return html`<td data-profile=${profile}><div class="state">${badge(hazards !== undefined && state === 'conformant' ? 'inconclusive' : looks[state], state)}${isNew ? html`<span class="badge inconclusive">changed</span>` : null}${trend(cell.runs)}</div>
    ${concluded === undefined ? null : html`<span class="figures">${visible(concluded)}</span>`}
    ${counts === undefined ? null : html`<span class="figures">${countsOf(counts)}</span>`}
    ${reason === undefined ? null : html`<span class="figures">${visible(shortened(reason, 300))}</span>`}
    ${only === undefined ? null : html`<span class="figures">${`only ${visible(shortened(only.join(' '), 120))}`}</span>`}
    <span class="figures">${timeOf(last.at)}${ageOf(last.at, updatedAt)}${run === undefined ? null : html` · <a href=${`${run}/report.html`}>report</a>`}</span></td>`;
}

/** Oldest first, one mark for each run; the marks differ in height too, so that nothing is said by colour alone. */
function trend(runs: readonly CellRun[]): Markup {
  if (runs.length < 2) return null;
  const shown = runs.slice(-shownRuns);
  const said = shown.map(({ at, state }) => `${at.slice(0, 10)} ${state}`).join(', ');
  return html`<span class="runs-so-far" role="img" aria-label=${`Last ${countedWord(shown.length, 'run')}: ${said}`} title=${said}>${shown.map(({ state }) => html`<i class=${looks[state]}></i>`)}</span>`;
}

function countsOf(counts: NonNullable<CellRun['counts']>): string {
  return columns
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(', ');
}

function changeLine({ at, kind, is, sentence, run, to }: CellChange, isNew: boolean): Markup {
  const like = { better: 'pass', worse: 'fail', other: looks[to] }[is];
  return html`<li><span class=${`badge ${like}`}>${is === 'other' ? 'changed' : is}</span>${isNew ? html` <span class="badge inconclusive">last run</span>` : null} ${visible(`${kind} ${shortened(sentence, 600)}`)} <span class="muted">${timeOf(at)}</span>${run === undefined ? null : html` · <a href=${`${run}/report.html`}>report</a>`}</li>`;
}

function timeOf(at: string): Markup {
  return html`<time datetime=${at}>${at.slice(0, 16).replace('T', ' ')}</time>`;
}

/** What is older than a day says so; a clock that was put back makes nothing younger. */
function ageOf(at: string, updatedAt: string): Markup {
  const days = Math.floor((Date.parse(updatedAt) - Date.parse(at)) / 86_400_000);
  if (days < 1) return null;
  const age = days === 1 ? '1 day old' : `${days} days old`;
  return days < 7 ? `, ${age}` : html`, <span class="badge inconclusive">${age}</span>`;
}

function lastSeen(cells: readonly Cell[]): string {
  const seen = cells.flatMap(({ profile, runs }) => {
    const last = runs.at(-1);
    return last === undefined ? [] : [`${profile} ${last.state}, ${last.at.slice(0, 10)}`];
  });
  return visible(seen.join('; '));
}

function legend(hasPairs: boolean): Markup {
  const words = [
    ...(Object.keys(meanings) as CellState[]).map((state) => [looks[state], state, meanings[state]] as const),
    ...(['works', 'breaks', 'unverified'] as const)
      .filter(() => hasPairs)
      .map((is) => [pairLooks[is], is, pairMeanings[is]] as const),
  ];
  return html`<details class="card fold"><summary>What the words mean</summary><dl class="facts">${words.map(([look, word, meaning]) => html`<div><dt>${badge(look, word)}</dt><dd>${meaning}</dd></div>`)}</dl>
    <p>Each mark beside a state is an earlier run, the newest on the right. A report has the evidence: what was sent, what came back, and what to mend.</p></details>`;
}

const style = `
.states { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; margin: .5rem 0 .9rem; font-variant-numeric: tabular-nums; }
.head .card.first h2 { margin: 0; font-size: var(--type-4); }
.changed { padding-left: 0; list-style: none; margin: .4rem 0 0; } .changed li { overflow-wrap: anywhere; } .changed li + li { margin-top: .45rem; }
section + details.card.fold { margin-top: var(--space-5); }
ul.card.changed { padding: var(--space-3) 1.25rem; margin-bottom: var(--space-5); }
.cells th[scope='row'] { width: 16rem; overflow-wrap: anywhere; } .cells .aside, .figures { display: block; font-weight: 400; font-size: .82rem; color: var(--muted); overflow-wrap: anywhere; }
.state { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; }
.runs-so-far { display: inline-flex; align-items: flex-end; gap: 2px; height: 1.1rem; }
.runs-so-far i { width: 5px; height: 35%; border-radius: 1px; background: var(--none); } .runs-so-far .pass { height: 100%; background: var(--pass); }
.runs-so-far .inconclusive { height: 70%; background: var(--inconclusive); } .runs-so-far .fail { height: 45%; background: var(--fail); } .runs-so-far .error { height: 20%; background: var(--error); }
@media (max-width: 46rem) {
  .cells thead { display: none; } .cells, .cells tbody, .cells tr, .cells th, .cells td { display: block; width: auto !important; }
  .cells tr + tr { border-top: 1px solid var(--line); } .cells th, .cells td { border: 0; padding: .3rem .75rem; } .cells tr { padding: .4rem 0; }
  .cells td::before { content: attr(data-profile); display: block; font-size: .75rem; color: var(--muted); }
}
`;

const inks = {
  conformant: 'green',
  partial: 'yellow',
  'non-conformant': 'red',
  aborted: 'magenta',
  unsupported: 'dim',
} as const satisfies Record<CellState, string>;

const longestState = 'non-conformant'.length;

/** With a line end at the end. */
export function implementationsText(
  { implementations, profiles, changes, news, pairs = [] }: ImplementationMatrix,
  colour: boolean,
): string {
  const paint = painter(colour);
  const shown = implementations.filter(({ unlisted }) => unlisted !== true);
  const nameOf = ({ kind, name }: Implementation) => `${kind} ${visible(name)}`;
  const width = Math.max('implementation'.length, ...shown.map((one) => nameOf(one).length)) + 2;
  const line = (one: Implementation) =>
    [
      nameOf(one).padEnd(width),
      ...profiles.map((profile) => {
        const state = one.cells.find((cell) => cell.profile === profile)?.runs.at(-1)?.state;
        return state === undefined
          ? 'not run yet'.padEnd(longestState + 2)
          : paint(inks[state], state.padEnd(longestState + 2));
      }),
      one.waits === undefined ? '' : `(${visible(one.waits)})`,
    ]
      .join('')
      .trimEnd();
  return [
    paint(
      'bold',
      `${'implementation'.padEnd(width)}${profiles.map((name) => name.padEnd(longestState + 2)).join('')}`.trimEnd(),
    ),
    ...shown.map(line),
    ...shown.flatMap((one) =>
      one.cells.flatMap(({ profile, runs }) => {
        const words = runs.at(-1)?.concluded;
        return words === undefined ? [] : [`${nameOf(one)}, profile ${profile}: ${words}`];
      }),
    ),
    '',
    ...pairs.map(({ client, gateway, is, reason }) =>
      visible(`${client} with ${gateway}: ${is}${reason === undefined ? '' : `, ${reason}`}`),
    ),
    ...(pairs.length === 0 ? [] : ['']),
    news === 0 ? 'No cell changed.' : `${countedWord(news, 'cell')} changed:`,
    ...changes.slice(0, news).map(({ is, sentence }) => `  ${is === 'other' ? 'changed' : is}: ${visible(sentence)}`),
    '',
  ].join('\n');
}
