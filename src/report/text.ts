/** The end of a run on a terminal: the conclusion first, then what to do about it. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { countOutcomes, exitCode, leavesGap } from '../result/conclude.ts';
import type { Outcome } from '../result/outcome.ts';
import type { Conclusion, ContractRow, Result, ResultRow } from '../result/result.ts';
import { abortedSentence } from './aborted.ts';
import { rangesText } from './number-ranges.ts';
import type { Statements } from './statements.ts';
import { field, type Ink, type Paint, painter, signs } from './terminal.ts';
import { shortened, visible, withSpaces } from './visible.ts';
import { blames, contractsInWords, effectsInWords, explanationInWords, stageInWords, worstInWords } from './words.ts';

export interface TextOptions {
  readonly statements: Statements;
  readonly colour: boolean;
  /** Columns of the terminal; what is under 40 counts as 40. */
  readonly width: number;
  /** Files that the run has written, or their folder; named at the end. */
  readonly files?: readonly string[];
}

/** Longest value on the terminal; the files have it whole. */
const valueLimit = 400;

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
  const page: Page = { ...options, width: Math.max(options.width, 40), paint: painter(options.colour) };
  const sections = [
    heading(result, page),
    table(result, page),
    detailed('Faults of the suite', 'error', result, page),
    detailed('Failures', 'fail', result, page),
    inconclusive(result, page),
    contracts(result.contracts, page),
    remarks(result, page),
    notes(result, page),
    closing(result, page),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

interface Page extends TextOptions {
  readonly paint: Paint;
}

function heading(result: Result, page: Page): string[] {
  const conclusion = page.paint(inkOfConclusion[result.conclusion], page.paint('bold', result.conclusion));
  const { subject } = result;
  const name = [subject.name, subject.version, subject.language && `(${subject.language})`].filter(Boolean).join(' ');
  const lines = [
    `Conclusion: ${conclusion}${page.paint('dim', ` - ${inWords(result)}`)}`,
    ...facts('', `${subject.kind} ${name} at ${subject.target}, profile ${result.profile}, seed ${result.seed}`, page),
  ];
  if (result.conclusion === 'partial' && exitCode(result) === 0) {
    lines.push(...facts('', 'Accepted as partial: what is missing was left out by configuration', page));
  }
  if (result.conclusion === 'aborted') lines.splice(1, 0, ...facts('', abortedSentence(result), page));
  if (result.scope)
    lines.push(...facts('', `Narrowed to ${result.scope.only.join(' ')}: no certificate comes from it`, page));
  return lines;
}

function inWords(result: Result): string {
  const counts = countOutcomes(result.results);
  const gaps = result.results.filter((row) => leavesGap(row, result.profile)).length;
  const parts = [`${counts.pass} passed`];
  if (counts.fail > 0) parts.unshift(`${counts.fail} failed`);
  if (counts.error > 0) parts.unshift(`${faults(counts.error)} of the suite`);
  if (gaps > 0) parts.push(`${gaps} that bind${gaps === 1 ? 's' : ''} could not be determined`);
  if (result.contracts?.some(({ outcome }) => outcome !== 'pass')) parts.push(contractsInWords(result.contracts));
  return parts.join(', ');
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

function detailed(title: string, outcome: 'fail' | 'error', result: Result, page: Page): string[] {
  const rows = result.results.filter((row) => row.outcome === outcome);
  if (rows.length === 0) return [];
  return [section(title, rows.length, page), ...rows.flatMap((row) => ['', ...detail(row, page)])];
}

function detail(row: ResultRow, page: Page): string[] {
  const text = page.statements(row.id);
  const hint = row.hint ?? text?.hint;
  const kind = `${row.kind}, ${row.dimension}, section ${row.section}, by ${row.basis}`;
  return [
    `${signed(row, page)}  ${page.paint('dim', visible(kind))}`,
    ...facts('', text?.statement, page),
    ...facts('expected', row.expected, page),
    ...facts('came', row.actual && withSpaces(row.actual), page),
    ...facts('reason', row.reason, page),
    ...facts('remark', row.remark, page),
    ...facts('step', row.firstStage && stageInWords(row.firstStage), page),
    ...(row.explanations ?? []).flatMap((one) => facts('why', explanationInWords(one), page)),
    ...facts('hint', hint, page),
    ...facts('exchanges', rangesText(row.exchanges) || undefined, page),
    ...(row.repeat === undefined ? [] : [command('  ', 'repeat', 11, row.repeat)]),
  ];
}

function inconclusive(result: Result, page: Page): string[] {
  const rows = result.results.filter((row) => row.outcome === 'inconclusive');
  if (rows.length === 0) return [];
  // One cause leaves many rows undetermined: it is told once, below all of them.
  const causeOf = (row: ResultRow) => JSON.stringify([row.reason, row.actual]);
  const groups = [...new Set(rows.map(causeOf))].map((cause) => rows.filter((row) => causeOf(row) === cause));
  return [
    section('Inconclusive', rows.length, page),
    ...groups.flatMap((alike) => {
      const [{ reason, actual }] = alike as [ResultRow, ...ResultRow[]];
      const all = alike.length === 1 ? '' : `all ${alike.length}: `;
      return [
        ...alike.map(
          (row) =>
            `${signed(row, page)}  ${page.paint('dim', `${row.kind}${row.blame ? `, ${blames[row.blame]}` : ''}`)}`,
        ),
        ...facts('', `${all}${reason ?? actual ?? 'no reason was given'}`, page),
        ...(reason !== undefined ? facts('came', actual, page) : []),
      ];
    }),
  ];
}

/** The interactions that do not hold, or of which that is not known. */
function contracts(all: readonly ContractRow[] = [], page: Page): string[] {
  const rows = all.filter(({ outcome }) => outcome !== 'pass');
  if (rows.length === 0) return [];
  return [
    section('Pact contracts', rows.length, page),
    ...rows.flatMap(({ outcome, interaction, state, pact, mismatches }) => [
      `${page.paint(signs[outcome].ink, signs[outcome].sign)} ${page.paint('bold', visible(interaction))}`,
      ...facts('', `${outcome} in state "${state}" of ${pact}`, page),
      ...mismatches.flatMap((mismatch) => facts('', mismatch, page)),
    ]),
  ];
}

function remarks(result: Result, page: Page): string[] {
  // A failure shows its remark with its details.
  const rows = result.results.filter(
    (row) => row.remark !== undefined && row.outcome !== 'fail' && row.outcome !== 'error',
  );
  if (rows.length === 0) return [];
  return [
    section('Remarks', rows.length, page),
    ...rows.flatMap((row) => [signed(row, page), ...facts('', row.remark, page)]),
  ];
}

function notes({ notes: sentences = [] }: Result, page: Page): string[] {
  if (sentences.length === 0) return [];
  return [section('Notes', sentences.length, page), ...sentences.flatMap((sentence) => facts('', sentence, page))];
}

function closing(result: Result, page: Page): string[] {
  const layout = { indent: 0, labelWidth: 15, width: page.width };
  const notApplicable = result.results.filter((row) => row.outcome === 'not-applicable');
  const neverSeen = notApplicable.filter((row) => row.reason === 'condition never observed').length;
  const lines: (readonly [string, string | undefined])[] = [
    [
      'not applicable',
      notApplicable.length > 0
        ? `${notApplicable.length}, of these ${neverSeen} for want of their condition`
        : undefined,
    ],
    ['contracts', result.contracts && contractsInWords(result.contracts)],
    ['edges', edgesInWords(result)],
    ['observed', `${result.observations.length} answers to open points, never judged`],
    [
      'effects',
      // A local gateway closes no day and charges nobody.
      result.subject.kind === 'client' ? undefined : effectsInWords(result),
    ],
    ['at worst', worstInWords(result)],
    ['traffic', `${result.exchangeCount} exchanges in ${(result.durationMs / 1000).toFixed(1)} s`],
    ['files', page.files && page.files.length > 0 ? page.files.join(', ') : undefined],
  ];
  const told = lines.flatMap(([label, text]) =>
    text === undefined ? [] : field(label, visible(text), layout).map((line) => line.trimEnd()),
  );
  return [...told, command('', 'repeat', layout.labelWidth, result.reproduce)];
}

function edgesInWords({ edges = [] }: Result): string | undefined {
  if (edges.length === 0) return undefined;
  const generators = new Set(edges.map(({ generator }) => generator)).size;
  const cases = edges.reduce((total, one) => total + one.cases, 0);
  return `${edges.length} named values of ${generators} generators, in ${cases} cases`;
}

/** A command to copy stays on one line, however long: a break inside it would be copied along. */
function command(margin: string, label: string, labelWidth: number, text: string): string {
  return `${margin}${label.padEnd(labelWidth)}${visible(text)}`;
}

function signed(row: ResultRow, page: Page): string {
  const { sign, ink } = signs[row.outcome];
  return `${page.paint(ink, sign)} ${page.paint('bold', visible(row.id))}`;
}

function section(title: string, count: number, page: Page): string {
  return page.paint('bold', `${title} (${count})`);
}

/** A value under its row; nothing where there is none. */
function facts(label: string, text: string | undefined, page: Page): string[] {
  if (text === undefined) return [];
  const layout = { indent: 2, labelWidth: label === '' ? 0 : 11, width: page.width };
  return field(label, visible(shortened(text, valueLimit)), layout).map((line) => line.trimEnd());
}

function faults(count: number): string {
  return count === 1 ? '1 fault' : `${count} faults`;
}
