/** The looks of what all pages are made of. tokens.ts names each. */

export const componentStyle = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: var(--type-3)/1.55 var(--sans); overflow-wrap: break-word; }
.page { max-width: 76rem; margin: 0 auto; padding: var(--space-4) var(--space-5); }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: var(--type-6); font-weight: 700; letter-spacing: -.015em; }
h2 { font-size: var(--type-5); margin: var(--space-6) 0 var(--space-3); letter-spacing: -.005em; }
h3 { font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { font-size: .95rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
code, pre { font-family: var(--mono); font-size: .875em; }
figure { margin: var(--space-2) 0 0; }
summary { cursor: pointer; }
:is(a, summary, button, input, select, textarea, [tabindex]):focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 2; background: var(--card); padding: .5rem 1rem; }
.muted, .caption { color: var(--muted); }
.caption { font-size: var(--type-1); margin: .5rem 0 .15rem; }
.count { display: inline-block; min-width: 1.7em; padding: 0 .5em; border-radius: 1em; background: var(--none-ground); color: var(--none); font-size: .75em; font-weight: 600; text-align: center; vertical-align: .1em; }

.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--round-3); box-shadow: var(--lift); padding: var(--space-4) 1.25rem; margin-bottom: var(--space-4); }
.card:is(.pass, .fail, .inconclusive, .error) { border-left-width: 5px; }
.card.pass { border-left-color: var(--pass); } .card.fail { border-left-color: var(--fail); }
.card.inconclusive { border-left-color: var(--inconclusive); } .card.error { border-left-color: var(--error); }
.card.hazard { border: 2px solid var(--fail); background: var(--fail-ground); padding: .75rem 1.1rem; }
.card.hazard h2 { margin: 0; color: var(--fail); font-size: var(--type-2); text-transform: uppercase; letter-spacing: .05em; } .card.hazard h2 span { text-transform: none; letter-spacing: 0; font-weight: 400; overflow-wrap: anywhere; }
.note { background: var(--inconclusive-ground); color: var(--inconclusive); padding: .5rem .75rem; border-radius: var(--round-2); }
ul.note { padding-left: 1.75rem; }

.badge { display: inline-block; border-radius: var(--round-1); padding: .05rem .5rem; font-size: var(--type-1); font-weight: 600; line-height: 1.6; white-space: nowrap; color: var(--none); background: var(--none-ground); }
.badge.pass { color: var(--pass); background: var(--pass-ground); } .badge.fail { color: var(--fail); background: var(--fail-ground); }
.badge.inconclusive { color: var(--inconclusive); background: var(--inconclusive-ground); } .badge.error { color: var(--error); background: var(--error-ground); }

button { font: inherit; font-size: .85rem; color: var(--text); background: var(--none-ground); border: 1px solid var(--line); border-radius: var(--round-2); padding: .3rem .75rem; min-height: 2.1rem; cursor: pointer; white-space: nowrap; transition: border-color var(--quick, 0s); }
button:hover { border-color: var(--muted); }
.pills { display: flex; flex-wrap: wrap; gap: .35rem; border: 0; margin: 0; padding: 0; }
.pill { border-radius: 2em; background: transparent; color: var(--muted); padding: .1rem .7rem; min-height: 1.85rem; font-variant-numeric: tabular-nums; }
.pill b { font-weight: 600; }
.pill[aria-pressed='true'] { color: var(--card); background: var(--link); border-color: var(--link); }
input[type='search'] { width: 100%; font: inherit; font-size: 1rem; color: var(--text); background: var(--inset); border: 1px solid var(--muted); border-radius: var(--round-2); padding: .35rem .7rem; }

