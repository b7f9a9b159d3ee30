/** report.html: a run as one page, with gauges, outcomes by dimension, response times, and defects. */
import type { VNode } from 'preact';
import { type Dimension, dimensions } from '../../../contracts/requirements/requirement.ts';
import type { Case } from '../../record/case.ts';
import { groupBy } from '../../record/group-by.ts';
import { pluralize } from '../../record/pluralize.ts';
import type { Observation, Outcome, Result, ResultRow } from '../../record/result/result.ts';
import { rowBlocks } from '../cause-groups.ts';
import { type Block, fact, type Line, type Piece, rowAnchor, type Section } from '../document.ts';
import { blames, columns, type ReportedRun, type Statements } from '../phrases.ts';
import { resultDocument } from '../result-document.ts';
import { shortened, visible } from '../visible.ts';
import { type ExchangeData, exchangeData } from './exchange-data.ts';
import { exchangeDetail, type PageMessage } from './exchange-view.ts';
import { bar, element, filterBox, html, type Markup } from './markup.ts';
import { documentPage } from './page.ts';

function requirementBlocks(result: Result, statements: Statements): Block[] {
  const sections = [...groupBy(result.results, ({ section }) => section)].sort(([a], [b]) => bySection(a, b));
  const folds = sections.map(([name, rows]): Block => {
    const badges = tally(rows).flatMap(([badge, count]): Piece[] => [' ', { badge, word: `${count} ${badge}` }]);
    const fold = [{ strong: `Section ${name}` }, ...badges];
    return { fold, blocks: rows.map((row) => requirementFold(row, result, statements)) };
  });
  return [...folds, { picture: killGrid(result.results) }];
}

function tally(rows: readonly ResultRow[]): (readonly [outcome: Outcome, count: number])[] {
  const counts = columns.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length] as const);
  return counts.filter(([, count]) => count > 0);
}

function requirementFold(row: ResultRow, result: Pick<Result, 'aborted'>, statements: Statements): Block {
  const { id, outcome, remark, kind, dimension, operation, provenBy } = row;
  const statement = statements(id)?.statement ?? '';
  const proofs = provenBy.flatMap((value, at): Piece[] => [...(at === 0 ? [] : [', ']), { value }]);
  return {
    fold: [
      { badge: outcome },
      { strong: id },
      { muted: statement },
      ...(remark === undefined ? [] : [{ badge: 'none', word: 'remark' } as const]),
    ],
    anchor: rowAnchor(id),
    isRow: true,
    blocks: [
      ...fact('Kind', `${kind}, ${dimension}, ${operation === 'both' ? 'both operations' : operation}`),
      ...fact('Basis', row.basis),
      ...fact('Blame', row.blame && blames[row.blame]),
      ...rowBlocks(row, result, statements),
      ...fact('Known to catch', proofs.length === 0 ? undefined : proofs),
    ],
  };
}

