/**
 * What report.html says before anybody scrolls: the conclusion, who was tested, three gauges, what to fix first, and what is not
 * ruled out. Then pictures where looking beats reading.
 */

import { type Dimension, dimensions } from '../../../contracts/requirements/requirement.ts';
import type { Case } from '../../record/case.ts';
import { countedWord } from '../../record/counted-word.ts';
import { exitCode } from '../../record/result/conclude.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import { newHazards } from '../../record/result/score.ts';
import {
  countInWords,
  extentInWords,
  firstToFix,
  mistakesBehind,
  tellingCause,
  tellingExchange,
} from '../cause-groups.ts';
import { counting, countOf, neverArose } from '../counting.ts';
import { rowAnchor } from '../document.ts';
import { shortened, shortenedSentences, visible, withSpaces } from '../visible.ts';
import { columns, fatalCause, hintOf, runInWords, type Statements, timeInWords } from '../words.ts';
import { hazardCards } from './findings.ts';
import { badge, bar, command, exchangeAnchor, facts, html, likeOutcome, type Markup, value } from './markup.ts';

export function firstScreen(result: Result, statements: Statements): Markup {
  const said = runInWords(result);
  const { conclusion, subject, profile } = result;
  const seen = conclusion === 'conformant' && countOf(neverArose(result)) > 0 ? ' as far as exercised' : '';
  const like = said.isHazardous ? 'inconclusive' : said.isGreen ? likeOutcome[conclusion] : 'fail';
  const who = [said.subject, said.labels, subject.target === 'mock' ? '' : subject.target, `profile ${profile}`];
  const note = (text: string | undefined) =>
    text === undefined ? null : html`<p class="note">${visible(shortened(text, 600))}.</p>`;
  return html`<header class="head">
    ${hazardCards(newHazards(result))}
    <p class="product">Countersign report ${badge(like, said.isGreen ? `${conclusion}${seen}${said.hazards}` : `exit code ${exitCode(result)}`)}</p>
    <h1 class=${like}>${visible(sentenceOf(result))}</h1>
    <p class="who">${visible(shortened(who.filter(Boolean).join(' · '), 300))}</p>
    ${note(said.exit)}
    ${note(said.unexplained && shortened(said.unexplained, 300))}
    ${note(said.narrowed)}
    ${gauges(result)}
    ${fixFirst(result, statements)}
    <p class="not-ruled-out"><strong>Not ruled out:</strong> ${notRuledOut(result)}</p>
    ${aboutRun(result)}
  </header>`;
}

function sentenceOf(result: Result): string {
  const { conclusion, subject } = result;
  const { counts, aborted, conclusion: concluded } = runInWords(result);
  const said = concluded.slice(conclusion.length);
  const fatal = fatalCause(result);
  switch (conclusion) {
    case 'conformant':
      return `The ${subject.kind} conforms${said}${said.includes(':') ? ' -' : ':'} ${counts}`;
    case 'non-conformant':
      return `The ${subject.kind} does not conform${said}: ${counts}`;
    case 'partial':
      if (fatal !== undefined) return `The ${subject.kind} is ${fatal.sentence} - ${counts}`;
      return `Nothing failed, but not everything was determined: ${counts}`;
    default:
      // As a heading it begins as one.
      return shortenedSentences(aborted ?? '', 300).replace(/^[a-z]/, (first) => first.toUpperCase());
  }
}

const leading: readonly Dimension[] = ['signing', 'payload-encoding', 'response-decoding'];

const titles: Readonly<Record<Dimension, string>> = {
  signing: 'Signing',
  'payload-encoding': 'Payload encoding',
  'response-decoding': 'Response decoding',
  transport: 'Transport',
  behaviour: 'Behaviour',
};

function gauges(result: Result): Markup {
  const used = dimensions.filter((name) => columns.some((outcome) => result.dimensions[name][outcome] > 0));
  if (used.length === 0) return null;
  const others = used.filter((name) => !leading.includes(name));
  const small = others.map((name) => html`<span><strong>${titles[name]}</strong> ${inWords(result, name)}</span>`);
  return html`<div class="gauges">${leading.map((name) => gauge(result, name))}</div>
    ${others.length === 0 ? null : html`<p class="small-gauges">${small}</p>`}`;
}

function gauge(result: Result, name: Dimension): Markup {
  const counts = result.dimensions[name];
  const used = columns.filter((outcome) => counts[outcome] > 0);
  const worst = used.find((outcome) => outcome !== 'not-applicable') ?? 'not-applicable';
  return html`<section class=${`gauge ${worst}`} aria-label=${titles[name]}>
    <h2>${titles[name]}</h2>
    <p class="figure">${figureOf(result, name)}</p>
    ${bar(used.map((outcome) => [outcome, counts[outcome]]))}
    <p class="parts">${inWords(result, name)}</p>
  </section>`;
}

