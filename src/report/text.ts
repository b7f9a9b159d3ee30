/** The end of a run on a terminal: the conclusion first, then what to do about it. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { countedWord } from '../record/counted-word.ts';
import { hazardsInWords } from '../record/result/conclude.ts';
import type {
  Cause,
  Conclusion,
  ContractRow,
  Explanation,
  Hazard,
  Outcome,
  Result,
  ResultRow,
} from '../record/result/result.ts';
import { newHazards } from '../record/result/score.ts';
import {
  type CauseGroup,
  causeGroups,
  counterfactualsInWords,
  countInWords,
  extentInWords,
  firstToFix,
  followersInWords,
  repeatOf,
  signatureCauses,
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
import { measuredLines } from './open-points-text.ts';
import { field, type Ink, type Paint, painter, signs } from './terminal.ts';
import { shortened, shortenedSentences, visible, withSpaces } from './visible.ts';
import {
  abortedSentence,
  allowancesInWords,
  blames,
  conclusionInWords,
  contractsInWords,
  countsInWords,
  effectsInWords,
  exitInWords,
  explanationInWords,
  groupInWords,
  hintOf,
  labelsInWords,
  latencyInWords,
  narrowedInWords,
  notGreenInWords,
  placeInWords,
  rangesText,
  type Statements,
  saidAbove,
  stageInWords,
  subjectAt,
  unexplainedInWords,
  unnoticedInWords,
  worstInWords,
} from './words.ts';

const inkOfConclusion: Record<Conclusion, Ink> = {
  conformant: 'green',
  partial: 'yellow',
  'non-conformant': 'red',
  aborted: 'magenta',
};

/** Columns of the table: those that ask for action first. */
const columns: readonly Outcome[] = ['fail', 'error', 'inconclusive', 'pass', 'not-applicable'];

