/** The pages of the desk: the list of engagements with a form for a new engagement, and a page for each engagement. */
import { operationNames, operations, pathTo } from '../../../../contracts/operations.ts';
import { dimensions } from '../../../../contracts/requirements/requirement.ts';
import type { WebAnswer } from '../../../mock/router.ts';
import { buildRecurring, encodeForm, type Pair } from '../../../protocol/index.ts';
import type { RecurringInput } from '../../../record/case.ts';
import { pluralize } from '../../../record/pluralize.ts';
import { conclusionOf, formatHazards } from '../../../record/result/conclude.ts';
import { type Block, type Line, rowAnchor } from '../../../report/document.ts';
import { pageMessages } from '../../../report/pages/exchange-data.ts';
import { exchangeDetail } from '../../../report/pages/exchange-view.ts';
import { badge, blocksMarkup, element, exchangeLinks, facts, html, type Markup } from '../../../report/pages/markup.ts';
import { pageText, print } from '../../../report/pages/page.ts';
import { titles } from '../../../report/pages/report-page.ts';
import { formStyle } from '../../../report/pages/style.ts';
import { conclusionOutcomes } from '../../../report/phrases.ts';
import { hazardBlocks } from '../../../report/result-document.ts';
import { shortened, visible } from '../../../report/visible.ts';
import type { DeskService, EngagementView } from '../desk-service.ts';
import { progressOf } from '../plan.ts';
import type { EngagementRecord, StepAction } from '../state.ts';
import { script, scriptHash } from './script.ts';

type StepView = EngagementView['plan'][number];
type ExchangeView = EngagementView['exchanges'][number];
type Mistake = EngagementView['causes'][number];

/** @param caFile the file with the CA certificate that the client must trust; undefined without HTTPS */
export function engagementPage(view: EngagementView, caFile: string | undefined): WebAnswer {
  const content = html`<main id="content">
    <p class="bread"><a href="/desk">All engagements</a> <span class="live" data-live role="status"></span></p>
    <noscript><p class="note">Scripts are off: reload the page to see what is new.</p></noscript>
    <div data-part="head">${headline(view)}</div>
    <div data-part="lost">${failureNote(view.lost)}</div>
    <div data-part="next" class="in-sight">${nextStepCard(view)}</div>
    <div data-part="connect">${connection(view, caFile)}</div>
    <div data-part="plan">${planSection(view)}</div>
    <div data-part="rows">${requirementsSection(view)}</div>
    <div data-part="exchanges">${exchangeList(view)}</div>
    ${filesAndRestart(view)}
  </main>`;
  return pageAnswer(view.name, content, view.id);
}

