/** The looks of report.html, and of the pages of comparisons, besides what all pages share. */

export const pageStyle = `
.head h1 { margin: .15rem 0 .1rem; font-size: var(--type-6); }
.who { color: var(--muted); margin: 0 0 var(--space-3); overflow-wrap: anywhere; }

.gauges { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: var(--space-3); margin-bottom: .5rem; }
.gauge { background: var(--card); border: 1px solid var(--line); border-radius: var(--round-3); box-shadow: var(--lift); padding: .6rem .9rem .65rem; min-width: 0; }
.gauge h2 { margin: 0; font-size: var(--type-2); font-weight: 600; color: var(--muted); letter-spacing: 0; }
.gauge .figure { margin: 0; font-variant-numeric: tabular-nums; } .gauge .figure strong { font-size: 1.7rem; line-height: 1.25; letter-spacing: -.02em; }
.gauge.pass .figure strong { color: var(--pass); } .gauge.fail .figure strong { color: var(--fail); }
.gauge.inconclusive .figure strong { color: var(--inconclusive); } .gauge.error .figure strong { color: var(--error); }
.parts { margin: .3rem 0 0; color: var(--muted); font-size: .78rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
.small-gauges { display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; color: var(--muted); font-size: .85rem; margin: .5rem 0 .75rem; }
.small-gauges strong { font-weight: 600; color: var(--text); }
.bar { display: flex; gap: 2px; height: 7px; margin-top: .3rem; }
.bar span { flex: 1 1 0; min-width: 4px; border-radius: 4px; background: var(--line); }
.bar .pass { background: var(--pass); } .bar .fail { background: var(--fail); }
.bar .inconclusive { background: var(--inconclusive); } .bar .error { background: var(--error); }

.card.first { margin: 0 0 .5rem; padding: .75rem 1.1rem .8rem; }
.card.first h2 { margin: 0; font-size: var(--type-1); text-transform: uppercase; letter-spacing: .05em; color: var(--muted); }
.card.first p { margin: .15rem 0; } .card.first .facts { margin-top: .3rem; } .card.first .facts > div { grid-template-columns: 5.5rem minmax(0, 1fr); padding: .2rem 0; }
.what-first { font-size: var(--type-4); font-weight: 600; overflow-wrap: anywhere; } .what-first .muted { font-weight: 400; font-size: .85rem; }
.not-ruled-out { margin: .4rem 0 0; font-size: var(--type-2); }
.head .fold { margin-top: .4rem; padding-top: .4rem; font-size: var(--type-2); }
.command-line { margin-top: .6rem; }

nav { position: sticky; top: 0; z-index: 1; background: var(--page); margin: .75rem -1.5rem 0; padding: .3rem 1.5rem; border-bottom: 1px solid var(--line); overflow-x: auto; }
nav ul { display: flex; gap: 1.25rem; list-style: none; margin: 0; padding: 0; }
nav a { display: inline-block; padding: .3rem 0; text-decoration: none; white-space: nowrap; font-size: var(--type-2); }
nav a:hover { text-decoration: underline; }

.finding { margin-bottom: .5rem; }
.finding > summary, .section > summary { list-style: none; }
:is(.finding, .section, .row) > summary::-webkit-details-marker { display: none; }
.finding > summary { display: grid; grid-template-columns: minmax(0, 29rem) auto minmax(0, 1fr); gap: .1rem .75rem; align-items: baseline; }
.finding[open] > summary { border-bottom: 1px solid var(--line); border-radius: var(--round-3) var(--round-3) 0 0; margin-bottom: .75rem; }
.because { color: var(--muted); font-size: var(--type-2); overflow: hidden; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.finding[open] .because { display: block; }
.broken { margin: 0 0 1rem; } .place { font-size: .85rem; margin: .1rem 0; } .statement { font-size: 1.05rem; }
.evidence-title { margin-top: 1rem; }
.together { padding-left: 1.1rem; } .together li { margin: .35rem 0; overflow-wrap: anywhere; }
.more > .card { margin-top: .5rem; }
.mismatch { font-weight: 400; margin-top: .25rem; }
.hint { overflow-wrap: anywhere; }

.pictures { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: var(--space-4); align-items: start; }
.pictures > :only-child { grid-column: 1 / -1; max-width: 52rem; } .pictures figure { margin: 0; } figcaption { font-weight: 600; } figure.code figcaption, figure.hex figcaption { font-weight: 400; }
.matrix { table-layout: fixed; } .matrix th, .matrix td { padding: .4rem .6rem; font-size: .85rem; overflow-wrap: anywhere; } .matrix thead tr th { border: 0; }
.histogram p { margin: .5rem 0 0; color: var(--muted); font-size: .85rem; }
.histogram ol { display: flex; gap: 4px; list-style: none; margin: .2rem 0 0; padding: 0; }
.histogram li { flex: 1 1 0; min-width: 0; display: flex; flex-direction: column; justify-content: flex-end; text-align: center; font-size: .68rem; line-height: 1.2; color: var(--muted); font-variant-numeric: tabular-nums; }
.histogram .column { background: var(--link); border-radius: 3px 3px 0 0; min-height: 1px; } .histogram .end { border-top: 1px solid var(--muted); padding-top: 2px; }
.histogram .times { color: var(--text); }
.grid-picture { padding: .75rem; } .grid-picture svg { display: block; } .grid-picture path { fill: var(--muted); }
.grid-picture .pass { fill: var(--pass); } .grid-picture .fail { fill: var(--fail); } .grid-picture .inconclusive { fill: var(--inconclusive); } .grid-picture .error { fill: var(--error); }

.observations { table-layout: fixed; min-width: 32rem; } .observations thead th:first-child { width: 38%; } .observations thead th:last-child { width: 15%; }
.numbers { font-variant-numeric: tabular-nums; }

.filter { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem 1.25rem; margin-bottom: .6rem; }
.searching { flex: 1 1 16rem; font-size: .8rem; color: var(--muted); } legend { font-size: .8rem; color: var(--muted); padding: 0 .3rem 0 0; float: left; line-height: 1.85rem; }
.filter { align-items: center; } .filter .searching { flex-basis: 100%; }
output { font-size: .85rem; color: var(--muted); line-height: 2.1rem; }
.split { display: grid; grid-template-columns: minmax(0, 27rem) minmax(0, 1fr); border: 1px solid var(--line); border-radius: var(--round-3); background: var(--card); box-shadow: var(--lift); overflow: hidden; }
#list { height: 40rem; overflow: auto; border-right: 1px solid var(--line); contain: strict; } #list:focus-visible { outline-offset: -3px; }
.sizer { position: relative; }
.option { position: absolute; left: 0; right: 0; height: 44px; display: grid; grid-template-columns: 2.6rem 1.1rem minmax(0, 1fr) 2.6rem 3.6rem; gap: .4rem; align-items: center; padding: 0 .6rem; border-bottom: 1px solid var(--line); font-size: .8rem; cursor: pointer; }
.option:hover { background: var(--inset); } .option[aria-selected='true'] { background: var(--none-ground); box-shadow: inset 3px 0 var(--link); }
.option .name { font-weight: 500; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; line-height: 1.3; } .option .line { display: block; overflow: hidden; text-overflow: ellipsis; color: var(--muted); font-weight: 400; }
.option .number, .option .time { text-align: right; color: var(--muted); font-variant-numeric: tabular-nums; } .option .status { font-weight: 600; overflow: hidden; text-overflow: ellipsis; }
.dot { font-weight: 700; color: var(--muted); } .dot.pass { color: var(--pass); } .dot.fail { color: var(--fail); } .dot.inconclusive { color: var(--inconclusive); } .dot.error { color: var(--error); }
#detail { height: 40rem; overflow: auto; padding: .75rem 1.1rem; } #detail:focus-visible { outline-offset: -3px; } #detail > .card { margin: .6rem 0; padding: .6rem .9rem; box-shadow: none; }
#detail h3:focus { outline: none; } .buttons { display: flex; flex-wrap: wrap; gap: .4rem; margin: .5rem 0; }

.lead { margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
.runs { margin: .5rem 0 .75rem; } .runs .card { margin: 0; padding: .7rem 1rem; } .runs p { margin: .1rem 0; overflow-wrap: anywhere; }
.changes th[scope='row'] { max-width: 22rem; overflow-wrap: anywhere; } .changes th .muted { font-weight: 400; font-size: .85rem; } .changes .value { white-space: pre-wrap; }
.runs-strip { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .5rem; list-style: none; margin: .6rem 0 .9rem; padding: 0; }
.runs-strip .card { margin: 0; padding: .5rem .75rem; } .runs-strip p { margin: .15rem 0 0; overflow-wrap: anywhere; } .runs-strip .muted { font-size: .8rem; white-space: nowrap; }
.strip { width: auto; min-width: 100%; } .strip th[scope='row'] { position: sticky; left: 0; background: var(--card); width: 24rem; min-width: 11rem; overflow-wrap: anywhere; font-size: .85rem; font-weight: 500; box-shadow: 1px 0 var(--line); }
.strip th[scope='col'] { font-weight: 500; min-width: 3.2rem; overflow-wrap: anywhere; } .strip td { position: relative; vertical-align: middle; white-space: nowrap; padding: .4rem .5rem; } .strip ul { margin: .3rem 0; padding-left: 1.1rem; font-weight: 400; }
.same { display: block; height: 2px; background: var(--line); font-size: 0; } .same.fail { height: 5px; border-radius: 3px; background: var(--fail); } .same.inconclusive { height: 5px; border-radius: 3px; background: var(--inconclusive); }
.strip + .fold, .scroll + .fold { margin-top: .9rem; } .card.fold + .card.fold { margin-top: -.4rem; }

@media (max-width: 60rem) {
  .split { grid-template-columns: minmax(0, 1fr); } #list { height: 24rem; border-right: 0; border-bottom: 1px solid var(--line); } #detail { height: auto; max-height: none; }
  .pictures { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 46rem) {
  .filter .pills { min-width: 0; flex-wrap: nowrap; overflow-x: auto; max-width: 100%; padding: 3px 0; } .filter .pill { flex: none; } .histogram .times { display: none; }
  nav { margin: .5rem -.75rem 0; padding: .3rem .75rem; }
  .head h1 { font-size: 1.35rem; } .who { font-size: .85rem; margin-bottom: .5rem; }
  .gauges { gap: .4rem; } .gauge { padding: .45rem .55rem; } .gauge h2 { font-size: .72rem; } .gauge .figure { font-size: .72rem; } .gauge .figure strong { font-size: 1.25rem; } .gauge .parts { display: none; }
  .small-gauges { font-size: .78rem; margin: .35rem 0 .5rem; } .card.first { padding: .55rem .75rem; } .card.first .facts > div { display: block; } .what-first { font-size: 1rem; }
  .finding > summary { grid-template-columns: minmax(0, 1fr) auto; } .because { grid-column: 1 / -1; white-space: normal; }
  .option { height: 64px; grid-template-columns: 2.2rem 1.1rem minmax(0, 1fr) 2.4rem; } .option .time { display: none; } .option .name { white-space: normal; max-height: 3.9em; }
  .card.fold > :not(summary) { margin-left: .9rem; margin-right: .9rem; } .card.fold > summary { padding: .6rem .9rem; }
  .matrix th, .matrix td { padding: .35rem .15rem; font-size: .7rem; }
  .observations { min-width: 0; } .observations thead { position: absolute; left: -999rem; } .observations :is(tbody, tr, th, td) { display: block; } .observations tbody :is(th, td) { border: 0; padding: .15rem .75rem; } .observations tbody tr { border-top: 1px solid var(--line); padding: .35rem 0; } .observations tbody tr:first-child { border-top: 0; }
  .observations td:last-child::before { content: 'Exchanges '; color: var(--muted); }
  .changes thead { position: absolute; left: -999rem; } .changes tr { display: block; padding: .5rem .75rem; border-top: 1px solid var(--line); } .changes tbody tr:first-child { border-top: 0; }
  .changes :is(th, td) { display: block; max-width: none; border: 0; padding: .15rem 0; } .changes th[scope='row'] { max-width: none; }
  .changes td[data-of]::before { content: attr(data-of); display: inline-block; min-width: 2.6rem; color: var(--muted); font-size: .8rem; }
  .changes td[data-of] :is(span, div) { display: inline; }
  .strip th[scope='row'] { min-width: 8rem; width: 8rem; font-size: .78rem; padding: .35rem .5rem; } .strip td .word { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } .strip td { padding: .35rem; text-align: center; } .strip th[scope='col'] { min-width: 2.4rem; padding: .35rem .1rem; font-size: .72rem; } .strip th[scope='col']:not(:first-child) { text-align: center; }
  .runs-strip { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
@media print {
  .browser, noscript { display: none !important; }
  .finding, .row { break-inside: avoid-page; }
}
`;
