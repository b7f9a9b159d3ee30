/** The style of the desk's pages: tokens, components, and what requirements and requests look like there. */
import { componentStyle } from './components-style.ts';
import { tokens } from './tokens.ts';

export const style = `${tokens}${componentStyle}
.label { color: var(--muted); }
#content:focus { outline: none; }
.head { background: var(--card); border: 1px solid var(--line); border-top: 6px solid var(--none); border-radius: 10px; padding: 1.25rem 1.5rem 1.5rem; }
.head.pass { border-top-color: var(--pass); } .head.fail { border-top-color: var(--fail); }
.head.inconclusive { border-top-color: var(--inconclusive); } .head.error { border-top-color: var(--error); }
.product { margin: 0; color: var(--muted); font-size: .85rem; letter-spacing: .02em; }
.head.pass h1 { color: var(--pass); } .head.fail h1 { color: var(--fail); }
.head.inconclusive h1 { color: var(--inconclusive); } .head.error h1 { color: var(--error); }
.lead { font-size: 1.1rem; margin: .35rem 0 1rem; overflow-wrap: anywhere; }
.head .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .6rem 1.5rem; }
.head .facts > div { display: block; border: 0; padding: 0; }
.head .facts > .wide { grid-column: 1 / -1; }

.head .facts dt { font-size: .8rem; line-height: 1.4; }

.place { margin: .15rem 0; font-size: .85rem; }

.row, .exchange { background: var(--card); border: 1px solid var(--line); border-top: 0; }
[data-group] > h3 + .row, .exchanges > .exchange:first-child { border-top: 1px solid var(--line); border-top-left-radius: 10px; border-top-right-radius: 10px; }
[data-group] > .row:last-child, .exchanges > .exchange:last-child { border-bottom-left-radius: 10px; border-bottom-right-radius: 10px; }
[data-group] > h3 { margin: 1.5rem 0 .5rem; }
[data-group] > h3 .muted { font-weight: 400; font-size: .85rem; margin-left: .5rem; }
.row > summary, .exchange > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem .75rem; padding: .5rem .9rem; list-style: none; }
.row > summary::-webkit-details-marker, .exchange > summary::-webkit-details-marker { display: none; }
.row > summary:hover, .exchange > summary:hover { background: var(--inset); }
.row[open] > summary, .exchange[open] > summary { background: var(--inset); }
.row > summary { display: grid; grid-template-columns: 7.9rem minmax(0, 23rem) minmax(0, 1fr) auto; }
.row > summary .badge { justify-self: start; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.exchange .name { font-weight: 400; }
.what { color: var(--muted); font-size: .9rem; }
.inside { padding: .5rem .9rem 1rem; scroll-margin-top: 7rem; }
.inside:target { box-shadow: inset 4px 0 var(--link); }
.inside .facts { margin: 0; }
.inside .facts + .facts { border-top: 1px solid var(--line); }
.number { min-width: 2.4rem; text-align: right; color: var(--muted); font-variant-numeric: tabular-nums; }
.line { flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; font-size: .85rem; color: var(--muted); }
.status { font-variant-numeric: tabular-nums; font-weight: 600; }
.time { font-size: .85rem; min-width: 4rem; text-align: right; }

.label { margin: .2rem 0; font-size: .85rem; }

@media (max-width: 46rem) {
  .head { padding: .9rem 1rem; }
  .head .facts { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem 1rem; }
  .row > summary { grid-template-columns: auto minmax(0, 1fr) auto; }
  .row > summary .what { grid-column: 1 / -1; grid-row: 2; }
  .line { flex-basis: 100%; order: 5; }
}
@media print {
  #exchanges .exchanges { display: none !important; }
  .row { break-inside: avoid-page; }
}
`;
