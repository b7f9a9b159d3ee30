/** summary.md: the run in GitHub-flavoured Markdown, for a comment on a pull request or for $GITHUB_STEP_SUMMARY. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { countedWord } from '../record/counted-word.ts';
import type { Conclusion, ContractRow, Hazard, Observation, Result, ResultRow } from '../record/result/result.ts';
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
import { type Comparison, comparedValues, comparison, threeLines } from './comparison.ts';
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
import { rangesText } from './number-ranges.ts';
import { shortenedSentences, withSpaces } from './visible.ts';
import {
  allowancesInWords,
  blamed,
  columns,
  explanationInWords,
  hintOf,
  ifNothingNew,
  narrowedInWords,
  placeInWords,
  runInWords,
  type Statements,
  stageInWords,
  subjectAt,
  timeInWords,
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
  const detailed = (group: CauseGroup) => findingItem(group, namedCauses(result, group.rows[0].id), statements);
  const failed = result.baseline === undefined ? 'Failures' : 'Failures that are not tolerated';
  const remarked = [...by('inconclusive'), ...by('pass'), ...by('not-applicable')].filter(
    (row) => row.remark !== undefined,
  );
  const unseen = neverArose(result);
  const broken = (counted.contracts ?? []).filter(({ outcome }) => outcome !== 'pass');
  const parts = [
    head(result),
    dimensionTable(result),
    grouped('Faults of the suite', causeGroups(counted, 'error'), detailed, room.faults, '\n\n'),
    fixFirst(counted),
    counterfactualsInWords(result).map(prose).join('\n\n'),
    grouped(failed, causeGroups(counted, 'fail'), detailed, room.failures, '\n\n'),
    list('Entries of the baseline that no longer hold', baselineProblems(result).map(problem), room.baseline),
    grouped('Inconclusive', causeGroups(counted, 'inconclusive'), openItem, room.inconclusive, '\n'),
    list('Pact contracts', broken.map(contract), room.contracts),
    list('Other verdicts than in the stored report', flips(result).map(shownApart), room.baseline),
    closed('Known failures', knownFailures(result).map(shownApart), room.baseline),
    closed(`Later than the set ${result.set}, not scored`, notScored(result).map(shownApart), room.baseline),
    closed('Remarks', remarked.map(remark), room.remarks),
    closed('Required, but never arose', unseen.map(neverAroseItem), room.remarks, countOf(unseen)),
    list('Unusual answers to open points', unusualAnswers(result), room.remarks),
    observations(result.observations),
    closing(result),
  ];
  return `${paragraphs(parts)}\n`;
}

/** Longest value; report.json has it whole. */
const valueLimit = 400;

/** A foreign value on one line, cut where it is longer than a reader looks at. */
function quoted(text: string): string {
  return code(text, valueLimit);
}

/** Words of ours that may quote the subject: each sentence is cut by itself. */
function quotedSentences(text: string): string {
  return code(shortenedSentences(text, valueLimit), 10 * valueLimit);
}

function paragraphs(parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== '').join('\n\n');
}

function fixFirst(counted: Result): string {
  const found = firstToFix(counted);
  const { fatal, sentence = '', hint = '' } = found?.group.cause ?? {};
  if (fatal) return `**What to fix first:** ${quotedSentences(sentence)}. ${prose(hint)}`;
  const extent = found?.outcome === 'fail' ? extentInWords(found.group, counted) : '';
  if (extent === '') return '';
  const { id } = found!.group.rows[0];
  return [`**What to fix first:** ${quoted(id)} ${extent}`, ...mistakesBehind(counted, id).map(prose)].join('<br>');
}

function head(result: Result): string {
  const { subject, conclusion } = result;
  const said = runInWords(result);
  const hazards = newHazards(result).map(hazardItem);
  const kept = fitting(hazards, room.hazards);
  const narrowed = narrowedInWords(result, quoted);
  const sign = said.isGreen ? signs[said.isHazardous ? 'partial' : conclusion] : '❌';
  return paragraphs([
    `## ${sign} Countersign: ${said.conclusion}`,
    ...hazards.slice(0, kept),
    more(hazards.length - kept),
    said.aborted && quotedSentences(said.aborted),
    `**${said.counts}**`,
    [
      subject.target === 'mock'
        ? subjectAt(subject)
        : `${subject.kind} ${quoted(said.subject)} at ${quoted(subject.target)}`,
      `profile ${quoted(result.profile)}`,
      ...(result.set === undefined ? [] : [`set ${quoted(result.set)}`]),
      `seed ${quoted(result.seed)}`,
      ...(said.labels === undefined ? [] : [quoted(said.labels)]),
    ].join(', '),
    said.exit && `${said.exit}.`,
    said.unexplained && `${prose(said.unexplained)}.`,
    narrowed && `${narrowed}.`,
    said.notes.map((note) => `- ${quotedSentences(note)}`).join('\n'),
  ]);
}

