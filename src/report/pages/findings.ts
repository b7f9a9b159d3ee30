/** The parts of report.html on what is not green, by what is behind it, and on what is shown apart: hazards, known failures, stale entries. */

import type { VNode } from 'preact';
import type { ContractRow, Explanation, Hazard, Outcome, Result, ResultRow } from '../../record/result/result.ts';
import {
  blamedIn,
  type CauseGroup,
  causeGroups,
  counterfactualsInWords,
  countInWords,
  namedCauses,
  repeatOf,
  requirementsIn,
  tellingCause,
  tellingExchange,
} from '../cause-groups.ts';
import { type Comparison, comparedValues, comparison, threeLines } from '../comparison.ts';
import { baselineProblems, type ShownApart } from '../counting.ts';
import { rowAnchor } from '../document.ts';
import { shortened, shortenedSentences, visible, withSpaces } from '../visible.ts';
import {
  atRiskInWords,
  blames,
  explanationInWords,
  hintOf,
  placeInWords,
  type RequirementText,
  type Statements,
  stageInWords,
} from '../words.ts';
import { codeBlock, shortBaseStrings } from './exchange-view.ts';
import { badge, command, element, exchangeLinks, facts, html, type Markup, section, table, value } from './markup.ts';

/** How many causes are listed before the rest is folded away: a page of hundreds of lines shows nothing. */
const inSight = 20;

const titles = {
  error: ['Faults of the suite', 'faults'],
  fail: ['Failures by cause', 'failures'],
  inconclusive: ['Not determined, by cause', 'inconclusive'],
} as const;

/** Requirements with that outcome by cause. `fallback` shows an exchange where scripts are off. Null where there are none. */
export function byCause(
  result: Result,
  outcome: keyof typeof titles,
  statements: Statements,
  fallback: (exchange: number) => readonly VNode[],
): Markup {
  const groups = causeGroups(result, outcome).sort((a, b) => b.rows.length - a.rows.length);
  if (groups.length === 0) return null;
  const [title, anchor] = titles[outcome];
  const cards = groups.map((group, index) =>
    cause(group, outcome, result, statements, index < 12 ? fallback : undefined),
  );
  return section(
    anchor,
    title,
    requirementsIn(groups).length,
    outcome === 'inconclusive' ? html`<p>Inconclusive is not a pass.</p>` : null,
    outcome === 'fail'
      ? counterfactualsInWords(result).map((text) => html`<p class="note">${visible(text)}</p>`)
      : null,
    cards.slice(0, inSight),
    cards.length <= inSight
      ? null
      : html`<details class="fold more"><summary>${cards.length - inSight} more causes</summary>${cards.slice(inSight)}</details>`,
  );
}

