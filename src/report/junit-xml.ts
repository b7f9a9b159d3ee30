/** The elements of JUnit's XML. Everything that was received or quoted is escaped here. */
import { shortened, visible } from './visible.ts';

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
