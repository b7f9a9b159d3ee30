/** The conclusion so far, the mistakes to fix, and the requirements by dimension. */

import { type Dimension, dimensions } from '../../../../contracts/requirements/requirement.ts';
import { pluralize } from '../../../record/pluralize.ts';
import { formatHazards } from '../../../record/result/conclude.ts';
import { rowAnchor } from '../../../report/document.ts';
import { pageMessages } from '../../../report/pages/exchange-data.ts';
import {
  codeBlock,
  fold,
  linedBlock,
  oauthTable,
  requestLines,
  responseLines,
} from '../../../report/pages/exchange-view.ts';
import {
  badge,
  blocksMarkup,
  element,
  exchangeAnchor,
  exchangeLinks,
  facts,
  html,
  type Markup,
  value,
} from '../../../report/pages/markup.ts';
import { titles } from '../../../report/pages/pictures.ts';
import { hazardBlocks } from '../../../report/result-document.ts';
import { shortened, visible } from '../../../report/visible.ts';
import { type EngagementView, type ExchangeView, type Mistake, maxShown, type RowView } from '../view.ts';
import { copyable } from './shell.ts';

export function headline(view: EngagementView): Markup {
  const through = view.countingCount > 0 && view.plan.every(({ state }) => state === 'done' || state === 'skipped');
  const [first, ...others] = view.causes;
  const look =
    view.countingCount === 0
      ? ''
      : first !== undefined
        ? 'fail'
        : through && view.hazards.length === 0
          ? 'pass'
          : 'inconclusive';
  return html`${blocksMarkup(hazardBlocks(view.hazards))}<header class=${`card head ${look}`}>
    <p class="caption">Countersign desk · ${visible(view.name)}</p>
    <h1>${sentence(view, through)}</h1>
    ${first === undefined ? null : mistakeText(first, true)}
    ${others.length === 0 ? null : html`<details class="fold" id="more-causes"><summary>${others.length} more to put right</summary><ul>${others.map(({ id, sentence }) => html`<li>${brief(sentence, 300)} <a href=${`#${rowAnchor(id)}`}>${id}</a></li>`)}</ul></details>`}
    ${through ? ending(view) : null}
  </header>`;
}

export function mistakeText({ id, sentence, fix }: Mistake, isFirst = false): Markup {
  const what = brief(sentence, 600);
  return html`<div class="wrong"><p>${isFirst ? html`<strong>${what}</strong>` : what}</p>${fix === undefined ? null : html`<p>${brief(fix, 600)}</p>`}<p class="person"><a href=${`#${rowAnchor(id)}`}>${id}</a></p></div>`;
}

function brief(text: string, most: number): string {
  return visible(shortened(text, most));
}

function sentence({ countingCount, conclusion, hazards, rows, plan }: EngagementView, through: boolean): string {
  if (countingCount === 0) return 'Waiting for a request';
  if (conclusion === 'aborted') return 'The suite itself failed';
  const failed = rows.filter(({ outcome }) => outcome === 'fail').length;
  if (failed > 0) return `${pluralize(failed, 'requirement')} failed`;
  const done = plan.filter(({ state }) => state === 'done').length;
  return `${through ? `Through: ${done} of ${plan.length} steps, and nothing failed` : 'Right so far'}${formatHazards({ hazards })}`;
}

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

export function rowSections(view: EngagementView): Markup {
  return html`<section aria-labelledby="rows"><h2 id="rows">Requirements</h2>
    ${dimensions.map((dimension) => rowSection(dimension, view))}
  </section>`;
}

function rowSection(dimension: Dimension, view: EngagementView): Markup {
  const rows = view.rows.filter((row) => row.dimension === dimension);
  if (rows.length === 0) return null;
  if (dimension === 'response-decoding') return decoding(rows, view);
  const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
  const waiting = rows.filter(({ outcome }) => rank({ outcome }) > 2);
  const seen = rows.filter((row) => !waiting.includes(row));
  return html`<div data-group><h3>${titles[dimension]} <span class="muted">${count('fail')} failed, ${count('pass')} passed of ${rows.length}</span></h3>
    ${seen.length === 0 ? null : html`<div class="sections">${[...seen].sort((a, b) => rank(a) - rank(b)).map(rowDetails)}</div>`}
    ${waiting.length === 0 ? null : html`<details class="card fold" id=${`waiting-${dimension}`}><summary>${waiting.length} not shown yet</summary>${waiting.map(rowDetails)}</details>`}
  </div>`;
}

function decoding(rows: readonly RowView[], { plan }: EngagementView): Markup {
  const said = (what: string) => plan.filter(({ reportedByPerson }) => reportedByPerson === what).length;
  return html`<div data-group><h3>${titles['response-decoding']} <span class="muted">${rows.length} requirements, none observed</span></h3>
    <p class="card">What the client understands of an answer cannot be seen from outside. You reported ${said('showed')} steps as shown and ${said('did-not-show')} as not shown. An adapter (<code>countersign client</code>) lets the suite judge these requirements.</p>
  </div>`;
}

function rank({ outcome }: Pick<RowView, 'outcome'>): number {
  return ['error', 'fail', 'pass', 'inconclusive', 'not-applicable'].indexOf(outcome);
}

function rowDetails(row: RowView): Markup {
  const { id, outcome, statement, exchanges, expected, actual, hint, section, basis } = row;
  const waits = outcome === 'inconclusive' && exchanges.length === 0;
  const text = (shown: string | undefined) => (shown === undefined ? undefined : brief(shown, 1_000));
  return html`<details class=${`row ${waits ? 'waiting' : ''}`} id=${rowAnchor(id)} open=${outcome === 'fail'}>
    <summary>${waits ? html`<span class="badge">not yet</span>` : badge(outcome)}<span class="name">${id}</span><span class="what">${statement}</span></summary>
    <div class="inside">${facts([
      ['Expected', expected === undefined ? undefined : value(expected)],
      [waits ? 'Why' : 'Received', actual === undefined || waits ? text(actual) : value(actual)],
      ['Reason', text(row.reason)],
      ['Remark', text(row.remark)],
      ['Why', why(row)],
      ['What to do', outcome === 'fail' ? text(hint) : undefined],
      ['Requests', exchangeLinks(exchanges)],
      ['Where', `section ${section}, by ${basis}`],
    ])}</div>
  </details>`;
}

function why({ explanations = [] }: RowView): Markup | undefined {
  const named = explanations.flatMap(({ deviations, exchange }) => deviations.map((one) => ({ ...one, exchange })));
  if (named.length === 0) return undefined;
  return html`${named.map(
    ({ id, summary, fix, exchange }) =>
      html`<p>${visible(summary)} ${visible(fix)} <span class="muted">${id}, request ${exchange}</span></p>`,
  )}`;
}

const longest = 8_000;

export function exchangeList({ exchanges, exchangeCount, unread }: EngagementView): Markup {
  return html`<section id="exchanges" aria-labelledby="exchanges-title"><h2 id="exchanges-title">Requests <span class="count">${exchangeCount}</span></h2>
    ${exchangeCount > exchanges.length ? html`<p class="muted">The latest ${maxShown}; exchanges.har has all that count.</p>` : null}
    ${exchangeCount === 0 ? html`<p class="muted">None yet.</p>` : null}
    ${unread.map(({ reason }) => html`<p class="note">Not recorded: ${brief(reason, 400)}.</p>`)}
    <div class="sections exchanges">${exchanges.map(exchangeDetails)}</div>
  </section>`;
}

function exchangeDetails(view: ExchangeView): Markup {
  const { number, step, exchange, failing, counts } = view;
  const messages = pageMessages(exchange, longest);
  const { request, response } = messages;
  return html`<details class="exchange" id=${exchangeAnchor(number)}>
    <summary><span class="number">${number}</span> ${verdict(view)}
      <span class="name">${step ?? 'outside of the plan'}</span>
      <span class="line">${brief(`${exchange.request.method} ${exchange.request.target}`, 300)}</span>
      <span class="status">${exchange.response?.status ?? 'none'}</span>
      <span class="muted time">${view.at.slice(11, 19)}</span></summary>
    <div class="inside">
      ${counts ? null : html`<p class="label">A repetition or a new start has replaced it: it no longer counts.</p>`}
      ${failing.length === 0 ? null : html`<div class="wrong"><p>Fails ${failing.map((id, index) => [index === 0 ? '' : ', ', html`<a href=${`#${rowAnchor(id)}`}>${id}</a>`])}.</p></div>`}
      ${signature(view)}
      <div class="pair">
        <div>${linedBlock(element, ['Request'], requestLines(messages))}</div>
        <div>${linedBlock(element, ['Response'], responseLines(messages))}</div>
      </div>
      ${oauthTable(element, request, `oauth-${number}`)}
      ${fold(element, 'Bytes of the request', request, `bytes-${number}`)}
      ${response === undefined ? null : fold(element, 'Bytes of the response', response, `answer-${number}`)}
    </div>
  </details>`;
}

function verdict({ counts, failing }: ExchangeView): Markup {
  if (!counts) return html`<span class="badge">replaced</span>`;
  return failing.length > 0
    ? html`<span class="badge fail">✗ ${failing.length}</span>`
    : html`<span class="badge pass">✓ right</span>`;
}

function signature({
  signature: { verified, problem, explanation, baseString, rightOnceRepaired },
}: ExchangeView): Markup {
  if (verified) return html`<p class="label">The signature verifies.</p>`;
  if (rightOnceRepaired) {
    return html`<p class="label">As it arrived the signature does not verify; once what fails above is put right, it does.</p>`;
  }
  return html`<div class="wrong"><p>The signature does not verify: ${brief(problem ?? '', 1_000)}.</p>
    ${explanation === undefined ? null : html`<p>${brief(explanation, 2_000)}</p>`}
    ${baseString === undefined ? null : codeBlock(element, 'Base string of this request, as the desk computes it', brief(baseString, longest))}
  </div>`;
}
