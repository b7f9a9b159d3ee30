/** The part of report.html on requirements that are not green: failures with their evidence, then what is inconclusive. */
import type { VNode } from 'preact';
import {
  type CauseGroup,
  causeGroups,
  counterfactualsInWords,
  countInWords,
  plainestOf,
  repeatOf,
  signatureCauses,
  tellingCause,
} from '../report/cause-groups.ts';
import type { RequirementText, Statements } from '../report/statements.ts';
import { shortenedSentences, visible, withSpaces } from '../report/visible.ts';
import { blames, explanationInWords, hintOf, placeInWords, stageInWords } from '../report/words.ts';
import type { Cause } from '../result/cause.ts';
import type { ContractRow, Explanation, Result, ResultRow } from '../result/result.ts';
import { codeBlock } from './components.ts';
import { evidence, type Traffic } from './exchange-view.ts';
import { badge, command, element, exchangeLinks, facts, html, type Markup, rowAnchor, value } from './markup.ts';

/** How many failures show their evidence in place, and how many of these show it open; the others link to it. */
const withEvidence = 40;
const openAtFirst = 5;

/** Longest value that a sentence quotes. */
const sentenceLimit = 1_000;

/** Requirements with that outcome and everything about them, evidence included. Null where there are none. */
export function detailed(
  title: string,
  outcome: 'fail' | 'error',
  result: Result,
  { statements, traffic }: { readonly statements: Statements; readonly traffic: Traffic },
): Markup {
  const groups = causeGroups(result, outcome);
  if (groups.length === 0) return null;
  const anchor = outcome === 'fail' ? 'failures' : 'faults';
  const count = groups.flatMap(({ rows }) => rows).length;
  return html`<section id=${anchor} aria-labelledby=${`${anchor}-title`}>
    <h2 id=${`${anchor}-title`}>${title} <span class="count">${count}</span></h2>
    ${(outcome === 'fail' ? counterfactualsInWords(result) : []).map((text) => html`<p class="note">${visible(text)}</p>`)}
    ${groups.map(
      ({ rows }, index) => html`<article class=${`finding ${outcome}`}>
        ${rows.length === 1 ? null : html`<p class="muted">The same answers break these ${countInWords(rows)}.</p>`}
        ${rows.map(
          (row, at) => html`<h3>${badge(outcome)} <a href=${`#${rowAnchor(row.id)}`}>${visible(row.id)}</a></h3>
          <p class="muted place">${visible(placeInWords(row))}</p>
          ${statementOf(statements(row.id))}
          ${at === 0 ? behindSignatures(result, row.id) : null}
          ${at === rows.length - 1 ? rowFacts({ ...row, repeat: repeatOf(rows) }, statements(row.id)) : ownFacts(row, statements(row.id))}`,
        )}
        ${index < withEvidence ? evidenceOf(rows[0], plainestOf(result, rows[0]), traffic, index < openAtFirst) : null}
      </article>`,
    )}
  </section>`;
}

/** Inconclusive requirements by what is in their way, folded where that is one thing for several. Null where there are none. */
export function undetermined(result: Result, { statements }: { readonly statements: Statements }): Markup {
  const groups = causeGroups(result, 'inconclusive');
  if (groups.length === 0) return null;
  const count = groups.flatMap(({ rows }) => rows).length;
  return html`<section id="inconclusive" aria-labelledby="inconclusive-title">
    <h2 id="inconclusive-title">Inconclusive <span class="count">${count}</span></h2>
    <p>Inconclusive is not a pass.</p>
    ${groups.map((group) => {
      const cause = tellingCause(group);
      return cause === undefined ? alone(group.rows[0], statements) : together(cause, group.rows);
    })}
  </section>`;
}

function alone(row: ResultRow, statements: Statements): Markup {
  return html`<article class="finding inconclusive">
    <h3>${badge('inconclusive')} <a href=${`#${rowAnchor(row.id)}`}>${visible(row.id)}</a></h3>
    <p class="muted place">${visible(placeInWords(row))}${blamed(row)}</p>
    ${statementOf(statements(row.id))}
    ${
      row.reason === undefined && row.actual === undefined
        ? html`<p>No reason was given.</p>`
        : rowFacts(row, statements(row.id))
    }
  </article>`;
}

/** The list is closed: each requirement has all about itself further down. */
function together({ sentence, requirement, hint, exchanges }: Cause, rows: CauseGroup['rows']): Markup {
  return html`<article class="finding inconclusive">
    <h3>${badge('inconclusive')} ${countInWords(rows)}</h3>
    <p class="muted place">${blamed(rows[0]).replace(', ', '')}</p>
    <p class="statement">because ${visible(shortenedSentences(sentence, sentenceLimit))}</p>
    ${facts([
      [
        'To be mended',
        requirement === undefined
          ? undefined
          : html`<a href=${`#${rowAnchor(requirement)}`}>${visible(requirement)}</a>`,
      ],
      ['Hint', hint === undefined ? undefined : html`<span class="hint">${visible(hint)}</span>`],
      ['Exchanges', exchangeLinks(exchanges)],
    ])}
    ${rows.flatMap(({ explanations = [] }) => explanations.map(explained))}
    <details class="evidence">
      <summary>The ${countInWords(rows)}</summary>
      <ul class="together">${rows.map(
        (row) =>
          html`<li><a href=${`#${rowAnchor(row.id)}`}>${visible(row.id)}</a> <span class="muted">${row.kind}</span> ${valued(row.reason ?? row.actual)}</li>`,
      )}</ul>
    </details>
  </article>`;
}

function blamed({ blame }: ResultRow): string {
  return blame === undefined ? '' : `, ${blames[blame]}`;
}

/** Every interaction of the Pact contracts. Null where they were not verified. */
export function contractTable(contracts: readonly ContractRow[] | undefined): Markup {
  if (contracts === undefined || contracts.length === 0) return null;
  return html`<section id="contracts" aria-labelledby="contracts-title">
    <h2 id="contracts-title">Pact contracts <span class="count">${contracts.length}</span></h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="contracts-title"><table>
      <thead><tr><th scope="col">Outcome</th><th scope="col">Interaction</th><th scope="col">State</th><th scope="col">Pact</th></tr></thead>
      <tbody>${contracts.map(
        (row) => html`<tr>
          <td>${badge(row.outcome)}</td>
          <th scope="row">${visible(row.interaction)}${row.mismatches.map((text) => html`<div class="mismatch">${value(text)}</div>`)}</th>
          <td>${visible(row.state)}</td><td>${visible(row.pact)}</td></tr>`,
      )}</tbody>
    </table></div>
  </section>`;
}

/** Every fact about a requirement under its own label, so that expected and received values cannot be confused. */
export function rowFacts(row: ResultRow, text: RequirementText | undefined): Markup {
  const hint = hintOf(row, text);
  return facts([
    ['Expected', valued(row.expected)],
    ['Received', valued(row.actual && withSpaces(row.actual))],
    ['Reason', valued(row.reason)],
    ['Remark', valued(row.remark)],
    ['Step', row.firstStage === undefined ? undefined : valued(stageInWords(row.firstStage))],
    ['Why', row.explanations?.map(explained)],
    ['Hint', hint === undefined ? undefined : html`<span class="hint">${visible(hint)}</span>`],
    ['Exchanges', exchangeLinks(row.exchanges)],
    ['Smallest case', row.counterexample === undefined ? undefined : exchangeLinks([row.counterexample.exchange])],
    ['Repeat', row.repeat === undefined ? undefined : command(row.repeat)],
  ]);
}

function behindSignatures(result: Result, id: string): Markup {
  const texts = signatureCauses(result, id);
  return texts.length === 0 ? null : facts([['Cause', texts.map((text) => html`<p>${visible(text)}</p>`)]]);
}

/** What a requirement has of its own where it fails in the same answers as others. */
function ownFacts(row: ResultRow, text: RequirementText | undefined): Markup {
  const hint = hintOf(row, text);
  return facts([
    ['Expected', valued(row.expected)],
    ['Hint', hint === undefined ? undefined : html`<span class="hint">${visible(hint)}</span>`],
  ]);
}

function explained(one: Explanation): VNode {
  return html`<div><p>${visible(explanationInWords(one))}</p>${snippets(one)}${one.baseString === undefined ? null : codeBlock(element, 'Signed', visible(one.baseString))}</div>`;
}

/** What to write instead, in the client's language where that is known. */
function snippets({ deviations }: Explanation): Markup[] {
  return deviations.flatMap(({ snippet }) =>
    snippet === undefined ? [] : [html`<pre tabindex="0">${visibleLines(snippet)}</pre>`],
  );
}

function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

function statementOf(text: RequirementText | undefined): Markup {
  return text === undefined ? null : html`<p class="statement">${visible(text.statement)}</p>`;
}

function evidenceOf(row: ResultRow, plainest: number | undefined, traffic: Traffic, open: boolean): Markup {
  const first = row.counterexample?.exchange ?? plainest ?? row.exchanges[0];
  const shown = first === undefined ? undefined : evidence(first, traffic);
  if (shown === undefined) return null;
  const others = row.exchanges.length - 1;
  return html`<details class="evidence" open=${open}>
    <summary>Evidence: exchange ${first}${others > 0 ? `, one of ${others + 1}` : ''}</summary>${shown}
  </details>`;
}

function valued(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : value(text);
}
