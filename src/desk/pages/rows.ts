/** The rows of an engagement by dimension: green, red, or not shown yet. */
import { type Dimension, dimensions } from '../../../contracts/requirements/requirement.ts';
import { badge, exchangeLinks, facts, html, type Markup, rowAnchor, value } from '../../pages/markup.ts';
import { visible } from '../../report/visible.ts';
import type { Result } from '../../result/result.ts';
import type { EngagementView, RowView } from '../view.ts';

const titles: Readonly<Record<Dimension, string>> = {
  signing: 'Signing',
  'payload-encoding': 'Payload encoding',
  'response-decoding': 'Response decoding',
  transport: 'Transport',
  behaviour: 'Behaviour',
};

/** The conclusion so far, in one line. */
export function headline(view: EngagementView): Markup {
  const count = (outcome: string) => view.rows.filter((row) => row.outcome === outcome).length;
  const like = view.countingCount === 0 ? '' : likeOutcome[view.conclusion];
  const failed = count('fail');
  return html`<header class=${`head ${like}`}>
    <p class="product">Countersign desk</p>
    <h1>${visible(view.name)}</h1>
    <p class="lead">${sentence(view, failed, count('pass'))}</p>
  </header>`;
}

const likeOutcome = {
  conformant: 'pass',
  partial: 'inconclusive',
  'non-conformant': 'fail',
  aborted: 'error',
} as const;

function sentence({ countingCount, conclusion }: EngagementView, failed: number, passed: number): string {
  if (countingCount === 0) return 'Waiting for a request.';
  const found = `${failed} ${failed === 1 ? 'row' : 'rows'} failed, ${passed} passed, after ${countingCount} ${countingCount === 1 ? 'request' : 'requests'}.`;
  if (conclusion === 'partial')
    return `Partial: nothing failed. ${found} A desk can say no more, since it does not see decoding.`;
  return `${conclusion === 'non-conformant' ? 'Non-conformant' : 'The suite itself failed'}: ${found}`;
}

/** For the list of engagements. */
export function conclusionBadge({ conclusion }: Result, requests: number): Markup {
  if (requests === 0) return html`<span class="badge">waiting</span>`;
  return html`<span class=${`badge ${likeOutcome[conclusion]}`}>${conclusion}</span>`;
}

export function rowSections(view: EngagementView): Markup {
  return html`<section aria-labelledby="rows"><h2 id="rows">Requirements</h2>
    ${dimensions.map((dimension) =>
      section(
        dimension,
        view.rows.filter((row) => row.dimension === dimension),
        view,
      ),
    )}
  </section>`;
}

function section(dimension: Dimension, rows: readonly RowView[], view: EngagementView): Markup {
  if (rows.length === 0) return null;
  if (dimension === 'response-decoding') return decoding(rows, view);
  const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
  return html`<div data-group><h3>${titles[dimension]} <span class="muted">${count('fail')} failed, ${count('pass')} passed of ${rows.length}</span></h3>
    ${[...rows].sort((a, b) => rank(a) - rank(b)).map(details)}
  </div>`;
}

function decoding(rows: readonly RowView[], { plan }: EngagementView): Markup {
  const said = (what: string) => plan.filter(({ reportedByPerson }) => reportedByPerson === what).length;
  return html`<div data-group><h3>${titles['response-decoding']} <span class="muted">${rows.length} requirements, none observed</span></h3>
    <p class="card">What the client understands of an answer cannot be seen from outside. You reported ${said('showed')} steps as shown and ${said('did-not-show')} as not shown. An adapter (<code>countersign client</code>) lets the suite judge these rows.</p>
  </div>`;
}

/** What has failed comes first, and what nobody has shown yet last. */
function rank({ outcome }: RowView): number {
  return ['error', 'fail', 'pass', 'inconclusive', 'not-applicable'].indexOf(outcome);
}

function details(row: RowView): Markup {
  const waits = row.outcome === 'inconclusive' && row.exchanges.length === 0;
  return html`<details class=${`row ${waits ? 'waiting' : ''}`} id=${rowAnchor(row.id)} open=${row.outcome === 'fail'}>
    <summary>${waits ? html`<span class="badge">not yet</span>` : badge(row.outcome)}<span class="name">${row.id}</span><span class="what">${row.statement}</span></summary>
    <div class="inside">${facts([
      ['Expected', row.expected === undefined ? undefined : value(row.expected)],
      [
        waits ? 'Why' : 'Received',
        row.actual === undefined ? undefined : waits ? visible(row.actual) : value(row.actual),
      ],
      ['Reason', row.reason === undefined ? undefined : visible(row.reason)],
      ['Remark', row.remark === undefined ? undefined : visible(row.remark)],
      ['Why', why(row)],
      ['What to do', row.outcome === 'fail' && row.hint !== undefined ? visible(row.hint) : undefined],
      ['Requests', exchangeLinks(row.exchanges)],
      ['Where', `section ${row.section}, by ${row.basis}`],
    ])}</div>
  </details>`;
}

/** What the autopsy found; each with what to do about it. */
function why({ explanations = [] }: RowView): Markup | undefined {
  const named = explanations.flatMap(({ deviations, exchange }) => deviations.map((one) => ({ ...one, exchange })));
  if (named.length === 0) return undefined;
  return html`${named.map(
    ({ id, summary, fix, exchange }) =>
      html`<p>${visible(summary)} ${visible(fix)} <span class="muted">${id}, request ${exchange}</span></p>`,
  )}`;
}
