/**
 * junit.xml: one test suite for each dimension and one for the Pact contracts, one test case for each row. The file keeps to what
 * both the Surefire schema and the Jenkins xUnit schema (junit-10.xsd) allow; that is why nothing is in properties of a test case.
 * Everything that was received or quoted is escaped.
 */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import type { Case } from '../record/case.ts';
import {
  exercisedInWords,
  exitCode,
  failsOnHazard,
  fatalCause,
  leavesGap,
  type WeighedRow,
} from '../record/result/conclude.ts';
import type { ContractRow, Hazard, Result, ResultRow } from '../record/result/result.ts';
import { failsAnew } from '../record/result/score.ts';
import { causesInWords, namedCauses } from './cause-groups.ts';
import { baselineProblems, whyKnown } from './counting.ts';
import { shortened, visible, withSpaces } from './visible.ts';
import {
  atRiskInWords,
  conclusionInASentence,
  differenceInWords,
  hintOf,
  nameOfHazard,
  restedOnMs,
  runInWords,
  type Statements,
} from './words.ts';

/** The text of junit.xml. It shows red exactly where the exit code is not 0. */
export function junitReport(
  result: Result,
  { statements, cases }: { readonly statements: Statements; readonly cases?: readonly Case[] },
): string {
  const causes = causesInWords(result);
  const judged: TestSuite[] = dimensions.map((dimension) => {
    const rows = result.results.filter((row) => row.dimension === dimension);
    return {
      name: dimension,
      cases: rows.map((row) => ({
        ...testCase(row, causes.get(row.id), result, statements),
        durationMs: restedOnMs(row, cases),
      })),
      durationMs: restedOnMs({ exchanges: [...new Set(rows.flatMap(({ exchanges }) => exchanges))] }, cases),
    };
  });
  const suites = [
    ...judged,
    { name: 'pact', cases: (result.contracts ?? []).map((row) => contractCase(row, result)) },
    { name: 'hazards', cases: (result.hazards ?? []).map((hazard) => hazardCase(hazard, result)) },
    { name: 'baseline', cases: baselineProblems(result).map(problemCase) },
  ].filter((suite) => suite.cases.length > 0);
  const all = [run(result, suites), ...suites];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="countersign" ${totals(all)} time="${(result.durationMs / 1000).toFixed(3)}">`,
    ...all.flatMap(printSuite),
    '</testsuites>',
    '',
  ].join('\n');
}

/**
 * The run itself, first in the file: how to repeat it, and one test case that carries the conclusion where no row could
 * (aborted before any verdict, or nothing judged), or where the target did not survive a request. Without it a run that never got going would be an empty green file.
 */
function run(result: Result, suites: readonly TestSuite[]): TestSuite {
  const isGone = fatalCause(result) !== undefined;
  const isNeeded = exitCode(result) !== 0 && (isGone || !suites.some((suite) => suite.cases.some(isRed)));
  const message = conclusionInASentence(result, 'nothing was judged');
  const conclusion: TestCase = {
    name: 'conclusion',
    className: 'countersign.run',
    verdict: isNeeded ? 'error' : 'passed',
    type: result.conclusion,
    message,
    body: [
      ['reason', message],
      ['repeat', result.reproduce],
    ],
  };
  const { subject, scope, labels = {} } = result;
  const { effects, worst, unnoticed } = runInWords(result);
  const properties: (readonly [string, string | undefined])[] = [
    ...(result.hazards ?? []).map((one) => [nameOfHazard(one, result), one.sentence] as const),
    ['conclusion', result.conclusion],
    ['exercised', exercisedInWords(result.exercised)],
    ['subject', `${subject.name} (${subject.kind})`],
    ['target', subject.target],
    ['profile', result.profile],
    ['set', result.set],
    ['shard', scope?.shard && `${scope.shard.index} of ${scope.shard.of}`],
    ['seed', result.seed],
    ['startedAt', result.startedAt],
    ['reproduce', result.reproduce],
    ...Object.entries(labels).map(([name, value]) => [`label.${name}`, value] as const),
    ['effects', effects],
    ['effectsAtWorst', worst],
    ['notRuledOut', unnoticed],
  ];
  const known = properties.filter((one): one is [string, string] => one[1] !== undefined);
  return { name: 'run', properties: known, cases: [conclusion] };
}

/** A CI server groups by message: what has one cause has one message. */
function testCase(row: ResultRow, cause: string | undefined, result: Result, statements: Statements): TestCase {
  const text = statements(row.id);
  const what = row.outcome === 'fail' ? differenceInWords(row) : (cause ?? row.reason ?? row.actual ?? row.outcome);
  return {
    name: row.id,
    className: `countersign.${row.operation}.${row.dimension}`,
    verdict: verdictOf(row, result),
    type: row.outcome,
    message: `${standing(row)}${row.outcome}: ${what}`,
    body: [
      ['requirement', text?.statement],
      ['kind', `${row.kind}, section ${row.section}, by ${row.basis}`],
      ['expected', row.expected],
      ['received', row.actual && withSpaces(row.actual)],
      ['reason', row.reason],
      ['cause', cause ?? (namedCauses(result, row.id).join('. ') || undefined)],
      ['blame', row.blame],
      ['hint', hintOf(row, text)],
      ['remark', row.remark],
      ['known', row.known && whyKnown(row.known)],
      ['exchanges', row.exchanges.join(', ') || undefined],
      ['repeat', row.repeat],
    ],
  };
}

function contractCase(row: ContractRow, result: Result): TestCase {
  return {
    name: row.interaction,
    className: 'countersign.pact',
    verdict: verdictOf({ ...row, kind: 'required' }, result),
    type: row.outcome,
    message: `${standing(row)}${row.outcome}: ${row.mismatches.join('; ')}`,
    body: [['pact', row.pact], ['state', row.state], ...row.mismatches.map((text) => ['received', text] as const)],
  };
}

/** One that fails no run is skipped: it is not harmless, and turns no build red. */
function hazardCase(hazard: Hazard, result: Result): TestCase {
  const { operation, sentence, atRisk, hint, exchanges, known } = hazard;
  return {
    name: nameOfHazard(hazard, result),
    className: `countersign.hazards.${operation}`,
    verdict: known === undefined && failsOnHazard(result) ? 'failure' : 'skipped',
    type: 'hazard',
    message: `${known === undefined ? '' : `known (${whyKnown(known)}): `}hazard: ${sentence}`,
    body: [
      ['hazard', sentence],
      ['at risk', atRiskInWords(atRisk)],
      ['hint', hint],
      ['exchanges', exchanges.join(', ')],
    ],
  };
}

/** An entry of the baseline that no longer holds is a finding. */
function problemCase({ id, sentence, lines }: ReturnType<typeof baselineProblems>[number]): TestCase {
  return {
    name: id,
    className: 'countersign.baseline',
    verdict: 'failure',
    type: 'baseline',
    message: sentence,
    body: [['baseline', sentence], ...lines.map((text) => ['write', text] as const)],
  };
}

/** Why a failure is not counted as one. */
function standing({ outcome, known, notScored }: Pick<ResultRow, 'outcome' | 'known' | 'notScored'>): string {
  if (notScored === true && outcome !== 'pass') return 'not scored: ';
  return known === undefined ? '' : `known (${whyKnown(known)}): `;
}

/**
 * CI servers show a skipped test as harmless, and a row that had to be decided and was not is anything but: it is what
 * makes the run `partial`. JUnit's `error` means that the test could not be carried out, which is the truth about it. A
 * gap that leaves the conclusion alone is `skipped`, and so is one that the run accepts, and a failure that is known or does
 * not count.
 */
function verdictOf(row: WeighedRow & Pick<ResultRow, 'known'>, result: Result): JUnitVerdict {
  switch (row.outcome) {
    case 'pass':
      return 'passed';
    case 'fail':
      return failsAnew(row) ? 'failure' : 'skipped';
    case 'error':
      return 'error';
    case 'inconclusive':
    case 'not-applicable':
      return leavesGap(row, result.profile) && exitCode(result) !== 0 ? 'error' : 'skipped';
    default:
      row.outcome satisfies never;
      return 'error';
  }
}

/** How a CI server is to count a row. */
type JUnitVerdict = 'failure' | 'error' | 'skipped' | 'passed';

interface TestCase {
  readonly name: string;
  readonly className: string;
  readonly verdict: JUnitVerdict;
  /** The kind of failure or error, as a word that a CI server can group by. */
  readonly type: string;
  readonly message: string;
  /** Labels and values; one without a value is left out. */
  readonly body: readonly (readonly [label: string, value: string | undefined])[];
  /** Milliseconds of the exchanges that the verdict rests on. */
  readonly durationMs?: number;
}

interface TestSuite {
  readonly name: string;
  readonly properties?: readonly (readonly [string, string])[];
  readonly cases: readonly TestCase[];
  /** Milliseconds of all exchanges that its cases rest on, each once. */
  readonly durationMs?: number;
}

function isRed(test: TestCase): boolean {
  return test.verdict === 'failure' || test.verdict === 'error';
}

function printSuite(suite: TestSuite): string[] {
  const { name, properties = [], cases, durationMs } = suite;
  const shown = properties.map(
    ([property, value]) => `      <property name="${attribute(property)}" value="${attribute(value)}"/>`,
  );
  return [
    `  <testsuite name="${attribute(name)}" ${totals([suite])} skipped="${count([suite], 'skipped')}" time="${inSeconds(durationMs)}">`,
    ...(shown.length === 0 ? [] : ['    <properties>', ...shown, '    </properties>']),
    ...cases.flatMap(printCase),
    '  </testsuite>',
  ];
}

function printCase(test: TestCase): string[] {
  const opening = `    <testcase name="${attribute(test.name)}" classname="${attribute(test.className)}" time="${inSeconds(test.durationMs)}"`;
  const inside = insideOf(test);
  return inside === undefined ? [`${opening}/>`] : [`${opening}>`, `      ${inside}`, '    </testcase>'];
}

/** The body of a pass is worth keeping only for its remark; a CI server shows it as output of the test. */
function insideOf({ verdict, type, message, body }: TestCase): string | undefined {
  // Line ends inside a value are written out, so that no value can pose as a line of ours.
  const lines = body.flatMap(([label, value]) => (value === undefined ? [] : [`${label}: ${shown(value)}`]));
  const text = escapeXml(lines.join('\n'));
  if (verdict === 'passed') {
    return lines.slice(1).some((line) => line.startsWith('remark: ')) ? `<system-out>${text}</system-out>` : undefined;
  }
  const kind = verdict === 'skipped' ? '' : ` type="${attribute(type)}"`;
  return `<${verdict}${kind} message="${attribute(message)}">${text}</${verdict}>`;
}

/** Seconds with milliseconds, as JUnit has it. */
function inSeconds(milliseconds = 0): string {
  return milliseconds === 0 ? '0' : (milliseconds / 1000).toFixed(3);
}

function totals(suites: readonly TestSuite[]): string {
  const tests = suites.flatMap(({ cases }) => cases).length;
  return `tests="${tests}" failures="${count(suites, 'failure')}" errors="${count(suites, 'error')}"`;
}

function count(suites: readonly TestSuite[], verdict: JUnitVerdict): number {
  return suites.flatMap(({ cases }) => cases).filter((test) => test.verdict === verdict).length;
}

/** Text between quotes. */
function attribute(text: string): string {
  return escapeXml(shown(text));
}

/** CI servers keep every file of every run: no value is longer than 8,000 characters. */
function shown(text: string): string {
  return visible(shortened(text, 8_000));
}

/** XML 1.0 section 2.4; what section 2.2 forbids altogether `visible` has replaced already. */
function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
