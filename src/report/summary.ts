/** summary.md: the run in GitHub-flavoured Markdown, for a comment on a pull request or for $GITHUB_STEP_SUMMARY. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { countedWord } from '../record/counted-word.ts';
import { hazardsInWords } from '../record/result/conclude.ts';
import type { Conclusion, ContractRow, Hazard, Observation, Result, ResultRow } from '../record/result/result.ts';
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
import { comparedValues, comparison, threeLines } from './comparison.ts';
import {
  baselineProblems,
  counting,
  countOf,
  flips,
  knownFailures,
  type NeverArose,
  neverArose,
  notScored,
  type ShownApart,
} from './counting.ts';
import { code, commandBlock, details, linesInItem, prose, table } from './markdown.ts';
import { shortenedSentences, withSpaces } from './visible.ts';
import {
  abortedSentence,
  allowancesInWords,
  blames,
  columns,
  conclusionInWords,
  countsInWords,
  effectsInWords,
  exitInWords,
  explanationInWords,
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
  subjectInWords,
  timeInWords,
  unexplainedInWords,
  unnoticedInWords,
  worstInWords,
} from './words.ts';

/**
 * Greatest length of each list in bytes of UTF-8. GitHub takes 1 MiB as a step summary and 65,536 characters as a
 * comment; together with the head these stay under the smaller one.
 */
const room = {
  hazards: 3_000,
  faults: 6_000,
  failures: 22_000,
  baseline: 2_000,
  inconclusive: 8_000,
  contracts: 5_000,
  remarks: 6_000,
  observations: 6_000,
} as const;

const signs: Record<Conclusion, string> = { conformant: '✅', partial: '⚠️', 'non-conformant': '❌', aborted: '🛑' };

