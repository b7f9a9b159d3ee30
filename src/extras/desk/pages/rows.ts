/** The conclusion so far, what to put right, and the requirements by dimension: green, red, or not shown yet. */
import { type Dimension, dimensions } from '../../../../contracts/requirements/requirement.ts';
import { countedWord } from '../../../record/counted-word.ts';
import { conclusionOf, hazardsInWords } from '../../../record/result/conclude.ts';
import type { Result } from '../../../record/result/result.ts';
import {
  badge,
  exchangeLinks,
  facts,
  html,
  likeOutcome,
  type Markup,
  rowAnchor,
  value,
} from '../../../report/pages/markup.ts';
import { hazardCards } from '../../../report/pages/shown-apart.ts';
import { shortened, visible } from '../../../report/visible.ts';
import type { EngagementView, RowView } from '../view.ts';
import { copyable } from './shell.ts';

const titles: Readonly<Record<Dimension, string>> = {
  signing: 'Signing',
  'payload-encoding': 'Payload encoding',
  'response-decoding': 'Response decoding',
  transport: 'Transport',
  behaviour: 'Behaviour',
};

/** The conclusion so far in a sentence, and what to put right first. */
export function headline(view: EngagementView): Markup {
  const through = isThrough(view);
  const [first, ...others] = view.causes;
  const look =
    view.countingCount === 0
      ? ''
      : first !== undefined
        ? 'fail'
        : through && view.hazards.length === 0
          ? 'pass'
          : 'inconclusive';
  return html`${hazardCards(view.hazards)}<header class=${`card head ${look}`}>
    <p class="caption">Countersign desk · ${visible(view.name)}</p>
    <h1>${sentence(view, through)}</h1>
    ${first === undefined ? null : html`<div class="wrong"><p><strong>${visible(shortened(first.sentence, 600))}</strong></p>${first.fix === undefined ? null : html`<p>${visible(shortened(first.fix, 600))}</p>`}<p class="person"><a href=${`#${rowAnchor(first.id)}`}>${first.id}</a></p></div>`}
    ${others.length === 0 ? null : html`<details class="fold" id="more-causes"><summary>${others.length} more to put right</summary><ul>${others.map(({ id, sentence }) => html`<li>${visible(shortened(sentence, 300))} <a href=${`#${rowAnchor(id)}`}>${id}</a></li>`)}</ul></details>`}
    ${through ? ending(view) : null}
  </header>`;
}

function isThrough({ plan, countingCount }: EngagementView): boolean {
  return countingCount > 0 && plan.every(({ state }) => state === 'done' || state === 'skipped');
}

function sentence({ countingCount, conclusion, hazards, rows, plan }: EngagementView, through: boolean): string {
  if (countingCount === 0) return 'Waiting for a request';
  if (conclusion === 'aborted') return 'The suite itself failed';
  const failed = rows.filter(({ outcome }) => outcome === 'fail').length;
  if (failed > 0) return `${countedWord(failed, 'requirement')} failed`;
  const done = plan.filter(({ state }) => state === 'done').length;
  return `${through ? `Through: ${done} of ${plan.length} steps, and nothing failed` : 'Right so far'}${hazardsInWords({ hazards })}`;
}

/** What is there at the end; a certificate says more than a desk can see. */
function ending({ id, causes, operations }: EngagementView): Markup {
  const page = `/desk/engagements/${id}/report.html`;
  return html`<div>
    ${causes.length > 0 ? null : html`<p>Every request that this client sent is right. What it understands of the answers a desk cannot see, so the report says partial.</p>`}
    <p class="links"><a class="main-button" href=${page}>Report</a> <a href=${page} download=${`countersign-${id}.html`}>Save it as one file</a>
      <a href=${`/desk/api/engagements/${id}/report.json`}>report.json</a> <a href=${`/desk/api/engagements/${id}/exchanges.har`}>exchanges.har</a></p>
    <details class="fold" id="to-certificate"><summary>The way to a certificate</summary>
      <p>A certificate covers decoding too, so it needs a run in which an adapter says what the client understood:</p>
      ${copyable(`npx countersign client --only '${operations.length === 1 ? `${operations[0] === 'close-day' ? 'close-day' : 'recurring'}/*` : '*'}' --out certified -- YOUR-ADAPTER`)}
      ${copyable('npx countersign certificate certified --key YOUR-KEY.pem')}
    </details>
  </div>`;
}

/** For the list of engagements. */
export function conclusionBadge(result: Result, requests: number): Markup {
  if (requests === 0) return html`<span class="badge">waiting</span>`;
  return badge(likeOutcome[result.conclusion], conclusionOf(result));
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
  const waiting = rows.filter(({ outcome }) => rank({ outcome }) > 2);
  const seen = rows.filter((row) => !waiting.includes(row));
  return html`<div data-group><h3>${titles[dimension]} <span class="muted">${count('fail')} failed, ${count('pass')} passed of ${rows.length}</span></h3>
    ${seen.length === 0 ? null : html`<div class="sections">${[...seen].sort((a, b) => rank(a) - rank(b)).map(details)}</div>`}
    ${waiting.length === 0 ? null : html`<details class="card fold" id=${`waiting-${dimension}`}><summary>${waiting.length} not shown yet</summary>${waiting.map(details)}</details>`}
  </div>`;
}

function decoding(rows: readonly RowView[], { plan }: EngagementView): Markup {
  const said = (what: string) => plan.filter(({ reportedByPerson }) => reportedByPerson === what).length;
  return html`<div data-group><h3>${titles['response-decoding']} <span class="muted">${rows.length} requirements, none observed</span></h3>
    <p class="card">What the client understands of an answer cannot be seen from outside. You reported ${said('showed')} steps as shown and ${said('did-not-show')} as not shown. An adapter (<code>countersign client</code>) lets the suite judge these requirements.</p>
  </div>`;
}

/** What has failed comes first, and what nobody has shown yet last. */
function rank({ outcome }: Pick<RowView, 'outcome'>): number {
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
        row.actual === undefined ? undefined : waits ? visible(shortened(row.actual, 1_000)) : value(row.actual),
      ],
      ['Reason', row.reason === undefined ? undefined : visible(shortened(row.reason, 1_000))],
      ['Remark', row.remark === undefined ? undefined : visible(shortened(row.remark, 1_000))],
      ['Why', why(row)],
      [
        'What to do',
        row.outcome === 'fail' && row.hint !== undefined ? visible(shortened(row.hint, 1_000)) : undefined,
      ],
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
