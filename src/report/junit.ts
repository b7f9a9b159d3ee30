/**
 * junit.xml: one test suite for each dimension and one for the Pact contracts, one test case for each row. The file keeps to what
 * both the Surefire schema and the Jenkins xUnit schema (junit-10.xsd) allow; that is why nothing is in properties of a test case.
 * Everything that was received or quoted is escaped.
 */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import type { Case } from '../record/case.ts';
import { exercisedInWords, exitCode, failsOnHazard, leavesGap, type WeighedRow } from '../record/result/conclude.ts';
import type { ContractRow, Hazard, Result, ResultRow } from '../record/result/result.ts';
import { failsAnew } from '../record/result/score.ts';
import { causesInWords, signatureCauses } from './cause-groups.ts';
import { baselineProblems, whyKnown } from './counting.ts';
import { shortened, visible, withSpaces } from './visible.ts';
import {
  abortedSentence,
  atRiskInWords,
  effectsInWords,
  hintOf,
  nameOfHazard,
  narrowedInWords,
  restedOnMs,
  type Statements,
  unnoticedInWords,
  worstInWords,
} from './words.ts';

/** The text of junit.xml. It shows red exactly where the exit code is not 0. */
export function junitReport(
  result: Result,
  { statements, cases }: { readonly statements: Statements; readonly cases?: readonly Case[] },
): string {
  const seconds = (result.durationMs / 1000).toFixed(3);
  const causes = causesInWords(result);
  const suites: TestSuite[] = [
    ...dimensions.map((dimension) => ({
      name: dimension,
      properties: [],
      cases: result.results
        .filter((row) => row.dimension === dimension)
        .map((row) => ({
          ...testCase(row, causes.get(row.id), result, statements),
          durationMs: restedOnMs(row, cases),
        })),
      durationMs: restedOnMs(
        {
          exchanges: [...new Set(result.results.flatMap((row) => (row.dimension === dimension ? row.exchanges : [])))],
        },
        cases,
      ),
    })),
    { name: 'pact', properties: [], cases: (result.contracts ?? []).map((row) => contractCase(row, result)) },
    { name: 'hazards', properties: [], cases: (result.hazards ?? []).map((hazard) => hazardCase(hazard, result)) },
    { name: 'baseline', properties: [], cases: baselineProblems(result).map(problemCase) },
  ].filter((suite) => suite.cases.length > 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="countersign" ${totals([...suites, run(result, suites)])} time="${seconds}">`,
    ...[run(result, suites), ...suites].flatMap((suite) => printSuite(suite)),
    '</testsuites>',
    '',
  ].join('\n');
}

/**
 * The run itself, first in the file: how to repeat it, and one test case that carries the conclusion where no row could
 * (aborted before any verdict, or nothing judged). Without it a run that never got going would be an empty green file.
 */
function run(result: Result, suites: readonly TestSuite[]): TestSuite {
  const red = suites.some((suite) => suite.cases.some(isRed));
  const needed = exitCode(result) !== 0 && !red;
  const message =
    result.conclusion === 'aborted'
      ? abortedSentence(result)
      : result.scope?.shard === undefined
        ? `The run is ${result.conclusion}: nothing was judged.`
        : `${narrowedInWords(result)}.`;
  const conclusion: TestCase = {
    name: 'conclusion',
    className: 'countersign.run',
    verdict: needed ? 'error' : 'passed',
    type: result.conclusion,
    message,
    body: [line('reason', message), line('repeat', result.reproduce)].join('\n'),
  };
  const worst = worstInWords(result);
  const exercised = exercisedInWords(result.exercised);
  const properties: (readonly [string, string])[] = [
    ...(result.hazards ?? []).map((one) => [nameOfHazard(one, result), one.sentence] as const),
    ['conclusion', result.conclusion],
    ...(exercised === undefined ? [] : [['exercised', exercised] as const]),
    ['subject', `${result.subject.name} (${result.subject.kind})`],
    ['target', result.subject.target],
    ['profile', result.profile],
    ...(result.set === undefined ? [] : [['set', result.set] as const]),
    ...(result.scope?.shard === undefined
      ? []
      : [['shard', `${result.scope.shard.index} of ${result.scope.shard.of}`] as const]),
    ['seed', result.seed],
    ['startedAt', result.startedAt],
    ['reproduce', result.reproduce],
    ...Object.entries(result.labels ?? {}).map(([name, value]) => [`label.${name}`, value] as const),
    ...(result.subject.kind === 'client' ? [] : [['effects', effectsInWords(result)] as const]),
    ...(worst === undefined ? [] : [['effectsAtWorst', worst] as const]),
    ...(result.unnoticed === undefined ? [] : [['notRuledOut', unnoticedInWords(result.unnoticed)] as const]),
  ];
  return { name: 'run', properties, cases: [conclusion] };
}

/** A CI server groups by message: what has one cause has one message. */
function testCase(row: ResultRow, cause: string | undefined, result: Result, statements: Statements): TestCase {
  const statement = statements(row.id)?.statement;
  const verdict = verdictOf(row, result);
  const what = row.outcome === 'fail' ? difference(row) : (cause ?? row.reason ?? row.actual ?? row.outcome);
  return {
    name: row.id,
    className: `countersign.${row.operation}.${row.dimension}`,
    verdict,
    type: row.outcome,
    message: `${standing(row)}${row.outcome}: ${what}`,
    body: [
      ['requirement', statement],
      ['kind', `${row.kind}, section ${row.section}, by ${row.basis}`],
      ['expected', row.expected],
      ['received', row.actual && withSpaces(row.actual)],
      ['reason', row.reason],
      ['cause', cause ?? (signatureCauses(result, row.id).join('. ') || undefined)],
      ['blame', row.blame],
      ['hint', hintOf(row, statements(row.id))],
      ['remark', row.remark],
      ['known', row.known && whyKnown(row.known)],
      ['exchanges', row.exchanges.join(', ') || undefined],
      ['repeat', row.repeat],
    ]
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([label, value]) => line(label, value))
      .join('\n'),
  };
}

function contractCase(row: ContractRow, result: Result): TestCase {
  return {
    name: row.interaction,
    className: 'countersign.pact',
    verdict: verdictOf({ ...row, kind: 'required' }, result),
    type: row.outcome,
    message: `${standing(row)}${row.outcome}: ${row.mismatches.join('; ')}`,
    body: [
      line('pact', row.pact),
      line('state', row.state),
      ...row.mismatches.map((text) => line('received', text)),
    ].join('\n'),
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
      line('hazard', sentence),
      line('at risk', atRiskInWords(atRisk)),
      line('hint', hint),
      line('exchanges', exchanges.join(', ')),
    ].join('\n'),
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
    body: [line('baseline', sentence), ...lines.map((text) => line('write', text))].join('\n'),
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

function difference(row: ResultRow): string {
  return `expected ${row.expected ?? 'what the requirement says'}, received ${withSpaces(row.actual ?? 'something else')}`;
}

/** Longest value in an attribute or a body; CI servers keep every file of every run. */
const valueLimit = 8_000;

/** How a CI server is to count a row. */
export type JUnitVerdict = 'failure' | 'error' | 'skipped' | 'passed';

export interface TestCase {
  readonly name: string;
  readonly className: string;
  readonly verdict: JUnitVerdict;
  /** The kind of failure or error, as a word that a CI server can group by. */
  readonly type: string;
  readonly message: string;
  /** Lines made by `line`, ready but for the escaping of XML. */
  readonly body: string;
  /** Milliseconds of the exchanges that the verdict rests on. */
  readonly durationMs?: number;
}

export interface TestSuite {
  readonly name: string;
  readonly properties: readonly (readonly [string, string])[];
  readonly cases: readonly TestCase[];
  /** Milliseconds of all exchanges that its cases rest on, each once; without it the sum of the cases. */
  readonly durationMs?: number;
}

export function isRed(test: TestCase): boolean {
  return test.verdict === 'failure' || test.verdict === 'error';
}

export function printSuite(suite: TestSuite): string[] {
  return [
    `  <testsuite name="${attribute(suite.name)}" ${totals([suite])} skipped="${count([suite], 'skipped')}" time="${suite.durationMs === undefined ? timeOfAll(suite) : inSeconds(suite.durationMs)}">`,
    ...(suite.properties.length > 0
      ? [
          '    <properties>',
          ...suite.properties.map(
            ([name, value]) => `      <property name="${attribute(name)}" value="${attribute(value)}"/>`,
          ),
          '    </properties>',
        ]
      : []),
    ...suite.cases.flatMap(printCase),
    '  </testsuite>',
  ];
}

function printCase(test: TestCase): string[] {
  const opening = `    <testcase name="${attribute(test.name)}" classname="${attribute(test.className)}" time="${inSeconds(test.durationMs)}"`;
  const message = attribute(test.message);
  switch (test.verdict) {
    case 'passed':
      // The body of a pass is worth keeping only for its remark; a CI server shows it as output of the test.
      return test.body.includes('\nremark: ')
        ? [`${opening}>`, `      <system-out>${escapeXml(test.body)}</system-out>`, '    </testcase>']
        : [`${opening}/>`];
    case 'skipped':
      return [
        `${opening}>`,
        `      <skipped message="${message}">${escapeXml(test.body)}</skipped>`,
        '    </testcase>',
      ];
    case 'failure':
    case 'error':
      return [
        `${opening}>`,
        `      <${test.verdict} type="${attribute(test.type)}" message="${message}">${escapeXml(test.body)}</${test.verdict}>`,
        '    </testcase>',
      ];
    default:
      test.verdict satisfies never;
      return [];
  }
}

function timeOfAll({ cases }: TestSuite): string {
  return inSeconds(cases.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0));
}

/** Seconds with milliseconds, as JUnit has it. */
function inSeconds(milliseconds = 0): string {
  return milliseconds === 0 ? '0' : (milliseconds / 1000).toFixed(3);
}

export function totals(suites: readonly TestSuite[]): string {
  const tests = suites.reduce((sum, suite) => sum + suite.cases.length, 0);
  return `tests="${tests}" failures="${count(suites, 'failure')}" errors="${count(suites, 'error')}"`;
}

function count(suites: readonly TestSuite[], verdict: JUnitVerdict): number {
  return suites.reduce((sum, suite) => sum + suite.cases.filter((test) => test.verdict === verdict).length, 0);
}

/** Text between quotes. */
function attribute(text: string): string {
  return escapeXml(visible(shortened(text, valueLimit)));
}

/** One line of a body. Line ends inside the value are written out, so that no value can pose as a line of ours. */
export function line(label: string, value: string): string {
  return `${label}: ${visible(shortened(value, valueLimit))}`;
}

/** XML 1.0 section 2.4; what section 2.2 forbids altogether `visible` has replaced already. */
function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
