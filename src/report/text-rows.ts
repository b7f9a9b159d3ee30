/** The requirements that ask for action, on a terminal. What several of them share is printed once, below all of them. */
import type { Cause, ContractRow, Result, ResultRow } from '../record/result/result.ts';
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
import { comparedValues } from './comparison.ts';
import { rangesText } from './number-ranges.ts';
import { signs } from './terminal.ts';
import {
  commandLine,
  comparedLines,
  factLines,
  idLines,
  section,
  sentences,
  signed,
  type TextPage,
} from './text-page.ts';
import { isExplained, whyWrong } from './text-signature.ts';
import { visible, withSpaces } from './visible.ts';
import { blames, hintOf, placeInWords, saidAbove, stageInWords } from './words.ts';

/** What to put right before anything else, in a few lines; its details follow in their group. Nothing where nothing failed. */
export function fixFirst(counted: Result, page: TextPage): string[] {
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
export function detailedText(title: string, outcome: 'fail' | 'error', result: Result, page: TextPage): string[] {
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

export function inconclusiveText(result: Result, page: TextPage): string[] {
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
export function contracts(all: readonly ContractRow[] = [], page: TextPage): string[] {
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

export function remarks(result: Result, page: TextPage): string[] {
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
