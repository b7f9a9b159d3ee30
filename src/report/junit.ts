/**
 * junit.xml: one test suite for each dimension and one for the Pact contracts, one test case for each row. The file keeps to what both the Surefire
 * schema and the Jenkins xUnit schema (junit-10.xsd) allow; that is why nothing is in properties of a test case.
 */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { exitCode, leavesGap } from '../result/conclude.ts';
import type { ContractRow, Result, ResultRow } from '../result/result.ts';
import { abortedSentence } from './aborted.ts';
import type { Statements } from './statements.ts';
import { shortened, visible, withSpaces } from './visible.ts';
import { effectsInWords, hintOf, worstInWords } from './words.ts';

/** Longest value in an attribute or a body; CI servers keep every file of every run. */
const valueLimit = 8_000;

/** How a CI server is to count a row. */
type Verdict = 'failure' | 'error' | 'skipped' | 'passed';

interface TestCase {
  readonly name: string;
  readonly className: string;
  readonly verdict: Verdict;
  /** The kind of failure or error, as a word that a CI server can group by. */
  readonly type: string;
  readonly message: string;
  /** Lines made by `line`, ready but for the escaping of XML. */
  readonly body: string;
}

interface TestSuite {
  readonly name: string;
  readonly properties: readonly (readonly [string, string])[];
  readonly cases: readonly TestCase[];
}

/** The text of junit.xml. It shows red exactly where the exit code is not 0. */
export function junitReport(result: Result, { statements }: { readonly statements: Statements }): string {
  const seconds = (result.durationMs / 1000).toFixed(3);
  const suites: TestSuite[] = [
    ...dimensions.map((dimension) => ({
      name: dimension,
      properties: [],
      cases: result.results
        .filter((row) => row.dimension === dimension)
        .map((row) => testCase(row, result, statements)),
    })),
    { name: 'pact', properties: [], cases: (result.contracts ?? []).map(contractCase) },
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
    result.conclusion === 'aborted' ? abortedSentence(result) : `The run is ${result.conclusion}: nothing was judged.`;
  const conclusion: TestCase = {
    name: 'conclusion',
    className: 'countersign.run',
    verdict: needed ? 'error' : 'passed',
    type: result.conclusion,
    message,
    body: [line('reason', message), line('repeat', result.reproduce)].join('\n'),
  };
  const worst = worstInWords(result);
  const properties: (readonly [string, string])[] = [
    ['conclusion', result.conclusion],
    ['subject', `${result.subject.name} (${result.subject.kind})`],
    ['target', result.subject.target],
    ['profile', result.profile],
    ['seed', result.seed],
    ['startedAt', result.startedAt],
    ['reproduce', result.reproduce],
    ...(result.subject.kind === 'client' ? [] : [['effects', effectsInWords(result)] as const]),
    ...(worst === undefined ? [] : [['effectsAtWorst', worst] as const]),
  ];
  return { name: 'run', properties, cases: [conclusion] };
}

function testCase(row: ResultRow, result: Result, statements: Statements): TestCase {
  const statement = statements(row.id)?.statement;
  const verdict = verdictOf(row, result);
  const what = row.outcome === 'fail' ? difference(row) : (row.reason ?? row.actual ?? row.outcome);
  return {
    name: row.id,
    className: `countersign.${row.operation}.${row.dimension}`,
    verdict,
    type: row.outcome,
    message: `${row.outcome}: ${what}`,
    body: [
      ['requirement', statement],
      ['kind', `${row.kind}, section ${row.section}, by ${row.basis}`],
      ['expected', row.expected],
      ['received', row.actual && withSpaces(row.actual)],
      ['reason', row.reason],
      ['blame', row.blame],
      ['hint', hintOf(row, statements(row.id))],
      ['remark', row.remark],
      ['exchanges', row.exchanges.join(', ') || undefined],
      ['repeat', row.repeat],
    ]
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([label, value]) => line(label, value))
      .join('\n'),
  };
}

function contractCase(row: ContractRow): TestCase {
  return {
    name: row.interaction,
    className: 'countersign.pact',
    verdict: row.outcome === 'pass' ? 'passed' : row.outcome === 'fail' ? 'failure' : 'error',
    type: row.outcome,
    message: `${row.outcome}: ${row.mismatches.join('; ')}`,
    body: [
      line('pact', row.pact),
      line('state', row.state),
      ...row.mismatches.map((text) => line('received', text)),
    ].join('\n'),
  };
}

/**
 * CI servers show a skipped test as harmless, and a row that had to be decided and was not is anything but: it is what
 * makes the run `partial`. JUnit's `error` means that the test could not be carried out, which is the truth about it. A
 * gap that leaves the conclusion alone is `skipped`, and so is one that the run accepts.
 */
function verdictOf(row: ResultRow, result: Result): Verdict {
  switch (row.outcome) {
    case 'pass':
      return 'passed';
    case 'fail':
      return 'failure';
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

function isRed(test: TestCase): boolean {
  return test.verdict === 'failure' || test.verdict === 'error';
}

function printSuite(suite: TestSuite): string[] {
  return [
    `  <testsuite name="${attribute(suite.name)}" ${totals([suite])} skipped="${count([suite], 'skipped')}" time="0">`,
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
  const opening = `    <testcase name="${attribute(test.name)}" classname="${attribute(test.className)}" time="0"`;
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

function totals(suites: readonly TestSuite[]): string {
  const tests = suites.reduce((sum, suite) => sum + suite.cases.length, 0);
  return `tests="${tests}" failures="${count(suites, 'failure')}" errors="${count(suites, 'error')}"`;
}

function count(suites: readonly TestSuite[], verdict: Verdict): number {
  return suites.reduce((sum, suite) => sum + suite.cases.filter((test) => test.verdict === verdict).length, 0);
}

/** Text between quotes. */
function attribute(text: string): string {
  return escapeXml(visible(shortened(text, valueLimit)));
}

/** One line of a body. Line ends inside the value are written out, so that no value can pose as a line of ours. */
function line(label: string, value: string): string {
  return `${label}: ${visible(shortened(value, valueLimit))}`;
}

/** XML 1.0 section 2.4; what section 2.2 forbids altogether `visible` has replaced already. */
function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
