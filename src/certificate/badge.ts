/** A badge of a certificate: an SVG that loads nothing, has a ground of its own on light and dark pages, and names its expiry. Pure. */
import { renderToString } from 'preact-render-to-string';
import { html } from '../pages/markup.ts';
import { visible } from '../report/visible.ts';
import { conclusionOfPredicate, type Statement } from './statement.ts';

/** White text on each of them has a contrast of 4.5 at least (WCAG 2.2, 1.4.3). */
const grounds = { PASSED: '#1a7f37', WARNED: '#9a6700', FAILED: '#cf222e' } as const;

/** Units a character takes at most in this size; text that is narrower is not stretched. */
const characterWidth = 7;
const margin = 8;
const rowHeight = 22;

/** The text of the file. `link` is an http or https address of what says how to check the certificate. */
export function certificateBadge({ predicate }: Statement, link: string): string {
  const { result, countersign: facts } = predicate;
  const dates = `tested ${day(facts.startedAt)} · expires ${day(facts.expiresAt)}`;
  const rules = visible(`${facts.profile}/${facts.set}`);
  const below = `${rules} · ${dates}`;
  const width = 2 * margin + characterWidth * Math.max(below.length, 24);
  const { required = 0, neverArose = [] } = facts.exercised ?? {};
  const right =
    neverArose.length === 0 ? result : `${result} · ${required - neverArose.length} of ${required} exercised`;
  const middle = Math.min(Math.round(width * 0.6), width - 2 * margin - characterWidth * right.length);
  const said = neverArose.length === 0 ? '' : `${conclusionOfPredicate(predicate)}, `;
  const told = `Countersign ${result}: ${said}${rules}, ${dates}`;
  const label = (x: number, y: number, text: string) => html`<text x=${x} y=${y} text-anchor="middle">${text}</text>`;
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" width=${width} height=${2 * rowHeight} viewBox=${`0 0 ${width} ${2 * rowHeight}`} role="img" aria-label=${told}>
<title>${told}</title>
<a href=${link}>
<rect width=${middle} height=${rowHeight} fill="#32383f"/>
<rect x=${middle} width=${width - middle} height=${rowHeight} fill=${grounds[result]}/>
<rect y=${rowHeight} width=${width} height=${rowHeight} fill="#ffffff"/>
<rect x="0.5" y="0.5" width=${width - 1} height=${2 * rowHeight - 1} fill="none" stroke="#6e7781"/>
<g font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" fill="#ffffff">${label(middle / 2, 15, 'countersign')}${label((middle + width) / 2, 15, right)}</g>
<g font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" fill="#1f2328">${label(width / 2, rowHeight + 15, below)}</g>
</a>
</svg>`;
  return `${renderToString(svg)}\n`;
}

function day(time: string): string {
  return time.slice(0, 10);
}
