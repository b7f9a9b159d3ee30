/** The program of the page. The same script is the page's and that of its worker, so that a long search leaves the page usable. */
/// <reference lib="dom" />
import { render, type VNode } from 'preact';
import {
  type Autopsy,
  autopsyOfText,
  type Language,
  languageNames,
  lineEndLeftOut,
  ProtocolError,
  RequestTextError,
  readPublicKey,
  readRequestText,
  readSeenUrl,
  withPrefix,
} from '../../autopsy/index.ts';

import { codeBlock } from '../../report/pages/exchange-view.ts';
import { element, facts, html, type Markup, value } from '../../report/pages/markup.ts';
import { visible } from '../../report/visible.ts';

const example = `POST /api/v2/close-day/1111 HTTP/1.1
Host: gateway.example
Content-Type: application/x-www-form-urlencoded
Authorization: OAuth oauth_consumer_key="shop", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1800000000", oauth_nonce="n0nce", oauth_version="1.0", oauth_signature="gshWL5i8YHMWQGQsTpMpmW7YvVA%3D"

day_close_request_id=902B4FF5`;

if (typeof document === 'undefined') {
  addEventListener('message', ({ data }: MessageEvent<AskedOnPage>) => postMessage(examine(data)));
} else {
  const program = document.currentScript!.textContent!;
  const address = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const field = (id: string) => document.getElementById(id) as HTMLInputElement;
  const show = (content: VNode) => render(content, document.getElementById('found')!);
  let worker: Worker | undefined;

  const ask = (asked: AskedOnPage): void => {
    // Whoever asks again no longer waits for the answer before.
    worker?.terminate();
    worker = new Worker(address);
    show(
      html`<p class="note" role="status">Searching. Where nothing is found at once this takes up to half a minute.</p>`,
    );
    worker.onerror = ({ message }) =>
      show(
        html`<div class="card fail"><p>The page itself failed: ${visible(message)}. The command <code>countersign autopsy</code> examines the same.</p></div>`,
      );
    worker.onmessage = ({ data }: MessageEvent<ReturnType<typeof examine>>) => {
      show(
        'found' in data
          ? html`<div>${foundOnPage(data.found, data.remarks, asked.language)}</div>`
          : html`<div class="card fail"><p><strong>${visible(data.problem)}</strong></p><p>${visible(data.hint)}</p></div>`,
      );
      document.getElementById('found')!.focus();
    };
    worker.postMessage(asked);
  };

  document.getElementById('asked')!.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [file] = field('file').files ?? [];
    const text = file === undefined ? new TextEncoder().encode(field('request').value) : await file.arrayBuffer();
    const language = field('language').value;
    ask({
      request: new Uint8Array(text),
      baseUrl: field('base-url').value.trim(),
      consumerSecret: field('consumer-secret').value,
      tokenSecret: field('token-secret').value,
      publicKey: field('public-key').value,
      ...(language === '' ? {} : { language: language as Language }),
    });
  });

  document.getElementById('example')!.addEventListener('click', () => {
    field('request').value = example;
    field('file').value = '';
    field('consumer-secret').value = 'example-secret-0001';
    (document.getElementById('asked') as HTMLFormElement).requestSubmit();
  });
}

interface AskedOnPage {
  /** The request as HTTP text. */
  readonly request: Uint8Array;
  /** Fields that are left empty are not given. */
  readonly baseUrl: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
  readonly publicKey: string;
  readonly language?: Language;
}

/** Below this an RSA key cannot hold the DigestInfo of a SHA-1. */
const anyBits = 512;

