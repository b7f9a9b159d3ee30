/** Exchanges in report.html: each of the run once, closed, and side by side with its twin where a failure rests on it. */

import type { VNode } from 'preact';
import type { Case, CaseLabel } from '../exchange/case.ts';
import { visible } from '../report/visible.ts';
import { timeInWords } from '../report/words.ts';
import type { ResultRow } from '../result/result.ts';
import { callInHtml } from './call.ts';
import { exchangeAnchor, html, linkedNumbers, type Markup } from './markup.ts';
import { type Shown, shownRequest, shownResponse } from './message.ts';

/** The cases of a run, number 1 first, and what the list shows of each. */
export interface Traffic {
  readonly cases: readonly Case[];
  /** By number, those of the list. */
  readonly shown: ReadonlyMap<number, { readonly request: readonly Shown[]; readonly response: readonly Shown[] }>;
}

/** Of a message that a failure rests on. */
const inEvidence = { limit: 32_000, layOut: true };
/** Longest part of any other message, in characters. */
const listLimit = 4_096;
/** Characters that all messages of the list may take together. */
const listRoom = 1_500_000;

/** Browsers show longer lists badly. */
const mostListed = 5_000;

/**
 * The traffic of a run; where there is much of it, less is shown of each message. Of a long recording the list has the first
 * exchanges and those that something on the page leads to.
 */
export function trafficOf(cases: readonly Case[], results: readonly Pick<ResultRow, 'exchanges'>[]): Traffic {
  const linked = cases.length <= mostListed ? [] : results.flatMap(({ exchanges }) => linkedNumbers(exchanges));
  const first = cases.slice(0, mostListed).map((_, index) => index + 1);
  const listed = [...new Set([...first, ...linked])].filter((number) => number <= cases.length).sort((a, b) => a - b);
  for (let limit = listLimit; ; limit /= 2) {
    const shown = shownOf(cases, listed, limit, limit <= 32 ? Number.POSITIVE_INFINITY : listRoom);
    if (shown !== undefined) return { cases, shown };
  }
}

/** Undefined where the messages have no room. */
function shownOf(
  cases: readonly Case[],
  numbers: readonly number[],
  limit: number,
  room: number,
): Traffic['shown'] | undefined {
  const shown = new Map<number, { request: Shown[]; response: Shown[] }>();
  let length = 0;
  for (const number of numbers) {
    const { exchange } = cases[number - 1]!;
    const request = shownRequest(exchange, { limit, layOut: false });
    const response = shownResponse(exchange, { limit, layOut: false });
    shown.set(number, { request, response });
    for (const { text } of [...request, ...response]) length += text.length;
    if (length > room) return undefined;
  }
  return shown;
}

/** One exchange of the list by its number: closed, its raw and decoded messages inside. */
export function listed(number: number, { cases, shown }: Traffic): VNode {
  const examined = cases[number - 1]!;
  const { request, response } = shown.get(number)!;
  return html`<details class="exchange" data-row>
    <summary><span class="number">${number}</span> ${summary(examined)}</summary>
    <div class="inside" id=${exchangeAnchor(number)}>${meaningOf(examined)}<div class="pair">
      <div>${request.map((part) => block(part))}</div>
      <div>${response.map((part) => block(part))}</div>
    </div></div>
  </details>`;
}

/**
 * The exchange that a failure rests on: beside its twin, if it has one, with the lines marked that the twin does not
 * have; otherwise its request beside its response. Undefined for a number that the run does not have.
 */
export function evidence(number: number, { cases }: Traffic): Markup | undefined {
  const examined = cases[number - 1];
  if (examined === undefined) return undefined;
  const { twin } = examined.label;
  const twinNumber =
    twin === undefined
      ? 0
      : cases.findIndex((other) => other.scenario === twin.scenario && other.number === twin.number) + 1;
  const request = shownRequest(examined.exchange, inEvidence);
  const response = shownResponse(examined.exchange, inEvidence);
  if (twinNumber === 0) {
    return html`<div class="pair">
      <div><h4>Exchange ${link(number)}: request</h4>${meaningOf(examined)}${request.map((part) => block(part))}</div>
      <div><h4>Exchange ${link(number)}: response</h4>${response.map((part) => block(part))}</div>
    </div>`;
  }
  const other = cases[twinNumber - 1]!;
  const otherRequest = shownRequest(other.exchange, inEvidence);
  const otherResponse = shownResponse(other.exchange, inEvidence);
  return html`<div class="pair">
    <div><h4>Exchange ${link(number)}, which decides</h4>${labelOf(examined.label)}
      ${request.map((part) => block(part, otherRequest))}${response.map((part) => block(part, otherResponse))}</div>
    <div><h4>Exchange ${link(twinNumber)}, its twin</h4>${labelOf(other.label)}
      ${otherRequest.map((part) => block(part))}${otherResponse.map((part) => block(part))}</div>
  </div>`;
}

function summary({ scenario, number, label, exchange }: Case): Markup[] {
  const { request, response, failure } = exchange;
  return [
    html`<span class="name">${visible(scenario)} <span class="muted">case ${number}</span></span>`,
    html`<span class=${`intent ${label.intent}`}>${label.intent}</span>`,
    html`<span class="line">${visible(request.method)} ${visible(request.target)}</span>`,
    html`<span class="status">${response?.status ?? failure?.kind ?? 'none'}</span>`,
    html`<span class="muted time">${timeInWords(exchange.durationMs)}</span>`,
  ];
}

/** What the suite meant by the request, or what the client was asked. */
function meaningOf({ label, call }: Case): Markup {
  return call === undefined ? labelOf(label) : callInHtml(call);
}

function labelOf({ intent, about, openPoint, differsIn, facts }: CaseLabel): Markup {
  const meanings = {
    valid: 'A right request',
    fault: 'A request with one fault',
    open: 'A request where the document is silent',
  };
  const parts = [
    meanings[intent],
    about === undefined ? '' : `about ${about}`,
    openPoint === undefined ? '' : `for open point ${openPoint}`,
    differsIn === undefined ? '' : `differs from its twin in ${differsIn}`,
    facts?.gate === undefined ? '' : `gate ${facts.gate}`,
  ];
  return html`<p class="label">${visible(parts.filter((part) => part !== '').join(', '))}.</p>`;
}

function block(shown: Shown, twin?: readonly Shown[]): Markup {
  const { caption, text } = shown;
  if (text === '') return html`<p class="caption">${caption}</p>`;
  return html`<figure><figcaption class="caption">${caption}</figcaption><pre tabindex="0">${
    twin === undefined ? text : marked(shown, twin)
  }</pre></figure>`;
}

/**
 * The lines of the text, with a mark on those that the twin's message does not have. On the wire a long line holds many
 * values and is left alone: what differs in it shows where it is laid out.
 */
function marked({ text, laidOut }: Shown, twin: readonly Shown[]): unknown {
  const known = new Set(twin.flatMap((part) => part.text.split('\n')));
  const differs = (line: string) => (laidOut === true || line.length <= 120) && !known.has(line);
  return text
    .split('\n')
    .map((line, index) => [index === 0 ? '' : '\n', differs(line) ? html`<mark>${line}</mark>` : line]);
}

function link(number: number): Markup {
  return html`<a href=${`#${exchangeAnchor(number)}`}>${number}</a>`;
}
