/** The design of every page. `--round-1` is for values, `--round-2` for controls and code, `--round-3` for cards. */

/** The colours. A unit test checks that text has a contrast of at least 4.5 on every background (WCAG 2.2, 1.4.3). */
const tokens = `
:root {
  color-scheme: light dark;
  --page: #f5f6f9; --card: #ffffff; --inset: #f3f5f8; --line: #dbe0e8; --text: #161a22; --muted: #545c6b; --link: #1450b8;
  --pass: #0c6430; --pass-ground: #e0f4e7; --fail: #ad1019; --fail-ground: #fdebeb; --inconclusive: #744900;
  --inconclusive-ground: #fdf1d5; --error: #75209a; --error-ground: #f5e9fb; --none: #545c6b; --none-ground: #eaedf2;
  --mark: #ffe89a;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --type-1: .8125rem; --type-2: .9rem; --type-3: 1rem; --type-4: 1.15rem; --type-5: 1.4rem; --type-6: clamp(1.6rem, 1.1rem + 2.2vw, 2.25rem);
  --space-2: .5rem; --space-3: .75rem; --space-4: 1rem; --space-5: 1.5rem; --space-6: 2rem;
  --round-1: 4px; --round-2: 7px; --round-3: 12px;
  --lift: 0 1px 2px rgb(20 26 40 / .06), 0 2px 8px rgb(20 26 40 / .05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1217; --card: #171b22; --inset: #11151b; --line: #323a47; --text: #e7eaf0; --muted: #a6afbc; --link: #8cb9ff;
    --pass: #6fd391; --pass-ground: #12301d; --fail: #ff9792; --fail-ground: #44191b; --inconclusive: #f2c365;
    --inconclusive-ground: #3a2d0c; --error: #dfa4f7; --error-ground: #361b43; --none: #a6afbc; --none-ground: #262d38;
    --mark: #5a4806; --lift: none;
  }
}
@media print {
  :root { --page: #ffffff; --card: #ffffff; --inset: #ffffff; --lift: none; --type-3: 10pt; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
`;

