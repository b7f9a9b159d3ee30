/** The program of the page. The same script is the page's and that of its worker, so that a long search leaves the page usable. */
/// <reference lib="dom" />
import { render, type VNode } from 'preact';
import type { Language } from '../../autopsy/index.ts';
import { html } from '../../report/pages/page.ts';
import { visible } from '../../report/visible.ts';
import { type AskedOnPage, examine } from './examine.ts';
import { foundOnPage } from './found.ts';

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
