/**
 * report.html: the run as one page that needs nothing but itself. It loads nothing, which its content security policy
 * holds, and everything on it can be read where scripts do not run; the script only adds search, filters and copying.
 */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Case } from '../exchange/case.ts';
import { counting, flips, knownFailures, notScored } from '../report/counting.ts';
import type { Statements } from '../report/statements.ts';
import { visible } from '../report/visible.ts';
import { countOutcomes } from '../result/conclude.ts';
import type { Result } from '../result/result.ts';
import { failsAnew } from '../result/score.ts';
import { listed, type Traffic, trafficOf } from './exchange-view.ts';
import { contractTable, detailed, undetermined } from './findings.ts';
import { dimensionTable, pageHead } from './head.ts';
import { html, type Markup } from './markup.ts';
import { observationTable, requirementSections } from './requirement-list.ts';
import { script, scriptHash } from './script.ts';
import { shownApart, staleBaseline } from './shown-apart.ts';
import { style } from './style.ts';
import { unnoticedDefects } from './unnoticed.ts';

export interface HtmlOptions {
  readonly statements: Statements;
  /** The question of an open point by its id; undefined for one that this version does not know. */
  readonly questions: (openPoint: string) => string | undefined;
  /** In the order of their numbers. */
  readonly cases: readonly Case[];
}

/** The text of report.html. */
export function htmlReport(result: Result, { statements, questions, cases }: HtmlOptions): string {
  const counted = counting(result);
  const traffic = trafficOf(cases, [...result.results, ...result.observations]);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    print(html`<title>${result.conclusion}: ${visible(result.subject.name)} – Countersign</title>`),
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<a class="skip" href="#content">Skip to the findings</a>',
    '<div class="page">',
    print(pageHead(result)),
    print(contents(result)),
    '<main id="content" tabindex="-1">',
    print(dimensionTable(result)),
    print(detailed('Faults of the suite', 'error', result, { statements, traffic })),
    print(
      detailed(result.baseline === undefined ? 'Failures' : 'Failures that are not tolerated', 'fail', counted, {
        statements,
        traffic,
      }),
    ),
    print(staleBaseline(result)),
    print(undetermined(counted, { statements })),
    print(contractTable(result.contracts)),
    print(
      shownApart('flips', `Other verdicts than in the report of countersign ${result.rejudged?.suite}`, flips(result)),
    ),
    print(shownApart('known', 'Known failures', knownFailures(result))),
    print(shownApart('not-scored', `Later than the set ${result.set}, not scored`, notScored(result))),
    ...(result.unnoticed === undefined ? [] : [print(unnoticedDefects(result.unnoticed))]),
    print(requirementSections(result, { statements })),
    print(observationTable(result.observations, questions)),
    ...exchanges(result, traffic),
    '</main>',
    '<footer>The other files of the run hold the same verdicts: report.json, junit.xml, ctrf.json, summary.md. exchanges.har holds every byte.</footer>',
    '</div>',
    `<script>${script}</script>`,
    '</body>',
    '</html>',
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('');
}

/** Part after part becomes text, so that no tree of the whole page is ever in memory. */
function print(part: Markup): string {
  return part === null ? '' : renderToString(part as VNode);
}

function contents(result: Result): Markup {
  const counts = countOutcomes(result.results);
  const parts: (readonly [anchor: string, title: string, count: number])[] = [
    ['faults', 'Faults', counts.error],
    ['failures', 'Failures', result.results.filter(failsAnew).length],
    ['baseline', 'Baseline', result.baseline?.problems.length ?? 0],
    ['inconclusive', 'Inconclusive', counts.inconclusive],
    ['contracts', 'Contracts', result.contracts?.length ?? 0],
    ['flips', 'Other verdicts', flips(result).length],
    ['known', 'Known failures', knownFailures(result).length],
    ['not-scored', 'Not scored', notScored(result).length],
    ['unnoticed', 'Not ruled out', result.unnoticed?.count ?? 0],
    ['requirements', 'Requirements', result.results.length],
    ['observations', 'Observations', result.observations.length],
    ['exchanges', 'Exchanges', result.exchangeCount],
  ];
  return html`<nav aria-label="Parts of the report"><ul>${parts
    .filter(([, , count]) => count > 0)
    .map(
      ([anchor, title, count]) =>
        html`<li><a href=${`#${anchor}`}>${title} <span class="count">${count}</span></a></li>`,
    )}</ul></nav>`;
}

function exchanges(result: Result, traffic: Traffic): string[] {
  if (result.exchangeCount === 0) return [];
  const search = html`<div class="filter" role="search" data-filter="#exchanges [data-row]" data-script hidden>
    <label>Search <input type="search" placeholder="scenario, header, body" autocomplete="off" /></label>
    <output></output>
  </div>`;
  const missing = html`<p>The exchanges are not part of this page.</p>`;
  return [
    '<section id="exchanges" aria-labelledby="exchanges-title">',
    print(html`<h2 id="exchanges-title">Exchanges <span class="count">${result.exchangeCount}</span></h2>`),
    print(traffic.cases.length === 0 ? missing : search),
    ...(traffic.shown.size < traffic.cases.length ? [print(onlySome(traffic))] : []),
    '<div class="exchanges">',
    ...[...traffic.shown.keys()].map((number) => print(listed(number, traffic))),
    '</div>',
    '</section>',
  ];
}

function onlySome({ cases, shown }: Traffic): VNode {
  const [some, all] = [shown.size, cases.length].map((count) => count.toLocaleString('en-US'));
  return html`<p>${some} of ${all} exchanges are listed: the first ones, and those that the findings lead to. exchanges.har has all.</p>`;
}
