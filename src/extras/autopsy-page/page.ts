/** The page that runs the autopsy in the browser. It is one file with its script, and uses no network. */
import { createHash } from 'node:crypto';
import { languageNames, languages } from '../../autopsy/index.ts';
import { html } from '../../report/pages/markup.ts';
import { pageText, print } from '../../report/pages/page.ts';
import { formStyle } from '../../report/pages/style.ts';

const style = `
.lead { font-size: var(--type-4); margin: .35rem 0 var(--space-4); max-width: 60rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: var(--space-5); align-items: start; }
form label:first-child { margin-top: 0; }
#request { min-height: 14rem; }
input[type='file'] { max-width: 100%; color: var(--muted); font-size: .85rem; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: var(--space-4); }
.private { border-left: 5px solid var(--pass); }
#found h2 { margin: 0; font-size: var(--type-4); overflow-wrap: anywhere; } #found:focus { outline: none; }
@media (max-width: 46rem) { .columns { grid-template-columns: minmax(0, 1fr); gap: var(--space-3); } }
`;

/** Makes the page. `program` is the bundled script of in-browser.ts. */
export function autopsyPage(program: string): string {
  // In a script element, `</script` ends the script and `<!--` hides a part of it (HTML section 13.2.5.4).
  const script = program.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const policy =
    `default-src 'none'; connect-src 'none'; form-action 'none'; base-uri 'none'; style-src 'unsafe-inline'; worker-src blob:; ` +
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}' blob:`;
  return pageText({
    title: 'Why is my signature refused?',
    meta: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    style: `${formStyle}${style}`,
    body: ['<div class="page">', print(content(policy)), '</div>'],
    script,
  });
}

const field = (id: string, label: string, placeholder: string) => html`<label for=${id}>${label}</label>
  <input id=${id} autocomplete="off" spellcheck="false" placeholder=${placeholder} />`;

function content(policy: string) {
  return html`<main>
    <p class="caption">Countersign</p>
    <h1>Why is my signature refused?</h1>
    <p class="lead">Paste a request with an OAuth 1.0 signature and its keys. The page says what the client does differently from RFC 5849, and how to put it right.</p>
    <div class="card private"><strong>Nothing leaves this page.</strong> It needs no network, and its content security policy forbids the use of one.
      The policy begins with <code>${policy.slice(0, policy.indexOf('; form-action'))}</code>. You can save the page and open it offline.</div>
    <noscript><p class="note">This page needs JavaScript, which is switched off. The command <code>countersign autopsy FILE</code> does the same.</p></noscript>
    <div class="columns">
      <form class="card" id="asked">
        <label for="request">The request as HTTP text: request line, headers, an empty line, the body</label>
        <textarea id="request" spellcheck="false" placeholder=${'POST /api/v2/close-day/1111 HTTP/1.1\nHost: …\nAuthorization: OAuth …\n\nday_close_request_id=…'}></textarea>
        <label for="file">Or a file with the request, read byte for byte</label>
        <input type="file" id="file" />
        ${field('base-url', 'Base URL as the client called it, if there is a proxy', 'https://gateway.example:8443')}
        ${field('consumer-secret', 'Consumer secret, for HMAC', '')}
        ${field('token-secret', 'Token secret, if there is a token', '')}
        <label for="public-key">RSA public key or certificate of the client, PEM</label>
        <textarea id="public-key" spellcheck="false" placeholder="-----BEGIN PUBLIC KEY-----"></textarea>
        <label for="language">Language of the client</label>
        <select id="language"><option value="">any</option>${languages.map((one) => html`<option value=${one}>${languageNames[one]}</option>`)}</select>
        <p class="actions"><button class="main-button">Examine</button><button type="button" id="example">Try an example</button></p>
      </form>
      <div id="found" tabindex="-1" aria-live="polite"><p class="muted">The result appears here.</p></div>
    </div>
  </main>`;
}
