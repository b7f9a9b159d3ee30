/** Prints a document as a page that loads no other file. Verdicts and findings are readable without scripts. */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Document, isShown } from '../document.ts';
import { shortened, shortenedSentences, visible } from '../visible.ts';
import { badge, blocksMarkup, html, type Markup, sectionMarkup } from './markup.ts';
import { script, scriptHash } from './script.ts';
import { commonStyle, pageStyle } from './style.ts';

/** Prints a document as a page. `packed` (the exchanges) comes last, so that a browser can show the findings first. */
export function documentPage(
  document: Document,
  { evidence, packed }: { readonly evidence?: Parameters<typeof sectionMarkup>[1]; readonly packed?: string } = {},
): string {
  const { name, product, outcome, verdict, title = verdict, counts, head, foot, style = '' } = document;
  const sections = document.sections.filter((section) => isShown(section, 'page') && section.blocks.length > 0);
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; base-uri 'none'; form-action 'none'`;
  return pageText({
    title: name,
    meta: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    style: `${pageStyle}${style}`,
    body: [
      '<a class="skip" href="#content">Skip to the findings</a>',
      '<div class="page">',
      print(html`<header class="head"><p class="product">${product} ${title === verdict ? null : badge(outcome, visible(verdict))}</p>
      <h1 class=${outcome}>${visible(shortenedSentences(title, 300))}</h1>
      ${counts === undefined ? null : html`<p class="who">${visible(counts.replace(/^[a-z]/, (first) => first.toUpperCase()))}</p>`}
      ${blocksMarkup(head)}</header>`),
      print(
        html`<nav aria-label="Parts of the page"><ul>${sections
          .filter(({ count }) => count !== 0)
          .map(
            ({ anchor, title: full, short = full, count }) =>
              html`<li><a href=${`#${anchor}`}>${visible(short)}${count === undefined ? null : html` <span class="count">${count}</span>`}</a></li>`,
          )}</ul></nav>`,
      ),
      '<main id="content" tabindex="-1">',
      ...sections.map((section) => print(sectionMarkup(section, evidence))),
      '</main>',
      `<footer>${print(blocksMarkup([{ text: foot }]))}</footer>`,
      '</div>',
      packed === undefined ? '' : `<script type="text/plain" id="packed">${packed}</script>`,
    ],
    script,
  });
}

interface PageParts {
  readonly title: string;
  readonly meta: string;
  readonly style: string;
  readonly live?: string | undefined;
  readonly body: readonly string[];
  readonly script: string;
}

export function pageText({ title, meta, style, live, body, script }: PageParts): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    meta,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    print(html`<title>${visible(shortened(title, 200))} – Countersign</title>`),
    `<style>${commonStyle}${style}</style>`,
    '</head>',
    live === undefined ? '<body>' : `<body data-live-of="${live}">`,
    ...body,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('');
}

/** Prints a part of a page as HTML. Callers print in parts, because the tree of a whole page would need much memory. */
export function print(part: Markup): string {
  return renderToString(html`${part}` as VNode);
}