/** The text for the end of a run, with a line end at the end. Control and bidirectional characters are written out. */
export function textReport(result: Result, options: TextOptions): string {
  const page: TextPage = { ...options, width: Math.max(options.width, 40), paint: painter(options.colour) };
  const counted = counting(result);
  const sections = [
    heading(result, page),
    fixFirst(counted, page),
    table(result, page),
    detailedText('Faults of the suite', 'error', result, page),
    detailedText(result.baseline === undefined ? 'Failures' : 'Failures that are not tolerated', 'fail', counted, page),
    baselineText(result, page),
    inconclusiveText(counted, page),
    contracts(counted.contracts, page),
    apart(`Other verdicts than in the report of countersign ${result.rejudged?.suite}`, flips(result), page),
    apart('Known failures', knownFailures(result), page),
    apart(`Later than the set ${result.set}, not scored`, notScored(result), page),
    remarks(counted, page),
    unusualAnswers(result, page),
    notes(result, page),
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

function heading(result: Result, page: TextPage): string[] {
  const hazardous = result.conclusion === 'conformant' && hazardsInWords(result) !== '' ? 'yellow' : undefined;
  const ink = notGreenInWords(result) === undefined ? (hazardous ?? inkOfConclusion[result.conclusion]) : 'red';
  const conclusion = page.paint(ink, page.paint('bold', conclusionInWords(result)));
  const { subject } = result;
  const lines = [
    `Conclusion: ${conclusion}${page.paint('dim', ` - ${countsInWords(result)}`)}`,
    ...factLines('', labelsInWords(result), page),
    ...factLines(
      '',
      `${subjectAt(subject)}, profile ${result.profile}${result.set === undefined ? '' : `, set ${result.set}`}, seed ${result.seed}`,
      page,
    ),
  ];
  lines.push(...factLines('', exitInWords(result), page));
  lines.push(...factLines('', unexplainedInWords(result), page));
  const aborted = result.conclusion === 'aborted' ? sentences('', abortedSentence(result), page) : [];
  lines.splice(1, 0, ...aborted, ...newHazards(result).flatMap((one, at, all) => hazardLines(one, all[at + 1], page)));
  lines.push(...factLines('', narrowedInWords(result), page));
  return lines;
}

/** What several share to the end of them is printed once. */
function hazardLines({ id, sentence, hint, exchanges }: Hazard, next: Hazard | undefined, page: TextPage): string[] {
  const layout = { indent: 0, labelWidth: 8, width: page.width };
  const [first = '', ...others] = field('HAZARD', visible(shortenedSentences(sentence, 400)), layout);
  return [
    first.replace('HAZARD', page.paint('red', page.paint('bold', 'HAZARD'))),
    ...others,
    ...factLines('exchanges', rangesText(exchanges) || undefined, page),
    ...(next?.hint === hint ? [] : [...sentences('hint', hint, page), ...factLines('id', id, page)]),
  ];
}

function table(result: Result, page: TextPage): string[] {
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

/** A line for each; the files have the rest. */
function apart(title: string, all: readonly ShownApart[], page: TextPage): string[] {
  if (all.length === 0) return [];
  return [
    section(title, all.length, page),
    ...all.flatMap(({ id, sentence, received }) => [
      page.paint('bold', visible(id)),
      ...sentences('', sentence, page),
      ...factLines('received', received, page),
    ]),
  ];
}

/** What is to be written stays on its lines, so that it can be copied. */
function baselineText(result: Result, page: TextPage): string[] {
  const problems = baselineProblems(result);
  if (problems.length === 0) return [];
  return [
    section(`No longer true in ${visible(result.baseline!.file)}`, problems.length, page),
    ...problems.flatMap(({ id, sentence, lines }) => [
      page.paint('bold', visible(id)),
      ...sentences('', sentence, page),
      ...lines.map((line) => commandLine('    ', '', 0, line)),
    ]),
  ];
}

/** The answers with their reason; of many with the same reason the first ones. */
function unusualAnswers({ observations }: Result, page: TextPage): string[] {
  const odd = observations.filter(({ unusual }) => unusual !== undefined);
  if (odd.length === 0) return [];
  const reasons = [...new Set(odd.map(({ unusual }) => unusual))];
  return [
    section('Unusual answers to open points', odd.length, page),
    ...reasons.flatMap((reason) => {
      const some = odd.filter(({ unusual }) => unusual === reason);
      const [shown, more] = [
        some.slice(0, 8),
        some.length > 8 ? ` This and ${some.length - 8} more are in the files.` : '',
      ];
      return [
        ...shown.flatMap(({ openPoint, value }) => factLines(openPoint, value, page)),
        ...sentences('', `${reason}${more}`, page),
      ];
    }),
  ];
}

function notes({ notes: all = [], aborted }: Result, page: TextPage): string[] {
  if (all.length === 0) return [];
  return [section('Notes', all.length, page), ...all.flatMap((note) => sentences('', saidAbove(note, aborted), page))];
}

function neverAroseText(result: Result, page: TextPage): string[] {
  const groups = neverArose(result);
  if (groups.length === 0) return [];
  return [
    section('Required, but never arose', countOf(groups), page),
    ...groups.flatMap(({ ids, sentence }) => [
      ...sentences('', sentence, page),
      ...field('', visible(ids.join(', ')), { indent: 4, labelWidth: 0, width: page.width }),
    ]),
  ];
}

function notRuledOut({ unnoticed }: Result, page: TextPage): string[] {
  if (unnoticed === undefined) return [];
  const { count, groups } = unnoticed;
  const ids = count === 0 ? '' : ` (${groups.map(groupInWords).join('; ')}). report.json and report.html name them`;
  return [
    section('Not ruled out', count, page),
    ...sentences('', `${unnoticedInWords(unnoticed)}${ids}.`, page),
    ...allowancesInWords(unnoticed).map(({ flags, brings }) => `  ${visible(flags)}  ${brings}`),
  ];
}

function closing(result: Result, page: TextPage): string[] {
  const layout = { indent: 0, labelWidth: 15, width: page.width };
  const notApplicable = result.results.filter((row) => row.outcome === 'not-applicable');
  const lines: (readonly [string, string | undefined])[] = [
    ['not applicable', notApplicable.length > 0 ? String(notApplicable.length) : undefined],
    ['contracts', result.contracts && contractsInWords(result.contracts)],
    ['unusual values', edgesInWords(result)],
    ['observed', `${countedWord(result.observations.length, 'answer')} to open points, recorded and not judged`],
    [
      'effects',
      // A local gateway closes no day and starts no payment.
      result.subject.kind === 'client' ? undefined : effectsInWords(result),
    ],
    ['at worst', worstInWords(result)],
    [
      'judged again',
      result.rejudged?.flips.length === 0
        ? `every verdict is as in the report of countersign ${result.rejudged.suite}`
        : undefined,
    ],
    ['traffic', `${countedWord(result.exchangeCount, 'exchange')} in ${(result.durationMs / 1000).toFixed(1)} s`],
    ['latency', latencyInWords(result)],
    ['files', page.files && page.files.length > 0 ? page.files.join(', ') : undefined],
  ];
  const shown = lines.flatMap(([label, text]) =>
    text === undefined ? [] : field(label, visible(text), layout).map((line) => line.trimEnd()),
  );
  return [...shown, commandLine('', 'repeat', layout.labelWidth, result.reproduce)];
}

function edgesInWords({ edges = [] }: Result): string | undefined {
  if (edges.length === 0) return undefined;
  const generators = new Set(edges.map(({ generator }) => generator)).size;
  const cases = edges.reduce((total, one) => total + one.cases, 0);
  return `${edges.length} unusual and faulty ones of ${countedWord(generators, 'kind')} were sent, in ${countedWord(cases, 'request')}`;
}

/** What to put right before anything else, in a few lines; its details follow in their group. Nothing where nothing failed. */
function fixFirst(counted: Result, page: TextPage): string[] {
  const found = firstToFix(counted);
  if (found === undefined || found.outcome === 'inconclusive') return [];
  const [row] = found.group.rows;
  const [deviation] = (row.explanations ?? []).flatMap(({ deviations }) => deviations);
  const extent = extentInWords(found.group, counted);
  const title = found.outcome === 'error' ? 'A fault of the suite comes first' : 'What to fix first';
  return [
    page.paint('bold', title),
    `${signed(row, page)}${page.paint('dim', extent && ` ${extent}`)}`,
    ...sentences('', page.statements(row.id)?.statement, page),
    ...(deviation === undefined
      ? [...expectedAndReceived(row, page), ...sentences('hint', hintOf(row, page.statements(row.id)), page)]
      : [...sentences('cause', deviation.summary, page), ...sentences('fix', deviation.fix, page)]),
  ];
}

/** Requirements of that outcome, those with one cause together. */
function detailedText(title: string, outcome: 'fail' | 'error', result: Result, page: TextPage): string[] {
  const groups = causeGroups(result, outcome);
  if (groups.length === 0) return [];
  const count = groups.flatMap(({ rows, followers = [] }) => [...rows, ...followers]).length;
  const undone = outcome === 'fail' ? counterfactualsInWords(result) : [];
  return [
    section(title, count, page),
    ...undone.flatMap((text) => idLines('', text, page)),
    ...groups.flatMap((one) => ['', ...detail(one, signatureCauses(result, one.rows[0].id), page)]),
  ];
}

function detail(whole: CauseGroup, causes: readonly string[], page: TextPage): string[] {
  const { rows: group } = whole;
  const [first] = group;
  const repeat = repeatOf(group);
  return [
    ...group.flatMap((row) => [
      `${signed(row, page)}  ${page.paint('dim', visible(placeInWords(row)))}`,
      ...sentences('', page.statements(row.id)?.statement, page),
      ...(isExplained(row) || group.length === 1 ? [] : factLines('expected', row.expected, page)),
      ...(group.length === 1 ? [] : sentences('hint', hintOf(row, page.statements(row.id)), page)),
    ]),
    ...(group.length === 1 ? [] : factLines('', `all ${group.length}:`, page)),
    ...(isExplained(first) ? [] : expectedAndReceived(group.length === 1 ? first : { actual: first.actual }, page)),
    ...sentences('reason', first.reason, page),
    ...sentences('remark', first.remark, page),
    ...factLines('step', first.firstStage && stageInWords(first.firstStage), page),
    ...comparedLines(expectedFirst, first.firstStage?.expected, first.firstStage?.actual, page),
    ...causes.flatMap((cause) => idLines('cause', cause, page)),
    ...whyWrong(first.explanations, page),
    ...(group.length === 1 ? sentences('hint', hintOf(first, page.statements(first.id)), page) : []),
    ...factLines('exchanges', rangesText(first.exchanges) || undefined, page),
    ...factLines('follows', followersInWords(whole), page),
    ...(repeat === undefined ? [] : [commandLine('  ', 'repeat', 11, repeat)]),
  ];
}

const expectedFirst = ['expected', 'received'] as const;

/** Values that are alike one above the other. */
function expectedAndReceived({ expected, actual }: Pick<ResultRow, 'expected' | 'actual'>, page: TextPage): string[] {
  const compared = comparedLines(expectedFirst, expected, actual, page, comparedValues);
  if (compared.length > 0) return compared;
  return [...factLines('expected', expected, page), ...factLines('received', actual && withSpaces(actual), page)];
}

function inconclusiveText(result: Result, page: TextPage): string[] {
  const groups = causeGroups(result, 'inconclusive');
  if (groups.length === 0) return [];
  const count = groups.flatMap(({ rows }) => rows).length;
  return [section('Inconclusive', count, page), ...groups.flatMap((group) => undetermined(group, result, page))];
}

function undetermined(group: CauseGroup, { aborted }: Result, page: TextPage): string[] {
  const { rows } = group;
  const [first] = rows;
  const cause = tellingCause(group);
  const hint = cause === undefined ? (first.exchanges.length === 0 ? first.hint : undefined) : cause.hint;
  return [
    ...(cause === undefined ? alone(first, aborted, page) : together(cause, rows, aborted, page)),
    ...rows.flatMap(({ explanations }) => whyWrong(explanations, page)),
    // Whatever ended the run comes first.
    ...sentences('hint', aborted === undefined ? hint : undefined, page),
  ];
}

function alone(row: ResultRow, aborted: string | undefined, page: TextPage): string[] {
  const said = row.reason ?? row.actual ?? 'no reason was given';
  return [
    `${signed(row, page)}  ${page.paint('dim', `${row.kind}${blamed(row)}`)}`,
    ...sentences('', saidAbove(said, aborted), page),
    ...(row.reason === undefined ? [] : factLines('received', row.actual, page)),
  ];
}

/** The cause first; then which they are, those that bind in front. */
function together(
  { sentence, exchanges }: Cause,
  rows: CauseGroup['rows'],
  aborted: string | undefined,
  page: TextPage,
): string[] {
  const { sign, ink } = signs.inconclusive;
  const kinds = (['required', 'expected', 'probe'] as const).map((kind) => rows.filter((row) => row.kind === kind));
  return [
    '',
    `${page.paint(ink, sign)} ${page.paint('bold', countInWords(rows))}${page.paint('dim', blamed(rows[0]))}`,
    ...sentences('because', saidAbove(sentence, aborted), page),
    ...kinds.flatMap((some) =>
      some.length === 0 ? [] : idLines(some[0]!.kind, some.map(({ id }) => id).join(', '), page),
    ),
    ...factLines('exchanges', rangesText(exchanges) || undefined, page),
  ];
}

function blamed({ blame }: ResultRow): string {
  return blame === undefined ? '' : `, ${blames[blame]}`;
}

/** The interactions that do not hold, or of which that is not known. */
function contracts(all: readonly ContractRow[] = [], page: TextPage): string[] {
  const rows = all.filter(({ outcome }) => outcome !== 'pass');
  if (rows.length === 0) return [];
  return [
    section('Pact contracts', rows.length, page),
    ...rows.flatMap(({ outcome, interaction, state, pact, mismatches }) => [
      `${page.paint(signs[outcome].ink, signs[outcome].sign)} ${page.paint('bold', visible(interaction))}`,
      ...factLines('', `${outcome} in state "${state}" of ${pact}`, page),
      ...mismatches.flatMap((mismatch) => factLines('', mismatch, page)),
    ]),
  ];
}

function remarks(result: Result, page: TextPage): string[] {
  // A failure shows its remark with its details.
  const rows = result.results.filter(
    (row) => row.remark !== undefined && row.outcome !== 'fail' && row.outcome !== 'error',
  );
  if (rows.length === 0) return [];
  return [
    section('Remarks', rows.length, page),
    ...rows.flatMap((row) => [signed(row, page), ...factLines('', row.remark, page)]),
  ];
}

/** Whether a deviation of the client says more than the two signatures. */
function isExplained({ explanations = [] }: ResultRow): boolean {
  return explanations.some(({ deviations }) => deviations.length > 0);
}

/** Where a gateway refused a right request, its base string is to be copied: it stays on one line, whole. */
function whyWrong(explanations: readonly Explanation[] = [], page: TextPage): string[] {
  return explanations.flatMap((one) => [
    ...sentences('why', explanationInWords({ ...one, alternatives: [] }), page),
    ...(one.alternatives ?? []).flatMap((ids) => idLines('or', `${ids.join(' + ')}, which gives the same bytes`, page)),
    ...(one.baseString === undefined ? [] : [commandLine('  ', 'signed', 11, one.baseString)]),
    ...comparedLines(['right', 'signed'], one.baseStrings?.right, one.baseStrings?.signed, page),
    ...one.deviations.flatMap(({ snippet }) => (snippet === undefined ? [] : code(snippet))),
  ]);
}

/** A line of code is copied whole, so it is not broken. */
function code(snippet: string): string[] {
  return snippet.split('\n').map((line, index) => `  ${(index === 0 ? 'do' : '').padEnd(11)}${visible(line)}`);
}

export interface TextOptions {
  readonly statements: Statements;
  readonly colour: boolean;
  /** Columns of the terminal; what is under 40 counts as 40. */
  readonly width: number;
  /** Files that the run has written, or their folder; named at the end. */
  readonly files?: readonly string[];
}

interface TextPage extends TextOptions {
  readonly paint: Paint;
}

/** Longest value on the terminal, and longest sentence; the files have it whole. */
const valueLimit = 400;

/** A command to copy stays on one line, however long: a break inside it would be copied along. */
function commandLine(margin: string, label: string, labelWidth: number, text: string): string {
  return `${margin}${label.padEnd(labelWidth)}${visible(text)}`;
}

function signed(row: ResultRow, page: TextPage): string {
  const { sign, ink } = signs[row.outcome];
  return `${page.paint(ink, sign)} ${page.paint('bold', visible(row.id))}`;
}

function section(title: string, count: number, page: TextPage): string {
  return page.paint('bold', `${title} (${count})`);
}

/** A foreign value under its requirement; nothing where there is none. */
function factLines(label: string, text: string | undefined, page: TextPage): string[] {
  return text === undefined ? [] : lines(label, shortened(text, valueLimit), page);
}

/** Two texts and where they part; nothing where one is missing or both are equal. */
function comparedLines(
  labels: readonly [string, string],
  expected: string | undefined,
  received: string | undefined,
  page: TextPage,
  compare: (expected: string, received: string, width: number) => Comparison | undefined = comparison,
): string[] {
  if (expected === undefined || received === undefined) return [];
  const [one, other, caret] = compare(expected, received, page.width - 13) ?? [];
  if (caret === undefined) return [];
  return [
    `  ${labels[0].padEnd(11)}${one}`,
    `  ${labels[1].padEnd(11)}${other}`,
    `${' '.repeat(13)}${page.paint('yellow', caret)}`,
  ];
}

/** The same for words of ours: a sentence is cut only where a value that it quotes is long. */
function sentences(label: string, text: string | undefined, page: TextPage): string[] {
  return text === undefined ? [] : lines(label, shortenedSentences(text, valueLimit), page);
}

/** A list of ids, whole. */
function idLines(label: string, text: string, page: TextPage): string[] {
  return lines(label, text, page);
}

function lines(label: string, text: string, page: TextPage): string[] {
  const layout = { indent: 2, labelWidth: label === '' ? 0 : 11, width: page.width };
  return field(label, visible(text), layout).map((line) => line.trimEnd());
}
