/** The end of a run on a terminal: the conclusion first, then what to do about it. What several requirements share is printed once. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { countedWord } from '../record/counted-word.ts';
import { groupBy } from '../record/group-by.ts';
import type { Conclusion, ContractRow, Explanation, Hazard, Result, ResultRow } from '../record/result/result.ts';
import { newHazards } from '../record/result/score.ts';
import {
  blamedIn,
  type CauseGroup,
  causeGroups,
  counterfactualsInWords,
  countInWords,
  extentInWords,
  firstToFix,
  followersInWords,
  mistakesBehind,
  namedCauses,
  repeatOf,
  requirementsIn,
  tellingCause,
} from './cause-groups.ts';
import { type Comparison, comparedValues, comparison } from './comparison.ts';
import {
  baselineProblems,
  counting,
  countOf,
  flips,
  knownFailures,
  neverArose,
  notScored,
  type ShownApart,
} from './counting.ts';
import { rangesText } from './number-ranges.ts';
import { measuredLines } from './open-points-text.ts';
import { field, type Ink, painter, signs } from './terminal.ts';
import { shortened, shortenedSentences, visible, withSpaces } from './visible.ts';
import {
  blamed,
  columns,
  contractsInWords,
  explanationInWords,
  groupInWords,
  hintOf,
  offerLines,
  placeInWords,
  runInWords,
  type Statements,
  saidAbove,
  stageInWords,
  subjectAt,
} from './words.ts';

interface TextOptions {
  readonly statements: Statements;
  readonly colour: boolean;
  /** Columns of the terminal; what is under 40 counts as 40. */
  readonly width: number;
  /** Files that the run has written, or their folder; named at the end. */
  readonly files?: readonly string[];
}