/** A hint that the next one has too is printed there. */
function hazardItem({ id, sentence, hint, exchanges }: Hazard, at: number, all: readonly Hazard[]): string {
  const said = prose(shortenedSentences(sentence, 2 * valueLimit));
  const shown = exchanges.length === 0 ? '' : `<br>**Exchanges:** ${rangesText(exchanges)}`;
  const advice = all[at + 1]?.hint === hint ? '' : `<br>**Hint:** ${prose(hint)}`;
  return `⚠️ **HAZARD** ${quoted(id)}: ${said}${shown}${advice}`;
}

function dimensionTable(result: Result): string {
  const used = dimensions.filter((name) => columns.some((outcome) => result.dimensions[name][outcome] > 0));
  if (used.length === 0) return '';
  return table(
    ['Dimension', ...columns],
    used.map((name) => [name, ...columns.map((outcome) => String(result.dimensions[name][outcome] || '·'))]),
  );
}

function contract({ interaction, state, outcome, mismatches }: ContractRow): string {
  const why = mismatches.map((text) => `\n  - ${quoted(text)}`).join('');
  return `- ${quoted(interaction)} in state ${quoted(state)}: ${outcome}${why}`;
}

function remark(row: ResultRow): string {
  return `- ${quoted(row.id)}: ${quoted(row.remark!)}`;
}

function shownApart({ id, sentence, received }: ShownApart): string {
  return `- ${quoted(id)}: ${prose(sentence)}${received === undefined ? '' : `; received: ${quoted(received)}`}`;
}

function neverAroseItem({ ids, sentence }: NeverArose): string {
  return `- ${prose(sentence)}${ids.map((id) => `\n  - ${quoted(id)}`).join('')}`;
}

function problem({ id, sentence, lines }: ReturnType<typeof baselineProblems>[number]): string {
  return `- ${quoted(id)}: ${prose(sentence)}${lines.map((line) => `\n  ${quoted(line)}`).join('')}`;
}

function unusualAnswers({ observations: seen }: Result): string[] {
  return seen.flatMap(({ openPoint, value, unusual }) =>
    unusual === undefined ? [] : [`- ${quoted(`${openPoint} ${value}`)}: ${prose(unusual)}`],
  );
}

function observations(seen: readonly Observation[]): string {
  if (seen.length === 0) return '';
  const rows = seen.map(({ openPoint, value, exchanges }) => [
    `${quoted(openPoint)} ${quoted(value)}`,
    String(exchanges.length),
  ]);
  const kept = fitting(
    rows.map((row) => table([], [row])),
    room.observations,
  );
  const note = 'Where the interface document is silent, answers are recorded and never judged.';
  const shown = table(['Open point and what was observed', 'exchanges'], rows.slice(0, kept));
  return details(`Observations (${seen.length})`, paragraphs([note, shown, more(seen.length - kept)]));
}

function closing(result: Result): string {
  const { latency, effects, worst, unnoticed } = runInWords(result);
  const [next] = result.unnoticed === undefined ? [] : allowancesInWords(result.unnoticed);
  const allowance =
    next === undefined ? '' : ` With ${quoted(next.flags)} ${next.where}it ${next.brings}, ${ifNothingNew}.`;
  const sentences = [
    `${countedWord(result.exchangeCount, 'exchange')} in ${timeInWords(result.durationMs)}.`,
    latency && `Latency: ${prose(latency)}.`,
    effects && `Effects: ${effects}.`,
    effects && worst && `At worst: ${worst}.`,
    'Repeat with:',
  ];
  return paragraphs([
    unnoticed && `**Not ruled out:** ${unnoticed}.${allowance}`,
    sentences.filter((sentence) => sentence !== undefined).join(' '),
    commandBlock(result.reproduce),
  ]);
}

