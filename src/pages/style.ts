/** The style of all pages: tokens, components, and what report.html and desk have besides. */
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
.reproduce { margin: 1.1rem 0 .3rem; color: var(--muted); font-size: .8rem; }

.head .facts dt { font-size: .8rem; line-height: 1.4; }

nav { position: sticky; top: 0; z-index: 1; background: var(--page); margin: .75rem -1.25rem 0; padding: .4rem 1.25rem; border-bottom: 1px solid var(--line); overflow-x: auto; }
nav ul { display: flex; gap: 1.25rem; list-style: none; margin: 0; padding: 0; }
nav a { display: inline-block; padding: .35rem 0; text-decoration: none; white-space: nowrap; }
nav a:hover { text-decoration: underline; }

.intent.valid { color: var(--pass); background: var(--pass-ground); } .intent.open { color: var(--inconclusive); background: var(--inconclusive-ground); }
.intent.fault { color: var(--error); background: var(--error-ground); }
.tag, .intent { border-radius: 5px; padding: .05rem .45rem; font-size: .75rem; line-height: 1.6; white-space: nowrap; }
.tag { color: var(--none); background: var(--none-ground); }

.dimensions td, .dimensions thead th:not(:first-child) { text-align: right; font-variant-numeric: tabular-nums; }
.dimensions { table-layout: fixed; min-width: 30rem; }
.dimensions thead th:first-child { width: 32%; }
.dimensions td.pass { color: var(--pass); } .dimensions td.none { color: var(--muted); }
.dimensions td.fail { color: var(--fail); background: var(--fail-ground); font-weight: 700; }
.dimensions td.error { color: var(--error); background: var(--error-ground); font-weight: 700; }
.dimensions td.inconclusive { color: var(--inconclusive); background: var(--inconclusive-ground); font-weight: 700; }
.bar { display: flex; gap: 2px; height: 5px; margin-top: .35rem; }
.bar span { flex: 1 1 0; min-width: 4px; border-radius: 3px; background: var(--line); }
.bar .pass { background: var(--pass); } .bar .fail { background: var(--fail); }
.bar .inconclusive { background: var(--inconclusive); } .bar .error { background: var(--error); }
.observations { table-layout: fixed; min-width: 34rem; }
.observations thead th:first-child { width: 30%; } .observations thead th:last-child { width: 18%; }
.mismatch { font-weight: 400; margin-top: .25rem; }
.question { display: block; font-weight: 400; color: var(--muted); font-size: .85rem; }
.numbers { font-variant-numeric: tabular-nums; }

.finding { background: var(--card); border: 1px solid var(--line); border-left: 5px solid var(--none); border-radius: 10px; padding: 1rem 1.25rem; margin-bottom: 1rem; }
.finding.fail { border-left-color: var(--fail); } .finding.error { border-left-color: var(--error); }
.finding.inconclusive { border-left-color: var(--inconclusive); }
.finding .statement { font-size: 1.05rem; margin: .5rem 0; }
.place { margin: .15rem 0; font-size: .85rem; }
.evidence { margin-top: .9rem; border-top: 1px solid var(--line); padding-top: .6rem; }
.together { margin: .5rem 0 0; padding-left: 1.1rem; }
.together li { margin: .35rem 0; overflow-wrap: anywhere; }

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

.filter { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .75rem 1rem; margin-bottom: 1rem; }
.filter > label { flex: 1 1 11rem; font-size: .8rem; color: var(--muted); }
.filter input[type='search'] { display: block; width: 100%; font: inherit; font-size: 1rem; color: var(--text); background: var(--inset); border: 1px solid var(--muted); border-radius: 6px; padding: .35rem .6rem; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem .9rem; }
legend { font-size: .8rem; color: var(--muted); padding: 0; }
.choice { display: inline-flex; align-items: center; gap: .35rem; min-height: 1.9rem; font-variant-numeric: tabular-nums; font-size: .9rem; }
.buttons { display: flex; gap: .5rem; }
output { font-size: .85rem; color: var(--muted); min-height: 2.1rem; line-height: 2.1rem; }

@media (max-width: 46rem) {
  .page { padding: .75rem; }
  nav { margin: .5rem -.75rem 0; padding: .4rem .75rem; }
  .head, .finding { padding: .9rem 1rem; }
  .head .facts { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem 1rem; }
  .facts > div { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .pair { grid-template-columns: minmax(0, 1fr); }
  .row > summary { grid-template-columns: auto minmax(0, 1fr) auto; }
  .row > summary .what { grid-column: 1 / -1; grid-row: 2; }
  .line { flex-basis: 100%; order: 5; }
  .command { flex-direction: column; }
  .command button { align-self: start; }
  th, td { padding: .4rem .5rem; }
  .dimensions { font-size: .85rem; min-width: 0; } .dimensions thead th { font-size: .75rem; vertical-align: bottom; }
  .dimensions thead th:first-child { width: 44%; } .dimensions tbody th { overflow-wrap: anywhere; }
  .dimensions thead th:not(:first-child) { writing-mode: vertical-rl; text-align: left; white-space: nowrap; padding: .5rem .4rem; }
}
@media print {
  :root { --page: #fff; --card: #fff; --inset: #fff; }
  @page { margin: 14mm; }
  body { font-size: 10pt; }
  .page { max-width: none; padding: 0; }
  nav, .filter, .skip, button, #exchanges .exchanges { display: none !important; }
  details:not(.exchange)::details-content { content-visibility: visible; height: auto; }
  .finding, .row, tr { break-inside: avoid-page; }
  pre { max-height: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
`;
