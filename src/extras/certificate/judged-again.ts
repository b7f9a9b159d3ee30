/** Compares a report and a certificate with a new result on the same evidence. Pure. */
import { pluralize } from '../../record/pluralize.ts';
import type { Result } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { casesOf, type RecordedRun } from '../../record/run.ts';
import type { StoredRun } from '../../verdict/conclude.ts';
import { noRequest, strangerTo } from '../../verdict/recordings/drawn-from-seed.ts';
import { CertificateError, certificateError } from './envelope.ts';
import {
  type Facts,
  hazardsOf,
  type Statement,
  statedBy,
  statementOn,
  type Tests,
  testsOf,
  untestedIn,
} from './statement.ts';

/** The members of a row that the judges decide from the exchanges. */
const judgedMembers = [
  ...(['statement', 'operation', 'dimension', 'kind', 'section', 'outcome', 'basis', 'remark'] as const),
  ...(['blame', 'expected', 'actual', 'reason', 'exchanges', 'notScored'] as const),
];

function judgedPart(result: Result): object {
  const { conclusion, dimensions, observations, exchangeCount, results, contracts = [] } = result;
  return {
    requirements: Object.fromEntries(
      results.map((row) => [row.id, Object.fromEntries(judgedMembers.map((name) => [name, row[name]]))]),
    ),
    contracts: contracts.map(({ known: _, ...row }) => row),
    ...{ hazards: hazardsOf(result), conclusion, dimensions, observations, exchangeCount, rows: results.length },
  };
}

/** Throws CertificateError if the report differs from the new result. `path` is the path of the report. */
export function refuseOtherReport(report: Result, judged: Result, path: string): void {
  const { name, version } = report.suite;
  if (name !== judged.suite.name || version !== judged.suite.version) {
    throw certificateError('old-suite')`
      the run was judged by ${name} ${version}, but this is ${judged.suite.name} ${judged.suite.version}
      Judge the run again with countersign judge RUN --out DIR, and certify DIR.`;
  }
  const difference = differenceIn(judgedPart(report), judgedPart(judged));
  if (difference === undefined) return;
  throw certificateError('other-outcome')`
    ${path} differs from what its exchanges show: ${difference}
    Certify the original files of the run.`;
}

/** Throws CertificateError if --bail skipped a scenario, because third parties cannot rely on such a run. */
export function refuseBailed(recordings: readonly Pick<RecordedRun, 'leftOut'>[]): void {
  const count = recordings.flatMap(({ leftOut = [] }) => leftOut).length;
  if (count === 0) return;
  throw certificateError('not-certifiable')`
    --bail ended the run: it did not perform ${pluralize(count, 'scenario')}
    Run it again without --bail.`;
}

/** Throws CertificateError if the report lacks a Pact interaction, or has one twice or an unknown one. */
export function refuseOtherContracts({ contracts = [] }: Result, ids: readonly string[], path: string): void {
  const refused = (place: string) =>
    new CertificateError('other-outcome', `${path}: ${place}`, 'Certify the original files of the run.');
  const left = new Set(ids);
  for (const id of contracts.map(contractId)) {
    if (!left.delete(id)) throw refused(`contracts has ${id}, which is not in the Pact files or occurs twice`);
  }
  const [missing] = left;
  if (missing !== undefined) throw refused(`contracts lacks ${missing}`);
}

