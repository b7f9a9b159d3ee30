/** report.html: the run as one page. */
import type { VNode } from 'preact';
import type { Operation } from '../../../contracts/operations.ts';
import { countedWord } from '../../record/counted-word.ts';
import { groupBy } from '../../record/group-by.ts';
import type { Observation, Result, ResultRow } from '../../record/result/result.ts';
import { fact, rowAnchor, type Section } from '../document.ts';
import { resultDocument, rowBlocks } from '../result-document.ts';
import { shortened, visible } from '../visible.ts';
import { blames, columns, type Statements } from '../words.ts';
import { type DataOptions, type ExchangeData, exchangeData } from './exchange-data.ts';
import { exchangeDetail } from './exchange-view.ts';
import { badge, blocksMarkup, element, exchangeLinks, html, type Markup, table, value } from './markup.ts';
import { documentPage } from './page.ts';
import { gauges, glance, killGrid } from './pictures.ts';

/** Every section closed, with its counts; so is every requirement in it. */
function requirementSections(result: Result, statements: Statements): Markup {
  const sections = [...new Set(result.results.map((row) => row.section))].sort(bySection);
  const parts = sections.map((name) => {
    const rows = result.results.filter((row) => row.section === name);
    return html`<details class="section">
      <summary><span class="name">Section ${visible(name)}</span> <span class="tallies">${tallies(rows)}</span></summary>
      ${rows.map((row) => requirement(row, result, statements))}
    </details>`;
  });
  return [html`<div class="sections">${parts}</div>`, killGrid(result.results)];
}

function tallies(rows: readonly ResultRow[]): Markup[] {
  return columns
    .map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => html`<span class=${`badge ${outcome}`}>${count} ${outcome}</span>`);
}

function requirement(row: ResultRow, result: Result, statements: Statements): Markup {
  const text = statements(row.id);
  return html`<details class="row">
    <summary>${badge(row.outcome)}<span class="name">${visible(row.id)}</span>${
      text === undefined ? null : html`<span class="what">${visible(text.statement)}</span>`
    }${row.remark === undefined ? null : html`<span class="badge">remark</span>`}</summary>
    <div class="inside" id=${rowAnchor(row.id)}>
      ${blocksMarkup([
        ...fact(
          'Kind',
          `${row.kind}, ${row.dimension}, ${row.operation === 'both' ? 'both operations' : row.operation}`,
        ),
        ...fact('Basis', row.basis),
        ...fact('Blame', row.blame && blames[row.blame]),
        ...rowBlocks(row, result, statements),
        ...fact(
          'Known to catch',
          row.provenBy.length === 0
            ? undefined
            : row.provenBy.flatMap((id, at) => [at === 0 ? '' : ', ', { value: id }]),
        ),
      ])}
    </div>
  </details>`;
}