function bySection(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

interface ParsedObservation extends Observation {
  /** The value that the suite tried, such as `nonce-of-one-character`. Empty if the observation names no value. */
  readonly tried: string;
  readonly answer: string;
}

type Questions = ReportedRun['questions'];

function openPointBlocks(observations: readonly Observation[], questions: Questions): Block[] {
  if (observations.length === 0) return [];
  const parsed = observations.map(parseObservation);
  const odd = unusual(parsed);
  const rest = parsed.filter((one) => !odd.includes(one));
  const first = 'Unusual answers come first: answers with a reason, then questions with different answers.';
  const points = [...groupBy(rest, ({ openPoint }) => openPoint)];
  const ordinary = points.map(([point, mine]) => ordinaryFold(point, mine, questions(point) ?? ''));
  const fold = `${pluralize(rest.length, 'ordinary answer')}, by open point`;
  return [
    {
      text: `If the interface document leaves a question open, answers are recorded but not judged. ${odd.length === 0 ? 'None is unusual.' : first}`,
    },
    ...(odd.length === 0 ? [] : [answerTable(odd, questions)]),
    ...(ordinary.length === 0 ? [] : [{ fold, blocks: ordinary }]),
  ];
}

function parseObservation(observation: Observation): ParsedObservation {
  const at = observation.value.lastIndexOf(': ');
  return {
    ...observation,
    tried: at < 0 ? '' : observation.value.slice(0, at),
    answer: at < 0 ? observation.value : observation.value.slice(at + 2),
  };
}

function unusual(seen: readonly ParsedObservation[]): ParsedObservation[] {
  const questions = groupBy(seen, ({ openPoint, tried }) => JSON.stringify([openPoint, tried]));
  // Several answers to one question are unusual. But without a tried value, four or more answers may be ids.
  const multiple = [...questions.values()].filter(
    (group) => group.length > 1 && (group[0].tried !== '' || group.length <= 3),
  );
  return [...new Set([...seen.filter((one) => one.unusual !== undefined), ...multiple.flat()])];
}

function answerTable(some: readonly ParsedObservation[], questions: Questions): Block {
  const rows = some.map(({ openPoint, tried, answer, exchanges, unusual: note }) => ({
    cells: [
      [[{ strong: openPoint }, ' ', { muted: questions(openPoint) ?? '' }]],
      [[{ muted: tried && `${shortened(tried, 200)} ` }, { value: shortened(answer, 300) }, note ? ` ${note}` : '']],
      [exchanges.length === 0 ? 'none' : { exchanges }],
    ],
  }));
  const head = ['Open point', 'Answer', 'Exchanges'];
  return { table: { label: 'Unusual answers', head, rows, looks: 'observations' } };
}

function ordinaryFold(point: string, mine: readonly ParsedObservation[], question: string): Block {
  const facts = [...groupBy(mine, ({ answer }) => answer)].map(([answer, group]) => {
    const tries = group.flatMap(({ tried, exchanges }, at): Piece[] => [
      at === 0 ? '' : ', ',
      `${shortened(tried, 200)} `,
      { exchanges: exchanges.slice(0, 1) },
    ]);
    return { label: shortened(answer, 100), text: tries };
  });
  return { fold: [{ strong: point }, { muted: question }], count: mine.length, isRow: true, blocks: facts };
}

export function htmlReport(result: Result, options: Omit<ReportedRun, 'result'>): string {
  const { statements, questions, cases } = options;
  const data = exchangeData(result, options);
  const section = (anchor: string, title: string, count: number | undefined, blocks: readonly Block[]): Section => {
    return { anchor, title, count, only: 'page', blocks };
  };
  const { results, observations, exchangeCount } = result;
  const requirements = results.length === 0 ? [] : requirementBlocks(result, statements);
  const document = resultDocument(result, {
    statements,
    gauges: { picture: gauges(result), only: 'page' },
    extraSections: [
      section('pictures', 'At a glance', undefined, glance(result, cases)),
      section('requirements', 'Requirements', results.length, requirements),
      section('observations', 'Answers to open points', observations.length, openPointBlocks(observations, questions)),
      section('exchanges', 'Exchanges', exchangeCount, exchangeBlocks(data, exchangeCount, cases.length > 0)),
    ],
  });
  return documentPage(document, {
    evidence: noscriptEvidence(data),
    ...(cases.length === 0 ? {} : { packed: data.packed }),
  });
}

function exchangeBlocks({ head }: ExchangeData, count: number, isIncluded: boolean): Block[] {
  if (count === 0) return [];
  if (!isIncluded) return [{ text: 'The exchanges are not part of this page.' }];
  const listed = head.entries.length;
  const [here, all] = [listed, count].map((number) => number.toLocaleString('en-US'));
  const some = `This page has ${here} of ${all} exchanges: the first ones, and those of the findings. exchanges.har has all.`;
  return [
    {
      picture: html`<noscript><p class="note">Scripts are off. The exchange of each failure is below the failure, and exchanges.har has all exchanges.</p></noscript>`,
    },
    ...(listed >= count ? [] : [{ text: some }]),
    { picture: browser(head) },
  ];
}

function browser({ entries, rows }: ExchangeData['head']): Markup {
  const used = [...new Set(entries.flatMap((entry) => entry.rows))].map((index) => rows[index]!);
  const sorted = (values: readonly string[]) => [...new Set(values)].sort(bySection);
  const outcomes = [...columns, 'none'].filter((outcome) => entries.some((entry) => entry.outcome === outcome));
  const pills = [
    { name: 'outcome', legend: 'Outcome', values: outcomes },
    { name: 'operation', legend: 'Operation', values: sorted(entries.map(({ operation }) => operation)) },
    { name: 'dimension', legend: 'Dimension', values: sorted(used.map(({ dimension }) => dimension)) },
    { name: 'section', legend: 'Section', values: sorted(used.map(({ section }) => section)) },
  ];
  return html`<div class="browser" data-script hidden>
    ${filterBox({ part: 'exchanges', search: 'Search the exchanges: header, value, scenario', pills })}
    <div class="split">
      <div id="list" role="listbox" tabindex="0" aria-label="Exchanges"></div>
      <div id="detail" role="region" aria-label="The chosen exchange" tabindex="0"><p class="muted">Choose an exchange; arrow keys move through the list.</p></div>
    </div>
  </div>`;
}

function noscriptEvidence({ exchanges }: ExchangeData): (number: number) => readonly VNode[] {
  return (number) => {
    const one = exchanges.get(number);
    if (one === undefined) return [];
    const cut = (message: PageMessage): PageMessage => {
      const { text } = message.body;
      return { ...message, body: { ...message.body, text: text && shortened(text, 2_000) } };
    };
    const short = (entry: typeof one): typeof one => {
      return { ...entry, request: cut(entry.request), response: entry.response && cut(entry.response) };
    };
    const twin = one.twin === undefined ? undefined : exchanges.get(one.twin);
    return exchangeDetail(element, short(one), twin && short(twin));
  };
}

const mainDimensions: readonly Dimension[] = ['signing', 'payload-encoding', 'response-decoding'];

export const titles: Readonly<Record<Dimension, string>> = {
  signing: 'Signing',
  'payload-encoding': 'Payload encoding',
  'response-decoding': 'Response decoding',
  transport: 'Transport',
  behaviour: 'Behaviour',
};

function gauges(result: Result): Markup {
  const used = dimensions.filter((name) => columns.some((outcome) => result.dimensions[name][outcome] > 0));
  if (used.length === 0) return null;
  const others = used.filter((name) => !mainDimensions.includes(name));
  const small = others.map((name) => html`<span><strong>${titles[name]}</strong> ${formatCounts(result, name)}</span>`);
  return html`<div class="gauges">${mainDimensions.map((name) => gauge(result, name))}</div>
    ${others.length === 0 ? null : html`<p class="small-gauges">${small}</p>`}`;
}

function gauge(result: Result, name: Dimension): Markup {
  const counts = result.dimensions[name];
  const used = columns.filter((outcome) => counts[outcome] > 0);
  const worst = used.find((outcome) => outcome !== 'not-applicable') ?? 'not-applicable';
  const { pass, fail, error, inconclusive } = counts;
  const total = pass + fail + error + inconclusive;
  return html`<section class=${`gauge ${worst}`} aria-label=${titles[name]}>
    <h2>${titles[name]}</h2>
    <p class="figure">${total === 0 ? html`<span class="muted">nothing</span>` : html`<strong>${pass}</strong> of ${total} pass`}</p>
    ${bar(used.map((outcome) => [outcome, counts[outcome]]))}
    <p class="parts">${formatCounts(result, name)}</p>
  </section>`;
}

function formatCounts({ dimensions: all }: Result, name: Dimension): string {
  const some = columns.filter((outcome) => all[name][outcome] > 0);
  return some.length === 0 ? 'none judged' : some.map((outcome) => `${all[name][outcome]} ${outcome}`).join(', ');
}

function glance(result: Result, cases: readonly Case[]): Block[] {
  if (result.results.length === 0) return [];
  return [outcomeTable(result), ...(result.subject.kind === 'gateway' ? [{ picture: latency(cases) }] : [])];
}

function outcomeTable({ results }: Result): Block {
  const operations = [...new Set(results.map(({ operation }) => operation))].sort();
  const used = dimensions.filter((name) => results.some(({ dimension }) => dimension === name));
  const rows = used.map((name) => {
    const cells = operations.map((operation): Line[] => {
      const counts = tally(results.filter((row) => row.dimension === name && row.operation === operation));
      const words = counts.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
      return counts.length === 0 ? [{ muted: '–' }] : [{ picture: bar(counts) }, { muted: words }];
    });
    return { cells: [[name], ...cells] };
  });
  return {
    table: { label: 'Outcomes by dimension and operation', head: ['Dimension', ...operations], rows, looks: 'matrix' },
  };
}

const classEnds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, Number.POSITIVE_INFINITY];