/** The colours, sizes and elements of every page. */
export const commonStyle = `${tokens}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: var(--type-3)/1.55 var(--sans); overflow-wrap: break-word; }
.page { max-width: 76rem; margin: 0 auto; padding: var(--space-4) var(--space-5); }
h1, h2, h3 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: var(--type-6); font-weight: 700; letter-spacing: -.015em; }
h2 { font-size: var(--type-5); margin: var(--space-6) 0 var(--space-3); letter-spacing: -.005em; }
h3 { font-size: 1.05rem; overflow-wrap: anywhere; }
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
.card.hazard h2 { margin: 0; color: var(--fail); font-size: var(--type-2); text-transform: uppercase; letter-spacing: .05em; } .card.hazard h2 .value { text-transform: none; letter-spacing: 0; font-weight: 400; overflow-wrap: anywhere; }
.note { background: var(--inconclusive-ground); color: var(--inconclusive); padding: .5rem .75rem; border-radius: var(--round-2); }
ul.note { padding-left: 1.75rem; }

.badge { display: inline-block; border-radius: var(--round-1); padding: .05rem .5rem; font-size: var(--type-1); font-weight: 600; line-height: 1.6; white-space: nowrap; color: var(--none); background: var(--none-ground); }
.badge.pass { color: var(--pass); background: var(--pass-ground); } .badge.fail { color: var(--fail); background: var(--fail-ground); }
.badge.inconclusive { color: var(--inconclusive); background: var(--inconclusive-ground); } .badge.error { color: var(--error); background: var(--error-ground); }

button { font: inherit; font-size: .85rem; color: var(--text); background: var(--none-ground); border: 1px solid var(--line); border-radius: var(--round-2); padding: .3rem .75rem; min-height: 2.1rem; cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--muted); }
.pills { display: flex; flex-wrap: wrap; gap: .35rem; border: 0; margin: 0; padding: 0; }
.pill { border-radius: 2em; background: transparent; color: var(--muted); padding: .1rem .7rem; min-height: 1.85rem; font-variant-numeric: tabular-nums; }
.pill[aria-pressed='true'] { color: var(--card); background: var(--link); border-color: var(--link); }
input[type='search'] { width: 100%; font: inherit; font-size: 1rem; color: var(--text); background: var(--inset); border: 1px solid var(--muted); border-radius: var(--round-2); padding: .35rem .7rem; }

.facts { margin: .6rem 0 0; }
.facts:empty { display: none; }
.facts > div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .75rem; padding: .3rem 0; border-top: 1px solid var(--line); }
.facts > div:first-child { border-top: 0; }
.facts dt { color: var(--muted); font-size: .85rem; line-height: 1.8; }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.value { background: var(--inset); border: 1px solid var(--line); border-radius: var(--round-1); padding: .1em .35em; overflow-wrap: anywhere; white-space: pre-wrap; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
/* An inline block is broken only if it is longer than a line. */
.word, a[href^='#row-'] { display: inline-block; max-width: 100%; overflow-wrap: anywhere; }
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
tbody th { font-weight: 600; } th .muted { font-weight: 400; font-size: .9rem; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem 1.5rem; margin-top: .6rem; }
footer { margin: 2.5rem 0 1rem; color: var(--muted); font-size: .85rem; }

.product { margin: 0; color: var(--muted); font-size: .85rem; display: flex; gap: .75rem; align-items: center; }
h1.pass { color: var(--pass); } h1.fail { color: var(--fail); } h1.inconclusive { color: var(--inconclusive); } h1.error { color: var(--error); }
#content:focus { outline: none; }
.label { color: var(--muted); font-size: .85rem; margin: .2rem 0; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.sections { background: var(--card); border: 1px solid var(--line); border-radius: var(--round-3); box-shadow: var(--lift); overflow: hidden; }
.sections:empty { display: none; } .sections > .row:first-child { border-top: 0; }
.finding > summary .name::before { content: '▸'; display: inline-block; width: 1.1em; color: var(--muted); font-weight: 400; }
.finding[open] > summary .name::before { content: '▾'; }
.row { border-top: 1px solid var(--line); }
.row > summary { display: grid; grid-template-columns: 7.9rem minmax(0, 23rem) minmax(0, 1fr) auto; gap: .15rem .75rem; align-items: baseline; padding: .45rem 1rem; list-style: none; }
.row > summary:hover { background: var(--inset); } .row > summary .badge { justify-self: start; } .row > summary strong { font-weight: 500; overflow-wrap: anywhere; }
.row > summary:has(> strong:first-child) { grid-template-columns: 3rem minmax(0, 1fr) auto; } .row > summary .muted { font-size: .9rem; } .row .name { font-weight: 500; }
.card.fold > .row { margin-left: 0; margin-right: 0; } .card.fold > .row:last-child { margin-bottom: 0; }
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
  .row > summary { grid-template-columns: auto minmax(0, 1fr) auto; } .row > summary:not(:has(> strong:first-child)) .muted { grid-column: 1 / -1; grid-row: 2; }
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

/** The form fields of the desk and of the autopsy page. */
export const formStyle = `
label { display: block; font-size: .85rem; color: var(--muted); margin: .7rem 0 .2rem; }
textarea, select, input:not([type='file'], [type='hidden']) { display: block; width: 100%; font: inherit; color: var(--text); background: var(--inset); border: 1px solid var(--muted); border-radius: var(--round-2); padding: .4rem .6rem; }
textarea { font-family: var(--mono); font-size: .8rem; min-height: 5rem; }
.main-button { color: var(--card); background: var(--link); border-color: var(--link); font-weight: 600; }
`;

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
.head .fold { margin-top: .4rem; padding-top: .4rem; font-size: var(--type-2); }

nav { position: sticky; top: 0; z-index: 1; background: var(--page); margin: .75rem -1.5rem 0; padding: .3rem 1.5rem; border-bottom: 1px solid var(--line); overflow-x: auto; }
nav ul { display: flex; gap: 1.25rem; list-style: none; margin: 0; padding: 0; }
nav a { display: inline-block; padding: .3rem 0; text-decoration: none; white-space: nowrap; font-size: var(--type-2); }
nav a:hover { text-decoration: underline; }

.finding { margin-bottom: .5rem; }
.finding > summary { list-style: none; }
:is(.finding, .row) > summary::-webkit-details-marker { display: none; }
.finding > summary { display: grid; grid-template-columns: minmax(0, 29rem) auto minmax(0, 1fr); gap: .1rem .75rem; align-items: baseline; }
.finding[open] > summary { border-bottom: 1px solid var(--line); border-radius: var(--round-3) var(--round-3) 0 0; margin-bottom: .75rem; }
.because { color: var(--muted); font-size: var(--type-2); overflow: hidden; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.finding[open] .because { display: block; }
.broken { margin: 0 0 1rem; } .place { font-size: .85rem; margin: .1rem 0; }
.evidence-title { margin-top: 1rem; }
.more > .card { margin-top: .5rem; }

figcaption { font-weight: 600; } figure.code figcaption, figure.hex figcaption { font-weight: 400; }
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
#list { position: relative; height: 40rem; overflow: auto; border-right: 1px solid var(--line); contain: strict; } #list:focus-visible { outline-offset: -3px; }
.option { height: 44px; content-visibility: auto; contain-intrinsic-height: 44px; display: grid; grid-template-columns: 2.6rem 1.1rem minmax(0, 1fr) 2.6rem 3.6rem; gap: .4rem; align-items: center; padding: 0 .6rem; border-bottom: 1px solid var(--line); font-size: .8rem; cursor: pointer; }
.option:hover { background: var(--inset); } .option[aria-selected='true'] { background: var(--none-ground); box-shadow: inset 3px 0 var(--link); }
.option .name { font-weight: 500; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; line-height: 1.3; } .option .line { display: block; overflow: hidden; text-overflow: ellipsis; color: var(--muted); font-weight: 400; }
.option .number, .option .time { text-align: right; color: var(--muted); font-variant-numeric: tabular-nums; } .option .status { font-weight: 600; overflow: hidden; text-overflow: ellipsis; }
.dot { font-weight: 700; color: var(--muted); } .dot.pass { color: var(--pass); } .dot.fail { color: var(--fail); } .dot.inconclusive { color: var(--inconclusive); } .dot.error { color: var(--error); }
#detail { height: 40rem; overflow: auto; padding: .75rem 1.1rem; } #detail:focus-visible { outline-offset: -3px; } #detail > .card { margin: .6rem 0; padding: .6rem .9rem; box-shadow: none; } #detail .inside { padding: 0; }
#detail h3:focus { outline: none; } .buttons { display: flex; flex-wrap: wrap; gap: .4rem; margin: .5rem 0; }

.head > .facts { margin: 0 0 .6rem; } .lead { margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
.changes th[scope='row'] { max-width: 22rem; overflow-wrap: anywhere; } .changes th .muted { font-weight: 400; font-size: .85rem; } .changes .value { white-space: pre-wrap; }
.runs-strip { display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .5rem; list-style: none; margin: .6rem 0 .9rem; padding: 0; }
.runs-strip .card { margin: 0; padding: .5rem .75rem; } .runs-strip p { margin: .15rem 0 0; overflow-wrap: anywhere; } .runs-strip .muted { font-size: .8rem; white-space: nowrap; }
.strip { width: auto; min-width: 100%; } .strip th[scope='row'] { position: sticky; left: 0; background: var(--card); width: 24rem; min-width: 11rem; overflow-wrap: anywhere; font-size: .85rem; font-weight: 500; box-shadow: 1px 0 var(--line); }
.strip th[scope='col'] { font-weight: 500; min-width: 3.2rem; overflow-wrap: anywhere; } .strip td { position: relative; vertical-align: middle; white-space: nowrap; padding: .4rem .5rem; } .strip ul { margin: .3rem 0; padding-left: 1.1rem; font-weight: 400; }
.same { display: block; height: 2px; background: var(--line); font-size: 0; } .same.fail { height: 5px; border-radius: 3px; background: var(--fail); } .same.inconclusive { height: 5px; border-radius: 3px; background: var(--inconclusive); }
.strip + .fold, .scroll + .fold { margin-top: .9rem; } .card.fold + .card.fold { margin-top: -.4rem; }

@media (max-width: 60rem) {
  .split { grid-template-columns: minmax(0, 1fr); } #list { height: 24rem; border-right: 0; border-bottom: 1px solid var(--line); } #detail { height: auto; max-height: none; }
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
