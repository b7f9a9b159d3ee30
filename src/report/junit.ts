/**
 * Prints junit.xml: a test suite for each dimension and for the Pact contracts, a test case for each requirement. Surefire and
 * Jenkins xUnit (junit-10.xsd) allow no properties in test cases.
 */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { formatExercised } from '../record/result/conclude.ts';
import type { Hazard, KnownFailure, Result } from '../record/result/result.ts';
import { knownFailureReason } from './counting.ts';
import { conclusionTest, type RunTest, type Sources, type TestVerdict, testsOf } from './run-tests.ts';
import { shortened, visible, withSpaces } from './visible.ts';
import { durationOf, formatAtRisk, formatRun, nameOfHazard } from './words.ts';

/** How a CI server counts a test. A gap is an `error`, because the test could not be carried out: `skipped` would look harmless. */
const elementOf: Readonly<Record<TestVerdict, 'passed' | 'failure' | 'error' | 'skipped'>> = {
  passed: 'passed',
  failed: 'failure',
  fault: 'error',
  tolerated: 'skipped',
  gap: 'error',
  open: 'skipped',
  skipped: 'skipped',
};

interface TestSuite {
  readonly name: string;
  readonly properties?: readonly (readonly [string, string])[];
  readonly tests: readonly RunTest[];
  /** Milliseconds of all exchanges of the test suite. Each exchange counts once. */
  readonly durationMs?: number;
}

/** The text of junit.xml. A test fails if, and only if, the exit code is not 0. */
export function junitReport(result: Result, sources: Sources): string {
  const tests = testsOf(result, sources);
  const suites = [...dimensions, 'pact', 'hazards', 'baseline'].flatMap((name): TestSuite[] => {
    const own = tests.filter(({ suite }) => suite === name);
    const exchanges = result.results.flatMap((row) => (row.dimension === name ? row.exchanges : []));
    const durationMs = durationOf([...new Set(exchanges)], sources.cases);
    return own.length === 0 ? [] : [{ name, tests: own, durationMs }];
  });
  const isRed = tests.some(({ verdict }) => ['failure', 'error'].includes(elementOf[verdict]));
  const conclusion = conclusionTest(result, isRed, 'nothing was judged');
  const all = [{ name: 'run', properties: propertiesOf(result), tests: [conclusion] }, ...suites];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="countersign" ${totals(all)} time="${(result.durationMs / 1000).toFixed(3)}">`,
    ...all.flatMap(printSuite),
    '</testsuites>',
    '',
  ].join('\n');
}

function propertiesOf(result: Result): (readonly [string, string])[] {
  const { subject, scope, labels = {} } = result;
  const { effects, worst, unnoticed } = formatRun(result);
  const properties: (readonly [string, string | undefined])[] = [
    ...(result.hazards ?? []).map((one) => [nameOfHazard(one, result), one.sentence] as const),
    ['conclusion', result.conclusion],
    ['exercised', formatExercised(result.exercised)],
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
  return properties.filter((one): one is [string, string] => one[1] !== undefined);
}

function printSuite(suite: TestSuite): string[] {
  const { name, properties = [], tests, durationMs } = suite;
  const shown = properties.map(
    ([property, value]) => `      <property name="${attribute(property)}" value="${attribute(value)}"/>`,
  );
  return [
    `  <testsuite name="${attribute(name)}" ${totals([suite])} skipped="${count([suite], 'skipped')}" time="${inSeconds(durationMs)}">`,
    ...(shown.length === 0 ? [] : ['    <properties>', ...shown, '    </properties>']),
    ...tests.flatMap(printTest),
    '  </testsuite>',
  ];
}

function printTest(test: RunTest): string[] {
  const { name, suite, tags = [], durationMs } = test;
  const place = suite === 'hazards' || tags.length < 2 ? [suite, ...tags] : [tags[0], suite];
  const opening = `    <testcase name="${attribute(name)}" classname="${attribute(['countersign', ...place].join('.'))}" time="${inSeconds(durationMs)}"`;
  const inside = insideOf(test);
  return inside === undefined ? [`${opening}/>`] : [`${opening}>`, `      ${inside}`, '    </testcase>'];
}

/** The element inside a test case. CI servers group tests by message, so tests with the same cause have the same message. */
function insideOf(test: RunTest): string | undefined {
  const { verdict, rawStatus, type, message, extra } = test;
  const element = elementOf[verdict];
  // Line ends in values are escaped already, so no value can imitate a line of the suite.
  const text = escapeXml(bodyOf(test).join('\n'));
  if (element === 'passed') return extra.remark === undefined ? undefined : `<system-out>${text}</system-out>`;
  const word = type === 'hazard' || type === 'baseline' ? type : rawStatus;
  const what = type === 'baseline' || type === 'conclusion' ? message : `${word}: ${message}`;
  const kind = element === 'skipped' ? '' : ` type="${attribute(word)}"`;
  return `<${element}${kind} message="${attribute(`${standing(test)}${what}`)}">${text}</${element}>`;
}

function standing({ rawStatus, extra: { known, notScored } }: RunTest): string {
  if (notScored === true && rawStatus !== 'pass') return 'not scored: ';
  return known === undefined ? '' : `known (${knownFailureReason(known as KnownFailure)}): `;
}

/** Labels of members whose label is not their name. A member with an empty label is omitted. */
const labels: Readonly<Record<string, string>> = {
  statement: 'requirement',
  actual: 'received',
  mismatches: 'received',
  atRisk: 'at risk',
  operation: '',
  provenBy: '',
  notScored: '',
};

function bodyOf({ type, tags, message, extra }: RunTest): string[] {
  const members: Record<string, unknown> = {
    ...(type === 'conformance' || type === 'suite-fault' ? {} : { [type]: message }),
    ...extra,
    kind: tags?.[1],
  };
  return Object.entries(members).flatMap(([name, value]) => {
    const label = labels[name] ?? name;
    const lines = name === 'mismatches' || name === 'write' ? (value as string[]) : [textOf(name, value)];
    return lines.flatMap((line) => (label === '' || !line ? [] : [`${label}: ${shown(line)}`]));
  });
}

function textOf(name: string, value: unknown): string | undefined {
  if (name === 'known') return value === undefined ? undefined : knownFailureReason(value as KnownFailure);
  if (name === 'atRisk') return formatAtRisk(value as Hazard['atRisk']);
  if (name === 'actual' && value !== undefined) return withSpaces(String(value));
  return Array.isArray(value) ? value.join(', ') : (value as string | undefined);
}

function inSeconds(milliseconds = 0): string {
  return milliseconds === 0 ? '0' : (milliseconds / 1000).toFixed(3);
}

function totals(suites: readonly TestSuite[]): string {
  const all = suites.flatMap(({ tests }) => tests).length;
  return `tests="${all}" failures="${count(suites, 'failure')}" errors="${count(suites, 'error')}"`;
}

function count(suites: readonly TestSuite[], element: string): number {
  return suites.flatMap(({ tests }) => tests).filter(({ verdict }) => elementOf[verdict] === element).length;
}

function attribute(text: string): string {
  return escapeXml(shown(text));
}

/** Shortens a value to 8,000 characters, because CI servers keep the files of all runs. */
function shown(text: string): string {
  return visible(shortened(text, 8_000));
}

/** Escapes markup (XML 1.0 section 2.4). `visible` has replaced the characters that section 2.2 forbids. */
function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
