/** Pictures of report.html where looking beats reading: outcomes by dimension and operation, and how long answers took. */
import { dimensions } from '../../../contracts/requirements/requirement.ts';
import type { Case } from '../../record/case.ts';
import { countedWord } from '../../record/counted-word.ts';
import type { Result } from '../../record/result/result.ts';
import { columns } from '../words.ts';
import { html, type Markup } from './markup.ts';

/** Null where there is nothing to see. */
export function pictures(result: Result, cases: readonly Case[]): Markup {
  if (result.results.length === 0) return null;
  return html`<section id="pictures" aria-labelledby="pictures-title"><h2 id="pictures-title">At a glance</h2>
    <div class="pictures">${byDimension(result)}${result.subject.kind === 'gateway' ? latency(cases) : null}</div>
  </section>`;
}

function byDimension({ results }: Result): Markup {
  const operations = [...new Set(results.map(({ operation }) => operation))].sort();
  const used = dimensions.filter((name) => results.some(({ dimension }) => dimension === name));
  return html`<figure class="card"><figcaption>Outcomes by dimension and operation</figcaption>
    <table class="matrix"><thead><tr><th scope="col">Dimension</th>${operations.map((name) => html`<th scope="col">${name === 'both' ? 'both' : name}</th>`)}</tr></thead>
    <tbody>${used.map(
      (name) =>
        html`<tr><th scope="row">${name}</th>${operations.map((operation) => {
          const rows = results.filter((row) => row.dimension === name && row.operation === operation);
          const counts = columns
            .map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const)
            .filter(([, count]) => count > 0);
          return html`<td>${counts.length === 0 ? html`<span class="muted">–</span>` : html`<div class="bar" aria-hidden="true">${counts.map(([outcome, count]) => html`<span class=${outcome} style=${`flex-grow:${count}`}></span>`)}</div><span class="parts">${counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}</span>`}</td>`;
        })}</tr>`,
    )}</tbody></table></figure>`;
}

/** Upper ends of the classes, in milliseconds: each twice the one before. */
const ends = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, Number.POSITIVE_INFINITY];

/** Null where fewer than twenty answers came. */
function latency(cases: readonly Case[]): Markup {
  const answered = cases.filter(({ exchange }) => exchange.response !== undefined);
  if (answered.length < 20) return null;
  const operations = [...new Set(answered.map(({ label }) => label.operation))].sort();
  const classOf = (ms: number) => ends.findIndex((end) => ms <= end);
  const classes = answered.map(({ exchange }) => classOf(exchange.durationMs));
  const met = [...new Set(classes)];
  const shown = ends.slice(Math.min(...met), Math.max(...met) + 1);
  return html`<figure class="card"><figcaption>How long answers took, up to so many milliseconds</figcaption>${operations.map(
    (operation) => {
      const mine = answered
        .filter(({ label }) => label.operation === operation)
        .map(({ exchange }) => classOf(exchange.durationMs));
      const counts = shown.map((end) => mine.filter((one) => ends[one] === end).length);
      const most = Math.max(...counts, 1);
      return html`<div class="histogram"><p>${operation}, ${countedWord(mine.length, 'answer')}</p><ol>${counts.map(
        (count, index) => {
          const end = shown[index]!;
          const name =
            end === Number.POSITIVE_INFINITY ? '…' : end < 1000 ? String(end) : `${Math.floor(end / 1000)} s`;
          return html`<li><span class="column" style=${`height:${Math.round((count / most) * 48)}px`} aria-hidden="true"></span><span class="end">${name}</span><span class="times">${count}</span></li>`;
        },
      )}</ol></div>`;
    },
  )}</figure>`;
}
