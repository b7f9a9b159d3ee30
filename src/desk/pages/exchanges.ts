/** The latest requests of an engagement, each with what is wrong with it. */
import { exchangeAnchor, html, type Markup, rowAnchor } from '../../pages/markup.ts';
import { type Shown, shownRequest, shownResponse } from '../../pages/message.ts';
import { visible } from '../../report/visible.ts';
import { type EngagementView, type ExchangeView, mostShown } from '../view.ts';

const shownAs = { limit: 8_000, layOut: true };

export function exchangeList({ exchanges, exchangeCount, unread }: EngagementView): Markup {
  return html`<section id="exchanges" aria-labelledby="exchanges-title"><h2 id="exchanges-title">Requests <span class="count">${exchangeCount}</span></h2>
    ${exchangeCount > exchanges.length ? html`<p class="muted">The latest ${mostShown}; exchanges.har has all that count.</p>` : null}
    ${exchangeCount === 0 ? html`<p class="muted">None yet.</p>` : null}
    ${unread.map(({ reason }) => html`<p class="note">Not recorded: ${visible(reason)}.</p>`)}
    <div class="exchanges">${exchanges.map(details)}</div>
  </section>`;
}

function details(view: ExchangeView): Markup {
  const { number, step, exchange, failing, counts } = view;
  const { request, response } = exchange;
  return html`<details class="exchange" id=${exchangeAnchor(number)}>
    <summary><span class="number">${number}</span> ${verdict(view)}
      <span class="name">${step ?? 'outside of the plan'}</span>
      <span class="line">${visible(request.method)} ${visible(request.target)}</span>
      <span class="status">${response?.status ?? 'none'}</span>
      <span class="muted time">${view.at.slice(11, 19)}</span></summary>
    <div class="inside">
      ${counts ? null : html`<p class="label">A repetition or a new start has replaced it: it no longer counts.</p>`}
      ${failing.length === 0 ? null : html`<div class="wrong"><p>Fails ${failing.map((id, index) => [index === 0 ? '' : ', ', html`<a href=${`#${rowAnchor(id)}`}>${id}</a>`])}.</p></div>`}
      ${signature(view)}
      <div class="pair">
        <div>${shownRequest(exchange, shownAs).map(block)}</div>
        <div>${shownResponse(exchange, shownAs).map(block)}</div>
      </div>
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
  return html`<div class="wrong"><p>The signature does not verify: ${visible(problem ?? '')}.</p>
    ${explanation === undefined ? null : html`<p>${visible(explanation)}</p>`}
    ${baseString === undefined ? null : html`<p>The base string of this request, as the desk computes it:</p><pre>${visible(baseString)}</pre>`}
  </div>`;
}

function block({ caption, text }: Shown): Markup {
  if (text === '') return html`<p class="caption">${caption}</p>`;
  return html`<figure><figcaption class="caption">${caption}</figcaption><pre tabindex="0">${text}</pre></figure>`;
}
