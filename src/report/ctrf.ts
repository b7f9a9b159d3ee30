/** Prints ctrf.json, the run in the Common Test Report Format (ctrf.io). Each requirement and Pact interaction is a test. */
import { conclusionOf, exitCode } from '../record/result/conclude.ts';
import type { Result } from '../record/result/result.ts';
import { jsonText } from './json.ts';
import { conclusionTest, type RunTest, type Sources, type TestVerdict, testsOf } from './run-tests.ts';
import { shortened, visible } from './visible.ts';

const statuses = ['passed', 'failed', 'skipped', 'pending', 'other'] as const;

/**
 * An inconclusive requirement is `other`: `skipped` would look harmless, `failed` would accuse the subject, and `pending` would
 * promise a later verdict. A fault of the suite is `failed`, so that it fails the build.
 */
const statusOf: Readonly<Record<TestVerdict, (typeof statuses)[number]>> = {
  passed: 'passed',
  failed: 'failed',
  fault: 'failed',
  tolerated: 'other',
  gap: 'other',
  open: 'other',
  skipped: 'skipped',
};

/** The text of ctrf.json. A test is `failed` if, and only if, the exit code is not 0. */
export function ctrfReport(result: Result, sources: Sources): string {
  const judged = testsOf(result, sources).map(printed);
  const isRed = judged.some(({ status }) => status === 'failed');
  const conclusion = printed(conclusionTest(result, isRed, 'a binding requirement is inconclusive'));
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

function printed({ name, suite, verdict, rawStatus, type, message, tags, durationMs = 0, extra }: RunTest) {
  return {
    name,
    status: rawStatus === 'not-applicable' ? 'skipped' : statusOf[verdict],
    duration: durationMs,
    suite: [suite],
    message: message && visible(shortened(message, 2_000)),
    rawStatus,
    type,
    tags,
    extra,
  };
}
