/** The page of one engagement: what to call, with what, and the verdicts. */
import { facts, html, type Markup } from '../../pages/markup.ts';
import { visible } from '../../report/visible.ts';
import type { CredentialsView, EngagementView } from '../view.ts';
import type { WebAnswer } from '../web.ts';
import { exchangeList } from './exchanges.ts';
import { planSection } from './plan.ts';
import { headline, rowSections } from './rows.ts';
import { copyable, pageAnswer } from './shell.ts';

/** @param caFile file with the certificate of the authority that the client has to trust; absent without HTTPS */
export function engagementPage(view: EngagementView, caFile: string | undefined): WebAnswer {
  const content = html`<main id="content">
    <p class="bread"><a href="/desk">All engagements</a> <span class="live" data-live role="status"></span></p>
    <noscript><p class="note">Scripts are off: reload the page to see what is new.</p></noscript>
    <div data-part="head">${headline(view)}</div>
    <section aria-labelledby="connect"><h2 id="connect">Connect the client</h2>
      <div class="card" data-part="connect">${connection(view, caFile)}</div>
    </section>
    <div data-part="plan">${planSection(view)}</div>
    <div data-part="rows">${rowSections(view)}</div>
    <div data-part="exchanges">${exchangeList(view)}</div>
    ${again(view)}
  </main>`;
  const poll = `/desk/api/engagements/${view.id}/version`;
  return pageAnswer({ title: view.name, content: [content], live: { poll, version: view.version } });
}

function connection({ id, baseUrl, credentials, operations }: EngagementView, caFile: string | undefined): Markup {
  const needsSecret = operations.includes('close-day');
  const needsKey = operations.includes('process-recurring-payments');
  return html`<div class="wide-facts">${facts([
    ['Base URL', copyable(baseUrl)],
    ['Trust', caFile === undefined ? 'plain HTTP, nothing to trust' : copyable(caFile)],
    ['Endpoint id', copyable(credentials.endpointId)],
    ['Consumer key', copyable(credentials.consumerKey)],
    ['Consumer secret', needsSecret ? copyable(credentials.consumerSecret) : undefined],
    ['Private key', needsKey ? keyOf(id, credentials) : undefined],
  ])}</div>
  ${
    needsKey
      ? html`<details id="public-key"><summary>Public key that the desk verifies with</summary><pre>${credentials.publicKeyPem}</pre></details>`
      : null
  }`;
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
        <a href=${`/desk/api/engagements/${id}/report.json`}>report.json</a>
        <a href=${`/desk/api/engagements/${id}/exchanges.har`}>exchanges.har</a>
        <a href=${`/desk/api/engagements/${id}`}>this page as JSON</a>
      </p>
      <p>A new start begins the plan of ${visible(name)} at its first step. Requests received so far are kept, but no longer count.</p>
      <form method="post" action=${`/desk/engagements/${id}/restart`}><button>Start again</button></form>
    </div>
  </section>`;
}