function latency(cases: readonly Case[]): Markup {
  const answered = cases.filter(({ exchanges: [exchange] }) => exchange.response !== undefined);
  if (answered.length < 20) return null;
  const operations = [...new Set(answered.map(({ label }) => label.operation))].sort();
  const classOf = (ms: number) => classEnds.findIndex((end) => ms <= end);
  const classes = answered.map(({ exchanges: [exchange] }) => classOf(exchange.durationMs));
  const usedClasses = [...new Set(classes)];
  const shownEnds = classEnds.slice(Math.min(...usedClasses), Math.max(...usedClasses) + 1);
  return html`<figure class="card"><figcaption>Response times: the number of responses in each class, by its upper end in milliseconds</figcaption>${operations.map(
    (operation) => {
      const ownClasses = answered
        .filter(({ label }) => label.operation === operation)
        .map(({ exchanges: [exchange] }) => classOf(exchange.durationMs));
      const counts = shownEnds.map((end) => ownClasses.filter((one) => classEnds[one] === end).length);
      const max = Math.max(...counts, 1);
      return html`<div class="histogram"><p>${operation}, ${pluralize(ownClasses.length, 'answer')}</p><ol>${counts.map(
        (count, index) => {
          const end = shownEnds[index]!;
          return html`<li><span class="column" style=${`height:${Math.round((count / max) * 48)}px`} aria-hidden="true"></span><span class="end">${formatEnd(end)}</span><span class="times">${count}</span></li>`;
        },
      )}</ol></div>`;
    },
  )}</figure>`;
}

