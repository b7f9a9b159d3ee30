/** Judges the evidence again and compares the report and the certificate with the result. Pure. */

import { pluralize } from '../../record/pluralize.ts';
import { formatExercised } from '../../record/result/conclude.ts';
import type { Result, ResultRow } from '../../record/result/result.ts';
import { contractId } from '../../record/result/score.ts';
import { casesOf, type RecordedRun } from '../../record/run.ts';
import { CertificateError, certificateError } from './certificate-error.ts';
import { exercisedOf, hazardsOf, requirementsOf, type Statement, testsOf, untestedIn } from './statement.ts';

const judgedMembers = [
  'statement',
  'operation',
  'dimension',
  'kind',
  'section',
  'outcome',
  'basis',
  'remark',
  'blame',
  'expected',
  'actual',
  'reason',
  'exchanges',
  'notScored',
] as const satisfies readonly (keyof ResultRow)[];

/** Throws CertificateError if the report differs from the new result. `path` is that of the report. */
export function refuseOtherReport(report: Result, judged: Result, path: string): void {
  const refused = (place: string, hint = 'Certify the original files of the run.') =>
    new CertificateError('other-outcome', `${path} differs from what its exchanges show: ${place}`, hint);
  const { name, version } = report.suite;
  if (name !== judged.suite.name || version !== judged.suite.version) {
    throw certificateError('old-suite')`
      the run was judged by ${name} ${version}, but this is ${judged.suite.name} ${judged.suite.version}
      Judge it again with countersign judge RUN --out DIR, and certify that folder.`;
  }
  const rows = new Map(judged.results.map((row) => [row.id, row]));
  const left = new Set(rows.keys());
  for (const row of report.results) {
    const again = rows.get(row.id);
    if (again === undefined) throw refused(`no requirement of a ${report.subject.kind} has the id ${row.id}`);
    if (!left.delete(row.id)) throw refused(`${row.id} occurs twice`);
    const member = judgedMembers.find((name) => !isSame(row[name], again[name]));
    if (member !== undefined) {
      throw refused(`${row.id} has ${member} ${inShort(row[member])}, but judged again ${inShort(again[member])}`);
    }
  }
  const [missing] = left;
  if (missing !== undefined) throw refused(`${missing} is missing`);
  const [interactions, again] = [report, judged].map(({ contracts = [] }) =>
    contracts.map(({ known: _, ...row }) => row),
  );
  if (!isSame(interactions, again)) throw refused('contracts does not match the set');
  if (!isSame(hazardsOf(report), hazardsOf(judged))) {
    throw refused(`hazards are ${inShort(hazardsOf(report))}, but judged again ${inShort(hazardsOf(judged))}`);
  }
  for (const member of ['conclusion', 'dimensions', 'observations', 'exchangeCount'] as const) {
    if (!isSame(report[member], judged[member])) {
      throw refused(`${member} differs: ${inShort(report[member])}, but judged again ${inShort(judged[member])}`);
    }
  }
}

/** Throws CertificateError if --bail left out a scenario: third parties cannot rely on such a run. */
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

/** The parts of a run that a certificate needs. */
interface CertifiedRun {
  readonly report: Result;
  readonly recordings: readonly (Pick<RecordedRun, 'records'> & {
    /** Set in a recording of another tool, which is not a run. */
    readonly isForeign?: true;
  })[];
  /** The part of the run that the seed did not produce, to follow "and"; undefined if there is none. */
  strangerTo(seed: string): string | undefined;
}