/** What was not applicable is left out of it. */
function figureOf({ dimensions: all }: Result, name: Dimension): Markup {
  const { pass, fail, error, inconclusive } = all[name];
  const of = pass + fail + error + inconclusive;
  return of === 0 ? html`<span class="muted">nothing</span>` : html`<strong>${pass}</strong> of ${of} pass`;
}

function inWords({ dimensions: all }: Result, name: Dimension): string {
  const some = columns.filter((outcome) => all[name][outcome] > 0);
  return some.length === 0 ? 'none judged' : some.map((outcome) => `${all[name][outcome]} ${outcome}`).join(', ');
}

/** The cause behind most failures, or, where nothing failed, behind most of what was not determined. */
function fixFirst(result: Result, statements: Statements): Markup {
  const card = (like: string, title: string, ...children: Markup[]) =>
    html`<section class=${`card first ${like}`} aria-labelledby="first-title"><h2 id="first-title">${title}</h2>${children}</section>`;
  const found = firstToFix(counting(result));
  if (found !== undefined) {
    const { outcome, group } = found;
    const [row] = group.rows;
    const extent = extentInWords(group, result);
    const cause = outcome === 'inconclusive' || group.cause?.fatal ? tellingCause(group) : undefined;
    const exchange = cause?.fatal ? cause.exchanges[0] : tellingExchange(row, result);
    const deviation = causeOfFailure(row);
    const compared: Parameters<typeof facts>[0] = [
      ['Expected', shortValue(row.expected)],
      ['Received', shortValue((row.actual && withSpaces(row.actual)) ?? row.reason)],
      ...mistakesBehind(result, row.id).map((one): [string, Markup] => ['Cause', visible(one)]),
    ];
    return card(
      outcome,
      titleOfFirst[outcome],
      html`<p class="what-first">${
        cause === undefined
          ? html`<span><a href=${`#${rowAnchor(row.id)}`}>${visible(row.id)}</a>${extent === '' ? null : html` <span class="muted">${extent}</span>`}</span>`
          : html`<a href="#inconclusive">${countInWords(group.rows)}</a>`
      }</p>`,
      cause === undefined
        ? html`<p>${visible(statements(row.id)?.statement ?? '')}</p>`
        : html`<p>because ${visible(shortened(cause.sentence, 400))}</p>`,
      deviation ?? facts(cause === undefined ? compared : []),
      deviation === null ? hinted(cause?.hint ?? hintOf(row, statements(row.id))) : null,
      exchange === undefined
        ? null
        : html`<p><a href=${`#${exchangeAnchor(exchange)}`}>Show exchange ${exchange}</a></p>`,
    );
  }
  const broken = result.contracts?.find(({ outcome }) => outcome === 'fail');
  if (broken !== undefined) {
    return card(
      'fail',
      titleOfFirst.fail,
      html`<p class="what-first"><a href="#contracts">${visible(broken.interaction)}</a></p>`,
      html`<p>${shortValue(broken.mismatches.join('; '))}</p>`,
    );
  }
  if (runInWords(result).hazards !== '') return null;
  const nothing =
    result.results.length === 0 ? 'No requirement was judged.' : 'Every requirement that could be determined holds.';
  return card('pass', 'Nothing to fix', html`<p>${nothing}</p>`);
}

const titleOfFirst = {
  error: 'A fault of the suite comes first',
  fail: 'What to fix first',
  inconclusive: 'What to determine first',
};

/** Nobody can compare two signatures: the deviation that explains them says more. */
function causeOfFailure({ explanations = [] }: ResultRow): Markup {
  const [deviation] = explanations.flatMap(({ deviations }) => deviations);
  if (deviation === undefined) return null;
  return facts([
    ['Cause', html`<span>${visible(deviation.summary)} <span class="muted">${visible(deviation.id)}</span></span>`],
    ['Fix', visible(deviation.fix)],
  ]);
}

function hinted(hint: string | undefined): Markup {
  return hint === undefined ? null : html`<p class="muted">${visible(shortened(hint, 300))}</p>`;
}

function shortValue(text: string | undefined): Markup | undefined {
  return text === undefined ? undefined : value(shortened(text, 240));
}

function notRuledOut(result: Result): Markup {
  const unseen = countOf(neverArose(result));
  const { unnoticed } = runInWords(result);
  if (unnoticed !== undefined) {
    return html`${unseen === 0 ? null : html`<a href="#never-arose">${countedWord(unseen, 'requirement')} never arose</a>; `}<a href="#unnoticed">${unnoticed.replace(/^This run/, 'this run')}</a>.`;
  }
  const open = result.results.filter(({ outcome }) => outcome === 'inconclusive').length;
  const never = result.results.filter(({ outcome }) => outcome === 'not-applicable').length;
  const ofNever = open > 0 ? String(never) : countedWord(never, 'requirement');
  const parts = [
    result.scope !== undefined && 'every requirement that --only left out',
    open > 0 && `${countedWord(open, 'requirement')} that ${open === 1 ? 'is' : 'are'} inconclusive`,
    never > 0 && `${ofNever} that did not apply or whose condition never arose`,
  ].filter((part) => part !== false);
  return parts.length === 0
    ? 'what the interface document leaves open; answers to that are recorded below, and not judged.'
    : `${parts.join(', and ')}. What the interface document leaves open is recorded below, and not judged.`;
}

