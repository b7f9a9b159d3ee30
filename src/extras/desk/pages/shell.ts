/** The frame of every page of the desk: it loads nothing from elsewhere, which its content security policy holds. */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { componentStyle } from '../../../report/pages/components-style.ts';
import { html, type Markup } from '../../../report/pages/markup.ts';
import { tokens } from '../../../report/pages/tokens.ts';
import { visible } from '../../../report/visible.ts';
import type { WebAnswer } from '../web.ts';
import { pageScript, pageScriptHash } from './script.ts';
import { deskStyle } from './style.ts';

export interface DeskPage {
  readonly title: string;
  readonly content: readonly Markup[];
  /** The engagement that is shown, or `*` where it is all of them: the page is drawn anew when something of it changes. */
  readonly live?: string;
}

const policy =
  `default-src 'none'; style-src 'unsafe-inline'; script-src '${pageScriptHash}'; connect-src 'self'; img-src data:; ` +
  `form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** The page as an answer. */
export function pageAnswer({ title, content, live }: DeskPage, status = 200): WebAnswer {
  const body = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<link rel="icon" href="data:,">',
    print(html`<title>${visible(title)} – Countersign desk</title>`),
    `<style>${tokens}${componentStyle}${deskStyle}</style>`,
    '</head>',
    live === undefined ? '<body>' : `<body data-live-of="${live}">`,
    '<div class="page">',
    ...content.map(print),
    '</div>',
    `<script>${pageScript}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
  return { status, headers: { 'Content-Type': 'text/html;charset=utf-8', 'Content-Security-Policy': policy }, body };
}

function print(part: Markup): string {
  return part === null ? '' : renderToString(part as VNode);
}

/** A value that a person copies, whole and unchanged. */
export function copyable(text: string): Markup {
  return html`<div class="copy"><code data-text=${text}>${visible(text)}</code><button type="button" data-copy data-script hidden>Copy</button></div>`;
}
