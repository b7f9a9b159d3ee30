/** The parts of report.html on what is shown apart: hazards above everything, known failures, stale entries of the baseline, and what does not count. */

import type { Hazard, Result } from '../../record/result/result.ts';
import { baselineProblems, type ShownApart } from '../counting.ts';
import { shortened, visible } from '../visible.ts';
import { atRiskInWords } from '../words.ts';
import { exchangeLinks, facts, html, type Markup, value } from './markup.ts';

/** Null where there are none. */
export function shownApart(anchor: string, title: string, all: readonly ShownApart[]): Markup {
  if (all.length === 0) return null;
  return html`<section id=${anchor} aria-labelledby=${`${anchor}-title`}>
    <h2 id=${`${anchor}-title`}>${visible(title)} <span class="count">${all.length}</span></h2>
    ${all.map(
      ({ id, sentence, received }) => html`<article class="finding">
        <h3>${visible(id)}</h3>
        <p>${visible(shortened(sentence, 1_000))}</p>
        ${facts([['Received', received === undefined ? undefined : value(received)]])}
      </article>`,
    )}
  </section>`;
}

/** Above everything, on green pages too. Null where there are none. */
export function hazardCards(hazards: readonly Omit<Hazard, 'known'>[]): Markup {
  if (hazards.length === 0) return null;
  return html`<section id="hazards" aria-label="Hazards">${hazards.map(
    ({ id, sentence, atRisk, hint, exchanges }) => html`<article class="card hazard">
      <h2>Hazard <span>${id}</span></h2>
      <p><strong>${visible(shortened(sentence, 1_000))}</strong></p>
      ${facts([
        ['At risk', atRiskInWords(atRisk) || undefined],
        ['What to do', visible(shortened(hint, 1_000))],
        ['Exchanges', exchangeLinks(exchanges)],
      ])}
    </article>`,
  )}</section>`;
}

/** The entries that no longer hold, with what to write. Null where there are none. */
export function staleBaseline(result: Result): Markup {
  const problems = baselineProblems(result);
  if (problems.length === 0) return null;
  return html`<section id="baseline" aria-labelledby="baseline-title">
    <h2 id="baseline-title">Entries of the baseline that no longer hold <span class="count">${problems.length}</span></h2>
    ${problems.map(
      ({ id, sentence, lines }) => html`<article class="finding fail">
        <h3>${visible(id)}</h3>
        <p>${visible(shortened(sentence, 1_000))}</p>
        ${lines.length === 0 ? null : html`<pre tabindex="0">${lines.map(visible).join('\n')}</pre>`}
      </article>`,
    )}
  </section>`;
}