/** `2.2` before `2.10`, and `4` before `4.1`. */
function bySection(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

interface Seen extends Observation {
  /** What was tried, as `nonce-of-one-character`; empty where the answer stands alone. */
  readonly tried: string;
  readonly answer: string;
}

/** Unusual answers in sight; those with a reason are, up to a bound. */
const [fewInSight, mostInSight] = [6, 20];

/** An answer that so many points give is an ordinary one. */
const ordinary = 5;

/** Null where nothing was observed. */
function openPoints(
  observations: readonly Observation[],
  questions: (openPoint: string) => string | undefined,
): Markup {
  if (observations.length === 0) return null;
  const seen = observations.map(seenOf);
  const order = seen.map(({ openPoint }) => openPoint);
  const odd = unusual(seen);
  const rest = seen.filter((one) => !odd.includes(one));
  const explained = odd.filter(({ unusual: why }) => why !== undefined).length;
  const inSight = Math.min(Math.max(fewInSight, explained), mostInSight);
  const byPoint = [...groupBy(rest, ({ openPoint }) => openPoint)].sort(
    ([a], [b]) => order.indexOf(a) - order.indexOf(b),
  );
  const said =
    odd.length === 0
      ? 'None is unusual.'
      : 'Unusual ones come first: those with a reason, then two answers to the same question, or one that few others give.';
  return [
    html`<p>Where the interface document is silent, answers are recorded and never judged. ${said}</p>`,
    odd.length === 0 ? null : answers(odd.slice(0, inSight), questions, 'Unusual answers'),
    odd.length <= inSight
      ? null
      : html`<details class="fold more"><summary>${countedWord(odd.length - inSight, 'more unusual answer')}</summary>${answers(odd.slice(inSight), questions, 'More unusual answers')}</details>`,
    rest.length === 0
      ? null
      : html`<details class="fold"><summary>${countedWord(rest.length, 'ordinary answer')}, by open point</summary>
      <div class="sections">${byPoint.map(([point, mine]) => ordinaryOf(point, mine, questions(point) ?? ''))}</div></details>`,
  ];
}

function seenOf(observation: Observation): Seen {
  const at = observation.value.lastIndexOf(': ');
  return {
    ...observation,
    tried: at < 0 ? '' : observation.value.slice(0, at),
    answer: at < 0 ? observation.value : observation.value.slice(at + 2),
  };
}

/**
 * Answers that are unusual by themselves come first, then two answers to one question, then those that fewest give. A point whose answers are texts of their own, such as
 * error messages, has no ordinary one: it is a list.
 */
function unusual(seen: readonly Seen[]): Seen[] {
  const times = (key: (one: Seen) => string) => {
    const groups = groupBy(seen, key);
    return (one: Seen) => groups.get(key(one))!.length;
  };
  const ofAnswer = times(({ answer }) => answer);
  const ofPoint = times(({ openPoint }) => openPoint);
  const ofQuestion = times(({ openPoint, tried }) => JSON.stringify([openPoint, tried]));
  const isList = times(({ openPoint, answer }) => `${openPoint} ${ofAnswer({ answer } as Seen) < ordinary}`);
  const inList = (one: Seen) => isList(one) * 2 > ofPoint(one);
  // Where nothing is named that was tried, two answers are worth a look, and twenty are a list.
  const split = (one: Seen) => ofQuestion(one) > 1 && (one.tried !== '' || ofQuestion(one) <= 3);
  const rank = (one: Seen) => (one.unusual === undefined ? Number(split(one)) : 2);
  const rare = (one: Seen) => one.tried !== '' && ofAnswer(one) < ordinary && !inList(one);
  return seen
    .filter((one) => one.unusual !== undefined || split(one) || rare(one))
    .sort((a, b) => rank(b) - rank(a) || (rank(a) === 2 ? 0 : ofAnswer(a) - ofAnswer(b)));
}

function answers(some: readonly Seen[], questions: (openPoint: string) => string | undefined, label: string): Markup {
  const rows = some.map(
    ({ openPoint, tried, answer, exchanges, unusual: why }) => html`<tr>
      <th scope="row">${visible(openPoint)} <span class="question">${visible(questions(openPoint) ?? '')}</span></th>
      <td>${tried === '' ? null : html`<span class="muted">${visible(shortened(tried, 200))}</span> `}${value(shortened(answer, 300))}${why === undefined ? null : html` ${visible(why)}`}</td>
      <td>${exchangeLinks(exchanges) ?? 'none'}</td></tr>`,
  );
  return table(label, ['Open point', 'Answer', 'Exchanges'], rows, 'observations');
}

function ordinaryOf(point: string, mine: readonly Seen[], question: string): Markup {
  return html`<details class="section"><summary><span class="name">${visible(point)}</span> <span class="what">${visible(question)}</span> <span class="count">${mine.length}</span></summary>
    <dl class="facts">${[...groupBy(mine, ({ answer }) => answer)].map(
      ([answer, alike]) =>
        html`<div><dt>${visible(shortened(answer, 100))}</dt><dd>${alike.map(({ tried, exchanges }, index) => [
          index === 0 ? '' : ', ',
          visible(shortened(tried, 200)),
          ' ',
          exchangeLinks(exchanges.slice(0, 1)),
        ])}</dd></div>`,
    )}</dl></details>`;
}

interface HtmlOptions extends DataOptions {
  /** The question of an open point by its id; undefined for one that this version does not know. */
  readonly questions: (openPoint: string) => string | undefined;
}

/** The text of report.html. */
export function htmlReport(result: Result, options: HtmlOptions): string {
  const { statements, questions, cases } = options;
  const data = exchangeData(result, options);
  const picture = (anchor: string, title: string, count: number | undefined, markup: Markup): Section => {
    return { anchor, title, count, only: 'page', blocks: markup === null ? [] : [{ picture: markup }] };
  };
  const { results, observations, exchangeCount } = result;
  const document = resultDocument(result, {
    statements,
    gauges: { picture: gauges(result), only: 'page' },
    more: [
      picture('pictures', 'At a glance', undefined, glance(result, cases)),
      picture('requirements', 'Requirements', results.length, requirementSections(result, statements)),
      picture('observations', 'Answers to open points', observations.length, openPoints(observations, questions)),
      picture('exchanges', 'Exchanges', exchangeCount, exchangeList(data, exchangeCount, cases.length > 0)),
    ],
  });
  return documentPage(document, {
    evidence: withoutScripts(data),
    ...(cases.length === 0 ? {} : { packed: data.packed }),
  });
}

/** Null where the run has no exchanges. */
function exchangeList({ head }: ExchangeData, count: number, isAtHand: boolean): Markup {
  if (count === 0) return null;
  if (!isAtHand) return html`<p>The exchanges are not part of this page.</p>`;
  const listed = head.entries.length;
  return [
    html`<noscript><p class="note">Scripts are off: the evidence of failures is under each of them; exchanges.har has every exchange.</p></noscript>`,
    listed < count
      ? html`<p>${listed.toLocaleString('en-US')} of ${count.toLocaleString('en-US')} exchanges are here: the first ones, and those that the findings lead to. exchanges.har has all.</p>`
      : null,
    browser(head),
  ];
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
