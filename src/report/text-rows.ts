/** The requirements that ask for action, on a terminal. What several of them share is printed once, below all of them. */
import type { ContractRow, Explanation, Result, ResultRow } from '../result/result.ts';
import { rangesText } from './number-ranges.ts';
import { signs } from './terminal.ts';
import { commandLine, factLines, section, sentences, signed, type TextPage } from './text-page.ts';
import { visible, withSpaces } from './visible.ts';
import { blames, explanationInWords, hintOf, placeInWords, saidAbove, stageInWords } from './words.ts';

/** Requirements of that outcome, those with the same answer in the same exchanges together. */
export function detailedText(title: string, outcome: 'fail' | 'error', result: Result, page: TextPage): string[] {
  const rows = result.results.filter((row) => row.outcome === outcome);
  if (rows.length === 0) return [];
  const alike = groups(rows, ({ id, actual, reason, remark, exchanges, explanations, firstStage }) =>
    exchanges.length === 0 ? id : JSON.stringify([actual, reason, remark, exchanges, explanations, firstStage]),
  );
  return [section(title, rows.length, page), ...alike.flatMap((group) => ['', ...detail(group, page)])];
}

function detail(group: readonly [ResultRow, ...ResultRow[]], page: TextPage): string[] {
  const [first] = group;
  const repeat = repeatOf(group);
  return [
    ...group.flatMap((row) => [
      `${signed(row, page)}  ${page.paint('dim', visible(placeInWords(row)))}`,
      ...sentences('', page.statements(row.id)?.statement, page),
      ...factLines('expected', row.expected, page),
      ...(group.length === 1 ? [] : sentences('hint', hintOf(row, page.statements(row.id)), page)),
    ]),
    ...(group.length === 1 ? [] : factLines('', `all ${group.length}:`, page)),
    ...factLines('received', first.actual && withSpaces(first.actual), page),
    ...sentences('reason', first.reason, page),
    ...sentences('remark', first.remark, page),
    ...factLines('step', first.firstStage && stageInWords(first.firstStage), page),
    ...why(first.explanations, page),
    ...(group.length === 1 ? sentences('hint', hintOf(first, page.statements(first.id)), page) : []),
    ...factLines('exchanges', rangesText(first.exchanges) || undefined, page),
    ...(repeat === undefined ? [] : [commandLine('  ', 'repeat', 11, repeat)]),
  ];
}

/** The command that repeats all of them, or the first where they have no such command. */
function repeatOf([first, ...others]: readonly [ResultRow, ...ResultRow[]]): string | undefined {
  const only = ({ id }: ResultRow) => `--only '${id}'`;
  const isLike = (row: ResultRow) => row.repeat === first.repeat?.replace(only(first), only(row));
  return others.every(isLike)
    ? first.repeat?.replace(only(first), [first, ...others].map(only).join(' '))
    : first.repeat;
}

/** A base string is to be compared and copied: it stays on one line, whole. */
function why(explanations: readonly Explanation[] = [], page: TextPage): string[] {
  return explanations.flatMap((one) => [
    ...sentences('why', explanationInWords(one), page),
    ...(one.baseString === undefined ? [] : [commandLine('  ', 'signed', 11, one.baseString)]),
  ]);
}

export function inconclusiveText({ results, aborted }: Result, page: TextPage): string[] {
  const rows = results.filter((row) => row.outcome === 'inconclusive');
  if (rows.length === 0) return [];
  return [
    section('Inconclusive', rows.length, page),
    ...groups(rows, causeOf).flatMap((group) => {
      const [first] = group;
      const all = group.length === 1 ? '' : `all ${group.length}: `;
      const hints = new Set(group.map(({ exchanges, hint }) => (exchanges.length === 0 ? hint : undefined)));
      return [
        ...group.map((row) => {
          const blame = row.blame === undefined ? '' : `, ${blames[row.blame]}`;
          return `${signed(row, page)}  ${page.paint('dim', `${row.kind}${blame}`)}`;
        }),
        ...sentences('', `${all}${saidAbove(saidOfAll(group), aborted)}`, page),
        ...(first.reason === undefined ? [] : factLines('received', first.actual, page)),
        ...why(first.explanations, page),
        // Whatever ended the run comes first.
        ...[...(aborted === undefined ? hints : [])].flatMap((hint) => sentences('hint', hint, page)),
      ];
    }),
  ];
}

/** One cause leaves many requirements inconclusive, though each of their requests has a fault of its own. */
function causeOf(row: ResultRow): string {
  const explained = row.explanations?.map(({ exchange }) => exchange);
  return JSON.stringify([commonPart(saidOf(row)), row.reason && row.actual, explained]);
}

function saidOf({ reason, actual }: ResultRow): string {
  return reason ?? actual ?? 'no reason was given';
}

function saidOfAll(group: readonly [ResultRow, ...ResultRow[]]): string {
  const variants = [saidOf, (row: ResultRow) => withoutDifference(saidOf(row))];
  const same = variants.find((variant) => new Set(group.map(variant)).size === 1);
  return same?.(group[0]) ?? commonPart(saidOf(group[0]));
}

/** Without words that one answer alone may have. */
function commonPart(said: string): string {
  return withoutDifference(said).replace(/(: HTTP \d+ with [^"]*?) "[^"]*"$/, '$1');
}

/** Without what the request of one requirement differs in, as the judges of refusals put it. */
function withoutDifference(said: string): string {
  return said.replace(/, which differs only in .*?(?=: HTTP )/, '');
}

/** Rows by what is the same in them, in the order of their first. */
function groups(rows: readonly ResultRow[], keyOf: (row: ResultRow) => string): [ResultRow, ...ResultRow[]][] {
  const byKey = new Map<string, [ResultRow, ...ResultRow[]]>();
  for (const row of rows) {
    const key = keyOf(row);
    const alike = byKey.get(key);
    if (alike === undefined) byKey.set(key, [row]);
    else alike.push(row);
  }
  return [...byKey.values()];
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
