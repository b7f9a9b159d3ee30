/** ctrf.json: the run in the Common Test Report Format (ctrf.io), one test for each requirement and each Pact interaction. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import type { Case } from '../record/case.ts';
import { conclusionOf, exitCode, failsOnHazard, fatalCause } from '../record/result/conclude.ts';
import type { ContractRow, Hazard, Outcome, Result, ResultRow } from '../record/result/result.ts';
import { failsAnew } from '../record/result/score.ts';
import { causesInWords } from './cause-groups.ts';
import { baselineProblems } from './counting.ts';
import { visibleParts } from './json.ts';
import { shortened, visible } from './visible.ts';
import {
  conclusionInASentence,
  differenceInWords,
  hintOf,
  nameOfHazard,
  restedOnMs,
  type Statements,
} from './words.ts';

const statuses = ['passed', 'failed', 'skipped', 'pending', 'other'] as const;
type Status = (typeof statuses)[number];

/**
 * `inconclusive` is `other`: not `passed` or `skipped`, which dashboards show as harmless, not `failed`, since nothing was
 * found against the subject, and not `pending`, which promises a verdict later on although the run is over.
 * A fault of the suite is `failed` as well, told apart by its type: it must turn a build red.
 */
const statusOf: Record<Outcome, Status> = {
  pass: 'passed',
  fail: 'failed',
  inconclusive: 'other',
  'not-applicable': 'skipped',
  error: 'failed',
};

interface Test {
  readonly name: string;
  readonly status: Status;
  /** Milliseconds of the exchanges that the verdict rests on. */
  readonly duration: number;
  readonly suite: readonly string[];
  readonly message?: string;
  readonly rawStatus: string;
  readonly type: 'conformance' | 'suite-fault' | 'conclusion' | 'baseline' | 'hazard';
  readonly tags?: readonly string[];
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A message is cut at 2,000 characters; the values are whole under `extra`. */
function shown(message: string): string {
  return visible(shortened(message, 2_000));
}

/** Without cases no time is known. */
interface Sources {
  readonly statements: Statements;
  readonly cases?: readonly Case[];
}

/** The text of ctrf.json, two spaces. At least one test is `failed` exactly where the exit code is not 0. */
export function ctrfReport(result: Result, about: Sources): string {
  return [...ctrfReportParts(result, about)].join('');
}

/** The same in parts. */
export function ctrfReportParts(result: Result, { statements, cases }: Sources): Generator<string> {
  const causes = causesInWords(result);
  const rows = dimensions.flatMap((dimension) => result.results.filter((row) => row.dimension === dimension));
  const judged = [
    ...(result.hazards ?? []).map((hazard) => hazardTest(hazard, result)),
    ...rows.map((row) => testOf(row, restedOnMs(row, cases), causes.get(row.id), statements)),
    ...(result.contracts ?? []).map(contractTest),
    ...baselineProblems(result).map(problemTest),
  ];
  const red = fatalCause(result) === undefined && judged.some(({ status }) => status === 'failed');
  const tests = exitCode(result) === 0 || red ? judged : [...judged, conclusionTest(result)];
  const start = Date.parse(result.startedAt);
  const { subject } = result;
  const document = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    timestamp: new Date(start + result.durationMs).toISOString(),
    generatedBy: `${result.suite.name} ${result.suite.version}`,
    results: {
      tool: { name: result.suite.name, version: result.suite.version },
      summary: {
        tests: tests.length,
        ...Object.fromEntries(statuses.map((status) => [status, tests.filter((t) => t.status === status).length])),
        suites: new Set(tests.map(({ suite }) => suite.join('/'))).size,
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
  };
  return visibleParts(document);
}

function testOf(row: ResultRow, duration: number, cause: string | undefined, statements: Statements): Test {
  const text = statements(row.id);
  const message = cause ?? messageOf(row);
  return {
    name: row.id,
    status: statusOfRow(row),
    duration,
    suite: [row.dimension],
    message: message && shown(message),
    rawStatus: row.outcome,
    type: row.outcome === 'error' ? 'suite-fault' : 'conformance',
    tags: [row.operation, row.kind],
    extra: {
      statement: text?.statement,
      section: row.section,
      basis: row.basis,
      blame: row.blame,
      expected: row.expected,
      actual: row.actual,
      reason: row.reason,
      cause,
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

function contractTest(row: ContractRow): Test {
  return {
    name: row.interaction,
    status: statusOfRow(row),
    duration: 0,
    suite: ['pact'],
    message: row.outcome === 'pass' ? undefined : shown(row.mismatches.join('; ')),
    rawStatus: row.outcome,
    type: row.outcome === 'error' ? 'suite-fault' : 'conformance',
    extra: {
      pact: row.pact,
      state: row.state,
      blame: row.blame,
      mismatches: row.mismatches,
      known: row.known,
      notScored: row.notScored,
    },
  };
}

/** One that fails no run is `other`: it is not harmless, and turns no build red. */
function hazardTest(hazard: Hazard, result: Result): Test {
  const { id: _, sentence, ...extra } = hazard;
  return {
    name: nameOfHazard(hazard, result),
    status: extra.known === undefined && failsOnHazard(result) ? 'failed' : 'other',
    duration: 0,
    suite: ['hazards'],
    message: shown(sentence),
    rawStatus: 'hazard',
    type: 'hazard',
    tags: [extra.operation],
    extra,
  };
}

/** A failure that is known or does not count is `other`: it is not harmless, and turns no build red. */
function statusOfRow(row: Pick<ResultRow, 'outcome' | 'known' | 'notScored'>): Status {
  return row.outcome === 'fail' && !failsAnew(row) ? 'other' : statusOf[row.outcome];
}

function problemTest({ id, sentence, lines }: ReturnType<typeof baselineProblems>[number]): Test {
  return {
    name: id,
    status: 'failed',
    duration: 0,
    suite: ['baseline'],
    message: shown(sentence),
    rawStatus: 'stale',
    type: 'baseline',
    extra: { write: lines },
  };
}

function messageOf(row: ResultRow): string | undefined {
  if (row.outcome === 'pass') return row.remark;
  return row.outcome === 'fail' ? differenceInWords(row) : (row.reason ?? row.actual ?? row.outcome);
}

/** Carries the conclusion where no requirement does: a build that counts `failed` must not stay green. */
function conclusionTest(result: Result): Test {
  return {
    name: 'conclusion',
    status: 'failed',
    duration: 0,
    suite: ['run'],
    message: shown(conclusionInASentence(result, 'a binding requirement is inconclusive')),
    rawStatus: result.conclusion,
    type: 'conclusion',
    extra: { repeat: result.reproduce },
  };
}
