/** The part of report.html on what the run does not rule out: known defects that it would have let through. */
import { allowancesInWords, groupInWords, unnoticedInWords } from '../report/unnoticed.ts';
import { visible } from '../report/visible.ts';
import type { Unnoticed } from '../result/unnoticed.ts';
import { command, html, type Markup } from './markup.ts';

/** The ids are folded, by group. */
export function unnoticedDefects(unnoticed: Unnoticed): Markup {
  const { count, groups, notKnown } = unnoticed;
  const listed = (title: string, ids: readonly string[]) => html`<details>
    <summary>${visible(title)}</summary>
    <ul>${ids.map((id) => html`<li>${visible(id)}</li>`)}</ul>
  </details>`;
  return html`<section id="unnoticed" aria-labelledby="unnoticed-title">
    <h2 id="unnoticed-title">Not ruled out <span class="count">${count}</span></h2>
    <p>${unnoticedInWords(unnoticed)}. A ${unnoticed.side ?? 'gateway'} with one of them and no other fault would not be called non-conformant.</p>
    ${allowancesInWords(unnoticed).map(({ flags, brings }) => html`<p>A run with more allowed ${brings}:</p>${command(flags)}`)}
    ${groups.map((group) => listed(groupInWords(group), group.defects))}
    ${notKnown.length === 0 ? null : listed(`not known: ${notKnown.length}`, notKnown)}
  </section>`;
}
