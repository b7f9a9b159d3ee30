/** The end of a run on a terminal: the conclusion first, then what to do about it. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { countedWord } from '../record/counted-word.ts';
import { hazardsInWords } from '../record/result/conclude.ts';
import type { Conclusion, Hazard, Outcome, Result } from '../record/result/result.ts';
import { newHazards } from '../record/result/score.ts';
import { abortedSentence } from './aborted.ts';
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
import { measuredLines } from './measured-text.ts';
import { rangesText } from './number-ranges.ts';
import { field, type Ink, painter, signs } from './terminal.ts';
import { commandLine, factLines, section, sentences, type TextOptions, type TextPage } from './text-page.ts';
import { contracts, detailedText, fixFirst, inconclusiveText, remarks } from './text-rows.ts';
import { allowancesInWords, groupInWords, unnoticedInWords } from './unnoticed.ts';
import { shortenedSentences, visible } from './visible.ts';
import {
  conclusionInWords,
  contractsInWords,
  countsInWords,
  effectsInWords,
  exitInWords,
  labelsInWords,
  latencyInWords,
  narrowedInWords,
  notGreenInWords,
  saidAbove,
  subjectAt,
  unexplainedInWords,
  worstInWords,
} from './words.ts';

export type { TextOptions } from './text-page.ts';

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