function cause(
  group: CauseGroup,
  outcome: Outcome,
  result: Result,
  statements: Statements,
  fallback: ((exchange: number) => readonly VNode[]) | undefined,
): VNode {
  const { rows } = group;
  const [first, ...others] = rows;
  const telling = outcome === 'inconclusive' ? tellingCause(group) : undefined;
  const said =
    telling?.sentence ??
    first.explanations?.[0]?.deviations[0]?.summary ??
    first.actual ??
    first.reason ??
    'no reason was given';
  const exchange = tellingExchange(first, result);
  return html`<details class=${`card fold finding ${outcome}`}>
    <summary><span class="name">${others.length === 0 ? visible(first.id) : countInWords(rows)}</span> ${badge(outcome)}
      <span class="because">${ledBy(first, telling)}${visible(shortened(withSpaces(said), 220))}</span></summary>
    ${telling === undefined ? null : shared(telling, blamedIn(group))}
    ${
      telling === undefined
        ? rows.map((row) => requirementIn(row, row === rows[rows.length - 1], rows, result, statements))
        : html`<ul class="together">${rows.map((row) => html`<li><a href=${`#${rowAnchor(row.id)}`}>${visible(row.id)}</a> <span class="muted">${row.kind}</span> ${valued(row.reason ?? row.actual)}</li>`)}</ul>`
    }
    ${telling === undefined ? null : rows.flatMap(({ explanations = [] }) => explanations.map(explained))}
    ${
      group.followers === undefined
        ? null
        : facts([
            ['Follows', group.followers.map(({ id }) => html`<a href=${`#${rowAnchor(id)}`}>${visible(id)}</a> `)],
          ])
    }
    ${
      exchange === undefined
        ? null
        : html`<h3 class="evidence-title">Evidence: exchange ${exchangeLinks([exchange])}</h3>
          <div data-evidence=${exchange}></div>
          ${fallback === undefined ? null : html`<noscript>${fallback(exchange)}</noscript>`}`
    }
  </details>`;
}

/** What was received is named as that, also of several rows; why something is open is a sentence of its own. */
function ledBy({ outcome, actual, explanations }: ResultRow, telling: CauseGroup['cause']): string {
  if (telling !== undefined || explanations?.[0]?.deviations[0] !== undefined) return 'because ';
  if (outcome === 'inconclusive') return '';
  return actual === undefined ? 'because ' : 'received ';
}

function shared(
  { sentence, requirement, hint, exchanges }: NonNullable<CauseGroup['cause']>,
  { blame }: Pick<ResultRow, 'blame'>,
): Markup {
  return html`<p>${visible(shortenedSentences(sentence, 1_000))}</p>
    ${facts([
      [
        'Fix first',
        requirement === undefined
          ? undefined
          : html`<a href=${`#${rowAnchor(requirement)}`}>${visible(requirement)}</a>`,
      ],
      ['Blame', blame === undefined ? undefined : blames[blame]],
      ['Hint', hinted(hint)],
      ['Exchanges', exchangeLinks(exchanges)],
    ])}`;
}

/** All that is shared stands with the last one. */
function requirementIn(
  row: ResultRow,
  isLast: boolean,
  rows: CauseGroup['rows'],
  result: Result,
  statements: Statements,
): VNode {
  const text = statements(row.id);
  const causes = namedCauses(result, row.id);
  const behind = causes.length === 0 ? undefined : causes.map((one) => html`<p>${visible(one)}</p>`);
  const hint = hintOf(row, text);
  return html`<div class="broken"><h3><a href=${`#${rowAnchor(row.id)}`}>${visible(row.id)}</a></h3>
    <p class="muted place">${visible(placeInWords(row))}${row.blame === undefined ? '' : `, ${blames[row.blame]}`}</p>
    ${text === undefined ? null : html`<p class="statement">${visible(text.statement)}</p>`}
    ${facts([['Cause', behind]])}
    ${
      isLast
        ? rowFacts({ ...row, repeat: repeatOf(rows) }, text)
        : facts([
            ['Expected', valued(row.expected)],
            ['Hint', hinted(hint)],
          ])
    }</div>`;
}

/** Every interaction of the Pact contracts, those that do not hold in sight. Null where they were not verified. */
export function contractTable(contracts: readonly ContractRow[] | undefined): Markup {
  if (contracts === undefined || contracts.length === 0) return null;
  const interactions = (rows: readonly ContractRow[]) =>
    table(
      'Pact interactions',
      ['Outcome', 'Interaction', 'State', 'Pact'],
      rows.map(
        (row) => html`<tr>
          <td>${badge(row.outcome)}</td>
          <th scope="row">${visible(row.interaction)}${row.mismatches.map((text) => html`<div class="mismatch">${value(text)}</div>`)}</th>
          <td>${visible(row.state)}</td><td>${visible(row.pact)}</td></tr>`,
      ),
    );
  const held = contracts.filter(({ outcome }) => outcome === 'pass');
  const others = contracts.filter(({ outcome }) => outcome !== 'pass');
  return section(
    'contracts',
    'Pact contracts',
    contracts.length,
    others.length === 0 ? null : interactions(others),
    held.length === 0
      ? null
      : html`<details class="card fold pass"><summary>${held.length} of ${contracts.length} interactions hold</summary>${interactions(held)}</details>`,
  );
}

/** Every fact about a requirement under its own label, so that expected and received values cannot be confused. */
export function rowFacts(row: ResultRow, text: RequirementText | undefined): Markup {
  const hint = hintOf(row, text);
  const { expected, actual, firstStage: stage } = row;
  const compared = linesOf(comparedValues(expected, actual, comparedWidth));
  return facts([
    ['Expected', compared === null ? valued(expected) : undefined],
    ['Received', compared === null ? valued(actual && withSpaces(actual)) : undefined],
    ['Expected and received', compared ?? undefined, 'wide'],
    ['Reason', valued(row.reason)],
    ['Remark', valued(row.remark)],
    ['Step', stage && html`${stageInWords(stage)}${linesOf(comparison(stage.expected, stage.actual, comparedWidth))}`],
    ['Why', row.explanations?.map(explained)],
    ['Hint', hinted(hint)],
    ['Exchanges', exchangeLinks(row.exchanges)],
    ['Smallest case', exchangeLinks(row.counterexample?.exchange === undefined ? [] : [row.counterexample.exchange])],
    ['Repeat', row.repeat === undefined ? undefined : command(row.repeat)],
  ]);
}

/** Characters of a line, which scrolls where the screen is narrower. */
const comparedWidth = 100;

function linesOf(compared: Comparison | undefined): Markup {
  return compared === undefined ? null : html`<pre class="compared" tabindex="0">${threeLines(compared)}</pre>`;
}

/** What the autopsy found, what to write instead in the client's language, and both base strings with their difference marked. */
function explained(one: Explanation): VNode {
  const { right, signed } = one.baseStrings === undefined ? {} : shortBaseStrings(one.baseStrings, 4_000);
  const blocks = [
    ...one.deviations.flatMap(({ snippet }) =>
      snippet === undefined
        ? []
        : [codeBlock(element, 'What to write instead', snippet.split('\n').map(visible).join('\n'))],
    ),
    ...(right === undefined || signed === undefined
      ? []
      : [
          codeBlock(element, 'Signed', visible(signed), visible(right)),
          codeBlock(element, 'Right', visible(right), visible(signed)),
        ]),
    ...(one.baseString === undefined ? [] : [codeBlock(element, 'Signed', visible(shortened(one.baseString, 4_000)))]),
  ];
  return html`<div><p>${visible(shortenedSentences(explanationInWords(one), 1_000))}</p>${blocks}</div>`;
}

/** What to do, which may quote the subject. */
function hinted(hint: string | undefined): Markup | undefined {
  return hint === undefined ? undefined : html`<span class="hint">${visible(shortened(hint, 1_000))}</span>`;
}

function valued(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : value(text);
}

/** Null where there are none. */
export function shownApart(anchor: string, title: string, all: readonly ShownApart[]): Markup {
  if (all.length === 0) return null;
  return section(
    anchor,
    visible(title),
    all.length,
    all.map(({ id, sentence, received }) =>
      article('finding', id, sentence, facts([['Received', received === undefined ? undefined : value(received)]])),
    ),
  );
}

function article(looks: string, id: string, sentence: string, detail: Markup): Markup {
  return html`<article class=${looks}><h3>${visible(id)}</h3><p>${visible(shortened(sentence, 1_000))}</p>${detail}</article>`;
}

/** Above everything, on green pages too. Null where there are none. */
export function hazardCards(hazards: readonly Omit<Hazard, 'known'>[]): Markup {
  if (hazards.length === 0) return null;
  return html`<section id="hazards" aria-label="Hazards">${hazards.map(
    ({ id, sentence, atRisk, hint, exchanges }) => html`<article class="card hazard">
      <h2>Hazard <span>${id}</span></h2>
      <p><strong>${visible(shortened(sentence, 1_000))}</strong></p>
      ${facts([
        ['At risk', atRiskInWords(atRisk) || undefined],
        ['What to do', visible(shortened(hint, 1_000))],
        ['Exchanges', exchangeLinks(exchanges)],
      ])}
    </article>`,
  )}</section>`;
}

/** The entries that no longer hold, with what to write. Null where there are none. */
export function staleBaseline(result: Result): Markup {
  const problems = baselineProblems(result);
  if (problems.length === 0) return null;
  return section(
    'baseline',
    'Entries of the baseline that no longer hold',
    problems.length,
    problems.map(({ id, sentence, lines }) => {
      const entry = lines.length === 0 ? null : html`<pre tabindex="0">${lines.map(visible).join('\n')}</pre>`;
      return article('finding fail', id, sentence, entry);
    }),
  );
}
