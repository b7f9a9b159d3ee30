/** report.html: the run as one page. */

import type { VNode } from 'preact';
import type { Operation } from '../../../contracts/operations.ts';
import { countOutcomes } from '../../record/result/conclude.ts';
import type { Result } from '../../record/result/result.ts';
import { failsAnew, newHazards } from '../../record/result/score.ts';
import { counting, countOf, flips, knownFailures, neverArose, notScored } from '../counting.ts';
import { shortened, visible } from '../visible.ts';
import { columns, conclusionInWords } from '../words.ts';
import { type DataOptions, type ExchangeData, exchangeData } from './exchange-data.ts';
import { exchangeDetail } from './exchange-view.ts';
import { byCause, contractTable, shownApart, staleBaseline } from './findings.ts';
import { firstScreen, pictures } from './first-screen.ts';
import { element, html, type Markup } from './markup.ts';
import { openPoints } from './open-points.ts';
import { page } from './page.ts';
import { neverAroseSection, requirementSections, unnoticedDefects } from './requirement-list.ts';

interface HtmlOptions extends DataOptions {
  /** The question of an open point by its id; undefined for one that this version does not know. */
  readonly questions: (openPoint: string) => string | undefined;
}

/** The text of report.html. */
export function htmlReport(result: Result, options: HtmlOptions): string {
  const { statements, questions, cases } = options;
  const counted = counting(result);
  const data = exchangeData(result, options);
  const fallback = withoutScripts(data);
  return page({
    title: `${conclusionInWords(result)}: ${shortened(result.subject.name, 100)}`,
    head: firstScreen(result, statements),
    parts: partsOf(result),
    main: [
      byCause(result, 'error', statements, fallback),
      byCause(counted, 'fail', statements, fallback),
      staleBaseline(result),
      byCause(counted, 'inconclusive', statements, fallback),
      shownApart('flips', `Other verdicts than in the report of countersign ${result.rejudged?.suite}`, flips(result)),
      shownApart('known', 'Known failures', knownFailures(result)),
      shownApart('not-scored', `Later than the set ${result.set}, not scored`, notScored(result)),
      neverAroseSection(result),
      result.unnoticed === undefined ? null : unnoticedDefects(result.unnoticed),
      pictures(result, cases),
      requirementSections(result, statements),
      contractTable(result.contracts),
      openPoints(result.observations, questions),
      exchangeSection(data, result.exchangeCount, cases.length > 0),
    ],
    foot: 'The other files of the run hold the same verdicts: report.json, junit.xml, ctrf.json, summary.md. exchanges.har holds every byte.',
    ...(cases.length === 0 ? {} : { packed: data.packed }),
  });
}

function partsOf(result: Result): readonly (readonly [anchor: string, title: string, count: number])[] {
  const counts = countOutcomes(counting(result).results);
  return [
    ['hazards', 'Hazards', newHazards(result).length],
    ['faults', 'Faults', countOutcomes(result.results).error],
    ['failures', 'Failures', result.results.filter(failsAnew).length],
    ['baseline', 'Baseline', result.baseline?.problems.length ?? 0],
    ['inconclusive', 'Not determined', counts.inconclusive],
    ['flips', 'Other verdicts', flips(result).length],
    ['known', 'Known failures', knownFailures(result).length],
    ['not-scored', 'Not scored', notScored(result).length],
    ['never-arose', 'Never arose', countOf(neverArose(result))],
    ['unnoticed', 'Not ruled out', result.unnoticed?.count ?? 0],
    ['requirements', 'Requirements', result.results.length],
    ['contracts', 'Contracts', result.contracts?.length ?? 0],
    ['observations', 'Open points', result.observations.length],
    ['exchanges', 'Exchanges', result.exchangeCount],
  ];
}

/** Null where the run has no exchanges. */
function exchangeSection({ head }: ExchangeData, count: number, isAtHand: boolean): Markup {
  if (count === 0) return null;
  const listed = head.entries.length;
  const some = listed < count && isAtHand;
  return html`<section id="exchanges" aria-labelledby="exchanges-title">
    <h2 id="exchanges-title">Exchanges <span class="count">${count}</span></h2>
    ${isAtHand ? html`<noscript><p class="note">Scripts are off: the evidence of failures is under each of them; exchanges.har has every exchange.</p></noscript>` : html`<p>The exchanges are not part of this page.</p>`}
    ${some ? html`<p>${listed.toLocaleString('en-US')} of ${count.toLocaleString('en-US')} exchanges are here: the first ones, and those that the findings lead to. exchanges.har has all.</p>` : null}
    ${isAtHand ? browser(head) : null}
  </section>`;
}

function browser(head: ExchangeData['head']): Markup {
  const { entries, rows } = head;
  const used = new Set(entries.flatMap((entry) => entry.rows));
  const some = rows.filter((_, index) => used.has(index));
  const values: readonly (readonly [kind: string, label: string, values: readonly string[]])[] = [
    [
      'outcome',
      'Outcome',
      [...columns, 'none'].filter((outcome) => entries.some((entry) => entry.outcome === outcome)),
    ],
    ['operation', 'Operation', [...new Set(entries.map(({ operation }) => operation as Operation))].sort()],
    ['dimension', 'Dimension', [...new Set(some.map(({ dimension }) => dimension))].sort()],
    [
      'section',
      'Section',
      [...new Set(some.map(({ section }) => section))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })),
    ],
  ];
  return html`<div class="browser" data-script hidden>
    <div class="filter" role="search">
      <label class="searching"><span>Search ${entries.length.toLocaleString('en-US')} exchanges</span><input type="search" id="search" placeholder="header, value, scenario" autocomplete="off" spellcheck=${false} /></label>
      ${values
        .filter(([, , all]) => all.length > 1)
        .map(
          ([kind, label, all]) =>
            html`<fieldset class="pills"><legend>${label}</legend>${all.map(
              (one) =>
                html`<button type="button" class="pill" aria-pressed="false" data-kind=${kind} value=${one}>${one === 'none' ? 'no requirement' : visible(one)}</button>`,
            )}</fieldset>`,
        )}
      <output id="shown" aria-live="polite"></output>
    </div>
    <div class="split">
      <div id="list" role="listbox" tabindex="0" aria-label="Exchanges"><div class="sizer" role="presentation"></div></div>
      <div id="detail" role="region" aria-label="The chosen exchange" tabindex="0"><p class="muted">Choose an exchange; arrow keys move through the list.</p></div>
    </div>
  </div>`;
}

/** An exchange for a reader without scripts, values cut short. */
function withoutScripts({ exchanges }: ExchangeData): (number: number) => readonly VNode[] {
  return (number) => {
    const one = exchanges.get(number);
    if (one === undefined) return [];
    const short = (shown: typeof one): typeof one => ({
      ...shown,
      request: cut(shown.request),
      ...(shown.response === undefined ? {} : { response: cut(shown.response) }),
    });
    const twin = one.twin === undefined ? undefined : exchanges.get(one.twin);
    return exchangeDetail(element, short(one), twin && short(twin), []);
  };
}

function cut<M extends { readonly body: { readonly text?: string } }>(message: M): M {
  const { text } = message.body;
  return text === undefined || text.length <= 2_000
    ? message
    : { ...message, body: { ...message.body, text: shortened(text, 2_000) } };
}
