/** What CI servers read: junit.xml, ctrf.json, and workflow commands of GitHub Actions. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import type { Case } from '../record/case.ts';
import {
  conclusionOf,
  exercisedIn,
  exitCode,
  failsOnHazard,
  fatalCause,
  formatExercised,
  leavesGap,
  type WeighedRow,
} from '../record/result/conclude.ts';
import type { ContractRow, Hazard, KnownFailure, Result, ResultRow } from '../record/result/result.ts';
import { contractId, isNewFail, newHazards } from '../record/result/score.ts';
import { formatCauses, namedCauses } from './cause-groups.ts';
import { jsonText } from './json.ts';
import { formatAtRisk, formatRun, hintOf, type ReportedRun, type Statements } from './phrases.ts';
import { baselineProblems, knownFailureReason } from './scored-result.ts';
import { shortened, showSpaces, visible } from './visible.ts';

/**
 * `tolerated`: a failure or a hazard that does not fail the build. `gap`: a missing verdict (see `leavesGap`)
 * in a run whose exit code is not 0. `open`: any other inconclusive requirement.
 */
type TestVerdict = 'passed' | 'failed' | 'fault' | 'tolerated' | 'gap' | 'open' | 'skipped';

interface RunTest {
  readonly name: string;
  readonly suite: string;
  readonly verdict: TestVerdict;
  readonly rawStatus: string;
  readonly type: 'conformance' | 'suite-fault' | 'conclusion' | 'baseline' | 'hazard';
  readonly message?: string | undefined;
  readonly tags?: readonly string[];
  readonly durationMs?: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** If `cases` is absent, the duration of each test is 0. */
type Sources = Pick<ReportedRun, 'statements'> & Partial<Pick<ReportedRun, 'cases'>>;

function testsOf(result: Result, { statements, cases }: Sources): RunTest[] {
  const causes = formatCauses(result);
  const rows = dimensions.flatMap((dimension) => result.results.filter((row) => row.dimension === dimension));
  return [
    ...(result.hazards ?? []).map((hazard) => hazardTest(hazard, result)),
    ...rows.map((row) => ({
      ...rowTest(row, causes.get(row.id), result, statements),
      durationMs: durationOf(row.exchanges, cases),
    })),
    ...(result.contracts ?? []).map((row) => contractTest(row, result)),
    ...baselineProblems(result).map(
      ({ id, sentence, lines }): RunTest => ({
        name: id,
        suite: 'baseline',
        verdict: 'failed',
        rawStatus: 'stale',
        type: 'baseline',
        message: sentence,
        extra: { write: lines },
      }),
    ),
  ];
}

function conclusionTest(result: Result, isRed: boolean, reason: string): RunTest {
  const isFault = exitCode(result) !== 0 && (fatalCause(result) !== undefined || !isRed);
  return {
    name: 'conclusion',
    suite: 'run',
    verdict: isFault ? 'fault' : 'passed',
    rawStatus: result.conclusion,
    type: 'conclusion',
    message: formatExitReason(result, reason),
    extra: { repeat: result.reproduce },
  };
}

function rowTest(row: ResultRow, cause: string | undefined, result: Result, statements: Statements): RunTest {
  const text = statements(row.id);
  return {
    name: row.id,
    suite: row.dimension,
    verdict: verdictOf(row, result),
    rawStatus: row.outcome,
    type: row.outcome === 'error' ? 'suite-fault' : 'conformance',
    // CI servers group tests by message, so use the shared cause.
    message: cause ?? messageOf(row),
    tags: [row.operation, row.kind],
    extra: {
      statement: text?.statement,
      section: row.section,
      basis: row.basis,
      blame: row.blame,
      expected: row.expected,
      actual: row.actual,
      reason: row.reason,
      cause: cause ?? (namedCauses(result, row.id).join('. ') || undefined),
      remark: row.remark,
      hint: hintOf(row, text),
      exchanges: row.exchanges,
      provenBy: row.provenBy,
      repeat: row.repeat,
      known: row.known,
      notScored: row.notScored,
    },
  };
}

function contractTest(row: ContractRow, result: Result): RunTest {
  const { pact, interaction, state, blame, mismatches, known, notScored } = row;
  return {
    name: interaction,
    suite: 'pact',
    verdict: verdictOf({ ...row, kind: 'required' }, result),
    rawStatus: row.outcome,
    type: row.outcome === 'error' ? 'suite-fault' : 'conformance',
    message: row.outcome === 'pass' ? undefined : mismatches.join('; '),
    extra: { pact, state, blame, mismatches, known, notScored },
  };
}

function hazardTest(hazard: Hazard, result: Result): RunTest {
  const { id: _, sentence, ...extra } = hazard;
  return {
    name: nameOfHazard(hazard, result),
    suite: 'hazards',
    verdict: extra.known === undefined && failsOnHazard(result) ? 'failed' : 'tolerated',
    rawStatus: 'hazard',
    type: 'hazard',
    message: sentence,
    tags: [extra.operation],
    extra,
  };
}

function messageOf(row: ResultRow): string | undefined {
  if (row.outcome === 'pass') return row.remark;
  return row.outcome === 'fail' ? formatDifference(row) : (row.reason ?? row.actual ?? row.outcome);
}

function verdictOf(row: WeighedRow & Pick<ResultRow, 'known'>, result: Result): TestVerdict {
  switch (row.outcome) {
    case 'pass':
      return 'passed';
    case 'fail':
      return isNewFail(row) ? 'failed' : 'tolerated';
    case 'error':
      return 'fault';
    default:
      if (leavesGap(row, result.profile) && exitCode(result) !== 0) return 'gap';
      return row.outcome === 'inconclusive' ? 'open' : 'skipped';
  }
}

function formatDifference({ expected, actual }: Pick<ResultRow, 'expected' | 'actual'>): string {
  return `expected ${expected ?? 'what the requirement says'}, received ${showSpaces(actual ?? 'something else')}`;
}

function formatExitReason(result: Result, reasonIfPartial: string): string {
  const { aborted, narrowed } = formatRun(result);
  if (aborted !== undefined) return aborted;
  const fatal = fatalCause(result);
  if (fatal !== undefined) return `The ${result.subject.kind} is ${fatal.sentence}.`;
  return result.scope?.shard === undefined ? `The run is ${result.conclusion}: ${reasonIfPartial}.` : `${narrowed}.`;
}

function durationOf(exchanges: readonly number[], cases: readonly Case[] = []): number {
  const times = exchanges.map((number) => cases[number - 1]?.exchanges[0].durationMs ?? 0);
  return Math.round(times.reduce((sum, time) => sum + time, 0));
}

function nameOfHazard({ id, operation, how }: Hazard, { hazards = [] }: Pick<Result, 'hazards'>): string {
  const isOnly = hazards.filter((one) => one.id === id).length < 2;
  return isOnly || how === undefined ? id : `${id} (${operation}, ${how})`;
}

const statuses = ['passed', 'failed', 'skipped', 'pending', 'other'] as const;

interface CiVerdict {
  /** The element in junit.xml. A missing verdict (`gap`) is an `error`, because `skipped` would look harmless. */
  readonly element: 'passed' | 'failure' | 'error' | 'skipped';
  /** In ctrf.json. Inconclusive is `other`: `skipped` would look harmless, `pending` would promise a later verdict. */
  readonly status: (typeof statuses)[number];
}

const ciVerdicts: Readonly<Record<TestVerdict, CiVerdict>> = {
  passed: { element: 'passed', status: 'passed' },
  failed: { element: 'failure', status: 'failed' },
  fault: { element: 'error', status: 'failed' },
  tolerated: { element: 'skipped', status: 'other' },
  gap: { element: 'error', status: 'other' },
  open: { element: 'skipped', status: 'other' },
  skipped: { element: 'skipped', status: 'skipped' },
};

interface TestSuite {
  readonly name: string;
  readonly properties?: readonly (readonly [string, string])[];
  readonly tests: readonly RunTest[];
  /** Milliseconds of all exchanges of the test suite. Each exchange counts once. */
  readonly durationMs?: number;
}

/** The text of junit.xml. It has a `failure` or an `error` exactly if the exit code is not 0. */
export function junitReport(result: Result, sources: Sources): string {
  const tests = testsOf(result, sources);
  const suites = [...dimensions, 'pact', 'hazards', 'baseline'].flatMap((name): TestSuite[] => {
    const own = tests.filter(({ suite }) => suite === name);
    const exchanges = result.results.flatMap((row) => (row.dimension === name ? row.exchanges : []));
    const durationMs = durationOf([...new Set(exchanges)], sources.cases);
    return own.length === 0 ? [] : [{ name, tests: own, durationMs }];
  });
  const isRed = tests.some(({ verdict }) => ['failure', 'error'].includes(ciVerdicts[verdict].element));
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
  const lines = properties.map(
    ([property, value]) => `      <property name="${attribute(property)}" value="${attribute(value)}"/>`,
  );
  return [
    `  <testsuite name="${attribute(name)}" ${totals([suite])} skipped="${count([suite], 'skipped')}" time="${inSeconds(durationMs)}">`,
    ...(lines.length === 0 ? [] : ['    <properties>', ...lines, '    </properties>']),
    ...tests.flatMap(printTest),
    '  </testsuite>',
  ];
}

function printTest(test: RunTest): string[] {
  const { name, suite, tags = [], durationMs } = test;
  const place = suite === 'hazards' || tags.length < 2 ? [suite, ...tags] : [tags[0], suite];
  const opening = `    <testcase name="${attribute(name)}" classname="${attribute(['countersign', ...place].join('.'))}" time="${inSeconds(durationMs)}"`;
  const inside = resultElement(test);
  return inside === undefined ? [`${opening}/>`] : [`${opening}>`, `      ${inside}`, '    </testcase>'];
}

function resultElement(test: RunTest): string | undefined {
  const { verdict, rawStatus, type, message, extra } = test;
  const { element } = ciVerdicts[verdict];
  // Line ends in values are escaped already, so no value can imitate a line of the suite.
  const text = escapeXml(bodyOf(test).join('\n'));
  if (element === 'passed') return extra.remark === undefined ? undefined : `<system-out>${text}</system-out>`;
  const word = type === 'hazard' || type === 'baseline' ? type : rawStatus;
  const summary = type === 'baseline' || type === 'conclusion' ? message : `${word}: ${message}`;
  const kind = element === 'skipped' ? '' : ` type="${attribute(word)}"`;
  return `<${element}${kind} message="${attribute(`${statusPrefix(test)}${summary}`)}">${text}</${element}>`;
}

function statusPrefix({ rawStatus, extra: { known, notScored } }: RunTest): string {
  if (notScored === true && rawStatus !== 'pass') return 'not scored: ';
  return known === undefined ? '' : `known (${knownFailureReason(known as KnownFailure)}): `;
}

/** Labels in junit.xml for fields of `extra`. Default: the field name. A field with an empty label is omitted. */
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
    const lines = name === 'mismatches' || name === 'write' ? (value as string[]) : [valueText(name, value)];
    return lines.flatMap((line) => (label === '' || !line ? [] : [`${label}: ${safeText(line)}`]));
  });
}

