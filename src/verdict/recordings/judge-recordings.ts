/** Judges recordings without any traffic: the same judges and the same conclusion as those of a run. Pure. */
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { clientScenarios } from '../../plan/client/index.ts';
import { gatewayScenarios } from '../../plan/index.ts';
import type { AnyCase, Case, ClientRun } from '../../record/case.ts';
import { type GatewayRun, gatewayRunOf, type ScenarioRest } from '../../record/gateway-run.ts';
import { groupBy } from '../../record/group-by.ts';
import type { ContractRow, Result, ResultRow } from '../../record/result/result.ts';
import type { Scoring } from '../../record/result/score.ts';
import { webPageNotes } from '../../rules/answers/media-type.ts';
import { suite } from '../../run/options/suite-version.ts';
import { publishedKeys } from '../../run/target/published.ts';
import { clientEvidence, junkNotes, type KnownKeys } from '../client/client-evidence.ts';
import type { ConcludedRun } from '../conclude.ts';
import type { NoVerdict, NumberedFinding } from '../evidence.ts';
import { type EndedScenario, finishRun, type RunRecord } from '../finish-run.ts';
import { provenBy } from '../forecast/by-requirements.ts';
import { gatewayEvidence } from '../gateway-evidence.ts';
import type { Recording, Side } from './recording.ts';

export interface JudgedRecordings {
  readonly header: RunRecord['header'];
  readonly side: Side;
  readonly only: readonly string[];
  /** What of it counts; everything where it is absent. */
  readonly scoring?: Scoring;
  readonly recordings: readonly Recording[];
  readonly keys: KnownKeys;
  /** Interactions of the Pact files as a stored report has them: no recording shows them. */
  readonly contracts?: readonly ContractRow[];
}

/** The result, with the exchanges in the order of their numbers. */
export function judgeRecordings(judged: JudgedRecordings): ConcludedRun {
  const { header, side, only, scoring, recordings, keys, contracts } = judged;
  const { records, evidence, aborted, notes, ...left } =
    side === 'gateway' ? gatewayIn(recordings) : clientIn(recordings, keys);
  const told = [...(header.notes ?? []), ...notes];
  const result = finishRun({
    header: { ...header, notes: told.length === 0 ? undefined : told },
    only,
    scoring,
    planned: side === 'gateway' ? gatewayScenarios : clientScenarios,
    records,
    evidence,
    // What they are worth in a set or a baseline is said anew.
    contracts: contracts?.map(({ known: _, notScored: __, ...row }) => row),
    provenBy: provenBy(side),
    aborted,
  });
  return { result, cases: evidence.cases, ...left };
}

type Held = Pick<ConcludedRun, 'client' | 'gateway'> &
  Pick<RunRecord, 'records' | 'evidence' | 'aborted'> & { readonly notes: readonly string[] };

function gatewayIn(recordings: readonly Recording[]): Held {
  const records = recordings.flatMap(scenariosOf);
  const { aborted, misconfigured }: Partial<GatewayRun> = Object.assign({}, ...recordings.map((one) => one.gateway));
  const evidence = gatewayEvidence(records, { misconfigured, aborted });
  const gateway = gatewayRunOf(records, { aborted, misconfigured });
  return { records, evidence, aborted, gateway, notes: webPageNotes(evidence.cases.flatMap(exchangesOf)) };
}

function clientIn(recordings: readonly Recording[], keys: KnownKeys): Held {
  const client: ClientRun = {
    // What is known of the client, where one run of this suite says so.
    ...recordings[0]?.client,
    calls: recordings.flatMap((recording) => recording.client.calls),
    skipped: recordings.flatMap((recording) => recording.client.skipped),
  };
  const evidence = clientEvidence(client, keys);
  // The answers of a run with a client are the suite's own.
  const foreign = client.calls.some(({ call }) => call.label.input === 'observed') ? evidence.cases : [];
  const notes = [...junkNotes(client), ...webPageNotes(foreign.flatMap(exchangesOf))];
  return { records: perScenario(client.calls), evidence, aborted: client.aborted, client, notes };
}

interface JudgedCalls extends Pick<JudgedRecordings, 'keys'> {
  readonly header: Omit<RunRecord['header'], 'suite'>;
  readonly client: ClientRun;
  /** Why nothing was found on a requirement. */
  noVerdictReason(row: Requirement): NoVerdict | undefined;
}