/** Examines as the command does: what `--json` prints, with the remarks on how the request was read; or what is wrong with what was given. Never throws. */
function examine(
  asked: AskedOnPage,
):
  | { readonly found: Autopsy; readonly remarks: readonly string[] }
  | { readonly problem: string; readonly hint: string } {
  const { baseUrl, consumerSecret, tokenSecret, publicKey, language } = asked;
  const seen = baseUrl === '' ? undefined : readSeenUrl(baseUrl);
  if (baseUrl !== '' && seen === undefined) {
    return { problem: 'The base URL is none', hint: 'Give a scheme and a host, such as https://gateway.example:8443.' };
  }
  try {
    const text = readRequestText(asked.request, seen);
    const keys = {
      ...(consumerSecret === '' ? {} : { consumerSecret }),
      ...(tokenSecret === '' ? {} : { tokenSecret }),
      ...(publicKey.trim() === '' ? {} : { publicKey: readPublicKey(publicKey, anyBits) }),
    };
    const read = { ...text, request: withPrefix(text.request, seen?.prefix ?? '') };
    const found = autopsyOfText(read, keys, language === undefined ? {} : { language });
    return { found, remarks: text.remarks };
  } catch (cause) {
    if (!(cause instanceof RequestTextError) && !(cause instanceof ProtocolError)) throw cause;
    return { problem: cause.message, hint: cause.hint ?? '' };
  }
}

/** What the client does, how to put it right in its language, and where the base strings part. */
function foundOnPage(found: Autopsy, remarks: readonly string[], language?: Language): Markup {
  const { verified, deviations, malformations, signature, alternatives = [], dialects = [] } = found;
  return html`<div>
    <div class=${`card ${verified ? 'pass' : 'fail'}`} id="verdict"><h2>${verdict(found)}</h2>
      <p class="caption">${[...deviations.map(({ id }) => id), about(found)].join(' · ')}</p>
    </div>
    ${deviations.map(
      ({ id, developer, fix, snippet }) => html`<section class="card"><h3>${id}</h3>
        ${facts([
          ['What happens', visible(developer)],
          ['What to do', fix],
        ])}
        ${snippet === undefined ? null : codeBlock(element, `How to do it right in ${languageNames[language!]}`, snippet)}
      </section>`,
    )}
    ${alternatives.length === 0 ? null : html`<p class="note">On this request these give the same bytes too: ${alternatives.map((ids) => ids.join(' + ')).join('; ')}.</p>`}
    ${dialects.length === 0 ? null : html`<p>This is how it comes out of ${dialects.map(({ library }) => library).join('; ')}.</p>`}
    ${malformations.map(
      ({ id, statement, expected, actual, fix }) => html`<section class="card fail"><h3>${id}</h3><p>${statement}</p>
        ${facts([
          ['Expected', value(expected)],
          ['Received', value(actual)],
          ['What to do', fix],
        ])}
      </section>`,
    )}
    ${[...remarks, ...found.facts.map(({ text }) => text)].map((text) => html`<p class="note">${visible(text)}</p>`)}
    ${signature === 'right' || deviations.length > 0 ? null : nothing(found)}
    ${signature === 'right' ? null : baseStrings(found)}
  </div>`;
}

function verdict({ verified, signature, deviations, malformations, facts: found }: Autopsy): string {
  if (verified)
    return `✓ The signature is right${found.includes(lineEndLeftOut) ? ' without the last line end of the text' : ''}`;
  const [malformed] = malformations;
  if (signature === 'right') return `✗ The signature is right, but the request is malformed: ${malformed!.statement}`;
  return `✗ ${deviations.map(({ summary }) => summary).join(' ') || 'The signature is not right, and nothing explains it'}`;
}

function about({ operation, signatureMethod }: Autopsy): string {
  return [operation === 'other' ? '' : operation, visible(signatureMethod)].filter((part) => part !== '').join(', ');
}

function nothing({ triedCount }: Autopsy): Markup {
  if (triedCount === 0) return null;
  return html`<p>${triedCount.toLocaleString('en-US')} ways to sign were computed; none gives this signature. What cannot be seen from here: another secret or key, a body or URL that was altered on the way, or a mistake that has no name yet.</p>`;
}

function baseStrings({ baseString, signedBaseString }: Autopsy): Markup {
  if (baseString === '') return null;
  const right = visible(baseString);
  const signed = signedBaseString === undefined ? undefined : visible(signedBaseString);
  return html`<section class="card"><h3>Base string</h3>
    ${codeBlock(element, 'As RFC 5849 makes it of this request', right, signed)}
    ${signed === undefined ? null : codeBlock(element, 'As the client signed it', signed, right)}
  </section>`;
}