/** The text of summary.md. */
export function summaryReport(result: Result, { statements }: { readonly statements: Statements }): string {
  const counted = counting(result);
  const by = (outcome: ResultRow['outcome']) => counted.results.filter((row) => row.outcome === outcome);
  const detailed = (group: CauseGroup) => findingItem(group, signatureCauses(result, group.rows[0].id), statements);
  const failed = result.baseline === undefined ? 'Failures' : 'Failures that are not tolerated';
  const remarked = [...by('inconclusive'), ...by('pass'), ...by('not-applicable')].filter(
    (row) => row.remark !== undefined,
  );
  const unseen = neverArose(result);
  const parts = [
    head(result),
    dimensionTable(result),
    grouped('Faults of the suite', causeGroups(counted, 'error'), detailed, room.faults, '\n\n'),
    fixFirst(counted),
    counterfactualsInWords(result).map(prose).join('\n\n'),
    grouped(failed, causeGroups(counted, 'fail'), detailed, room.failures, '\n\n'),
    list('Entries of the baseline that no longer hold', baselineProblems(result).map(problem), room.baseline, '\n'),
    grouped('Inconclusive', causeGroups(counted, 'inconclusive'), openItem, room.inconclusive, '\n'),
    list(
      'Pact contracts',
      (counted.contracts ?? []).filter(({ outcome }) => outcome !== 'pass').map(contract),
      room.contracts,
      '\n',
    ),
    list('Other verdicts than in the stored report', flips(result).map(shownApart), room.baseline, '\n'),
    closed('Known failures', knownFailures(result).map(shownApart), room.baseline),
    closed(`Later than the set ${result.set}, not scored`, notScored(result).map(shownApart), room.baseline),
    closed('Remarks', remarked.map(remark), room.remarks),
    closed('Required, but never arose', unseen.map(neverAroseItem), room.remarks, countOf(unseen)),
    list('Unusual answers to open points', unusualAnswers(result), room.remarks, '\n'),
    observations(result.observations),
    closing(result),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function fixFirst(counted: Result): string {
  const found = firstToFix(counted);
  const extent = found?.outcome === 'fail' ? extentInWords(found.group, counted) : '';
  return extent === '' ? '' : `**What to fix first:** ${code(found!.group.rows[0].id, summaryValueLimit)} ${extent}`;
}

function head(result: Result): string {
  const { subject, conclusion } = result;
  const hazards = newHazards(result).map(hazardItem);
  const kept = fitting(hazards, room.hazards);
  const hazardous = conclusion === 'conformant' && hazardsInWords(result) !== '';
  const exit = exitInWords(result);
  const unexplained = unexplainedInWords(result);
  const narrowed = narrowedInWords(result, (globs) => code(globs, summaryValueLimit));
  const labels = labelsInWords(result);
  return [
    `## ${notGreenInWords(result) !== undefined ? '❌' : signs[hazardous ? 'partial' : conclusion]} Countersign: ${conclusionInWords(result)}`,
    ...hazards.slice(0, kept),
    ...(kept < hazards.length ? [more(hazards.length - kept)] : []),
    ...(conclusion === 'aborted'
      ? [code(shortenedSentences(abortedSentence(result), summaryValueLimit), 10 * summaryValueLimit)]
      : []),
    `**${countsInWords(result)}**`,
    [
      subject.target === 'mock'
        ? subjectAt(subject)
        : `${subject.kind} ${code(subjectInWords(result), summaryValueLimit)} at ${code(subject.target, summaryValueLimit)}`,
      `profile ${code(result.profile, summaryValueLimit)}`,
      ...(result.set === undefined ? [] : [`set ${code(result.set, summaryValueLimit)}`]),
      `seed ${code(result.seed, summaryValueLimit)}`,
      ...(labels === undefined ? [] : [code(labels, summaryValueLimit)]),
    ].join(', '),
    ...(exit === undefined ? [] : [`${exit}.`]),
    ...(unexplained === undefined ? [] : [`${prose(unexplained)}.`]),
    ...(narrowed === undefined ? [] : [`${narrowed}.`]),
    ...(result.notes === undefined
      ? []
      : [
          result.notes
            .map(
              (note) =>
                `- ${code(shortenedSentences(saidAbove(note, result.aborted), summaryValueLimit), 10 * summaryValueLimit)}`,
            )
            .join('\n'),
        ]),
  ].join('\n\n');
}

/** A hint that the next one has too is printed there. */
function hazardItem({ id, sentence, hint, exchanges }: Hazard, at: number, all: readonly Hazard[]): string {
  const said = prose(shortenedSentences(sentence, 2 * summaryValueLimit));
  const shown = exchanges.length === 0 ? '' : `<br>**Exchanges:** ${rangesText(exchanges)}`;
  const advice = all[at + 1]?.hint === hint ? '' : `<br>**Hint:** ${prose(hint)}`;
  return `⚠️ **HAZARD** ${code(id, summaryValueLimit)}: ${said}${shown}${advice}`;
}

function dimensionTable(result: Result): string {
  const used = dimensions.filter((name) => columns.some((outcome) => result.dimensions[name][outcome] > 0));
  if (used.length === 0) return '';
  return table(
    ['Dimension', ...columns],
    used.map((name) => {
      const counts = result.dimensions[name];
      const cells = columns.map((outcome) => String(counts[outcome] === 0 ? '·' : counts[outcome]));
      return [name, ...cells];
    }),
  );
}

function contract({ interaction, state, outcome, mismatches }: ContractRow): string {
  const why = mismatches.map((text) => `\n  - ${code(text, summaryValueLimit)}`).join('');
  return `- ${code(interaction, summaryValueLimit)} in state ${code(state, summaryValueLimit)}: ${outcome}${why}`;
}

function remark(row: ResultRow): string {
  return `- ${code(row.id, summaryValueLimit)}: ${code(row.remark!, summaryValueLimit)}`;
}

function shownApart({ id, sentence, received }: ShownApart): string {
  return `- ${code(id, summaryValueLimit)}: ${prose(sentence)}${received === undefined ? '' : `; received: ${code(received, summaryValueLimit)}`}`;
}

function neverAroseItem({ ids, sentence }: NeverArose): string {
  return `- ${prose(sentence)}${ids.map((id) => `\n  - ${code(id, summaryValueLimit)}`).join('')}`;
}

function problem({ id, sentence, lines }: ReturnType<typeof baselineProblems>[number]): string {
  return `- ${code(id, summaryValueLimit)}: ${prose(sentence)}${lines.map((line) => `\n  ${code(line, summaryValueLimit)}`).join('')}`;
}

function unusualAnswers({ observations: seen }: Result): string[] {
  return seen.flatMap(({ openPoint, value, unusual }) =>
    unusual === undefined ? [] : [`- ${code(`${openPoint} ${value}`, summaryValueLimit)}: ${prose(unusual)}`],
  );
}

function observations(seen: readonly Observation[]): string {
  if (seen.length === 0) return '';
  const rows = seen.map(({ openPoint, value, exchanges }) => [
    `${code(openPoint, summaryValueLimit)} ${code(value, summaryValueLimit)}`,
    String(exchanges.length),
  ]);
  const kept = fitting(
    rows.map((row) => table([], [row])),
    room.observations,
  );
  const note = 'Where the interface document is silent, answers are recorded and never judged.';
  const shown = table(['Open point and what was observed', 'exchanges'], rows.slice(0, kept));
  return details(`Observations (${seen.length})`, [note, shown, more(seen.length - kept)].filter(Boolean).join('\n\n'));
}

function closing(result: Result): string {
  const worst = worstInWords(result);
  const latency = latencyInWords(result);
  const { unnoticed } = result;
  const [next] = unnoticed === undefined ? [] : allowancesInWords(unnoticed);
  const more = next === undefined ? '' : ` With ${code(next.flags, summaryValueLimit)} it ${next.brings}.`;
  return [
    ...(unnoticed === undefined ? [] : [`**Not ruled out:** ${unnoticedInWords(unnoticed)}.${more}`]),
    `${countedWord(result.exchangeCount, 'exchange')} in ${timeInWords(result.durationMs)}.${latency === undefined ? '' : ` Latency: ${prose(latency)}.`}${result.subject.kind === 'client' ? '' : ` Effects: ${effectsInWords(result)}.${worst === undefined ? '' : ` At worst: ${worst}.`}`} Repeat with:`,
    commandBlock(result.reproduce),
  ].join('\n\n');
}

/** A heading and as many of the items as there is room for. */
function list(title: string, items: readonly string[], bytes: number, between: string): string {
  if (items.length === 0) return '';
  const kept = fitting(items, bytes);
  const shown = items.slice(0, kept).join(between);
  return [`### ${title} (${items.length})`, shown, more(items.length - kept)].filter(Boolean).join('\n\n');
}

/** The same for groups of requirements, which are what is counted. */
function grouped(
  title: string,
  groups: readonly CauseGroup[],
  printed: (group: CauseGroup) => string,
  bytes: number,
  between: string,
): string {
  if (groups.length === 0) return '';
  const texts = groups.map(printed);
  const kept = fitting(texts, bytes);
  const count = (some: readonly CauseGroup[]) =>
    some.flatMap(({ rows, followers = [] }) => [...rows, ...followers]).length;
  const shown = texts.slice(0, kept).join(between);
  return [`### ${title} (${count(groups)})`, shown, more(count(groups.slice(kept)))].filter(Boolean).join('\n\n');
}

function closed(title: string, items: readonly string[], bytes: number, count = items.length): string {
  if (items.length === 0) return '';
  const kept = fitting(items, bytes);
  const shown = items.slice(0, kept).join('\n');
  return details(`${title} (${count})`, [shown, more(items.length - kept)].filter(Boolean).join('\n\n'));
}

/** How many of the items, from the first on, have room. */
function fitting(items: readonly string[], bytes: number): number {
  let left = bytes;
  const beyond = items.findIndex((item) => {
    left -= Buffer.byteLength(item) + 2;
    return left < 0;
  });
  return beyond === -1 ? items.length : beyond;
}

function more(count: number): string {
  return count === 0 ? '' : `… and ${count} more, in report.html and report.json.`;
}

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