/** The text for the end of a run, with a line end at the end. Control and bidirectional characters are written out. */
export function textReport(result: Result, options: TextOptions): string {
  const page = pageOf(options);
  const counted = counting(result);
  const sections = [
    heading(result, page),
    fixFirst(counted, page),
    table(result, page),
    detailedText('Faults of the suite', 'error', result, page),
    detailedText(result.baseline === undefined ? 'Failures' : 'Failures that are not tolerated', 'fail', counted, page),
    baselineText(result, page),
    inconclusiveText(counted, page),
    contracts(counted, page),
    apart(`Other verdicts than in the report of countersign ${result.rejudged?.suite}`, flips(result), page),
    apart('Known failures', knownFailures(result), page),
    apart(`Later than the set ${result.set}, not scored`, notScored(result), page),
    remarks(counted, page),
    unusualAnswers(result, page),
    page.section('Notes', runInWords(result).notes, (note) => page.sentences('', note)),
    neverAroseText(result, page),
    notRuledOut(result, page),
    result.measured === undefined ? [] : measuredLines(result.measured),
    closing(result, page),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

type Page = ReturnType<typeof pageOf>;

/** Longest value on the terminal, and longest sentence; the files have it whole. */
const valueLimit = 400;

/** What the parts of the text are made of. A text that is undefined has no lines. */
function pageOf(options: TextOptions) {
  const paint = painter(options.colour);
  const width = Math.max(options.width, 40);
  const fold = (label: string, text: string) =>
    field(label, visible(text), { indent: 2, labelWidth: label === '' ? 0 : 11, width }).map((line) => line.trimEnd());
  const lines = (cut: (text: string) => string) => (label: string, text: string | undefined) =>
    text === undefined ? [] : fold(label, cut(text));
  return {
    ...options,
    paint,
    width,
    /** A foreign value under its requirement. */
    fact: lines((text) => shortened(text, valueLimit)),
    /** Words of ours: a sentence is cut only where a value that it quotes is long. */
    sentences: lines((text) => shortenedSentences(text, valueLimit)),
    /** A list of ids, whole. */
    ids: lines((text) => text),
    bold: (text: string) => paint('bold', visible(text)),
    signed: ({ id, outcome }: Pick<ResultRow, 'id' | 'outcome'>) =>
      `${paint(signs[outcome].ink, signs[outcome].sign)} ${paint('bold', visible(id))}`,
    heading: (title: string, count: number) => paint('bold', `${title} (${count})`),
    /** No line where there are none. */
    section: <T>(title: string, all: readonly T[], linesOf: (one: T) => readonly string[]): string[] =>
      all.length === 0 ? [] : [paint('bold', `${title} (${all.length})`), ...all.flatMap(linesOf)],
    /** Two texts and where they part; nothing where one is missing or both are equal. */
    compared(
      [one, other]: readonly [string, string],
      expected: string | undefined,
      received: string | undefined,
      compare: (expected: string, received: string, width: number) => Comparison | undefined = comparison,
    ): string[] {
      if (expected === undefined || received === undefined) return [];
      const found = compare(expected, received, width - 13);
      if (found === undefined) return [];
      const [first, second, caret] = found;
      return [
        `  ${one.padEnd(11)}${first}`,
        `  ${other.padEnd(11)}${second}`,
        `${' '.repeat(13)}${paint('yellow', caret)}`,
      ];
    },
  };
}

/** A command to copy stays on one line, however long: a break inside it would be copied along. */
function commandLine(margin: string, label: string, labelWidth: number, text: string): string {
  return `${margin}${label.padEnd(labelWidth)}${visible(text)}`;
}

const inkOfConclusion: Record<Conclusion, Ink> = {
  conformant: 'green',
  partial: 'yellow',
  'non-conformant': 'red',
  aborted: 'magenta',
};

function heading(result: Result, page: Page): string[] {
  const said = runInWords(result);
  const ink = said.isHazardous ? 'yellow' : said.isGreen ? inkOfConclusion[result.conclusion] : 'red';
  const set = result.set === undefined ? '' : `, set ${result.set}`;
  return [
    `Conclusion: ${page.paint(ink, page.paint('bold', said.conclusion))}${page.paint('dim', ` - ${said.counts}`)}`,
    ...page.sentences('', said.aborted),
    ...newHazards(result).flatMap((one, at, all) => hazardLines(one, all[at + 1], page)),
    ...page.fact('', said.labels),
    ...page.fact('', `${subjectAt(result.subject)}, profile ${result.profile}${set}, seed ${result.seed}`),
    ...page.fact('', said.exit),
    ...page.fact('', said.unexplained),
    ...page.fact('', said.narrowed),
  ];
}

/** What several share to the end of them is printed once. */
function hazardLines({ id, sentence, hint, exchanges }: Hazard, next: Hazard | undefined, page: Page): string[] {
  const layout = { indent: 0, labelWidth: 8, width: page.width };
  const [first = '', ...others] = field('HAZARD', visible(shortenedSentences(sentence, 400)), layout);
  return [
    first.replace('HAZARD', page.paint('red', page.paint('bold', 'HAZARD'))),
    ...others,
    ...page.fact('exchanges', rangesText(exchanges) || undefined),
    ...(next?.hint === hint ? [] : [...page.sentences('hint', hint), ...page.fact('id', id)]),
  ];
}

/** What to put right before anything else, in a few lines; its details follow in their group. Nothing where nothing failed. */
function fixFirst(counted: Result, page: Page): string[] {
  const found = firstToFix(counted);
  if (found === undefined || found.outcome === 'inconclusive') return [];
  const { cause, rows } = found.group;
  const [row] = rows;
  if (cause?.fatal) {
    const held = page.signed({ id: countInWords(rows), outcome: 'inconclusive' });
    return [
      page.paint('bold', 'What to fix first'),
      held,
      ...page.sentences('because', cause.sentence),
      ...page.sentences('hint', cause.hint),
    ];
  }
  const text = page.statements(row.id);
  const [deviation] = (row.explanations ?? []).flatMap(({ deviations }) => deviations);
  const extent = extentInWords(found.group, counted);
  return [
    page.paint('bold', found.outcome === 'error' ? 'A fault of the suite comes first' : 'What to fix first'),
    `${page.signed(row)}${page.paint('dim', extent && ` ${extent}`)}`,
    ...page.sentences('', text?.statement),
    ...(deviation === undefined
      ? [
          ...expectedAndReceived(row, page),
          ...mistakesBehind(counted, row.id).flatMap((one) => page.sentences('cause', one)),
          ...page.sentences('hint', hintOf(row, text)),
        ]
      : [
          ...page.sentences('cause', `${deviation.summary.replace(/\.$/, '')} (${deviation.id}).`),
          ...page.sentences('fix', deviation.fix),
        ]),
  ];
}

function table(result: Result, page: Page): string[] {
  const used = dimensions.filter((name) => columns.some((outcome) => result.dimensions[name][outcome] > 0));
  if (used.length === 0) return [];
  const nameWidth = Math.max(...used.map((name) => name.length));
  const cells = (name: (typeof used)[number]) =>
    columns.map((outcome) => {
      const count = result.dimensions[name][outcome];
      const cell = String(count === 0 ? '.' : count).padStart(outcome.length);
      return page.paint(count === 0 ? 'dim' : signs[outcome].ink, cell);
    });
  return [
    `${' '.repeat(nameWidth)}  ${columns.join('  ')}`,
    ...used.map((name) => `${name.padEnd(nameWidth)}  ${cells(name).join('  ')}`),
  ];
}

/** Requirements of that outcome, those with one cause together. */
function detailedText(title: string, outcome: 'fail' | 'error', result: Result, page: Page): string[] {
  const groups = causeGroups(result, outcome);
  if (groups.length === 0) return [];
  const undone = outcome === 'fail' ? counterfactualsInWords(result) : [];
  return [
    page.heading(title, requirementsIn(groups).length),
    ...undone.flatMap((text) => page.ids('', text)),
    ...groups.flatMap((one) => ['', ...detail(one, namedCauses(result, one.rows[0].id), page)]),
  ];
}

function detail(whole: CauseGroup, causes: readonly string[], page: Page): string[] {
  const { rows } = whole;
  const [first] = rows;
  const isAlone = rows.length === 1;
  const { actual, firstStage } = first;
  const repeat = repeatOf(rows);
  const hint = (row: ResultRow) => page.sentences('hint', hintOf(row, page.statements(row.id)));
  return [
    ...rows.flatMap((row) => [
      `${page.signed(row)}  ${page.paint('dim', visible(placeInWords(row)))}`,
      ...page.sentences('', page.statements(row.id)?.statement),
      ...(isAlone ? [] : [...(isExplained(row) ? [] : page.fact('expected', row.expected)), ...hint(row)]),
    ]),
    ...(isAlone ? [] : page.fact('', `all ${rows.length}:`)),
    ...(isExplained(first) ? [] : expectedAndReceived(isAlone ? first : { actual }, page)),
    ...page.sentences('reason', first.reason),
    ...page.sentences('remark', first.remark),
    ...page.fact('step', firstStage && stageInWords(firstStage)),
    ...page.compared(['expected', 'received'], firstStage?.expected, firstStage?.actual),
    ...causes.flatMap((cause) => page.ids('cause', cause)),
    ...whyWrong(first, page),
    ...(isAlone ? hint(first) : []),
    ...page.fact('exchanges', rangesText(first.exchanges) || undefined),
    ...page.ids('follows', followersInWords(whole)),
    ...(repeat === undefined ? [] : [commandLine('  ', 'repeat', 11, repeat)]),
  ];
}

/** Values that are alike one above the other. */
function expectedAndReceived({ expected, actual }: Pick<ResultRow, 'expected' | 'actual'>, page: Page): string[] {
  const compared = page.compared(['expected', 'received'], expected, actual, comparedValues);
  if (compared.length > 0) return compared;
  return [...page.fact('expected', expected), ...page.fact('received', actual && withSpaces(actual))];
}

/** Whether a deviation of the client says more than the two signatures. */
function isExplained({ explanations = [] }: ResultRow): boolean {
  return explanations.some(({ deviations }) => deviations.length > 0);
}

/**
 * Nobody can compare two signatures: where the base strings part, and the lines that do it right. What is to be copied, a line of
 * code or the base string of a right request that was refused, stays on its line.
 */
function whyWrong({ explanations = [] }: { readonly explanations?: readonly Explanation[] }, page: Page): string[] {
  const code = (snippet: string) =>
    snippet.split('\n').map((line, index) => commandLine('  ', index === 0 ? 'do' : '', 11, line));
  return explanations.flatMap((one) => [
    ...page.sentences('why', explanationInWords({ ...one, alternatives: [] })),
    ...(one.alternatives ?? []).flatMap((ids) => page.ids('or', `${ids.join(' + ')}, which gives the same bytes`)),
    ...(one.baseString === undefined ? [] : [commandLine('  ', 'signed', 11, one.baseString)]),
    ...page.compared(['right', 'signed'], one.baseStrings?.right, one.baseStrings?.signed),
    ...one.deviations.flatMap(({ snippet }) => (snippet === undefined ? [] : code(snippet))),
  ]);
}

function inconclusiveText(result: Result, page: Page): string[] {
  const groups = causeGroups(result, 'inconclusive');
  if (groups.length === 0) return [];
  return [
    page.heading('Inconclusive', requirementsIn(groups).length),
    ...groups.flatMap((group) => undetermined(group, result, page)),
  ];
}

function undetermined(group: CauseGroup, { aborted }: Result, page: Page): string[] {
  const { rows } = group;
  const [first] = rows;
  const cause = tellingCause(group);
  const hint = cause === undefined ? (first.exchanges.length === 0 ? first.hint : undefined) : cause.hint;
  const said = cause?.sentence ?? first.reason ?? first.actual ?? 'no reason was given';
  // The cause first; then which they are, those that bind in front.
  const kinds = (cause === undefined ? [] : (['required', 'expected', 'probe'] as const)).flatMap((kind) => {
    const ids = rows.flatMap((row) => (row.kind === kind ? [row.id] : []));
    return ids.length === 0 ? [] : page.ids(kind, ids.join(', '));
  });
  return [
    ...(cause === undefined
      ? [`${page.signed(first)}  ${page.paint('dim', `${first.kind}${blamed(first)}`)}`]
      : [
          '',
          `${page.signed({ id: countInWords(rows), outcome: 'inconclusive' })}${page.paint('dim', blamed(blamedIn(group)))}`,
        ]),
    ...page.sentences(cause === undefined ? '' : 'because', saidAbove(said, aborted)),
    ...(cause === undefined && first.reason !== undefined ? page.fact('received', first.actual) : []),
    ...kinds,
    ...(cause === undefined ? [] : page.fact('exchanges', rangesText(cause.exchanges) || undefined)),
    ...rows.flatMap((row) => whyWrong(row, page)),
    // Whatever ended the run comes first.
    ...page.sentences('hint', aborted === undefined ? hint : undefined),
  ];
}

/** The interactions that do not hold, or of which that is not known. */
function contracts({ contracts: all = [] }: Result, page: Page): string[] {
  const lines = ({ outcome, interaction, state, pact, mismatches }: ContractRow) => [
    page.signed({ id: interaction, outcome }),
    ...page.fact('', `${outcome} in state "${state}" of ${pact}`),
    ...mismatches.flatMap((mismatch) => page.fact('', mismatch)),
  ];
  return page.section(
    'Pact contracts',
    all.filter(({ outcome }) => outcome !== 'pass'),
    lines,
  );
}

/** A failure shows its remark with its details. */
function remarks({ results }: Result, page: Page): string[] {
  const rows = results.filter(
    ({ remark, outcome }) => remark !== undefined && outcome !== 'fail' && outcome !== 'error',
  );
  return page.section('Remarks', rows, (row) => [page.signed(row), ...page.fact('', row.remark)]);
}

/** A line for each; the files have the rest. */
function apart(title: string, all: readonly ShownApart[], page: Page): string[] {
  return page.section(title, all, ({ id, sentence, received }) => [
    page.bold(id),
    ...page.sentences('', sentence),
    ...page.fact('received', received),
  ]);
}

/** What is to be written stays on its lines, so that it can be copied. */
function baselineText(result: Result, page: Page): string[] {
  const title = `No longer true in ${visible(result.baseline?.file ?? '')}`;
  return page.section(title, baselineProblems(result), ({ id, sentence, lines }) => [
    page.bold(id),
    ...page.sentences('', sentence),
    ...lines.map((line) => commandLine('    ', '', 0, line)),
  ]);
}

/** The answers with their reason; of many with the same reason the first ones. */
function unusualAnswers({ observations }: Result, page: Page): string[] {
  const odd = observations.filter(({ unusual }) => unusual !== undefined);
  if (odd.length === 0) return [];
  const most = 8;
  return [
    page.heading('Unusual answers to open points', odd.length),
    ...[...groupBy(odd, ({ unusual }) => unusual)].flatMap(([reason, some]) => [
      ...some.slice(0, most).flatMap(({ openPoint, value }) => page.fact(openPoint, value)),
      ...page.sentences(
        '',
        `${reason}${some.length > most ? ` This and ${some.length - most} more are in the files.` : ''}`,
      ),
    ]),
  ];
}

function neverAroseText(result: Result, page: Page): string[] {
  const groups = neverArose(result);
  if (groups.length === 0) return [];
  return [
    page.heading('Required, but never arose', countOf(groups)),
    ...groups.flatMap(({ ids, sentence }) => [
      ...page.sentences('', sentence),
      ...field('', visible(ids.join(', ')), { indent: 4, labelWidth: 0, width: page.width }),
    ]),
  ];
}

function notRuledOut(result: Result, page: Page): string[] {
  const { unnoticed } = result;
  if (unnoticed === undefined) return [];
  const { count, groups } = unnoticed;
  const ids = count === 0 ? '' : ` (${groups.map(groupInWords).join('; ')}). report.json and report.html name them`;
  return [
    page.heading('Not ruled out', count),
    ...page.sentences('', `${runInWords(result).unnoticed}${ids}.`),
    ...offerLines(unnoticed).map((line) => `  ${visible(line)}`),
  ];
}

function closing(result: Result, page: Page): string[] {
  const layout = { indent: 0, labelWidth: 15, width: page.width };
  const { results, rejudged, observations, files } = { ...result, files: page.files ?? [] };
  const said = runInWords(result);
  const notApplicable = results.filter((row) => row.outcome === 'not-applicable').length;
  const lines: Readonly<Record<string, string | false | undefined>> = {
    'not applicable': notApplicable > 0 && String(notApplicable),
    contracts: result.contracts && contractsInWords(result.contracts),
    'unusual values': edgesInWords(result),
    observed: `${countedWord(observations.length, 'answer')} to open points, recorded and not judged`,
    // A local gateway closes no day and starts no payment.
    effects: said.effects,
    'at worst': said.worst,
    'judged again':
      rejudged?.flips.length === 0 && `every verdict is as in the report of countersign ${rejudged.suite}`,
    traffic: `${countedWord(result.exchangeCount, 'exchange')} in ${(result.durationMs / 1000).toFixed(1)} s`,
    latency: said.latency,
    files: files.length > 0 && files.join(', '),
  };
  const shown = Object.entries(lines).flatMap(([label, text]) =>
    text === undefined || text === false ? [] : field(label, visible(text), layout).map((line) => line.trimEnd()),
  );
  return [...shown, commandLine('', 'repeat', layout.labelWidth, result.reproduce)];
}

function edgesInWords({ edges = [] }: Result): string | undefined {
  if (edges.length === 0) return undefined;
  const generators = new Set(edges.map(({ generator }) => generator)).size;
  const cases = edges.reduce((total, one) => total + one.cases, 0);
  return `${edges.length} unusual and faulty ones of ${countedWord(generators, 'kind')} were sent, in ${countedWord(cases, 'request')}`;
}
