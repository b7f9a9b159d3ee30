/** The page of one engagement: what to call, with what, and the verdicts. */
import { facts, html, type Markup } from '../../../report/pages/markup.ts';
import { visible } from '../../../report/visible.ts';
import type { CredentialsView, EngagementView } from '../view.ts';
import type { WebAnswer } from '../web.ts';
import { exchangeList } from './exchanges.ts';
import { lostNote } from './lost.ts';
import { planSection, stepInSight } from './plan.ts';
import { headline, rowSections } from './rows.ts';
import { copyable, pageAnswer } from './shell.ts';

/** @param caFile file with the certificate of the authority that the client has to trust; absent without HTTPS */
export function engagementPage(view: EngagementView, caFile: string | undefined): WebAnswer {
  const content = html`<main id="content">
    <p class="bread"><a href="/desk">All engagements</a> <span class="live" data-live role="status"></span></p>
    <noscript><p class="note">Scripts are off: reload the page to see what is new.</p></noscript>
    <div data-part="head">${headline(view)}</div>
    <div data-part="lost">${lostNote(view.lost)}</div>
    <div data-part="next" class="in-sight">${stepInSight(view)}</div>
    <div data-part="connect">${connection(view, caFile)}</div>
    <div data-part="plan">${planSection(view)}</div>
    <div data-part="rows">${rowSections(view)}</div>
    <div data-part="exchanges">${exchangeList(view)}</div>
    ${again(view)}
  </main>`;
  return pageAnswer({ title: view.name, content: [content], live: view.id });
}

/** Open until the first request: then it is known to work. Another id, so that the page folds it for a reader who had it open. */
function connection(view: EngagementView, caFile: string | undefined): Markup {
  const waits = view.exchangeCount === 0;
  return html`<details class="card fold" id=${waits ? 'connect' : 'connected'} open=${waits}>
    <summary><h2>Connect the client</h2></summary>${credentials(view, caFile)}</details>`;
}

function credentials({ id, baseUrl, credentials, operations }: EngagementView, caFile: string | undefined): Markup {
  const needsSecret = operations.includes('close-day');
  const needsKey = operations.includes('process-recurring-payments');
  return html`<div class="wide-facts">${facts([
    ['Base URL', copyable(baseUrl)],
    ['Endpoint id', copyable(credentials.endpointId)],
    ['Consumer key', copyable(credentials.consumerKey)],
    ['Consumer secret', needsSecret ? copyable(credentials.consumerSecret) : undefined],
    ['Private key', needsKey ? keyOf(id, credentials) : undefined],
    ['Trust', caFile === undefined ? 'plain HTTP, nothing to trust' : trust(caFile)],
  ])}</div>
  ${
    needsKey
      ? html`<details id="public-key" class="fold"><summary>Public key that the desk verifies with</summary><pre tabindex="0">${credentials.publicKeyPem}</pre></details>`
      : null
  }`;
}

/** What most clients read the name of a further authority from. */
function trust(caFile: string): Markup {
  return html`${copyable(caFile)}
    <details class="fold" id="trust"><summary>How a client comes to trust it</summary>
      <p class="caption">Python requests</p>${copyable(`export REQUESTS_CA_BUNDLE='${caFile}'`)}
      <p class="caption">Node</p>${copyable(`export NODE_EXTRA_CA_CERTS='${caFile}'`)}
      <p class="caption">Go, Ruby, Perl, Python without requests</p>${copyable(`export SSL_CERT_FILE='${caFile}'`)}
      <p class="caption">PHP</p>${copyable(`php -d openssl.cafile='${caFile}' -d curl.cainfo='${caFile}' CLIENT.php`)}
      <p class="caption">Java</p>${copyable(`keytool -importcert -noprompt -alias desk -file '${caFile}' -keystore desk.p12 -storepass changeit`)}
    </details>`;
}

function keyOf(id: string, { privateKey }: CredentialsView): Markup {
  switch (privateKey) {
    case 'ready':
      return html`<form method="post" action=${`/desk/engagements/${id}/private-key`}><button>Download once</button> <span class="person">The desk gives it a single time.</span></form>`;
    case 'given':
      return 'was downloaded';
    default:
      return 'its owner keeps it';
  }
}

function again({ id, name }: EngagementView): Markup {
  return html`<section class="danger" aria-labelledby="again"><h2 id="again">Files, and a new start</h2>
    <div class="card">
      <p class="links">
        <a href=${`/desk/engagements/${id}/report.html`}>report.html</a>
        <a href=${`/desk/api/engagements/${id}/report.json`}>report.json</a>
        <a href=${`/desk/api/engagements/${id}/exchanges.har`}>exchanges.har</a>
        <a href=${`/desk/api/engagements/${id}`}>this page as JSON</a>
      </p>
      <p>A new start begins the plan of ${visible(name)} at its first step. Requests received so far are kept, but no longer count.</p>
      <form method="post" action=${`/desk/engagements/${id}/restart`}><button>Start again</button></form>
    </div>
  </section>`;
}
