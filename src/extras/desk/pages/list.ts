/** The first page of the desk: who is being looked after, and a form for the next one. */

import { countedWord } from '../../../record/counted-word.ts';
import { conclusionOf } from '../../../record/result/conclude.ts';
import type { Result } from '../../../record/result/result.ts';
import { badge, html, type Markup } from '../../../report/pages/markup.ts';
import { visible } from '../../../report/visible.ts';
import { likeOutcome } from '../../../report/words.ts';
import type { DeskService, Lost } from '../desk-service.ts';
import type { EngagementRecord } from '../engagement.ts';
import { progressOf } from '../script.ts';
import { pageAnswer, type WebAnswer } from './shell.ts';

/** @param problem what was wrong with the form that was sent, in a sentence */
export async function listPage(desk: DeskService, problem?: string): Promise<WebAnswer> {
  const cards = await desk.judgeAll((record, { result }) => card(record, result, desk));
  const { strangers, lost } = desk;
  const content = html`<main id="content">
    <p class="product">Countersign</p>
    <h1>Desk</h1>
    <p class="lead">A local gateway for clients without an adapter. Each engagement has its own credentials, base URL and plan.</p>
    <section aria-labelledby="engagements" data-part="engagements"><h2 id="engagements">Engagements <span class="count">${cards.length}</span></h2>
      ${cards.length === 0 ? html`<p class="muted">None yet. Create one below, and point your client at its base URL.</p>` : null}
      ${lostNote(lost)}
      <div class="cards">${cards}</div>
    </section>
    ${newForm(problem)}
    ${strangers.length === 0 ? null : strangersList(strangers)}
  </main>`;
  return pageAnswer({ title: 'Engagements', content, live: '*' }, problem === undefined ? 200 : 400);
}

function card(record: EngagementRecord, result: Result, desk: DeskService): Markup {
  const { id, name } = record.engagement;
  const steps = progressOf(record);
  const over = steps.filter(({ state }) => state === 'done' || state === 'skipped').length;
  const requests = record.exchanges.length;
  const count = (wanted: string) => result.results.filter(({ outcome }) => outcome === wanted).length;
  const conclusion =
    requests === 0
      ? html`<span class="badge">waiting</span>`
      : badge(likeOutcome[result.conclusion], conclusionOf(result));
  return html`<article class="card">
    <h3><a href=${`/desk/engagements/${id}`}>${visible(name)}</a> ${conclusion}</h3>
    <p class="muted">Step ${over} of ${steps.length}, ${countedWord(requests, 'request')}, ${countedWord(count('fail'), 'requirement')} failed, ${count('pass')} passed</p>
    <p><code>${desk.baseUrlOf(record)}</code></p>
  </article>`;
}

function newForm(problem: string | undefined): Markup {
  return html`<section aria-labelledby="new"><h2 id="new">New engagement</h2>
    <form class="card" method="post" action="/desk/engagements">
      ${problem === undefined ? null : html`<div class="wrong" role="alert"><p>${visible(problem)}</p></div>`}
      <label for="name">Name of the client</label>
      <input type="text" id="name" name="name" required maxlength="80" autocomplete="off" />
      <label for="operations">What it can do</label>
      <select id="operations" name="operations">
        <option value="both">close-day and process-recurring-payments</option>
        <option value="close-day">close-day alone</option>
        <option value="process-recurring-payments">process-recurring-payments alone</option>
      </select>
      <label for="publicKeyPem">RSA public key of the client, PEM. Leave it empty and the desk makes a key pair.</label>
      <textarea id="publicKeyPem" name="publicKeyPem" spellcheck="false" autocomplete="off"></textarea>
      <button class="main-button">Create</button>
    </form>
  </section>`;
}

function strangersList(strangers: readonly string[]): Markup {
  return html`<section aria-labelledby="strangers"><h2 id="strangers">Requests for no engagement</h2>
    <p>They named neither the path of an engagement nor its consumer key, and were answered with 404.</p>
    <ul>${strangers.map((line) => html`<li><code>${visible(line)}</code></li>`)}</ul>
  </section>`;
}

/** The latest one in full; nothing where there is none. */
export function lostNote([latest, ...others]: readonly Lost[]): Markup {
  if (latest === undefined) return null;
  const more = others.length === 0 ? '' : `; ${others.length} more before it`;
  return html`<p class="note" role="alert">${visible(latest.why)} <span class="person">At ${new Date(latest.at).toISOString().slice(11, 19)}${more}</span></p>`;
}
