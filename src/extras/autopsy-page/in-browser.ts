/** The script of the page and of its worker. The search runs in the worker, so that the page stays responsive. */
/// <reference lib="dom" />
import { render, type VNode } from 'preact';
import { type Autopsy, autopsyOfText, minKeyBits } from '../../autopsy/autopsy.ts';
import { autopsyDocument } from '../../autopsy/autopsy-document.ts';
import { type Language, ProtocolError, readPublicKey } from '../../autopsy/index.ts';
import { RequestTextError, readBaseUrl, readRequestText, withPrefix } from '../../autopsy/request-text.ts';
import { blocksMarkup, html, type Markup, sectionMarkup } from '../../report/pages/markup.ts';
import { visible } from '../../report/visible.ts';

const example = `POST /api/v2/close-day/1111 HTTP/1.1
Host: gateway.example
Content-Type: application/x-www-form-urlencoded
Authorization: OAuth oauth_consumer_key="shop", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1800000000", oauth_nonce="n0nce", oauth_version="1.0", oauth_signature="gshWL5i8YHMWQGQsTpMpmW7YvVA%3D"

day_close_request_id=902B4FF5`;

if (typeof document === 'undefined') {
  addEventListener('message', ({ data }: MessageEvent<PageInput>) => postMessage(runAutopsy(data)));
} else {
  const program = document.currentScript!.textContent!;
  const scriptUrl = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const field = (id: string) => document.getElementById(id) as HTMLInputElement;
  const show = (content: VNode) => render(content, document.getElementById('found')!);
  let worker: Worker | undefined;

  const search = (input: PageInput): void => {
    worker?.terminate();
    worker = new Worker(scriptUrl);
    show(html`<p class="note" role="status">Searching. This may take half a minute.</p>`);
    worker.onerror = ({ message }) =>
      show(
        html`<div class="card fail"><p>This page has a fault: ${visible(message)}. Use the command <code>countersign autopsy</code> instead.</p></div>`,
      );
    worker.onmessage = ({ data }: MessageEvent<ReturnType<typeof runAutopsy>>) => {
      show(
        data.found !== undefined
          ? html`<div>${autopsyMarkup(data.found, data.remarks, input.language)}</div>`
          : html`<div class="card fail"><p><strong>${visible(data.problem)}</strong></p><p>${visible(data.hint)}</p></div>`,
      );
      document.getElementById('found')!.focus();
    };
    worker.postMessage(input);
  };

  document.getElementById('asked')!.addEventListener('submit', async (event) => {
    event.preventDefault();
    const [file] = field('file').files ?? [];
    const bytes = file === undefined ? new TextEncoder().encode(field('request').value) : await file.arrayBuffer();
    const language = field('language').value;
    search({
      request: new Uint8Array(bytes),
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

interface PageInput {
  readonly request: Uint8Array;
  readonly baseUrl: string;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
  readonly publicKey: string;
  readonly language?: Language;
}

function runAutopsy(input: PageInput) {
  const { baseUrl, consumerSecret, tokenSecret, publicKey, language } = input;
  const baseAddress = baseUrl === '' ? undefined : readBaseUrl(baseUrl);
  if (baseUrl !== '' && baseAddress === undefined) {
    return {
      problem: 'The base URL is not valid',
      hint: 'Give a scheme and a host, such as https://gateway.example:8443.',
    };
  }
  try {
    const text = readRequestText(input.request, baseAddress);
    const keys = {
      ...(consumerSecret === '' ? {} : { consumerSecret }),
      ...(tokenSecret === '' ? {} : { tokenSecret }),
      ...(publicKey.trim() === '' ? {} : { publicKey: readPublicKey(publicKey, minKeyBits) }),
    };
    const requestText = { ...text, request: withPrefix(text.request, baseAddress?.prefix ?? '') };
    const found = autopsyOfText(requestText, keys, language === undefined ? {} : { language });
    return { found, remarks: text.remarks };
  } catch (cause) {
    if (!(cause instanceof RequestTextError) && !(cause instanceof ProtocolError)) throw cause;
    return { problem: cause.message, hint: cause.hint ?? '' };
  }
}

function autopsyMarkup(autopsy: Autopsy, remarks: readonly string[], language?: Language): Markup {
  const { outcome, verdict, head, sections = [] } = autopsyDocument(autopsy, language);
  return html`<div>
    <div class=${`card ${outcome}`} id="verdict"><h2>${visible(verdict)}</h2>${blocksMarkup(head)}</div>
    ${remarks.map((text) => html`<p class="note">${visible(text)}</p>`)}
    ${sections.map((section) => html`<div class="card">${sectionMarkup(section)}</div>`)}
  </div>`;
}