/** Throws CertificateError if the start does not match the first exchange: the expiry depends on the start. */
export function refuseOtherStart({ report, recordings }: CertifiedRun, path: string): void {
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

/** Throws CertificateError if the requests do not derive from the challenge, and so may be older than it. */
export function refuseUnanswered(
  { report, strangerTo }: Pick<CertifiedRun, 'report' | 'strangerTo'>,
  challenge: string | undefined = report.challenge,
): void {
  const stranger = challenge === undefined ? undefined : strangerTo(challenge);
  if (stranger === undefined) return;
  throw certificateError('other-challenge')`
    the run states the challenge ${challenge}, but ${stranger}
    Start the run with --challenge, and do not change its files.`;
}

/**
 * Throws CertificateError if the seed did not produce the requests. Skips reports changed by `rekey` or `judge`.
 * @param silent what `strangerTo` returns for a run without such requests
 */
export function refuseOtherSeed({ report, strangerTo }: CertifiedRun, path: string, silent: string): void {
  if (!isAsWritten(report)) return;
  const stranger = strangerTo(report.seed);
  if (stranger === undefined || stranger === silent) return;
  throw certificateError('other-outcome')`
    ${path} names the seed ${report.seed}, but ${stranger}
    Certify the original files of the run.`;
}

/** Whether the report is the original one of a run, not changed by `judge` or `rekey`. */
export function isAsWritten({ reproduce, subject }: Result): boolean {
  return /^npx countersign (?:gateway|client) /.test(reproduce) && subject.target !== 'recording';
}

/** Throws CertificateError if certificate and new result differ. Returns the number of compared requirements. */
export function refuseOtherOutcomes({ predicate }: Statement, judged: Result): number {
  const stated = outcomesIn({ ...predicate, untested: predicate.countersign.untested });
  const again = outcomesIn({ ...testsOf(judged), untested: untestedIn(judged) });
  const { suite } = predicate.countersign;
  const isSameSuite = suite.version === judged.suite.version;
  for (const [id, outcome] of stated) {
    const now = again.get(id);
    if (outcome === now) continue;
    const what = now === undefined ? 'not judged' : now;
    throw new CertificateError(
      'other-outcome',
      `the certificate says that ${id} ${outcome}, but judged again by ${judged.suite.name} ${judged.suite.version} it is ${what}`,
      isSameSuite ? 'Do not rely on it.' : `Ask for a certificate of this version: it was issued by ${suite.version}.`,
    );
  }
  // A later suite may have more requirements.
  const [unstated] = [...again.keys()].filter((id) => !stated.has(id));
  if (unstated !== undefined && isSameSuite) {
    throw new CertificateError('other-outcome', `the certificate does not name ${unstated}`, 'Do not rely on it.');
  }
  if (isSameSuite && !isSame(predicate.hazards, hazardsOf(judged))) {
    throw certificateError('other-outcome')`
      the certificate states hazards ${inShort(predicate.hazards)}, but judged again they are ${inShort(hazardsOf(judged))}
      Do not rely on it.`;
  }
  if (isSameSuite && !isSame(predicate.countersign.exercised, exercisedOf(judged))) {
    const words = [predicate.countersign.exercised, exercisedOf(judged)].map((one) => formatExercised(one) ?? 'all');
    const what = `the certificate states what was exercised as ${words[0]}, but judged again it is ${words[1]}`;
    throw new CertificateError('other-outcome', what, 'Do not rely on it.');
  }
  const { set } = predicate.countersign;
  const pinned = requirementsOf(judged);
  if (set === pinned.name && predicate.configuration[0]?.digest.sha256 !== pinned.sha256) {
    throw certificateError('other-outcome')`
      the set ${set} of this suite has other requirements
      Do not rely on it.`;
  }
  return judged.results.filter(({ id }) => stated.has(id)).length;
}

function outcomesIn(
  tests: Pick<Statement['predicate'], 'passedTests' | 'warnedTests' | 'failedTests'> & {
    readonly untested: readonly { readonly id: string; readonly outcome: string }[];
  },
): Map<string, string> {
  return new Map([
    ...tests.passedTests.map((id): [string, string] => [id, 'passed']),
    ...tests.warnedTests.map((id): [string, string] => [id, 'passed with a warning']),
    ...tests.failedTests.map((id): [string, string] => [id, 'failed']),
    ...tests.untested.map(({ id, outcome }): [string, string] => [id, `is ${outcome}`]),
  ]);
}

function isSame(one: unknown, other: unknown): boolean {
  return inOrder(one) === inOrder(other);
}

function inOrder(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ) ?? ''
  );
}

function inShort(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
