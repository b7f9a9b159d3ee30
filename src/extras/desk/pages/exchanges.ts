/** The latest requests of an engagement, each with what is wrong with it. */
import { codeBlock } from '../../../report/pages/components.ts';
import { fold, oauthTable } from '../../../report/pages/exchange-detail.ts';
import { linedBlock, requestLines, responseLines, wireText } from '../../../report/pages/exchange-lines.ts';
import { element, exchangeAnchor, html, type Markup, rowAnchor } from '../../../report/pages/markup.ts';
import { pageMessages } from '../../../report/pages/message.ts';
import { shortened, visible } from '../../../report/visible.ts';
import { type EngagementView, type ExchangeView, mostShown } from '../view.ts';

/** Characters of a body. */
const longest = 8_000;

export function exchangeList({ exchanges, exchangeCount, unread }: EngagementView): Markup {
  return html`<section id="exchanges" aria-labelledby="exchanges-title"><h2 id="exchanges-title">Requests <span class="count">${exchangeCount}</span></h2>
    ${exchangeCount > exchanges.length ? html`<p class="muted">The latest ${mostShown}; exchanges.har has all that count.</p>` : null}
    ${exchangeCount === 0 ? html`<p class="muted">None yet.</p>` : null}
    ${unread.map(({ reason }) => html`<p class="note">Not recorded: ${visible(shortened(reason, 400))}.</p>`)}
    <div class="sections exchanges">${exchanges.map(details)}</div>
  </section>`;
}

function details(view: ExchangeView): Markup {
  const { number, step, exchange, failing, counts } = view;
  const messages = pageMessages(exchange, longest);
  const { request, response } = messages;
  return html`<details class="exchange" id=${exchangeAnchor(number)}>
    <summary><span class="number">${number}</span> ${verdict(view)}
      <span class="name">${step ?? 'outside of the plan'}</span>
      <span class="line">${visible(shortened(`${exchange.request.method} ${exchange.request.target}`, 300))}</span>
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
      ${fold(element, 'Bytes of the request', wireText(request), request.body, `bytes-${number}`)}
      ${response === undefined ? null : fold(element, 'Bytes of the response', wireText(response), response.body, `answer-${number}`)}
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
  return html`<div class="wrong"><p>The signature does not verify: ${visible(shortened(problem ?? '', 1_000))}.</p>
    ${explanation === undefined ? null : html`<p>${visible(shortened(explanation, 2_000))}</p>`}
    ${baseString === undefined ? null : codeBlock(element, 'Base string of this request, as the desk computes it', visible(shortened(baseString, longest)))}
  </div>`;
}
