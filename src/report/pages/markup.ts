/** Prints blocks as markup of a page. preact escapes text in `html`. */
import { html as preactHtml } from 'htm/preact';
import { h, type VNode } from 'preact';
import type { Outcome } from '../../record/result/result.ts';
import { comparison, comparisonText } from '../comparison.ts';
import {
  type Block,
  blockGroups,
  type Card,
  type Change,
  isList,
  type Line,
  numberRanges,
  type Section,
  type Table,
} from '../document.ts';
import { signs } from '../terminal.ts';
import { shortened, shortenedSentences, visible, visibleLines } from '../visible.ts';
import { codeBlock, differingPart, type Make } from './exchange-view.ts';

/** Content of a page: elements, lists of elements, text, or nothing. */
export type Markup = VNode | readonly Markup[] | string | null;

/** Makes elements from a template, and escapes text. */
export const html: (strings: TemplateStringsArray, ...values: unknown[]) => VNode = preactHtml;

export const element: Make<VNode> = h as unknown as Make<VNode>;

const valueLimit = 1_000;

/** An outcome with its sign and a word, for people who cannot see colours. */
export function badge(outcome: Outcome, word: string = outcome): Markup {
  return html`<span class=${`badge ${outcome}`}><span aria-hidden="true">${signs[outcome].sign}</span> ${word}</span>`;
}

export function bar(counts: readonly (readonly [outcome: Outcome, count: number])[]): Markup {
  return html`<div class="bar" aria-hidden="true">${counts.map(([outcome, count]) => html`<span class=${outcome} style=${`flex-grow:${count}`}></span>`)}</div>`;
}

/** Keeps words with hyphens, such as ids and options, on one line. Browsers would break the line after a hyphen. */
function unbroken(text: string): Markup {
  return text.split(/(\S+-\S+)/).map((part, at) => (at % 2 === 0 ? part : html`<span class="word">${part}</span>`));
}

function value(text: string): Markup {
  return text === ''
    ? html`<span class="muted">(empty)</span>`
    : html`<code class=${/^\S{1,60}$/.test(text) ? 'value word' : 'value'}>${visible(shortened(text, valueLimit))}</code>`;
}

/** A list of labels with their texts. A label without a text is omitted. */
export function facts(pairs: readonly (readonly [label: string, shown: Markup | undefined, width?: 'wide'])[]): Markup {
  return html`<dl class="facts">${pairs
    .filter(([, shown]) => shown !== undefined)
    .map(([label, shown, width]) => html`<div class=${width}><dt>${visible(label)}</dt><dd>${shown}</dd></div>`)}</dl>`;
}

