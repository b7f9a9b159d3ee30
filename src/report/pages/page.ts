/**
 * The frame of a page that is one file: it loads nothing, which its content security policy holds, and everything that matters on
 * it can be read where scripts do not run.
 */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Document, isShown } from '../document.ts';
import { shortened, shortenedSentences, visible } from '../visible.ts';
import { badge, blocksMarkup, html, type Markup, sectionMarkup } from './markup.ts';
import { script, scriptHash } from './script.ts';
import { componentStyle, pageStyle, tokens } from './style.ts';

interface PageParts {
  readonly title: string;
  readonly head: Markup;
  /** Anchor, title and count of each part; those without anything are left out. */
  readonly parts: readonly (readonly [anchor: string, title: string, count?: number])[];
  readonly main: readonly Markup[];
  readonly foot: string | Markup;
  /** Looks that no other page has. */
  readonly style?: string;
  /** What the script inflates, base64. */
  readonly packed?: string;
}

/** The text of the page. Data come last, so that a browser paints before it has read them. */
export function page({ title, head, parts, main, foot, style = '', packed }: PageParts): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    print(html`<title>${visible(title)} – Countersign</title>`),
    `<style>${tokens}${componentStyle}${pageStyle}${style}</style>`,
    '</head>',
    '<body>',
    '<a class="skip" href="#content">Skip to the findings</a>',
    '<div class="page">',
    print(head),
    print(contents(parts)),
    '<main id="content" tabindex="-1">',
    ...main.map(print),
    '</main>',
    `<footer>${typeof foot === 'string' ? foot : print(foot)}</footer>`,
    '</div>',
    ...(packed === undefined ? [] : [`<script type="text/plain" id="packed">${packed}</script>`]),
    `<script>${script}</script>`,
    '</body>',
    '</html>',
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('');
}

interface DocumentOptions extends Pick<PageParts, 'packed'> {
  /** Shows the exchange behind a finding where scripts are off. */
  readonly evidence?: (exchange: number) => readonly VNode[];
}

/** A document as a page. */
export function documentPage(document: Document, { evidence, ...looks }: DocumentOptions = {}): string {
  const { name, product, outcome, verdict, title = verdict, counts, head, sections, foot, style } = document;
  const shown = sections.filter((section) => isShown(section, 'page') && section.blocks.length > 0);
  return page({
    ...looks,
    style,
    title: shortened(name, 200),
    head: html`<header class="head"><p class="product">${product} ${title === verdict ? null : badge(outcome, visible(verdict))}</p>
      <h1 class=${outcome}>${visible(shortenedSentences(title, 300))}</h1>${counts === undefined ? null : html`<p class="who">${visible(counts.replace(/^[a-z]/, (first) => first.toUpperCase()))}</p>`}
      ${blocksMarkup(head)}</header>`,
    parts: shown.map(({ anchor, title: full, short = full, count }) => [anchor, short, count]),
    main: shown.map((section) => sectionMarkup(section, evidence)),
    foot: blocksMarkup([{ text: foot }]),
  });
}

/** Part after part becomes text, so that no tree of the whole page is ever in memory. */
function print(part: Markup): string {
  return part === null ? '' : renderToString(html`${part}` as VNode);
}

function contents(parts: PageParts['parts']): Markup {
  return html`<nav aria-label="Parts of the page"><ul>${parts
    .filter(([, , count]) => count !== 0)
    .map(
      ([anchor, title, count]) =>
        html`<li><a href=${`#${anchor}`}>${title}${count === undefined ? null : html` <span class="count">${count}</span>`}</a></li>`,
    )}</ul></nav>`;
}
