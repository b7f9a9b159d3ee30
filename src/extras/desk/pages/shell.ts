/** The frame of every desk page. Its content security policy forbids external resources. */
import type { WebAnswer } from '../../../mock/router.ts';
import type { Markup } from '../../../report/pages/markup.ts';
import { pageText, print } from '../../../report/pages/page.ts';
import { script, scriptHash } from './script.ts';

interface DeskPage {
  readonly title: string;
  readonly content: Markup;
  /** The id of the engagement shown, or `*` for all: the page updates when it changes. */
  readonly live?: string;
}

export function pageAnswer({ title, content, live }: DeskPage, status = 200): WebAnswer {
  const meta = '<link rel="icon" href="data:,">';
  const shown = ['<div class="page">', print(content), '</div>'];
  const body = pageText({ title: `${title}, desk`, meta, style: deskStyle, live, body: shown, script });
  return { status, headers: { 'Content-Type': 'text/html;charset=utf-8', 'Content-Security-Policy': policy }, body };
}

const policy =
  `default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; ` +
  `connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const deskStyle = `
.bread { margin: 0 0 .6rem; font-size: .9rem; }
.live { float: right; color: var(--muted); font-size: .85rem; }
.head h1 { margin: .1rem 0 .4rem; }
.command button { padding: .15rem .55rem; min-height: 1.9rem; }
.lead { font-size: var(--type-4); margin: .35rem 0 1rem; overflow-wrap: anywhere; }
.number { min-width: 2.4rem; text-align: right; color: var(--muted); font-variant-numeric: tabular-nums; }
.fold summary h2 { display: inline; margin: 0; font-size: var(--type-4); }
.in-sight { position: sticky; top: 0; z-index: 1; }
.next-step { border-left: 5px solid var(--link); padding: .6rem 1rem; box-shadow: 0 4px 14px rgb(20 26 40 / .14); }
.next-step p { margin: 0 0 .35rem; }
.call { display: grid; grid-template-columns: 3rem minmax(0, 1fr); align-items: center; margin-top: .25rem; }
.call code { max-height: 3.4rem; overflow: auto; } .call .caption { margin: 0; }
.cause { display: block; font-weight: 400; font-size: .9rem; color: var(--fail); }
a.main-button { display: inline-block; margin: 0; padding: .35rem .9rem; border-radius: var(--round-2); text-decoration: none; }
.cards { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.cards .card { margin: 0; }
.cards h3 { margin-bottom: .25rem; }
form label { display: block; font-size: .85rem; color: var(--muted); margin: .7rem 0 .2rem; }
input[type='text'], select, textarea { display: block; width: 100%; font: inherit; font-size: 1rem; color: var(--text); background: var(--inset); border: 1px solid var(--muted); border-radius: var(--round-2); padding: .4rem .6rem; }
textarea { font-family: var(--mono); font-size: .8rem; min-height: 6rem; }
select:focus-visible, textarea:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.main-button { margin-top: 1rem; color: var(--card); background: var(--link); border-color: var(--link); font-weight: 600; }
.steps { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; }
.step { background: var(--card); border: 1px solid var(--line); border-left: 5px solid var(--none); border-radius: var(--round-3); }
.step.next { border-left-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.step.good { border-left-color: var(--pass); } .step.bad { border-left-color: var(--fail); }
.step > summary { display: grid; grid-template-columns: 2rem minmax(0, 1fr) auto; gap: .25rem .75rem; align-items: baseline; padding: .6rem .9rem; list-style: none; }
.step > summary::-webkit-details-marker { display: none; }
.step > summary:hover { background: var(--inset); border-radius: 0 var(--round-3) var(--round-3) 0; }
.step .name { font-weight: 600; } .step .name .muted { font-weight: 400; font-size: .85rem; }
.step .number { min-width: 0; }
.inputs.cells code { white-space: pre; overflow-wrap: normal; }
.step .inside { padding-bottom: .9rem; }
.badge.next { color: var(--link); background: var(--inset); box-shadow: inset 0 0 0 1px var(--link); }
.inputs { width: 100%; margin: .5rem 0; }
.inputs th, .inputs td { padding: .35rem .6rem; }
.inputs thead th:first-child { width: 14rem; }
.says { margin: .6rem 0; } .says dt { font-size: .8rem; color: var(--muted); } .says dd { margin: 0 0 .5rem; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .75rem; }
.actions form { margin: 0; }
.person { font-size: .85rem; color: var(--muted); }
.wrong { border-left: 4px solid var(--fail); background: var(--fail-ground); border-radius: 0 6px 6px 0; padding: .5rem .75rem; margin: .6rem 0; }
.wrong p { margin: .15rem 0; }
.danger { margin-top: 1.5rem; }
.links { display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; margin: .6rem 0 0; font-size: .9rem; }
@media (max-width: 46rem) {
  .command { flex-direction: row; }
  .in-sight .call { grid-template-columns: minmax(0, 1fr); } .in-sight .call .caption { display: none; } .call code { white-space: nowrap; overflow-x: auto; }
  .step > summary { grid-template-columns: 1.4rem minmax(0, 1fr); }
  .step > summary .badge { grid-column: 2; justify-self: start; }
  .inputs thead { display: none; }
  .inputs.fields tr, .inputs.fields th, .inputs.fields td { display: block; border: 0; padding: .15rem .6rem; }
  .inputs.fields tr { border-top: 1px solid var(--line); padding: .3rem 0; }
  .inputs.cells thead { display: table-header-group; }
}
@media print {
  #exchanges .exchanges { display: none !important; }
}
`;
