/** The conclusion so far, the mistakes to fix, and the requirements by dimension. */

import { requirementById } from '../../../../contracts/requirements/index.ts';
import { type Dimension, dimensions } from '../../../../contracts/requirements/requirement.ts';
import { pluralize } from '../../../record/pluralize.ts';
import { formatHazards } from '../../../record/result/conclude.ts';
import { rowBlocks } from '../../../report/cause-groups.ts';
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
import { badge, blocksMarkup, element, exchangeAnchor, html, type Markup } from '../../../report/pages/markup.ts';
import { titles } from '../../../report/pages/pictures.ts';
import { hazardBlocks } from '../../../report/result-document.ts';
import { shortened, visible } from '../../../report/visible.ts';
import { type EngagementView, type ExchangeView, type Mistake, maxShown, type RowView } from '../view.ts';
import { copyable } from './shell.ts';

export function headline(view: EngagementView): Markup {
  const isComplete = view.countingCount > 0 && view.plan.every(({ state }) => state === 'done' || state === 'skipped');
  const [first, ...others] = view.causes;
  const good = isComplete && view.hazards.length === 0 ? 'pass' : 'inconclusive';
  const look = view.countingCount === 0 ? '' : first !== undefined ? 'fail' : good;
  const more = others.map(
    ({ id, sentence }) => html`<li>${brief(sentence, 300)} <a href=${`#${rowAnchor(id)}`}>${id}</a></li>`,
  );
  return html`${blocksMarkup(hazardBlocks(view.hazards))}<header class=${`card head ${look}`}>
    <p class="caption">Countersign desk · ${visible(view.name)}</p>
    <h1>${formatConclusion(view, isComplete)}</h1>
    ${first === undefined ? null : mistakeText(first, true)}
    ${more.length === 0 ? null : html`<details class="fold" id="more-causes"><summary>${more.length} more to fix</summary><ul>${more}</ul></details>`}
    ${isComplete ? ending(view) : null}
  </header>`;
}

export function mistakeText({ id, sentence, fix }: Mistake, isFirst = false): Markup {
  const what = brief(sentence, 600);
  return html`<div class="wrong"><p>${isFirst ? html`<strong>${what}</strong>` : what}</p>${fix === undefined ? null : html`<p>${brief(fix, 600)}</p>`}<p class="person"><a href=${`#${rowAnchor(id)}`}>${id}</a></p></div>`;
}

function brief(text: string, maxLength: number): string {
  return visible(shortened(text, maxLength));
}

function formatConclusion(view: EngagementView, isComplete: boolean): string {
  const { countingCount, conclusion, hazards, rows, plan } = view;
  if (countingCount === 0) return 'Waiting for a request';
  if (conclusion === 'aborted') return 'The suite itself failed';
  const failed = rows.filter(({ outcome }) => outcome === 'fail').length;
  if (failed > 0) return `${pluralize(failed, 'requirement')} failed`;
  const done = plan.filter(({ state }) => state === 'done').length;
  const good = isComplete ? `Finished: ${done} of ${plan.length} steps, and nothing failed` : 'Right so far';
  return `${good}${formatHazards({ hazards })}`;
}

function ending({ id, causes, operations: [operation, ...others] }: EngagementView): Markup {
  const page = `/desk/engagements/${id}/report.html`;
  const only = others.length > 0 ? '*' : operation === 'close-day' ? 'close-day/*' : 'recurring/*';
  return html`<div>
    ${causes.length > 0 ? null : html`<p>Every request of this client is right. The desk cannot see what it understands of the answers, so the report says partial.</p>`}
    <p class="links"><a class="main-button" href=${page}>Report</a> <a href=${page} download=${`countersign-${id}.html`}>Save it as one file</a>
      <a href=${`/desk/api/engagements/${id}/report.json`}>report.json</a> <a href=${`/desk/api/engagements/${id}/exchanges.har`}>exchanges.har</a></p>
    <details class="fold" id="to-certificate"><summary>How to get a certificate</summary>
      <p>A certificate also covers decoding. Run the client with an adapter that reports what the client understood:</p>
      ${copyable(`npx countersign client --only '${only}' --out certified -- YOUR-ADAPTER`)}
      ${copyable('npx countersign certificate certified --key YOUR-KEY.pem')}
    </details>
  </div>`;
}

export function rowSections(view: EngagementView): Markup {
  return html`<section aria-labelledby="rows"><h2 id="rows">Requirements</h2>
    ${dimensions.map((dimension) => rowSection(dimension, view))}
  </section>`;
}

