/**
 * The mark-up of pages and its smallest pieces; the page of the autopsy takes them into a browser. Text put into `html` is escaped
 * by preact; none of it is made a link.
 */
import { html as preactHtml } from 'htm/preact';
import { h, type VNode } from 'preact';
import type { Conclusion, Outcome } from '../../record/result/result.ts';
import { numberRanges } from '../number-ranges.ts';
import { signs } from '../terminal.ts';
import { shortened, visible } from '../visible.ts';
import type { Make } from './exchange-view.ts';

/** What `html` gives; a template with several elements side by side gives a list. */
export type Markup = VNode | readonly Markup[] | string | null;

/** A template that is read once and rendered with any values; text is escaped. */
export const html: (strings: TemplateStringsArray, ...values: unknown[]) => VNode = preactHtml;

/** What components.ts makes elements with on the server. */
export const element: Make<VNode> = h as unknown as Make<VNode>;

/** Longest value of a row; report.json has it whole. */
const valueLimit = 1_000;

/** The outcome whose sign and colour a conclusion has. */
export const likeOutcome: Readonly<Record<Conclusion, Outcome>> = {
  conformant: 'pass',
  partial: 'inconclusive',
  'non-conformant': 'fail',
  aborted: 'error',
};

/** An outcome as sign and word, so that nothing is said by colour alone; another word where the outcome only lends its look. */
export function badge(outcome: Outcome, word: string = outcome): Markup {
  return html`<span class=${`badge ${outcome}`}><span aria-hidden="true">${signs[outcome].sign}</span> ${word}</span>`;
}

/** Outcomes as a bar, each as wide as its count; words beside it say the same. */
export function bar(counts: readonly (readonly [outcome: Outcome, count: number])[]): Markup {
  return html`<div class="bar" aria-hidden="true">${counts.map(([outcome, count]) => html`<span class=${outcome} style=${`flex-grow:${count}`}></span>`)}</div>`;
}

/** Foreign text, shortened, on one line but for the breaks of the page. */
export function value(text: string): Markup {
  return text === ''
    ? html`<span class="muted">(empty)</span>`
    : html`<code class="value">${visible(shortened(text, valueLimit))}</code>`;
}

/** A labelled list; a pair without a text is left out. */
export function facts(pairs: readonly (readonly [label: string, shown: Markup | undefined, width?: 'wide'])[]): Markup {
  return html`<dl class="facts">${pairs
    .filter(([, shown]) => shown !== undefined)
    .map(([label, shown, width]) => html`<div class=${width}><dt>${label}</dt><dd>${shown}</dd></div>`)}</dl>`;
}

/** A part of a page under its heading, with how many of it there are. The title is safe to show. */
export function section(anchor: string, title: string, count: number | undefined, ...children: Markup[]): Markup {
  return html`<section id=${anchor} aria-labelledby=${`${anchor}-title`}>
    <h2 id=${`${anchor}-title`}>${title}${count === undefined ? null : html` <span class="count">${count}</span>`}</h2>
    ${children}
  </section>`;
}

/** A table that scrolls by itself where the screen is narrower. `looks` is its class. */
export function table(label: string, head: readonly Markup[], rows: readonly Markup[], looks?: string): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table class=${looks}>
    <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows}</tbody></table></div>`;
}

/** A few rows are quicker read than searched. */
const worthSearching = 8;

/** Search and pills over the `count` elements with `data-row` in the part of that anchor; a pill shows those whose `data-row` is its name. */
export function rowFilter(part: string, legend: string, kinds: readonly string[], count: number): Markup {
  if (count < worthSearching) return null;
  return html`<div class="filter" role="search" aria-label=${`Filter of ${part}`} data-filter=${part} data-script hidden>
    <label class="searching"><span>Search</span><input type="search" autocomplete="off" spellcheck=${false} /></label>
    ${kinds.length < 2 ? null : html`<fieldset class="pills"><legend>${legend}</legend>${kinds.map((kind) => html`<button type="button" class="pill" aria-pressed="false" value=${kind}>${kind}</button>`)}</fieldset>`}
    <output aria-live="polite"></output></div>`;
}

/** A command with a button that copies it. */
export function command(text: string): Markup {
  return html`<div class="command"><code>${visible(shortened(text, 4 * valueLimit))}</code><button type="button" data-copy data-script hidden>Copy</button></div>`;
}

/** How many ranges of exchanges are named; report.json names every exchange. */
const rangeLimit = 12;

/** The exchanges that `exchangeLinks` leads to. */
export function linkedNumbers(numbers: readonly number[]): number[] {
  return numberRanges(numbers)
    .slice(0, rangeLimit)
    .flatMap(({ first, last }) => [first, last]);
}

/** Links to exchanges; long neighbourhoods as ranges. Undefined where there are none. */
export function exchangeLinks(numbers: readonly number[]): Markup | undefined {
  if (numbers.length === 0) return undefined;
  const link = (number: number) => html`<a href=${`#${exchangeAnchor(number)}`}>${number}</a>`;
  const ranges = numberRanges(numbers);
  const rest = ranges.length > rangeLimit ? ', …' : '';
  const total = numbers.length > 5 ? ` (${numbers.length})` : '';
  return html`<span class="numbers">${ranges
    .slice(0, rangeLimit)
    .map(({ first, last }, index) => [
      index === 0 ? '' : ', ',
      link(first),
      first === last ? '' : ['–', link(last)],
    ])}${rest}${total}</span>`;
}

/** The anchor of an exchange by its number. */
export function exchangeAnchor(number: number): string {
  return `exchange-${number}`;
}

/** The anchor of a row, made of characters that need no escaping in an address. */
export function rowAnchor(id: string): string {
  return `row-${id.replace(/[^\w/.-]/g, '_')}`;
}
