/** The call of a client in report.html: what it was asked, and what it says that it read. */
import type { ClientCall } from '../exchange/case.ts';
import type { InputKind } from '../exchange/client-case.ts';
import { shortened, visible, visibleJson } from '../report/visible.ts';
import { html, type Markup } from './markup.ts';

/** Characters of an input or of a reading; the HAR file has them whole. */
const limit = 2_000;

const meanings: Readonly<Record<InputKind, string>> = {
  mandatory: 'An input that a client has to manage',
  hardening: 'An unusual input, which a client may decline',
  forbidden: 'An input that the document forbids',
  probe: 'Looked at, never judged',
  observed: 'Recorded: it is not known what the client was asked',
};

/** A sentence on the call, its input, and the client's own report where there is one. */
export function callInHtml({ label, asked, reply, adapterFault }: ClientCall): Markup {
  const about = [label.special, label.decoding && `${label.decoding.question} (${label.decoding.form})`];
  const facts = about.filter((part) => part !== undefined);
  return html`<p class="label">${visible([meanings[label.input], ...facts].join(', '))}.</p>
    ${asked === undefined ? null : value('Asked', asked.input)}
    ${asked?.environment === undefined ? null : value('Environment', asked.environment)}
    ${reply === undefined ? null : value('The client reported', reported(reply))}
    ${adapterFault === undefined ? null : html`<p class="caption">${visible(adapterFault.message)}</p>`}`;
}

/** Without the stages, which are long. */
function reported({ stages: _, ...reply }: NonNullable<ClientCall['reply']>): object {
  return reply;
}

function value(caption: string, data: object): Markup {
  const text = visibleJson(shortened(JSON.stringify(data, undefined, 1), limit));
  return html`<figure><figcaption class="caption">${caption}</figcaption><pre tabindex="0">${text}</pre></figure>`;
}