/** A heading and as many of the items as there is room for. */
function list(title: string, items: readonly string[], bytes: number): string {
  if (items.length === 0) return '';
  const kept = fitting(items, bytes);
  return paragraphs([`### ${title} (${items.length})`, items.slice(0, kept).join('\n'), more(items.length - kept)]);
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
  const beyond = requirementsIn(groups.slice(kept)).length;
  return paragraphs([
    `### ${title} (${requirementsIn(groups).length})`,
    texts.slice(0, kept).join(between),
    more(beyond),
  ]);
}

function closed(title: string, items: readonly string[], bytes: number, count = items.length): string {
  if (items.length === 0) return '';
  const kept = fitting(items, bytes);
  const shown = [items.slice(0, kept).join('\n'), more(items.length - kept)];
  return details(`${title} (${count})`, paragraphs(shown));
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

/** Characters of a line: a page of GitHub has about as many. */
const comparedWidth = 100;

/** Of several requirements what each has of its own, then what all of them share. */
function findingItem(group: CauseGroup, causes: readonly string[], statements: Statements): string {
  const { rows } = group;
  const [first, ...others] = rows;
  const isAlone = others.length === 0;
  const [expected, hint] = isAlone ? ownFacts(first, statements) : [];
  const compared = isAlone ? comparedValues(first.expected, first.actual, comparedWidth) : undefined;
  const { firstStage: stage, exchanges } = first;
  const step = stage && inItem(comparison(stage.expected, stage.actual, comparedWidth));
  const shared: readonly (Fact | undefined)[] = [
    ...(compared === undefined
      ? [expected, ['Received', valued(first.actual && withSpaces(first.actual))] as const]
      : [['Expected and received', inItem(compared)] as const]),
    ['Reason', valued(first.reason)],
    ['Remark', valued(first.remark)],
    ['Step', stage && `${prose(stageInWords(stage))}${step}`],
    ...causes.map((cause): Fact => ['Cause', prose(cause)]),
    ...(first.explanations ?? []).flatMap((one): Fact[] => [
      ['Why', prose(explanationInWords(one))],
      ['Signed', valued(one.baseString)],
    ]),
    hint,
    ['Exchanges', rangesText(exchanges) || undefined],
    ['Follows', valued(followersInWords(group))],
  ];
  const repeat = repeatOf(rows);
  return paragraphs([
    ...rows.flatMap((row) => [headOf(row, statements), isAlone ? '' : listOf(ownFacts(row, statements))]),
    !isAlone && `_All ${rows.length}, in the same answers:_`,
    listOf(shared),
    repeat && commandBlock(repeat),
  ]);
}

type Fact = readonly [label: string, value: string | undefined];

function headOf(row: ResultRow, statements: Statements): string {
  const text = statements(row.id);
  const place = [text === undefined ? '' : prose(text.statement), `_${prose(placeInWords(row))}_`];
  return `#### ${quoted(row.id)}\n\n${place.filter(Boolean).join('<br>')}`;
}

function ownFacts(row: ResultRow, statements: Statements): readonly Fact[] {
  const hint = hintOf(row, statements(row.id));
  return [
    ['Expected', valued(row.expected)],
    ['Hint', hint === undefined ? undefined : prose(hint)],
  ];
}

function listOf(facts: readonly (Fact | undefined)[]): string {
  return facts.flatMap((fact) => (fact?.[1] === undefined ? [] : [`- **${fact[0]}:** ${fact[1]}`])).join('\n');
}

/** What is in the way, and of which; of a single requirement its own words. */
function openItem(group: CauseGroup): string {
  const cause = tellingCause(group);
  const [row] = group.rows;
  if (cause === undefined) {
    const came = row.reason !== undefined && row.actual !== undefined ? `; received: ${quoted(row.actual)}` : '';
    const why = valued(row.reason ?? row.actual) ?? 'no reason was given';
    return `- ${quoted(row.id)} (${row.kind}${blamed(row)}): ${why}${came}`;
  }
  const hint = cause.hint === undefined ? '' : `<br>**Hint:** ${prose(cause.hint)}`;
  const ids = group.rows.map(({ id }) => quoted(id)).join(', ');
  const because = quotedSentences(cause.sentence);
  return `- **${countInWords(group.rows)}**${blamed(blamedIn(group))}: ${because}${hint}<br>${ids}`;
}

function valued(text: string | undefined): string | undefined {
  return text === undefined ? undefined : quoted(text);
}

function inItem(compared: Comparison | undefined): string {
  return compared === undefined ? '' : linesInItem(`\`\`\`text\n${threeLines(compared)}\n\`\`\``);
}