/** A table that scrolls on a narrow screen. `looks` is its CSS class. */
export function table(label: string, head: readonly Markup[], rows: readonly Markup[], looks?: string): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table class=${looks}>
    <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows}</tbody></table></div>`;
}

interface Filter {
  readonly part: string;
  readonly search: string;
  readonly pills: readonly { readonly name: string; readonly legend: string; readonly values: readonly string[] }[];
}

/** A search field and buttons that filter a list. Both are hidden until the script of the page runs. */
export function filterBox({ part, search, pills }: Filter): Markup {
  return html`<div class="filter" role="search" aria-label=${`Filter of ${part}`} data-filter=${part} data-script hidden>
    <label class="searching"><span>${search}</span><input type="search" name=${`${part}-q`} autocomplete="off" spellcheck=${false} /></label>
    ${pills
      .filter(({ values }) => values.length > 1)
      .map(
        ({ name, legend, values }) =>
          html`<fieldset class="pills"><legend>${legend}</legend>${values.map((one) => html`<button type="button" class="pill" aria-pressed="false" name=${name} value=${one}>${one === 'none' ? 'no requirement' : visible(one)}</button>`)}</fieldset>`,
      )}
    <output aria-live="polite"></output></div>`;
}

const rangeLimit = 12;

/** The exchanges that `exchangeLinks` links to. */
export function linkedNumbers(numbers: readonly number[]): number[] {
  return numberRanges(numbers)
    .slice(0, rangeLimit)
    .flatMap(({ first, last }) => [first, last]);
}

/** Links to exchanges. Consecutive exchanges are shown as a range. */
export function exchangeLinks(numbers: readonly number[]): Markup | undefined {
  if (numbers.length === 0) return undefined;
  const link = (number: number) => html`<a href=${`#exchange-${number}`}>${number}</a>`;
  const ranges = numberRanges(numbers);
  const rest = ranges.length > rangeLimit ? ', …' : '';
  const total = numbers.length > 5 ? ` (${numbers.length})` : '';
  return html`<span class="numbers">${ranges
    .slice(0, rangeLimit)
    .map(({ first, last }, at) => [
      at === 0 ? '' : ', ',
      link(first),
      first === last ? '' : ['–', link(last)],
    ])}${rest}${total}</span>`;
}

type Evidence = (exchange: number) => readonly VNode[];

export function sectionMarkup({ anchor, title, count, blocks }: Section, evidence?: Evidence): Markup {
  return html`<section id=${anchor} aria-labelledby=${`${anchor}-title`}>
    <h2 id=${`${anchor}-title`}>${visible(title)}${countMarkup(count)}</h2>
    ${blocksMarkup(blocks, anchor, evidence)}
  </section>`;
}

function countMarkup(count: number | undefined): Markup {
  return count === undefined ? null : html` <span class="count">${count}</span>`;
}

const maxUnfolded = 20;

/** Prints blocks. `part` is the id of their section on the page. A filter needs this id to find its table. */
export function blocksMarkup(blocks: readonly Block[], part = '', evidence?: Evidence): Markup {
  const groups = blockGroups(blocks, 'page');
  const body = groups.map((group) =>
    group[0]?.label === undefined
      ? group.map((block) => blockMarkup(block, part, evidence))
      : facts(
          group.map((block) => [
            block.label!,
            'text' in block ? lineMarkup(block.text) : blockMarkup({ ...block, label: undefined }, part),
            'compared' in block ? 'wide' : undefined,
          ]),
        ),
  );
  const first = groups.findIndex(([block]) => block && 'card' in block && block.card.because !== undefined);
  const last = first + maxUnfolded;
  if (first === -1 || body.length <= last) return body;
  return [
    ...body.slice(0, last),
    html`<details class="fold more"><summary>${body.length - last} more causes</summary>${body.slice(last)}</details>`,
  ];
}

function blockMarkup(block: Block, part: string, evidence?: Evidence): Markup {
  if ('text' in block) return html`<p class=${block.look}>${lineMarkup(block.text)}</p>`;
  if ('list' in block) return html`<ul>${block.list.map((line) => html`<li>${lineMarkup(line)}</li>`)}</ul>`;
  if ('command' in block) {
    return html`<div class="command"><code>${unbroken(visible(shortened(block.command, 4 * valueLimit)))}</code><button type="button" data-copy data-script hidden>Copy</button></div>`;
  }
  if ('code' in block) return html`<pre tabindex="0">${visibleLines(block.code)}</pre>`;
  if ('table' in block) return tableMarkup(block.table, part);
  if ('changes' in block) return changesMarkup(block.changes, part);
  if ('card' in block) return cardMarkup(block.card, evidence);
  if ('fold' in block) return foldMarkup(block, part, evidence);
  if ('compared' in block) {
    const [one, other] = block.compared;
    const [name, otherName] = block.names;
    if (!block.isLong)
      return html`<pre class="compared" tabindex="0">${comparisonText(comparison(one, other, 100), block.names)}</pre>`;
    const short = differenceExcerpt(visible(one), visible(other));
    const otherShort = differenceExcerpt(visible(other), visible(one));
    return [codeBlock(element, otherName, otherShort, short), codeBlock(element, name, short, otherShort)];
  }
  if ('evidence' in block) {
    const number = block.evidence;
    return html`<h3 class="evidence-title">Evidence: exchange ${exchangeLinks([number])}</h3><div data-evidence=${number}></div>
      ${evidence === undefined || !block.inPage ? null : html`<noscript>${evidence(number)}</noscript>`}`;
  }
  return block.picture as Markup;
}

const baseStringLimit = 4_000;

function differenceExcerpt(text: string, other: string): string {
  if (text.length <= baseStringLimit) return text;
  const from = Math.max(0, differingPart(text, other).start - baseStringLimit / 4);
  const omissionMark = (count: number) => (count > 0 ? [`[… ${count.toLocaleString('en-US')} characters …]`] : []);
  const excerpt = text.slice(from, from + baseStringLimit);
  return [...omissionMark(from), excerpt, ...omissionMark(text.length - from - baseStringLimit)].join(' ');
}

function foldMarkup(
  { fold, count, anchor, isRow, blocks }: Extract<Block, { fold: Line }>,
  part: string,
  evidence?: Evidence,
): Markup {
  const inside = blocksMarkup(blocks, part, evidence);
  const summary = html`<summary>${lineMarkup(fold)}${countMarkup(count)}</summary>`;
  return isRow
    ? html`<details class="row" id=${anchor}>${summary}<div class="inside">${inside}</div></details>`
    : html`<details class="card fold" id=${anchor}>${summary}${inside}</details>`;
}

function cardMarkup({ outcome, title, place, because, anchor, frame, blocks }: Card, evidence?: Evidence): Markup {
  const inside = blocksMarkup(blocks, '', evidence);
  const name = typeof title === 'object' && 'value' in title ? visible(shortened(title.value, 200)) : lineMarkup(title);
  if (frame === 'hazard') return html`<article class="card hazard"><h2>${name}</h2>${inside}</article>`;
  if (frame === 'first') {
    return html`<section class=${`card first ${outcome}`} aria-labelledby="first-title"><h2 id="first-title">${name}</h2>${inside}</section>`;
  }
  if (because === undefined) {
    return html`<div class="broken"><h3>${name}</h3>${place === undefined ? null : html`<p class="muted place">${visible(place)}</p>`}${inside}</div>`;
  }
  return html`<details class=${`card fold finding ${outcome}`} id=${anchor}>
    <summary><span class="name">${name}</span> ${badge(outcome)} <span class="because">${visible(shortened(because, 220))}</span></summary>${inside}</details>`;
}

const minFilterRows = 8;

function tableMarkup({ label, head, rows, filter, looks }: Table, part: string): Markup {
  const bodyRows = rows.map(({ kind, anchor, cells: [name = [], ...cells] }) => {
    const cellMarkup = (lines: readonly Line[]) =>
      lines.map((line, at) => (at === 0 ? lineMarkup(line) : html`<span class="figures">${lineMarkup(line)}</span>`));
    return html`<tr data-row=${kind} id=${anchor}><th scope="row">${cellMarkup(name)}</th>${cells.map((cell, at) => html`<td data-of=${visible(head[at + 1]!)}>${cellMarkup(cell)}</td>`)}</tr>`;
  });
  const all = table(visible(label), head.map(visible), bodyRows, looks);
  if (filter === undefined || rows.length < minFilterRows) return all;
  const values = [...new Set(rows.flatMap(({ kind }) => kind ?? []))];
  return [filterBox({ part, search: 'Search', pills: [{ name: part, legend: filter, values }] }), all];
}

function changesMarkup(changes: readonly Change[], part: string): Markup {
  const included = changes.filter(({ only }) => only !== 'text');
  const placeholder = (other: Line | undefined) => (other === undefined ? '' : { muted: 'nothing' });
  const rows = included.map(({ name, anchor, aside, kind, old, new: now, note }) => ({
    kind,
    anchor,
    cells: [
      [[name, ' ', { muted: [kind, aside].filter(Boolean).join(', ') }]],
      [old ?? placeholder(now)],
      [now ?? placeholder(old)],
      [note ?? ''],
    ],
  }));
  const head = ['What changed', 'Old', 'New', 'Details'];
  return rows.length === 0
    ? null
    : tableMarkup({ label: `Changes of ${part}`, head, rows, filter: 'Change', looks: 'changes' }, part);
}

function lineMarkup(line: Line): Markup {
  if (isList(line)) return line.map(lineMarkup);
  if (typeof line === 'string') return unbroken(visible(shortenedSentences(line, valueLimit)));
  if ('value' in line) return value(line.value);
  if ('strong' in line) return html`<strong>${visible(shortenedSentences(line.strong, valueLimit))}</strong>`;
  if ('muted' in line) return html`<span class="muted">${visible(shortened(line.muted, valueLimit))}</span>`;
  if ('to' in line) return html`<a href=${`#${line.to}`}>${visible(shortened(line.text, 200))}</a>`;
  if ('exchanges' in line) return exchangeLinks(line.exchanges) ?? null;
  if ('picture' in line) return line.picture as Markup;
  return line.badge === 'none'
    ? html`<span class="badge none">${visible(line.word ?? '')}</span>`
    : badge(line.badge, visible(line.word ?? line.badge));
}
