/** The parts of summary.md on requirements that are not green, each group by what is behind it. */
import type { ResultRow } from '../record/result/result.ts';
import { type CauseGroup, countInWords, followersInWords, repeatOf, tellingCause } from './cause-groups.ts';
import { comparedValues, comparison, threeLines } from './comparison.ts';
import { code, commandBlock, linesInItem, prose } from './markdown.ts';
import { rangesText } from './number-ranges.ts';
import type { Statements } from './statements.ts';
import { shortenedSentences, withSpaces } from './visible.ts';
import { blames, explanationInWords, hintOf, placeInWords, stageInWords } from './words.ts';

/** Longest value; report.json has it whole. */
export const summaryValueLimit = 400;

/** Characters of a line: a page of GitHub has about as many. */
const comparedWidth = 100;

/** Of several requirements what each has of its own, then what all of them share. */
export function findingItem(group: CauseGroup, causes: readonly string[], statements: Statements): string {
  const { rows } = group;
  const [first, ...others] = rows;
  const own = rows.map((row) => [
    headOf(row, statements),
    listOf(others.length === 0 ? [] : ownFacts(row, statements)),
  ]);
  const [expected, hint] = others.length === 0 ? ownFacts(first, statements) : [];
  const compared = others.length === 0 ? comparedValues(first.expected, first.actual, comparedWidth) : undefined;
  const { firstStage: stage } = first;
  const shared: readonly (Fact | undefined)[] = [
    ...(compared === undefined
      ? [expected, ['Received', valued(first.actual && withSpaces(first.actual))] as const]
      : [['Expected and received', linesInItem(threeLines(compared))] as const]),
    ['Reason', valued(first.reason)],
    ['Remark', valued(first.remark)],
    [
      'Step',
      stage &&
        prose(stageInWords(stage)) + linesInItem(threeLines(comparison(stage.expected, stage.actual, comparedWidth))),
    ],
    ...causes.map((cause): Fact => ['Cause', prose(cause)]),
    ...(first.explanations ?? []).flatMap((one): Fact[] => [
      ['Why', prose(explanationInWords(one))],
      ['Signed', valued(one.baseString)],
    ]),
    hint,
    ['Exchanges', first.exchanges.length === 0 ? undefined : rangesText(first.exchanges)],
    ['Follows', valued(followersInWords(group))],
  ];
  const repeat = repeatOf(rows);
  return [
    ...own.flat(),
    others.length === 0 ? '' : `_All ${rows.length}, in the same answers:_`,
    listOf(shared.filter((fact) => fact !== undefined)),
    repeat === undefined ? '' : commandBlock(repeat),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

type Fact = readonly [label: string, value: string | undefined];

function headOf(row: ResultRow, statements: Statements): string {
  const text = statements(row.id);
  const place = [text === undefined ? '' : prose(text.statement), `_${prose(placeInWords(row))}_`];
  return `#### ${code(row.id, summaryValueLimit)}\n\n${place.filter(Boolean).join('<br>')}`;
}

function ownFacts(row: ResultRow, statements: Statements): readonly Fact[] {
  const hint = hintOf(row, statements(row.id));
  return [
    ['Expected', valued(row.expected)],
    ['Hint', hint === undefined ? undefined : prose(hint)],
  ];
}

function listOf(facts: readonly Fact[]): string {
  return facts
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => `- **${label}:** ${value}`)
    .join('\n');
}

/** What is in the way, and of which; of a single requirement its own words. */
export function openItem(group: CauseGroup): string {
  const cause = tellingCause(group);
  const [row] = group.rows;
  if (cause === undefined) {
    const came = row.reason !== undefined && row.actual !== undefined ? `; received: ${valued(row.actual)}` : '';
    const why = valued(row.reason ?? row.actual) ?? 'no reason was given';
    return `- ${code(row.id, summaryValueLimit)} (${row.kind}${blamed(row)}): ${why}${came}`;
  }
  const hint = cause.hint === undefined ? '' : `<br>**Hint:** ${prose(cause.hint)}`;
  const ids = group.rows.map(({ id }) => code(id, summaryValueLimit)).join(', ');
  const because = code(shortenedSentences(cause.sentence, summaryValueLimit), 10 * summaryValueLimit);
  return `- **${countInWords(group.rows)}**${blamed(row)}: ${because}${hint}<br>${ids}`;
}

function blamed({ blame }: ResultRow): string {
  return blame === undefined ? '' : `, ${blames[blame]}`;
}

function valued(text: string | undefined): string | undefined {
  return text === undefined ? undefined : code(text, summaryValueLimit);
}
