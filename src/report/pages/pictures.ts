/** Pictures of report.html: gauges, outcomes by dimension and operation, response times, and defects that requirements catch. */
import { type Dimension, dimensions } from '../../../contracts/requirements/requirement.ts';
import type { Case } from '../../record/case.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import type { Block, Line } from '../document.ts';
import { visible } from '../visible.ts';
import { columns } from '../words.ts';
import { bar, html, type Markup } from './markup.ts';

const leading: readonly Dimension[] = ['signing', 'payload-encoding', 'response-decoding'];

export const titles: Readonly<Record<Dimension, string>> = {
  signing: 'Signing',
  'payload-encoding': 'Payload encoding',
  'response-decoding': 'Response decoding',
  transport: 'Transport',
  behaviour: 'Behaviour',
};

export function gauges(result: Result): Markup {
  const used = dimensions.filter((name) => columns.some((outcome) => result.dimensions[name][outcome] > 0));
  if (used.length === 0) return null;
  const others = used.filter((name) => !leading.includes(name));
  const small = others.map((name) => html`<span><strong>${titles[name]}</strong> ${inWords(result, name)}</span>`);
  return html`<div class="gauges">${leading.map((name) => gauge(result, name))}</div>
    ${others.length === 0 ? null : html`<p class="small-gauges">${small}</p>`}`;
}

function gauge(result: Result, name: Dimension): Markup {
  const counts = result.dimensions[name];
  const used = columns.filter((outcome) => counts[outcome] > 0);
  const worst = used.find((outcome) => outcome !== 'not-applicable') ?? 'not-applicable';
  const { pass, fail, error, inconclusive } = counts;
  const of = pass + fail + error + inconclusive;
  return html`<section class=${`gauge ${worst}`} aria-label=${titles[name]}>
    <h2>${titles[name]}</h2>
    <p class="figure">${of === 0 ? html`<span class="muted">nothing</span>` : html`<strong>${pass}</strong> of ${of} pass`}</p>
    ${bar(used.map((outcome) => [outcome, counts[outcome]]))}
    <p class="parts">${inWords(result, name)}</p>
  </section>`;
}

function inWords({ dimensions: all }: Result, name: Dimension): string {
  const some = columns.filter((outcome) => all[name][outcome] > 0);
  return some.length === 0 ? 'none judged' : some.map((outcome) => `${all[name][outcome]} ${outcome}`).join(', ');
}

export function glance(result: Result, cases: readonly Case[]): Block[] {
  if (result.results.length === 0) return [];
  return [outcomeTable(result), ...(result.subject.kind === 'gateway' ? [{ picture: latency(cases) }] : [])];
}

function outcomeTable({ results }: Result): Block {
  const operations = [...new Set(results.map(({ operation }) => operation))].sort();
  const used = dimensions.filter((name) => results.some(({ dimension }) => dimension === name));
  const rows = used.map((name) => {
    const cells = operations.map((operation): Line[] => {
      const mine = results.filter((row) => row.dimension === name && row.operation === operation);
      const counts = columns
        .map((outcome) => [outcome, mine.filter((row) => row.outcome === outcome).length] as const)
        .filter(([, count]) => count > 0);
      const words = counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
      return counts.length === 0 ? [{ muted: '–' }] : [{ picture: bar(counts) }, { muted: words }];
    });
    return { cells: [[name], ...cells] };
  });
  return {
    table: { label: 'Outcomes by dimension and operation', head: ['Dimension', ...operations], rows, looks: 'matrix' },
  };
}

/** Upper limits of the bars of the histogram, in milliseconds. */
const ends = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, Number.POSITIVE_INFINITY];

/** A histogram of response times. Null if there are fewer than twenty responses. */
function latency(cases: readonly Case[]): Markup {
  const answered = cases.filter(({ exchanges: [exchange] }) => exchange.response !== undefined);
  if (answered.length < 20) return null;
  const operations = [...new Set(answered.map(({ label }) => label.operation))].sort();
  const classOf = (ms: number) => ends.findIndex((end) => ms <= end);
  const classes = answered.map(({ exchanges: [exchange] }) => classOf(exchange.durationMs));
  const met = [...new Set(classes)];
  const shown = ends.slice(Math.min(...met), Math.max(...met) + 1);
  return html`<figure class="card"><figcaption>Response times: the number of responses in each class, by its upper end in milliseconds</figcaption>${operations.map(
    (operation) => {
      const mine = answered
        .filter(({ label }) => label.operation === operation)
        .map(({ exchanges: [exchange] }) => classOf(exchange.durationMs));
      const counts = shown.map((end) => mine.filter((one) => ends[one] === end).length);
      const most = Math.max(...counts, 1);
      return html`<div class="histogram"><p>${operation}, ${pluralize(mine.length, 'answer')}</p><ol>${counts.map(
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

/** Width of a square in pixels. */
const square = 6;

/** A grid: a line for each requirement, a column for each defect that one of them catches. Null for fewer than two defects. */
export function killGrid(results: readonly ResultRow[]): Markup {
  const rows = results.filter(({ provenBy }) => provenBy.length > 0);
  const defects = [...new Set(rows.flatMap(({ provenBy }) => provenBy))];
  if (defects.length < 2) return null;
  const column = new Map(defects.map((id, index) => [id, index]));
  const [width, height] = [defects.length * square, rows.length * square];
  const path = (row: ResultRow, at: number) =>
    row.provenBy.map((id) => `M${column.get(id)! * square} ${at * square}h5v5h-5z`).join('');
  return html`<details class="fold"><summary>What these requirements are known to catch: ${pluralize(defects.length, 'defect')}</summary>
    <p class="muted">Each line is a requirement, in the order above. Each column is a deliberate defect. A square means that the requirement fails with the defect. Its colour is the outcome of this run.</p>
    <div class="scroll grid-picture" tabindex="0" role="region" aria-label="Requirements and defects"><svg role="img" aria-label=${`${rows.length} requirements catch ${defects.length} defects; each requirement names its own`} viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>${rows.map(
      (row, at) =>
        html`<path class=${row.outcome} d=${path(row, at)}><title>${visible(row.id)}: ${row.provenBy.length}</title></path>`,
    )}</svg></div>
  </details>`;
}
