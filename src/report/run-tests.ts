/** Converts a run to a list of tests, for JUnit and CTRF. */
import { dimensions } from '../../contracts/requirements/requirement.ts';
import { exitCode, failsOnHazard, fatalCause, leavesGap, type WeighedRow } from '../record/result/conclude.ts';
import type { ContractRow, Hazard, Outcome, Result, ResultRow } from '../record/result/result.ts';
import { failsAnew } from '../record/result/score.ts';
import { formatCauses, namedCauses } from './cause-groups.ts';
import { baselineProblems } from './counting.ts';
import {
  durationOf,
  formatDifference,
  formatRed,
  hintOf,
  nameOfHazard,
  type ReportedRun,
  type Statements,
} from './words.ts';

/**
 * `tolerated`: a failure that is known or not scored, so it fails no build. `gap`: an inconclusive requirement that makes the run
 * `partial`. `open`: an inconclusive requirement that does not change the conclusion.
 */
export type TestVerdict = 'passed' | 'failed' | 'fault' | 'tolerated' | 'gap' | 'open' | 'skipped';

export interface RunTest {
  readonly name: string;
  /** The test suite: a dimension, `pact`, `hazards`, `baseline` or `run`. */
  readonly suite: string;
  readonly verdict: TestVerdict;
  readonly rawStatus: string;
  readonly type: 'conformance' | 'suite-fault' | 'conclusion' | 'baseline' | 'hazard';
  readonly message?: string | undefined;
  readonly tags?: readonly string[];
  /** Milliseconds of the exchanges that the verdict rests on. */
  readonly durationMs?: number;
  /** Additional data on the test. Values are not shortened. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The texts of requirements, and the cases. If the cases are absent, tests have no durations. */
export type Sources = Pick<ReportedRun, 'statements'> & Partial<Pick<ReportedRun, 'cases'>>;

export function testsOf(result: Result, { statements, cases }: Sources): RunTest[] {
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

/** The test of the conclusion. It fails if no other test explains the exit code, or if a request crashed the target. */
export function conclusionTest(result: Result, isRed: boolean, why: string): RunTest {
  const isNeeded = exitCode(result) !== 0 && (fatalCause(result) !== undefined || !isRed);
  return {
    name: 'conclusion',
    suite: 'run',
    verdict: isNeeded ? 'fault' : 'passed',
    rawStatus: result.conclusion,
    type: 'conclusion',
    message: formatRed(result, why),
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
    type: typeOf(row),
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
    type: typeOf(row),
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

function typeOf({ outcome }: { readonly outcome: Outcome }): RunTest['type'] {
  return outcome === 'error' ? 'suite-fault' : 'conformance';
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
      return failsAnew(row) ? 'failed' : 'tolerated';
    case 'error':
      return 'fault';
    default:
      if (leavesGap(row, result.profile) && exitCode(result) !== 0) return 'gap';
      return row.outcome === 'inconclusive' ? 'open' : 'skipped';
  }
}