function valueText(name: string, value: unknown): string | undefined {
  if (name === 'known') return value === undefined ? undefined : knownFailureReason(value as KnownFailure);
  if (name === 'atRisk') return formatAtRisk(value as Hazard['atRisk']);
  if (name === 'actual' && value !== undefined) return showSpaces(String(value));
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
  return suites.flatMap(({ tests }) => tests).filter(({ verdict }) => ciVerdicts[verdict].element === element).length;
}

function attribute(text: string): string {
  return escapeXml(safeText(text));
}

/** Shortens a value to 8,000 characters, because CI servers keep the files of all runs. */
function safeText(text: string): string {
  return visible(shortened(text, 8_000));
}

/** Escapes markup (XML 1.0 section 2.4). Before this, `visible` replaced the characters that section 2.2 forbids. */
function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The text of ctrf.json. It has `failed` tests exactly if the exit code is not 0. */
export function ctrfReport(result: Result, sources: Sources): string {
  const judged = testsOf(result, sources).map(ctrfTest);
  const isRed = judged.some(({ status }) => status === 'failed');
  const conclusion = ctrfTest(conclusionTest(result, isRed, 'a binding requirement is inconclusive'));
  const tests = conclusion.status === 'failed' ? [...judged, conclusion] : judged;
  const start = Date.parse(result.startedAt);
  const { subject, suite } = result;
  return jsonText({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    timestamp: new Date(start + result.durationMs).toISOString(),
    generatedBy: `${suite.name} ${suite.version}`,
    results: {
      tool: { name: suite.name, version: suite.version },
      summary: {
        tests: tests.length,
        ...Object.fromEntries(statuses.map((status) => [status, tests.filter((t) => t.status === status).length])),
        suites: new Set(tests.map((test) => test.suite.join('/'))).size,
        start,
        stop: start + Math.round(result.durationMs),
        duration: Math.round(result.durationMs),
        extra: { conclusion: result.conclusion, exercised: result.exercised, hazards: result.hazards?.length },
      },
      tests,
      environment: {
        reportName: `${subject.name}: ${conclusionOf(result)}`,
        appName: subject.name,
        appVersion: subject.version,
        testEnvironment: subject.target,
        healthy: exitCode(result) === 0,
        extra: {
          runId: result.runId,
          kind: subject.kind,
          language: subject.language,
          profile: result.profile,
          set: result.set,
          seed: result.seed,
          reproduce: result.reproduce,
          labels: result.labels,
          latency: result.latency,
          scope: result.scope,
          observations: result.observations,
          unnoticed: result.unnoticed,
        },
      },
    },
  });
}