/** Throws CertificateError if the start of the run, on which the expiry depends, does not match the first exchange. */
export function refuseOtherStart({ report, recordings }: StoredRun, path: string): void {
  const first = recordings
    .filter(({ isForeign }) => !isForeign)
    .flatMap((run) => casesOf(run).flatMap(({ exchanges }) => exchanges))
    .reduce((earliest, { startedAt }) => Math.min(earliest, startedAt), Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return;
  const startedAt = Date.parse(report.startedAt);
  if (startedAt <= first && first - startedAt <= report.durationMs) return;
  const how =
    startedAt > first ? 'is later' : `is earlier by more than the ${report.durationMs} ms that the run lasted`;
  throw certificateError('other-outcome')`
    ${path} has startedAt ${report.startedAt}, but the first exchange is of ${new Date(first).toISOString()}: startedAt ${how}
    Certify the original folder of the run.`;
}

/**
 * Throws CertificateError if the values in the requests were not drawn from the challenge or the seed. Checks the seed only if this
 * `version` of the suite wrote the report, and `judge` or `rekey` did not write it again.
 */
export function refuseOtherSeed(run: StoredRun, version: string, challenge = run.report.challenge): void {
  const { report } = run;
  const stranger = challenge === undefined ? undefined : strangerTo(challenge, run);
  if (stranger !== undefined) {
    throw certificateError('other-challenge')`
      the run states the challenge ${challenge}, but ${stranger}
      Start the run with --challenge, and do not change its files.`;
  }
  const isDrawnHere = isAsWritten(report) && report.suite.version === version;
  const other = isDrawnHere ? strangerTo(report.seed, run) : undefined;
  if (other === undefined || other === noRequest) return;
  throw certificateError('other-outcome')`
    the report names the seed ${report.seed}, but ${other}
    Certify the original files of the run.`;
}

/** False if `judge` or `rekey` wrote the report. */
export function isAsWritten({ reproduce, subject }: Result): boolean {
  return /^npx countersign (?:gateway|client) /.test(reproduce) && subject.target !== 'recording';
}

/**
 * Throws CertificateError if this suite would certify something else. If another version issued the certificate, compares only
 * outcomes and facts of the report. Returns the number of compared requirements.
 * @param judged the new result, with the facts that the report states and no judge can check
 */
export function refuseOtherStatement({ subject, predicate }: Statement, judged: Result): number {
  const { suite, issuedAt, expiresAt, evidence, untested, subjectIs } = predicate.countersign;
  const isSameSuite = suite.version === judged.suite.version;
  const stated = outcomesIn({ ...predicate, untested });
  const outcomes = outcomesIn({ ...testsOf(judged), untested: untestedIn(judged) });
  const other = [...stated].find(([id, outcome]) => outcomes.get(id) !== outcome);
  if (other !== undefined) {
    const [id, outcome] = other;
    const now = `judged again by ${judged.suite.name} ${judged.suite.version} it is ${outcomes.get(id) ?? 'not judged'}`;
    const hint = `Ask for a certificate from this version: version ${suite.version} issued this certificate.`;
    throw certificateError('other-outcome')`
      the certificate says that ${id} ${outcome}, but ${now}
      ${isSameSuite ? doNotRely : hint}`;
  }
  const artifact = subjectIs === 'artifact' ? subject[0] : undefined;
  const difference = isSameSuite
    ? differenceIn(predicate, statementOn(judged, { issuedAt, expiresAt, evidence, artifact }).predicate)
    : differenceIn(statedBy(predicate.countersign), statedBy(judged));
  if (difference === undefined) return judged.results.filter(({ id }) => stated.has(id)).length;
  throw certificateError('contradiction')`
    the certificate does not fit the run: ${difference}
    ${doNotRely}`;
}

const doNotRely = 'Do not rely on it.';

function outcomesIn({ untested, ...tests }: Tests & Pick<Facts, 'untested'>): ReadonlyMap<string, string> {
  const { passedTests, warnedTests, failedTests } = tests;
  return new Map([
    ...passedTests.map((id) => [id, 'passed'] as const),
    ...warnedTests.map((id) => [id, 'passed with a warning'] as const),
    ...failedTests.map((id) => [id, 'failed'] as const),
    ...untested.map(({ id, outcome }) => [id, `is ${outcome}`] as const),
  ]);
}

/** The first member that differs, with both values; undefined if none differs. `other` is the new value. */
function differenceIn(one: unknown, other: unknown, path: readonly string[] = []): string | undefined {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other ? undefined : `${path.join('.')} is ${inShort(one)}, but judged again ${inShort(other)}`;
  }
  const [members, others] = [one, other].map((value) => value as Readonly<Record<string, unknown>>);
  const names = [...new Set([one, other].flatMap(Object.keys))];
  return names.map((name) => differenceIn(members![name], others![name], [...path, name])).find(Boolean);
}

function inShort(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