/** Judges calls that a person made: there was no run with scenarios, and no command repeats one. */
export function judgeCalls({ header, client, keys, noVerdictReason }: JudgedCalls) {
  const evidence = clientEvidence(client, keys);
  const { results, ...result }: Result = finishRun({
    header: { suite, ...header },
    only: [],
    planned: [],
    records: perScenario(client.calls),
    evidence: { ...evidence, judge: (id) => whatIsKnown(evidence.judge(id)), noVerdictReason },
    provenBy: provenBy('client'),
  });
  return {
    result: { ...result, results: results.map(({ repeat: _, ...row }) => row) },
    cases: evidence.cases,
  };
}

/** A call of which it is not known what was meant takes nothing from what the others have shown. */
function whatIsKnown(findings: readonly NumberedFinding[]): readonly NumberedFinding[] {
  const known = findings.filter(
    ({ finding }) => finding.outcome !== 'inconclusive' || finding.blame !== 'configuration',
  );
  return known.length > 0 ? known : findings;
}

/** The report of a run, with what its exchanges hold. */
export interface StoredRun {
  readonly report: Result;
  readonly recordings: readonly Recording[];
  /** The set that the report names, and what it requires to arise. */
  readonly scoring?: Scoring;
}

/** The result that the judges come to today. A run signs with the published test keys, or its judges need none. */
export function judgeRunAgain({ report, recordings, scoring }: StoredRun, suite: Result['suite']): Result {
  const { subject, runId, profile, seed, challenge, startedAt, durationMs, reproduce, effects } = report;
  const judged = judgeRecordings({
    header: { suite, subject, runId, profile, seed, challenge, startedAt, durationMs, reproduce, effects },
    side: subject.kind,
    only: [],
    recordings,
    keys: { hasKeys: true, keysOf: publishedKeys },
    scoring,
    // Interactions of the Pact files cannot be judged again; whether they count can.
    contracts: report.contracts,
  });
  return judged.result;
}

/** The scenarios of a stored run: their cases, and what the run said of those that it did not send. */
function scenariosOf({ cases, gateway }: Recording): (ScenarioRest & { readonly cases: readonly Case[] })[] {
  const told = (gateway?.scenarios ?? []).map(({ caseNumbers, ...rest }) => ({
    caseNumbers,
    rest,
    cases: [] as Case[],
  }));
  // By the place of a case: a record may name each one of a long run, and there may be as many records.
  const recordAt = new Map<string, Case[]>();
  for (const { caseNumbers, rest, cases: own } of told) {
    for (const number of caseNumbers) recordAt.set(`${rest.scenario}#${number}`, own);
  }
  const others = cases.filter((one) => recordAt.get(`${one.scenario}#${one.number}`)?.push(one) === undefined);
  return [...told.map(({ rest, cases: own }) => ({ ...rest, cases: own })), ...perScenario(others)];
}

const exchangesOf = ({ exchanges }: Case) => exchanges;

/** Scenarios of which nothing is known but their cases. */
function perScenario<C extends AnyCase>(cases: readonly C[]): (EndedScenario & { readonly cases: C[] })[] {
  const found = groupBy(cases, ({ scenario }) => scenario);
  return Array.from(found, ([scenario, some]) => ({ scenario, cases: some, suiteErrors: [] }));
}

/** @param stored the report that the run left; `again` the result of judging its evidence now */
export function rejudged(stored: Result, again: Result): NonNullable<Result['rejudged']> {
  const before = new Map(stored.results.map((row) => [row.id, row]));
  const now = new Map(again.results.map((row) => [row.id, row]));
  const inScope = (id: string) => again.scope === undefined || now.has(id);
  const ids = [...new Set([...now.keys(), ...before.keys()])].filter(inScope);
  return {
    suite: stored.suite.version,
    flips: ids.flatMap((id) => {
      const [was, is] = [before.get(id), now.get(id)];
      if (was?.outcome === is?.outcome) return [];
      // A run narrowed by --only left it out.
      if (was === undefined && stored.scope !== undefined) return [];
      return [{ id, before: was?.outcome, now: is?.outcome, why: whyFlipped(was, is, stored, again) }];
    }),
  };
}

function whyFlipped(was: ResultRow | undefined, is: ResultRow | undefined, stored: Result, again: Result): string {
  if (stored.profile !== again.profile) return `the profile is ${again.profile}, and was ${stored.profile}`;
  if (was === undefined) return 'the requirement is new';
  if (is === undefined) return 'it is no longer a requirement';
  if (was.kind !== is.kind) return `the requirement changed: it is ${is.kind}, and was ${was.kind}`;
  if (was.statement !== undefined && was.statement !== is.statement) {
    return `the requirement changed: it said "${was.statement}"`;
  }
  if (stored.suite.version !== again.suite.version) {
    return `the judge changed between countersign ${stored.suite.version} and ${again.suite.version}`;
  }
  return 'the report does not follow from its evidence: one of the two was changed, or the judge within this version';
}