function rowSection(dimension: Dimension, { rows: all, plan }: EngagementView): Markup {
  const rows = all.filter((row) => row.dimension === dimension);
  if (rows.length === 0) return null;
  const title = (text: string) => html`<h3>${titles[dimension]} <span class="muted">${text}</span></h3>`;
  if (dimension === 'response-decoding') {
    const stepsWith = (what: string) => plan.filter(({ reportedByPerson }) => reportedByPerson === what).length;
    return html`<div data-group>${title(`${rows.length} requirements, none observed`)}
      <p class="card">The desk cannot see what the client understands of an answer. You reported ${stepsWith('showed')} steps as shown and ${stepsWith('did-not-show')} as not shown. With an adapter (<code>countersign client</code>) the suite can judge these requirements.</p>
    </div>`;
  }
  const count = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
  const judged = rows.filter((row) => rank(row) < 3).sort((a, b) => rank(a) - rank(b));
  const open = rows.filter((row) => rank(row) >= 3);
  return html`<div data-group>${title(`${count('fail')} failed, ${count('pass')} passed of ${rows.length}`)}
    ${judged.length === 0 ? null : html`<div class="sections">${judged.map(rowDetails)}</div>`}
    ${open.length === 0 ? null : html`<details class="card fold" id=${`waiting-${dimension}`}><summary>${open.length} not shown yet</summary>${open.map(rowDetails)}</details>`}
  </div>`;
}

function rank({ outcome }: RowView): number {
  return ['error', 'fail', 'pass', 'inconclusive', 'not-applicable'].indexOf(outcome);
}

function rowDetails(row: RowView): Markup {
  const { id, outcome, statement, exchanges } = row;
  const waits = outcome === 'inconclusive' && exchanges.length === 0;
  return html`<details class=${`row ${waits ? 'waiting' : ''}`} id=${rowAnchor(id)} open=${outcome === 'fail'}>
    <summary>${waits ? html`<span class="badge">not yet</span>` : badge(outcome)}<span class="name">${id}</span><span class="what">${statement}</span></summary>
    <div class="inside">${blocksMarkup(rowBlocks({ ...row, provenBy: [] }, {}, requirementById))}</div>
  </details>`;
}

const maxText = 8_000;

export function exchangeList({ exchanges, exchangeCount, unread }: EngagementView): Markup {
  return html`<section id="exchanges" aria-labelledby="exchanges-title"><h2 id="exchanges-title">Requests <span class="count">${exchangeCount}</span></h2>
    ${exchangeCount > exchanges.length ? html`<p class="muted">The latest ${maxShown}. exchanges.har has all that count.</p>` : null}
    ${exchangeCount === 0 ? html`<p class="muted">None yet.</p>` : null}
    ${unread.map(({ reason }) => html`<p class="note">Not recorded: ${brief(reason, 400)}.</p>`)}
    <div class="sections exchanges">${exchanges.map(exchangeDetails)}</div>
  </section>`;
}

function exchangeDetails(view: ExchangeView): Markup {
  const { number, step, exchange, failing, counts } = view;
  const messages = pageMessages(exchange, maxText);
  const { request, response } = messages;
  const links = failing.map((id, at) => [at === 0 ? '' : ', ', html`<a href=${`#${rowAnchor(id)}`}>${id}</a>`]);
  const verdict = failing.length > 0 ? ['badge fail', `✗ ${failing.length}`] : ['badge pass', '✓ right'];
  const [look, word] = counts ? verdict : ['badge', 'replaced'];
  return html`<details class="exchange" id=${exchangeAnchor(number)}>
    <summary><span class="number">${number}</span> <span class=${look}>${word}</span>
      <span class="name">${step ?? 'outside the plan'}</span>
      <span class="line">${brief(`${exchange.request.method} ${exchange.request.target}`, 300)}</span>
      <span class="status">${exchange.response?.status ?? 'none'}</span>
      <span class="muted time">${view.at.slice(11, 19)}</span></summary>
    <div class="inside">
      ${counts ? null : html`<p class="label">A repetition or a restart replaced it, so it no longer counts.</p>`}
      ${failing.length === 0 ? null : html`<div class="wrong"><p>Fails ${links}.</p></div>`}
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

function signature({ signature: note }: ExchangeView): Markup {
  const { verified, problem = '', explanation, baseString, rightOnceRepaired } = note;
  if (verified) return html`<p class="label">The signature verifies.</p>`;
  if (rightOnceRepaired) {
    return html`<p class="label">The signature does not verify as received. It verifies once the failures above are fixed.</p>`;
  }
  return html`<div class="wrong"><p>The signature does not verify: ${brief(problem, 1_000)}.</p>
    ${explanation === undefined ? null : html`<p>${brief(explanation, 2_000)}</p>`}
    ${baseString === undefined ? null : codeBlock(element, 'Base string of this request, as the desk computes it', brief(baseString, maxText))}
  </div>`;
}