.facts { margin: .6rem 0 0; }
.facts:empty { display: none; }
.facts > div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .75rem; padding: .3rem 0; border-top: 1px solid var(--line); }
.facts > div:first-child { border-top: 0; }
.facts dt { color: var(--muted); font-size: .85rem; line-height: 1.8; }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.value { background: var(--inset); border: 1px solid var(--line); border-radius: var(--round-1); padding: .1em .35em; overflow-wrap: anywhere; white-space: pre-wrap; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.command { display: flex; align-items: stretch; gap: .5rem; }
.command code { flex: 1; min-width: 0; background: var(--inset); border: 1px solid var(--line); border-radius: var(--round-2); padding: .45rem .65rem; overflow-wrap: anywhere; }

.fold { border-top: 1px solid var(--line); margin-top: var(--space-3); padding-top: var(--space-2); }
.fold > summary { color: var(--link); font-weight: 500; }
.card.fold { border-top: 1px solid var(--line); margin-top: 0; padding: 0; }
.card.fold > summary { color: inherit; padding: var(--space-3) 1.25rem; border-radius: var(--round-3); }
.card.fold > summary:hover { background: var(--inset); }
.card.fold > :not(summary) { margin-left: 1.25rem; margin-right: 1.25rem; }
.card.fold > noscript { display: block; }
.card.fold > :last-child:not(summary) { margin-bottom: var(--space-4); }

pre { margin: 0; background: var(--inset); border: 1px solid var(--line); border-radius: var(--round-2); padding: .55rem .7rem; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow: auto; font-size: var(--type-1); line-height: 1.5; tab-size: 4; }
mark.gap { padding-left: 2px; }
mark { background: var(--mark); color: inherit; border-radius: 2px; box-shadow: 0 0 0 1px var(--mark); }
.hex pre, .compared { white-space: pre; overflow-wrap: normal; }

.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: var(--round-3); background: var(--card); }
table { width: 100%; border-collapse: collapse; font-size: .925rem; }
th, td { padding: .5rem .85rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--muted); font-size: .8rem; font-weight: 600; }
tbody th { font-weight: 600; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem 1.5rem; margin-top: .6rem; }
footer { margin: 2.5rem 0 1rem; color: var(--muted); font-size: .85rem; }

.product { margin: 0; color: var(--muted); font-size: .85rem; display: flex; gap: .75rem; align-items: center; }
h1.pass { color: var(--pass); } h1.fail { color: var(--fail); } h1.inconclusive { color: var(--inconclusive); } h1.error { color: var(--error); }
#content:focus { outline: none; }
.label { color: var(--muted); font-size: .85rem; margin: .2rem 0; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.sections { background: var(--card); border: 1px solid var(--line); border-radius: var(--round-3); box-shadow: var(--lift); overflow: hidden; }
.sections:empty { display: none; } .sections > .row:first-child { border-top: 0; }
.section + .section { border-top: 1px solid var(--line); }
.section > summary { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: .2rem .75rem; padding: .5rem 1rem; }
.section > summary:hover, .row > summary:hover, .section[open] > summary { background: var(--inset); }
.section > .facts { padding: 0 1rem .75rem; } .section .what { flex: 1; }
.section summary .name::before, .finding > summary .name::before { content: '▸'; display: inline-block; width: 1.1em; color: var(--muted); font-weight: 400; }
:is(.section, .finding)[open] > summary .name::before { content: '▾'; }
.tallies { display: flex; flex-wrap: wrap; gap: .3rem; }
.row { border-top: 1px solid var(--line); }
.row > summary { display: grid; grid-template-columns: 7.9rem minmax(0, 23rem) minmax(0, 1fr) auto; gap: .15rem .75rem; align-items: baseline; padding: .45rem 1rem; list-style: none; }
.row > summary .badge { justify-self: start; } .row .name { font-weight: 500; }
.what, .question { color: var(--muted); font-size: .9rem; font-weight: 400; }
.inside { padding: .5rem 1rem 1rem; scroll-margin-top: 7rem; } .inside:target { box-shadow: inset 4px 0 var(--link); }
.inside .facts { margin: 0; } .inside .facts + .facts { border-top: 1px solid var(--line); }

@media (max-width: 46rem) {
  .page { padding: .75rem; }
  .card { padding: .85rem .95rem; }
  .facts > div { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .pair { grid-template-columns: minmax(0, 1fr); }
  .command { flex-direction: column; }
  .command button { align-self: start; }
  th, td { padding: .4rem .5rem; }
  .row > summary { grid-template-columns: auto minmax(0, 1fr) auto; } .row > summary .what { grid-column: 1 / -1; grid-row: 2; }
}
@media print {
  @page { margin: 14mm; }
  .page { max-width: none; padding: 0; }
  nav, .filter, .skip, button { display: none !important; }
  details::details-content { content-visibility: visible; height: auto; }
  .card, tr { break-inside: avoid-page; }
  pre { max-height: none; }
}
`;
