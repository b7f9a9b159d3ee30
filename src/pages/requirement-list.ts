/** All requirements in report.html, grouped by section of the interface document, and what was observed where it is silent. */

import type { Statements } from '../report/statements.ts';
import { visible } from '../report/visible.ts';
import { blames, columns } from '../report/words.ts';
import type { Observation, Result, ResultRow } from '../result/result.ts';
import { rowFacts } from './findings.ts';
import { badge, exchangeLinks, facts, html, type Markup, rowAnchor, value } from './markup.ts';

/** Every requirement with its verdict, closed; the filter above them appears where scripts run. */
export function requirementSections(result: Result, { statements }: { readonly statements: Statements }): Markup {
  const sections = [...new Set(result.results.map((row) => row.section))].sort(bySection);
  return html`<section id="requirements" aria-labelledby="requirements-title">
    <h2 id="requirements-title">Requirements <span class="count">${result.results.length}</span></h2>
    ${filter(result.results)}
    ${sections.map((section) => {
      const rows = result.results.filter((row) => row.section === section);
      return html`<section data-group>
        <h3>Section ${visible(section)} <span class="muted">${countsOf(rows)}</span></h3>
        ${rows.map((row) => requirement(row, statements))}
      </section>`;
    })}
  </section>`;
}

/** The answers to open points. Null where nothing was observed. */
export function observationTable(
  observations: readonly Observation[],
  questions: (openPoint: string) => string | undefined,
): Markup {
  if (observations.length === 0) return null;
  return html`<section id="observations" aria-labelledby="observations-title">
    <h2 id="observations-title">Observations <span class="count">${observations.length}</span></h2>
    <p>Where the interface document is silent, answers are recorded and never judged.</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="observations-title"><table class="observations">
      <thead><tr><th scope="col">Open point</th><th scope="col">Observed</th><th scope="col">Exchanges</th></tr></thead>
      ${[...new Set(observations.map(({ openPoint }) => openPoint))].map((point) => {
        const seen = observations.filter(({ openPoint }) => openPoint === point);
        return html`<tbody>${seen.map(
          (observation, index) => html`<tr>
            ${
              index > 0
                ? null
                : html`<th scope="rowgroup" rowspan=${seen.length}>${visible(point)}<span class="question">${visible(questions(point) ?? '')}</span></th>`
            }
            <td>${value(observation.value)}</td><td>${exchangeLinks(observation.exchanges) ?? 'none'}</td></tr>`,
        )}</tbody>`;
      })}
    </table></div>
  </section>`;
}

function filter(rows: readonly ResultRow[]): Markup {
  const counted = columns.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const);
  return html`<div class="filter" role="search" data-filter="#requirements [data-row]" data-script hidden>
    <label>Search <input type="search" placeholder="id, statement, value" autocomplete="off" /></label>
    <fieldset><legend>Outcomes</legend>${counted
      .filter(([, count]) => count > 0)
      .map(
        ([outcome, count]) =>
          html`<label class="choice"><input type="checkbox" value=${outcome} checked />${badge(outcome)} ${count}</label>`,
      )}</fieldset>
    <div class="buttons"><button type="button" data-all="open">Open all</button><button type="button" data-all="close">Close all</button></div>
    <output></output>
  </div>`;
}

function requirement(row: ResultRow, statements: Statements): Markup {
  const text = statements(row.id);
  const proven =
    row.provenBy.length === 0
      ? undefined
      : html`${row.provenBy.map((id, index) => [index === 0 ? '' : ', ', value(id)])}`;
  return html`<details class="row" data-row data-outcome=${row.outcome}>
    <summary>${badge(row.outcome)}<span class="name">${visible(row.id)}</span>${
      text === undefined ? null : html`<span class="what">${visible(text.statement)}</span>`
    }${row.remark === undefined ? null : html`<span class="tag">remark</span>`}</summary>
    <div class="inside" id=${rowAnchor(row.id)}>
      ${facts([
        ['Kind', `${row.kind}, ${row.dimension}, ${row.operation === 'both' ? 'both operations' : row.operation}`],
        ['Basis', visible(row.basis)],
        ['Blame', row.blame === undefined ? undefined : blames[row.blame]],
      ])}
      ${rowFacts(row, text)}
      ${facts([['Known to catch', proven]])}
    </div>
  </details>`;
}

function countsOf(rows: readonly ResultRow[]): string {
  return columns
    .map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
}

/** `2.2` before `2.10`, and `4` before `4.1`. */
function bySection(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