function formatEnd(milliseconds: number): string {
  if (milliseconds < 1000) return String(milliseconds);
  return milliseconds === Number.POSITIVE_INFINITY ? '…' : `${Math.floor(milliseconds / 1000)} s`;
}

const square = 6;

function killGrid(results: readonly ResultRow[]): Markup {
  const rows = results.filter(({ provenBy }) => provenBy.length > 0);
  const defects = [...new Set(rows.flatMap(({ provenBy }) => provenBy))];
  if (defects.length < 2) return null;
  const column = new Map(defects.map((id, index) => [id, index]));
  const width = defects.length * square;
  const height = rows.length * square;
  const path = (row: ResultRow, at: number) =>
    row.provenBy.map((id) => `M${column.get(id)! * square} ${at * square}h5v5h-5z`).join('');
  return html`<details class="fold"><summary>What these requirements are known to catch: ${pluralize(defects.length, 'defect')}</summary>
    <p class="muted">Each line is a requirement, in the order above. Each column is a deliberate defect. A square means that the requirement fails with the defect. Its colour is the outcome of this run.</p>
    <div class="scroll grid-picture" tabindex="0" role="region" aria-label="Requirements and defects"><svg role="img" aria-label=${`${rows.length} requirements catch ${defects.length} defects; each requirement lists its defects`} viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>${rows.map(
      (row, at) =>
        html`<path class=${row.outcome} d=${path(row, at)}><title>${visible(row.id)}: ${row.provenBy.length}</title></path>`,
    )}</svg></div>
  </details>`;
}