/** @param live id of an engagement: the page refreshes when it changes. `*` means any engagement. */
function pageAnswer(title: string, content: Markup, live?: string, status = 200): WebAnswer {
  const policy =
    `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; ` +
    `connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
  const meta = '<link rel="icon" href="data:,">';
  const bodyParts = ['<div class="page">', print(content), '</div>'];
  const body = pageText({
    title: `${title}, desk`,
    meta,
    style: `${formStyle}${deskStyle}`,
    live,
    body: bodyParts,
    script,
  });
  return { status, headers: { 'Content-Type': 'text/html;charset=utf-8', 'Content-Security-Policy': policy }, body };
}

/** The first request closes this section. The id changes too: under the old id, the script would keep it open. */
function connection(view: EngagementView, caFile: string | undefined): Markup {
  const { id, baseUrl, credentials, operations: supported } = view;
  const isWaiting = view.exchangeCount === 0;
  const needsKey = supported.includes('process-recurring-payments');
  return html`<details class="card fold" id=${isWaiting ? 'connect' : 'connected'} open=${isWaiting}>
    <summary><h2>Connect the client</h2></summary>
    ${facts([
      ['Base URL', copyable(baseUrl)],
      ['Endpoint id', copyable(credentials.endpointId)],
      ['Consumer key', copyable(credentials.consumerKey)],
      ['Consumer secret', supported.includes('close-day') ? copyable(credentials.consumerSecret) : undefined],
      ['Private key', needsKey ? keyOf(id, credentials) : undefined],
      ['Trust', caFile === undefined ? 'plain HTTP, so there is no certificate to trust' : trustHelp(caFile)],
    ])}
    ${needsKey ? html`<details class="fold"><summary>Public key that the desk verifies with</summary><pre tabindex="0">${credentials.publicKeyPem}</pre></details>` : null}
  </details>`;
}

function trustHelp(caFile: string): Markup {
  const commands = {
    'Python requests': `export REQUESTS_CA_BUNDLE='${caFile}'`,
    Node: `export NODE_EXTRA_CA_CERTS='${caFile}'`,
    'Go, Ruby, Perl, Python without requests': `export SSL_CERT_FILE='${caFile}'`,
    PHP: `php -d openssl.cafile='${caFile}' -d curl.cainfo='${caFile}' CLIENT.php`,
    Java: `keytool -importcert -noprompt -alias desk -file '${caFile}' -keystore desk.p12 -storepass changeit`,
  };
  return html`${copyable(caFile)}<details class="fold"><summary>How to make a client trust it</summary>
    ${Object.entries(commands).map(([language, command]) => html`<p class="caption">${language}</p>${copyable(command)}`)}</details>`;
}

function keyOf(id: string, { privateKey }: EngagementView['credentials']): Markup {
  if (privateKey === 'given') return 'was downloaded';
  if (privateKey === 'kept-by-its-owner') return 'the owner of the client keeps it';
  return html`<form method="post" action=${`/desk/engagements/${id}/private-key`}><button>Download</button> <span class="person">You can download it only once.</span></form>`;
}

function filesAndRestart({ id, name }: EngagementView): Markup {
  return html`<section class="danger" aria-labelledby="again"><h2 id="again">Files and restart</h2>
    <div class="card">
      <p class="links">
        <a href=${reportOf(id)}>report.html</a>
        <a href=${`/desk/api/engagements/${id}/report.json`}>report.json</a>
        <a href=${`/desk/api/engagements/${id}/exchanges.har`}>exchanges.har</a>
        <a href=${`/desk/api/engagements/${id}`}>this page as JSON</a>
      </p>
      <p>A restart begins the plan of ${visible(name)} at its first step. Earlier requests are kept, but no longer count.</p>
      <form method="post" action=${`/desk/engagements/${id}/restart`}><button>Start again</button></form>
    </div>
  </section>`;
}

function planSection(view: EngagementView): Markup {
  const finished = countFinished(view.plan);
  const shownCount = view.plan.filter(({ reportedByPerson }) => reportedByPerson === 'showed').length;
  const completeText =
    'The plan is complete. The desk still judges further requests, and answers them with the simplest successful answer.';
  const openText = 'Make the client send each call with these values. The plan continues even if a call is faulty.';
  return html`<section aria-labelledby="plan"><h2 id="plan">Plan <span class="count">${finished} of ${view.plan.length}</span></h2>
    <p class="muted">${finished === view.plan.length ? completeText : openText} Only you can see what the client shows. You marked ${pluralize(shownCount, 'step')} as shown; marks change no verdict.</p>
    <div class="steps">${view.plan.map((step) => stepDetails(step, view.id))}</div>
  </section>`;
}

function countFinished(steps: readonly { readonly state: StepView['state'] }[]): number {
  return steps.filter(({ state }) => state === 'done' || state === 'skipped').length;
}

function nextStepCard({ plan, baseUrl, credentials, countingCount }: EngagementView): Markup {
  const step = plan.find(({ state }) => state === 'next');
  if (step === undefined) return null;
  const batch = ({ columns, rows }: RecurringInput) =>
    buildRecurring({ columns, rows: rows.map((row) => row.map((cell) => cell ?? '')) }).body;
  const sent = fieldsOf(step).flatMap(([name, value]): Pair[] => (value === undefined ? [] : [[name, value]]));
  const body = encodeForm('columns' in step.input ? batch(step.input) : sent);
  return html`<div class="card next-step"><p><strong>${countingCount === 0 ? 'First' : 'Next'}:</strong> <a href=${`#step-${step.id}`}>${step.title}</a> <span class="muted">step ${step.number} of ${plan.length}</span></p>
    <div class="call"><span class="caption">POST</span>${copyable(`${baseUrl}${pathTo(step.operation)}${credentials.endpointId}`)}</div>
    <div class="call"><span class="caption">Body</span>${copyable(body)}</div>
  </div>`;
}

function fieldsOf({ operation, input }: StepView): readonly (readonly [name: string, value: string | undefined])[] {
  const values = new Map<string, string>(Object.entries(input));
  return operations[operation].fields.map((name) => [name, values.get(name)]);
}

function stepDetails(step: StepView, engagementId: string): Markup {
  const { state, failing, causes, number } = step;
  const verdictClass = failing.length > 0 ? 'bad' : 'good';
  const cssClass = state === 'done' ? verdictClass : state;
  const [first] = causes;
  return html`<details class=${`step ${cssClass}`} id=${`step-${step.id}`} open=${state === 'next'} data-next=${state === 'next' ? '' : null}>
    <summary><span class="number">${number}</span><span class="name">${step.title} <span class="muted">${step.operation}</span>${first && html`<span class="cause">${visible(shortened(first.sentence, 160))}</span>`}</span>${stateBadge(step)}</summary>
    <div class="inside">
      ${step.instruction && html`<p>${step.instruction}</p>`}
      ${blocksMarkup('columns' in step.input ? cells(step.input, step.number) : fields(step))}
      <dl class="says">
        <dt>The desk answers</dt><dd>${step.answers}</dd>
        <dt>What the client should do</dt><dd>${step.expect}</dd>
      </dl>
      ${causes.map((cause) => mistakeText(cause, engagementId))}
      ${first && html`<p class="person">If the client sent other values than these, repeat the step.</p>`}
      ${step.exchanges.length === 0 ? null : html`<p class="person">Request ${exchangeLinks(step.exchanges)}</p>`}
      ${actions(step, engagementId)}
    </div>
  </details>`;
}

function stateBadge({ state, failing, reportedByPerson }: StepView): Markup {
  const reportText = { showed: ', shown', 'did-not-show': ', not shown', none: '' }[reportedByPerson ?? 'none'];
  const doneBadge = failing.length > 0 ? ['fail', `✗ faulty${reportText}`] : ['pass', `✓ correct${reportText}`];
  const badges = { next: ['next', 'call this next'], skipped: ['', 'skipped'], later: ['', 'later'], done: doneBadge };
  const [cssClass, word] = badges[state];
  return html`<span class=${`badge ${cssClass}`}>${word}</span>`;
}

function fields(step: StepView): Block[] {
  const rows = fieldsOf(step).map(([name, value], at) => {
    const missing = { muted: value === '' ? 'present and empty' : 'absent: not sent' };
    const ownIdNote = step.ownRequestId && at === 0 ? [{ muted: 'or an id that your client makes' }] : [];
    return { cells: [[name], [[value ? { picture: copyable(value) } : missing, ...ownIdNote]]] };
  });
  const label = `Fields of step ${step.number}`;
  return [{ table: { label, head: ['Field', 'Value'], rows, looks: 'inputs fields' } }];
}

function cells({ columns, rows }: RecurringInput, number: number): Block[] {
  const lines = rows.map((row) => ({ cells: row.map((cell): Line[] => [{ picture: copyable(cell ?? '') }]) }));
  const json = html`<details class="fold"><summary class="person">All rows, as JSON</summary>${copyable(JSON.stringify(rows))}</details>`;
  const table = { label: `Rows of step ${number}`, head: columns, rows: lines, looks: 'inputs cells' };
  return [{ table }, { picture: json }];
}

function actions({ id, state, reportedByPerson }: StepView, engagementId: string): Markup {
  const button = (action: StepAction, text: string) =>
    html`<form method="post" action=${`/desk/engagements/${engagementId}/steps/${id}`}><input type="hidden" name="action" value=${action} /><button id=${`${id}-${action}`}>${text}</button></form>`;
  return html`<div class="actions">
    ${state === 'done' && reportedByPerson !== 'showed' ? button('showed', 'My client showed this') : null}
    ${state === 'done' && reportedByPerson !== 'did-not-show' ? button('did-not-show', 'It did not') : null}
    ${state === 'next' || state === 'later' ? button('skip', 'Skip') : button('repeat', 'Repeat this step')}
    ${reportedByPerson && html`<span class="person">You reported that your client ${reportedByPerson === 'showed' ? 'showed' : 'did not show'} this.</span>`}
  </div>`;
}

export function problemPage(status: number, error: string, hint: string): WebAnswer {
  const content = html`<main id="content"><p class="bread"><a href="/desk">All engagements</a></p>
    <div class="card"><h1>${status}</h1><p class="lead">${visible(error)}</p><p>${visible(hint)}</p></div></main>`;
  return pageAnswer(error, content, undefined, status);
}

/** @param problem what is wrong with the submitted form, as a sentence; the status is then 400 */
export function listPage(desk: DeskService, problem?: string): WebAnswer {
  const cards = desk.all().map((record) => card(record, desk));
  const content = html`<main id="content">
    <p class="product">Countersign</p>
    <h1>Desk</h1>
    <p class="lead">A local gateway for clients without an adapter. Each engagement has its own credentials, base URL and plan.</p>
    <section aria-labelledby="engagements" data-part="engagements"><h2 id="engagements">Engagements <span class="count">${cards.length}</span></h2>
      ${cards.length === 0 ? html`<p class="muted">None yet. Create one below, and point your client at its base URL.</p>` : null}
      ${failureNote(desk.failures)}
      <div class="cards">${cards}</div>
    </section>
    ${newForm(problem)}
  </main>`;
  return pageAnswer('Engagements', content, '*', problem === undefined ? 200 : 400);
}

function card(record: EngagementRecord, desk: DeskService): Markup {
  const { id, name } = record.engagement;
  const steps = progressOf(record);
  const requests = record.exchanges.length;
  const { result } = desk.judge(record);
  const count = (wanted: string) => result.results.filter(({ outcome }) => outcome === wanted).length;
  const verdictBadge = badge(conclusionOutcomes[result.conclusion], conclusionOf(result));
  const conclusion = requests === 0 ? html`<span class="badge">waiting</span>` : verdictBadge;
  return html`<article class="card">
    <h3><a href=${`/desk/engagements/${id}`}>${visible(name)}</a> ${conclusion}</h3>
    <p class="muted">Step ${countFinished(steps)} of ${steps.length}, ${pluralize(requests, 'request')}, ${pluralize(count('fail'), 'requirement')} failed, ${count('pass')} passed</p>
    <p><code>${desk.baseUrlOf(record)}</code></p>
  </article>`;
}

function newForm(problem: string | undefined): Markup {
  return html`<section aria-labelledby="new"><h2 id="new">New engagement</h2>
    <form class="card" method="post" action="/desk/engagements">
      ${problem === undefined ? null : html`<div class="wrong" role="alert"><p>${visible(problem)}</p></div>`}
      <label for="name">Name of the client</label>
      <input type="text" id="name" name="name" required maxlength="80" autocomplete="off" />
      <label for="operations">What it can do</label>
      <select id="operations" name="operations">
        <option value="both">${operationNames.join(' and ')}</option>
        ${operationNames.map((name) => html`<option value=${name}>only ${name}</option>`)}
      </select>
      <label for="publicKeyPem">RSA public key of the client, PEM. If it is empty, the desk makes a key pair.</label>
      <textarea id="publicKeyPem" name="publicKeyPem" spellcheck="false" autocomplete="off"></textarea>
      <button class="main-button">Create</button>
    </form>
  </section>`;
}

function failureNote([latest, ...others]: EngagementView['lost']): Markup {
  if (latest === undefined) return null;
  const more = others.length === 0 ? '' : `; ${others.length} earlier`;
  return html`<p class="note" role="alert">${visible(latest.why)} <span class="person">At ${new Date(latest.at).toISOString().slice(11, 19)}${more}</span></p>`;
}

function headline(view: EngagementView): Markup {
  const isComplete = view.countingCount > 0 && countFinished(view.plan) === view.plan.length;
  const [first, ...others] = view.causes;
  let cssClass = isComplete && view.hazards.length === 0 ? 'pass' : 'inconclusive';
  if (view.countingCount === 0) cssClass = '';
  else if (first !== undefined) cssClass = 'fail';
  const more = others.map(
    ({ id, sentence }) => html`<li>${brief(sentence, 300)} <a href=${reportOf(view.id, id)}>${id}</a></li>`,
  );
  return html`${blocksMarkup(hazardBlocks(view.hazards))}<header class=${`card head ${cssClass}`}>
    <p class="caption">Countersign desk · ${visible(view.name)}</p>
    <h1 class=${cssClass}>${formatConclusion(view, isComplete)}</h1>
    ${first === undefined ? null : mistakeText(first, view.id, true)}
    ${more.length === 0 ? null : html`<details class="fold"><summary>${more.length} more to fix</summary><ul>${more}</ul></details>`}
    ${isComplete ? completionNote(view) : null}
  </header>`;
}

function mistakeText({ id, sentence, fix }: Mistake, engagementId: string, isFirst = false): Markup {
  const text = brief(sentence, 600);
  return html`<div class="wrong"><p>${isFirst ? html`<strong>${text}</strong>` : text}</p>${fix === undefined ? null : html`<p>${brief(fix, 600)}</p>`}<p class="person"><a href=${reportOf(engagementId, id)}>${id}</a></p></div>`;
}

function brief(text: string, maxLength: number): string {
  return visible(shortened(text, maxLength));
}

function formatConclusion(view: EngagementView, isComplete: boolean): string {
  const { countingCount, conclusion, hazards, rows, plan } = view;
  if (countingCount === 0) return 'Waiting for a request';
  if (conclusion === 'aborted') return 'The suite itself failed';
  const failed = rows.filter(({ outcome }) => outcome === 'fail').length;
  if (failed > 0) return `${pluralize(failed, 'requirement')} failed`;
  const done = plan.filter(({ state }) => state === 'done').length;
  const progress = isComplete ? `Finished: ${done} of ${plan.length} steps, and nothing failed` : 'Correct so far';
  return `${progress}${formatHazards({ hazards })}`;
}

function completionNote({ id, causes, operations: [operation, ...others] }: EngagementView): Markup {
  const page = reportOf(id);
  const operationPattern = operation === 'close-day' ? 'close-day/*' : 'recurring/*';
  const pattern = others.length > 0 ? '*' : operationPattern;
  return html`<div>
    ${causes.length > 0 ? null : html`<p>Every request of this client is correct. The desk cannot see what the client understands of the answers, so the report says partial.</p>`}
    <p class="links"><a class="main-button" href=${page}>Report</a> <a href=${page} download=${`countersign-${id}.html`}>Save it as one file</a></p>
    <details class="fold"><summary>How to get a certificate</summary>
      <p>A certificate also covers decoding. Run the client with an adapter that reports what the client understood:</p>
      ${copyable(`npx countersign client --only '${pattern}' --out certified -- YOUR-ADAPTER`)}
      ${copyable('npx countersign certificate certified --key YOUR-KEY.pem')}
    </details>
  </div>`;
}

function requirementsSection({ id, dimensions: outcomes, plan }: EngagementView): Markup {
  const stepsWith = (report: string) => plan.filter(({ reportedByPerson }) => reportedByPerson === report).length;
  const counts = dimensions.map((dimension): [string, string | undefined] => {
    const { 'not-applicable': notApplicable, inconclusive, ...found } = outcomes[dimension];
    const texts = (['error', 'fail', 'pass'] as const).flatMap((one) => (found[one] > 0 ? `${found[one]} ${one}` : []));
    const total = notApplicable + inconclusive + found.error + found.fail + found.pass;
    return [titles[dimension], total === 0 ? undefined : `${texts.join(', ') || 'none'} of ${total}`];
  });
  return html`<section aria-labelledby="rows"><h2 id="rows">Requirements</h2>
    <div class="card">${facts(counts)}
      <p>The <a href=${reportOf(id)}>report</a> lists them all. The desk cannot see what the client understands of an answer: you reported ${stepsWith('showed')} steps as shown and ${stepsWith('did-not-show')} as not shown. With an adapter (<code>countersign client</code>) the suite can judge that too.</p>
    </div>
  </section>`;
}

function reportOf(id: string, requirement?: string): string {
  return `/desk/engagements/${id}/report.html${requirement === undefined ? '' : `#${rowAnchor(requirement)}`}`;
}

function exchangeList({ id, exchanges, exchangeCount, unread }: EngagementView): Markup {
  return html`<section id="exchanges" aria-labelledby="exchanges-title"><h2 id="exchanges-title">Requests <span class="count">${exchangeCount}</span></h2>
    ${exchangeCount > exchanges.length ? html`<p class="muted">The latest ${exchanges.length}. exchanges.har has all that count.</p>` : null}
    ${exchangeCount === 0 ? html`<p class="muted">None yet.</p>` : null}
    ${unread.map(({ reason }) => html`<p class="note">Not recorded: ${brief(reason, 400)}.</p>`)}
    <div class="sections exchanges">${blocksMarkup(exchanges.map((one) => exchangeFold(one, id)))}</div>
  </section>`;
}

const maxText = 8_000;

function exchangeFold(view: ExchangeView, engagementId: string): Block {
  const { number, step, at, exchange, failing, causes, counts, baseString } = view;
  const { request, response, durationMs } = exchange;
  const line = `${request.method} ${shortened(request.target, 300)}`;
  const isFaulty = failing.length > 0;
  const verdict = { badge: isFaulty ? 'fail' : 'pass', word: isFaulty ? String(failing.length) : 'correct' } as const;
  const pageExchange = {
    number,
    at,
    scenario: '',
    origin: '',
    label: `Request ${number}.`,
    said: [],
    ms: Math.round(durationMs),
    baseString: baseString && shortened(baseString, maxText),
    ...pageMessages(exchange, maxText),
  };
  return {
    fold: [
      counts ? verdict : { badge: 'none', word: 'replaced' },
      { strong: `${number} ${step ?? 'outside the plan'}` },
      { muted: `${line}, ${response?.status ?? 'no answer'}, ${at.slice(11, 19)}` },
    ],
    anchor: `exchange-${number}`,
    isRow: true,
    blocks: [
      ...(counts ? [] : [{ text: 'A repetition or a restart replaced this request, so it no longer counts.' }]),
      ...causes.map((cause) => ({ picture: mistakeText(cause, engagementId) })),
      { picture: exchangeDetail(element, pageExchange, undefined) },
    ],
  };
}

function copyable(text: string): Markup {
  return html`<div class="command"><code tabindex="0" data-text=${text}>${visible(text)}</code><button type="button" data-copy data-script hidden>Copy</button></div>`;
}

const deskStyle = `
.bread { margin: 0 0 .6rem; font-size: .9rem; }
.live { float: right; color: var(--muted); font-size: .85rem; }
.head h1 { margin: .1rem 0 .4rem; }
.command button { padding: .15rem .55rem; min-height: 1.9rem; }
.lead { font-size: var(--type-4); margin: .35rem 0 1rem; overflow-wrap: anywhere; }
.number { text-align: right; color: var(--muted); font-variant-numeric: tabular-nums; }
.fold summary h2 { display: inline; margin: 0; font-size: var(--type-4); }
.in-sight { position: sticky; top: 0; z-index: 1; }
.next-step { border-left: 5px solid var(--link); padding: .6rem 1rem; box-shadow: 0 4px 14px rgb(20 26 40 / .14); }
.next-step p { margin: 0 0 .35rem; }
.call { display: grid; grid-template-columns: 3rem minmax(0, 1fr); align-items: center; margin-top: .25rem; }
.call code { max-height: 3.4rem; overflow: auto; } .call .caption { margin: 0; }
.cause { display: block; font-weight: 400; font-size: .9rem; color: var(--fail); }
a.main-button { display: inline-block; margin: 0; padding: .35rem .9rem; border-radius: var(--round-2); text-decoration: none; }
.cards { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.cards .card { margin: 0; }
.cards h3 { margin-bottom: .25rem; }
.main-button { margin-top: 1rem; }
.steps { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; }
.step { background: var(--card); border: 1px solid var(--line); border-left: 5px solid var(--none); border-radius: var(--round-3); }
.step.next { border-left-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.step.good { border-left-color: var(--pass); } .step.bad { border-left-color: var(--fail); }
.step > summary { display: grid; grid-template-columns: 2rem minmax(0, 1fr) auto; gap: .25rem .75rem; align-items: baseline; padding: .6rem .9rem; list-style: none; }
.step > summary::-webkit-details-marker { display: none; }
.step > summary:hover { background: var(--inset); border-radius: 0 var(--round-3) var(--round-3) 0; }
.step .name { font-weight: 600; } .step .name .muted { font-weight: 400; font-size: .85rem; }
.inputs.cells tbody th { font-weight: 400; }
.inputs.cells code { white-space: pre; overflow-wrap: normal; }
.step .inside { padding-bottom: .9rem; }
.badge.next { color: var(--link); background: var(--inset); box-shadow: inset 0 0 0 1px var(--link); }
.inputs { width: 100%; margin: .5rem 0; }
.inputs th, .inputs td { padding: .35rem .6rem; }
.inputs thead th:first-child { width: 14rem; }
.says { margin: .6rem 0; } .says dt { font-size: .8rem; color: var(--muted); } .says dd { margin: 0 0 .5rem; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .75rem; }
.person { font-size: .85rem; color: var(--muted); }
.wrong { border-left: 4px solid var(--fail); background: var(--fail-ground); border-radius: 0 6px 6px 0; padding: .5rem .75rem; margin: .6rem 0; }
.wrong p { margin: .15rem 0; }
.danger { margin-top: 1.5rem; }
.links { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; margin: .6rem 0 0; font-size: .9rem; }
@media (max-width: 46rem) {
  .command { flex-direction: row; }
  .in-sight .call { grid-template-columns: minmax(0, 1fr); } .in-sight .call .caption { display: none; } .call code { white-space: nowrap; overflow-x: auto; }
  .step > summary { grid-template-columns: 1.4rem minmax(0, 1fr); }
  .step > summary .badge { grid-column: 2; justify-self: start; }
  .inputs thead { display: none; }
  .inputs.fields tr, .inputs.fields th, .inputs.fields td { display: block; border: 0; padding: .15rem .6rem; }
  .inputs.fields tr { border-top: 1px solid var(--line); padding: .3rem 0; }
  .inputs.cells thead { display: table-header-group; }
}
@media print {
  #exchanges .exchanges { display: none !important; }
}
`;