function ctrfTest({ name, suite, verdict, rawStatus, type, message, tags, durationMs = 0, extra }: RunTest) {
  return {
    name,
    status: rawStatus === 'not-applicable' ? 'skipped' : ciVerdicts[verdict].status,
    duration: durationMs,
    suite: [suite],
    message: message && visible(shortened(message, 2_000)),
    rawStatus,
    type,
    tags,
    extra,
  };
}

/** GitHub shows at most ten annotations for each step. */
const maxAnnotations = 10;

/** GitHub commands for findings and untested requirements. Empty for aborted runs and shards. */
export function annotations(result: Result): string {
  if (result.scope?.shard !== undefined || result.conclusion === 'aborted') return '';
  const fatal = fatalCause(result);
  const findings: (readonly [id: string, what: string, level?: 'warning'])[] = [
    ...(fatal === undefined ? [] : [['gone', `The gateway is ${fatal.sentence}. ${fatal.hint ?? ''}`] as const]),
    ...newHazards(result).map(({ id, sentence, hint }) => [id, `${sentence} ${hint}`, 'warning'] as const),
    ...result.results.filter(isNewFail).map((row) => [row.id, formatDifference(row)] as const),
    ...(result.contracts ?? []).filter(isNewFail).map((row) => [contractId(row), row.mismatches.join('; ')] as const),
    ...baselineProblems(result).map(({ id, sentence }) => [id, sentence] as const),
  ];
  const included = findings.length > maxAnnotations ? findings.slice(0, maxAnnotations - 1) : findings;
  const more = findings.length - included.length;
  const hasUntested = exercisedIn(result).neverArose.length > 0 && result.conclusion === 'conformant';
  const notice = hasUntested ? `::notice title=Countersign::${dataText(conclusionOf(result))}\n` : '';
  const commands = [...included, ...(more === 0 ? [] : [['more', `${more} more findings are in the report`] as const])]
    .map(([id, what, level = 'error']) => `::${level} title=${propertyText(`Countersign: ${id}`)}::${dataText(what)}\n`)
    .join('');
  return `${commands}${notice}`;
}

function dataText(text: string): string {
  return visible(shortened(text, 500)).replaceAll('%', '%25');
}

function propertyText(text: string): string {
  return dataText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