function aboutRun(result: Result): Markup {
  const { subject } = result;
  const { notes, labels, latency, effects, worst, subject: name } = runInWords(result);
  return html`${notes.length === 0 ? null : html`<details class="fold" open=${notes.length < 3}><summary>${countedWord(notes.length, 'note')} on the run</summary><ul class="note">${notes.map((note) => html`<li>${visible(shortenedSentences(note, 400))}</li>`)}</ul></details>`}
  <details class="fold about" id="about"><summary>About this run: ${countedWord(result.exchangeCount, 'exchange')} in ${timeInWords(result.durationMs)}, how to repeat it</summary>
    <div class="command-line">${command(result.reproduce)}</div>
    ${facts([
      ['Subject', value(`${subject.kind} ${name}`)],
      ['Target', value(subject.target)],
      ['Labels', labels && value(labels)],
      ['Profile', visible(result.profile)],
      ['Set', result.set && visible(result.set)],
      ['Baseline', result.baseline && value(result.baseline.file)],
      ['Seed', visible(result.seed)],
      ['Started', html`<time datetime=${result.startedAt}>${visible(result.startedAt.replace('T', ' '))}</time>`],
      ['Latency', latency && visible(latency)],
      ['Effects', effects],
      ['At worst', worst],
      ['Suite', visible(`${result.suite.name} ${result.suite.version}`)],
      ['Run', visible(result.runId)],
    ])}
  </details>`;
}

/** Null where there is nothing to see. */
export function pictures(result: Result, cases: readonly Case[]): Markup {
  if (result.results.length === 0) return null;
  return html`<section id="pictures" aria-labelledby="pictures-title"><h2 id="pictures-title">At a glance</h2>
    <div class="pictures">${byDimension(result)}${result.subject.kind === 'gateway' ? latency(cases) : null}</div>
  </section>`;
}

function byDimension({ results }: Result): Markup {
  const operations = [...new Set(results.map(({ operation }) => operation))].sort();
  const used = dimensions.filter((name) => results.some(({ dimension }) => dimension === name));
  return html`<figure class="card"><figcaption>Outcomes by dimension and operation</figcaption>
    <table class="matrix"><thead><tr><th scope="col">Dimension</th>${operations.map((name) => html`<th scope="col">${name === 'both' ? 'both' : name}</th>`)}</tr></thead>
    <tbody>${used.map(
      (name) =>
        html`<tr><th scope="row">${name}</th>${operations.map((operation) => {
          const rows = results.filter((row) => row.dimension === name && row.operation === operation);
          const counts = columns
            .map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const)
            .filter(([, count]) => count > 0);
          return html`<td>${counts.length === 0 ? html`<span class="muted">–</span>` : html`${bar(counts)}<span class="parts">${counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}</span>`}</td>`;
        })}</tr>`,
    )}</tbody></table></figure>`;
}

/** Upper ends of the classes, in milliseconds: each twice the one before. */
const ends = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, Number.POSITIVE_INFINITY];

/** Null where fewer than twenty answers came. */
function latency(cases: readonly Case[]): Markup {
  const answered = cases.filter(({ exchanges: [exchange] }) => exchange.response !== undefined);
  if (answered.length < 20) return null;
  const operations = [...new Set(answered.map(({ label }) => label.operation))].sort();
  const classOf = (ms: number) => ends.findIndex((end) => ms <= end);
  const classes = answered.map(({ exchanges: [exchange] }) => classOf(exchange.durationMs));
  const met = [...new Set(classes)];
  const shown = ends.slice(Math.min(...met), Math.max(...met) + 1);
  return html`<figure class="card"><figcaption>How long answers took, up to so many milliseconds</figcaption>${operations.map(
    (operation) => {
      const mine = answered
        .filter(({ label }) => label.operation === operation)
        .map(({ exchanges: [exchange] }) => classOf(exchange.durationMs));
      const counts = shown.map((end) => mine.filter((one) => ends[one] === end).length);
      const most = Math.max(...counts, 1);
      return html`<div class="histogram"><p>${operation}, ${countedWord(mine.length, 'answer')}</p><ol>${counts.map(
        (count, index) => {
          const end = shown[index]!;
          const name =
            end === Number.POSITIVE_INFINITY ? '…' : end < 1000 ? String(end) : `${Math.floor(end / 1000)} s`;
          return html`<li><span class="column" style=${`height:${Math.round((count / most) * 48)}px`} aria-hidden="true"></span><span class="end">${name}</span><span class="times">${count}</span></li>`;
        },
      )}</ol></div>`;
    },
  )}</figure>`;
}
