/** Connections that came to nothing: without them a page would wait for a request that cannot come. */
import { html, type Markup } from '../../../report/pages/markup.ts';
import { visible } from '../../../report/visible.ts';
import type { Lost } from '../callers.ts';

/** The latest one in full; nothing where there is none. */
export function lostNote([latest, ...others]: readonly Lost[]): Markup {
  if (latest === undefined) return null;
  const more = others.length === 0 ? '' : `; ${others.length} more before it`;
  return html`<p class="note" role="alert">${visible(latest.why)} <span class="person">At ${new Date(latest.at).toISOString().slice(11, 19)}${more}</span></p>`;
}
