/** The parts of report.html on what the run does not rule out: requirements that never arose, and defects that it would have let through. */

import type { Result, Unnoticed } from '../../record/result/result.ts';
import { countOf, neverArose } from '../counting.ts';
import { allowancesInWords, groupInWords, unnoticedInWords } from '../unnoticed.ts';
import { visible } from '../visible.ts';
import { command, html, type Markup } from './markup.ts';

/** The required rows that never arose, folded by what would make them arise. Null where there are none. */
export function neverAroseSection(result: Result): Markup {
  const groups = neverArose(result);
  if (groups.length === 0) return null;
  return html`<section id="never-arose" aria-labelledby="never-arose-title">
    <h2 id="never-arose-title">Required, but never arose <span class="count">${countOf(groups)}</span></h2>
    <p>Nothing in this run could show these requirements: the conclusion does not speak of them. With --require they are inconclusive instead.</p>
    ${groups.map(({ ids, sentence }) => folded(`${ids.length}: ${sentence}`, ids))}
  </section>`;
}

function folded(title: string, ids: readonly string[]): Markup {
  return html`<details>
    <summary>${visible(title)}</summary>
    <ul>${ids.map((id) => html`<li>${visible(id)}</li>`)}</ul>
  </details>`;
}

/** The ids are folded, by group. */
export function unnoticedDefects(unnoticed: Unnoticed): Markup {
  const { count, groups, notKnown } = unnoticed;
  return html`<section id="unnoticed" aria-labelledby="unnoticed-title">
    <h2 id="unnoticed-title">Not ruled out <span class="count">${count}</span></h2>
    <p>${unnoticedInWords(unnoticed)}. A ${unnoticed.side ?? 'gateway'} with one of them and no other fault would not be called non-conformant.</p>
    ${allowancesInWords(unnoticed).map(({ flags, brings }) => html`<p>A run with this ${brings}:</p>${command(flags)}`)}
    ${groups.map((group) => folded(groupInWords(group), group.defects))}
    ${notKnown.length === 0 ? null : folded(`not known: ${notKnown.length}`, notKnown)}
  </section>`;
}
