/** Makes the result of a run from its record, right after the run or later from files. Pure. */
import { type Operation, operationNames } from '../../contracts/operations.ts';
import type { Requirement } from '../../contracts/requirements/requirement.ts';
import { clientScenarios } from '../plan/client/index.ts';
import { gatewayScenarios } from '../plan/index.ts';
import type { AnyCase, Case, ClientCase } from '../record/case.ts';
import type { Exchange } from '../record/exchange.ts';
import { pluralize } from '../record/pluralize.ts';
import type { ContractRow, Result, ResultRow } from '../record/result/result.ts';
import type { Scoring } from '../record/result/score.ts';
import { casesOf, groupByScenario, type RecordedRun } from '../record/run.ts';
import { classify, webPageNotes } from '../rules/answers/acceptance.ts';
import { credentialFailureReason, isPastAuthentication, isRedirect } from '../run/doctor/answer-findings.ts';
import { countEffects } from '../run/gateway/effects.ts';
import { noEarlierUsage } from '../run/live/plan.ts';
import type { endOfLive } from '../run/live/session.ts';
import { headerOf, type RunOptions } from '../run/options/run-options.ts';
import { clientPlan, gatewayPlan } from '../run/options/scenarios.ts';
import { suite } from '../run/options/suite-version.ts';
import { type ClientRecord, notesOf, type ScenarioRecord } from '../run/scenario-record.ts';
import { publishedKeys } from '../run/target/published.ts';
import { clientEvidence, hostNotes, junkNotes, type KnownKeys } from './client/client-evidence.ts';
import type { Evidence, NoVerdict, NumberedFinding } from './evidence.ts';
import { finishRun, type RunToJudge } from './finish-run.ts';
import { forecast, withUnnoticed } from './forecast/forecast.ts';
import { gatewayEvidence } from './gateway-evidence.ts';
import { assignSide, type Recording } from './recordings/recording.ts';
import { liveEffects, liveNotes } from './report-live.ts';

/** A result, and its exchanges in the order of their numbers. */
export interface ConcludedRun {
  readonly result: Result;
  readonly cases: readonly Case[];
  /** Absent if a run ended before anything was recorded. */
  readonly recorded?: RecordedRun;
}

const testKeys: KnownKeys = { hasKeys: true, keysOf: publishedKeys };

/** The evidence in a record. By default, verifies the signatures of clients with the published test keys. */
export function evidenceOf(
  run: Pick<RecordedRun, 'records' | 'side'> & Partial<RecordedRun>,
  keys: KnownKeys = testKeys,
): Evidence {
  return run.side === 'client'
    ? clientEvidence(casesOf(run) as readonly ClientCase[], keys, run)
    : gatewayEvidence((run as RecordedRun<Case>).records, run);
}

export interface EndOfRun {
  /** Results of the Pact verifier; absent if the run does not verify contracts. */
  readonly contracts?: readonly ContractRow[];
  readonly live?: Awaited<ReturnType<typeof endOfLive>>;
  readonly aborted?: string;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
  /** If true, leaves out explanations and observations, because the caller needs only outcomes. */
  readonly outcomesOnly?: boolean;
}

/** Judges the records of a run: of a client if `options.client` is set, of a gateway if not. */
export function concludeRun(
  options: RunOptions,
  records: readonly ScenarioRecord<AnyCase>[],
  end: EndOfRun,
): ConcludedRun {
  const { outcomesOnly, contracts } = end;
  const { only, scoring, live, path } = options;
  const { recorded, evidence, ...judged } =
    options.client === undefined
      ? prepareGateway(options, records as readonly ScenarioRecord[], end)
      : prepareClient(options, records as readonly ClientRecord[], end);
  const { leftOut } = recorded;
  const usedEvidence = outcomesOnly
    ? { ...evidence, observations: () => [], mistakes: undefined, signatures: undefined }
    : evidence;
  let result = finishRun({ ...judged, only, scoring, records, leftOut, evidence: usedEvidence, contracts });
  const { aborted } = result;
  // With --path a run has only one generated case. It misses most defects, so do not list them.
  if (live === undefined && path === undefined && !outcomesOnly) result = withUnnoticed(result, evidence.cases);
  if (recorded.side === 'gateway') result = withForecast(result, options, records as readonly ScenarioRecord[], end);
  return { result, cases: evidence.cases, recorded: { ...recorded, aborted } };
}

type PreparedRun = Pick<RunToJudge, 'header' | 'planned' | 'evidence' | 'aborted'> & { readonly recorded: RecordedRun };

function prepareGateway(
  options: RunOptions,
  records: readonly ScenarioRecord[],
  { aborted, now, live: end, outcomesOnly }: EndOfRun,
): PreparedRun {
  const planned = gatewayPlan(options);
  const misconfigured = refusalReason(options, records);
  const recorded: RecordedRun = { side: 'gateway', records, leftOut: leftOutOf(records), misconfigured, aborted };
  const evidence = evidenceOf(recorded);
  const live = options.live && end && { ...options, live: options.live };
  let effects: Result['effects'] = noEffects;
  if (!outcomesOnly) {
    effects = live === undefined ? countEffects(planned, records, options) : liveEffects(live, records, end!);
  }
  const notes = live === undefined ? [] : liveNotes(live, evidence.cases, end!, effects);
  return {
    header: {
      ...headerOf(options, now),
      effects,
      notes: unlessEmpty([...bailNotes(recorded, options), ...notes, ...webPageNotes(exchangesOf(evidence.cases))]),
    },
    planned,
    evidence,
    // If a request crashed the target, this is a finding. So the run does not count as aborted.
    aborted: misconfigured ?? (isGone(records) ? undefined : giveUpReason(records)) ?? aborted,
    recorded,
  };
}

function prepareClient(options: RunOptions, records: readonly ClientRecord[], { aborted, now }: EndOfRun): PreparedRun {
  const introduction = records.find((record) => record.introduction !== undefined)?.introduction;
  const recorded: RecordedRun<ClientCase> = {
    side: 'client',
    records,
    skipped: records.flatMap(({ skipped }) => skipped ?? []),
    leftOut: leftOutOf(records),
    offered: introduction?.offers.ops,
    language: introduction?.client.language,
  };
  const calls = casesOf(recorded);
  // If a person started the adapter, its `ready` message arrives only during the run. So add the content here.
  const client = options.client && { ...options.client, ...(introduction && { introduction }) };
  const notes = [...bailNotes(recorded, options), ...notesOf(records), ...junkNotes(calls), ...hostNotes(calls)];
  return {
    // A run with a client has no effects: the local gateway closes no day and starts no payment.
    header: { ...headerOf({ ...options, client }, now), effects: noEffects, notes: unlessEmpty(notes) },
    planned: clientPlan(options),
    evidence: evidenceOf(recorded),
    aborted: aborted ?? giveUpReason(records),
    recorded,
  };
}

const zeroCount = { 'closes-day': 0, 'starts-payments': 0 };
const noEffects = { predicted: zeroCount, recorded: zeroCount };

function leftOutOf(records: readonly ScenarioRecord<AnyCase>[]): readonly string[] | undefined {
  return unlessEmpty(records.filter(({ isLeftOut }) => isLeftOut).map(({ scenario }) => scenario));
}

function unlessEmpty<T>(all: readonly T[]): readonly T[] | undefined {
  return all.length === 0 ? undefined : all;
}

function bailNotes({ leftOut = [], records }: RecordedRun<AnyCase>, options?: RunOptions): string[] {
  const { length } = leftOut;
  if (length === 0) return [];
  if (options === undefined) return [`--bail ended the run before ${pluralize(length, 'scenario')}.`];
  return [`--bail ${options.bail} ended the run before ${length} of ${records.length} scenarios.`];
}

function giveUpReason(records: readonly Pick<ScenarioRecord, 'givenUp'>[]): string | undefined {
  return records.find(({ givenUp }) => givenUp !== undefined)?.givenUp;
}

function isGone(records: readonly ScenarioRecord[]): boolean {
  return records.some(({ goneAfter }) => goneAfter !== undefined);
}

function exchangesOf(cases: readonly Case[]): Exchange[] {
  return cases.map(({ exchanges: [exchange] }) => exchange);
}

function withForecast(
  result: Result,
  options: RunOptions,
  records: readonly ScenarioRecord[],
  { live: end }: EndOfRun,
): Result {
  const { live } = options;
  if (live === undefined || end === undefined || result.aborted !== undefined) return result;
  const known = result.results.filter((row) => row.known !== undefined).map(({ id }) => id);
  const before = { ...noEarlierUsage, carried: end.balance.carried };
  // If the target could not be reached during a scenario, the answers prove nothing. So leave out this scenario.
  const reachable = records.filter(({ unreachable }) => unreachable === undefined);
  const unnoticed = forecast({ ...options, live }, { cases: reachable.flatMap(({ cases }) => cases), before, known });
  // If a request crashed the target, offer no larger allowance: the next run would send this request again.
  return { ...result, unnoticed: isGone(records) ? { ...unnoticed, allowances: [] } : unnoticed };
}

/** Why the first valid requests were refused, if wrong credentials or a wrong address are the reason. */
export function refusalReason(
  { live }: Pick<RunOptions, 'live'>,
  records: readonly ScenarioRecord[],
): string | undefined {
  const settling = records.filter(({ settles }) => settles).flatMap(({ cases }) => cases);
  const all = records.flatMap(({ cases }) => cases);
  // If redirected requests used up the allowance, no first valid request was sent. Then consider all requests.
  const considered =
    settling.length === 0 && all.every(({ exchanges: [exchange] }) => isRedirect(exchange)) ? all : settling;
  const answerTo = (operation: Operation) => {
    const [first, ...others] = considered.filter(({ label }) => label.operation === operation);
    // Prefer an accepted answer: a gateway may refuse one form of a batch and accept another form.
    return (others.find((other) => classify(other) === 'accepted') ?? first)?.exchanges[0];
  };
  return credentialFailureReason({
    sent: Object.fromEntries(operationNames.map((operation) => [operation, answerTo(operation)])),
    clockOffset: live?.clockOffset,
    isAcceptedElsewhere: all.some(isPastAuthentication),
  });
}

export interface JudgedRecordings extends Pick<RunToJudge, 'header' | 'only' | 'scoring'> {
  readonly recordings: readonly Recording[];
  readonly keys: KnownKeys;
  /** Pact interactions from a stored report, because a recording does not contain interactions. */
  readonly contracts?: readonly ContractRow[];
}

/** Judges recordings of the subject that `header` describes. Sends nothing. */
export function judgeRecordings({ header, recordings, keys, contracts, ...rest }: JudgedRecordings): ConcludedRun {
  const side = header.subject.kind;
  const recorded = mergeRecordings(recordings.map((one) => assignSide(one, side)));
  const evidence = evidenceOf(recorded, keys);
  const { records, aborted, leftOut } = recorded;
  const calls = side === 'client' ? (casesOf(recorded) as readonly ClientCase[]) : [];
  // Look for web pages only in foreign answers: in a run with a client, the suite itself answers.
  const isForeign = side === 'gateway' || calls.some(({ call }) => call.label.input === 'observed');
  const pageNotes = isForeign ? webPageNotes(exchangesOf(evidence.cases)) : [];
  const notes = [...(header.notes ?? []), ...bailNotes(recorded), ...junkNotes(calls), ...pageNotes];
  const result = finishRun({
    ...{ ...rest, records, leftOut, evidence, aborted },
    header: { ...header, notes: unlessEmpty(notes) },
    planned: side === 'gateway' ? gatewayScenarios : clientScenarios,
    // Drop `known` and `notScored`: the baseline and the requirement set may have changed since the run.
    contracts: contracts?.map(({ known: _, notScored: __, ...row }) => row),
  });
  return { result, cases: evidence.cases, recorded };
}

/** Merges recordings. If the facts on the run differ, the first recording counts. */
function mergeRecordings(recordings: readonly Recording[]): RecordedRun {
  const facts: RecordedRun = Object.assign({}, ...recordings.toReversed());
  return {
    ...facts,
    records: recordings.flatMap(({ records }) => records),
    skipped: recordings.flatMap(({ skipped }) => skipped ?? []),
    leftOut: unlessEmpty(recordings.flatMap((one) => one.leftOut ?? [])),
  };
}

interface JudgedCalls {
  readonly header: Omit<RunToJudge['header'], 'suite'>;
  readonly calls: readonly ClientCase[];
  readonly keys: KnownKeys;
  noVerdictOn(row: Requirement): NoVerdict | undefined;
}

/** Judges calls that a person made. These calls have no scenario, so no command can repeat them. */
export function judgeCalls({ header, calls, keys, noVerdictOn }: JudgedCalls): ConcludedRun {
  const records = groupByScenario(calls);
  const evidence = evidenceOf({ side: 'client', records }, keys);
  const { results, ...result } = finishRun({
    header: { suite, ...header },
    only: [],
    planned: [],
    records,
    evidence: { ...evidence, judge: (id) => preferDetermined(evidence.judge(id)), noVerdictOn },
  });
  return { result: { ...result, results: results.map(({ repeat: _, ...row }) => row) }, cases: evidence.cases };
}

function preferDetermined(findings: readonly NumberedFinding[]): readonly NumberedFinding[] {
  const isOpen = ({ finding: { outcome, blame } }: NumberedFinding) =>
    outcome === 'inconclusive' && blame === 'configuration';
  return findings.every(isOpen) ? findings : findings.filter((one) => !isOpen(one));
}

export interface StoredRun {
  readonly report: Result;
  readonly recordings: readonly Recording[];
  /** The requirement set and the --require patterns that the report names. */
  readonly scoring?: Scoring;
}

/** Judges the evidence of a stored run with the current judges. */
export function rejudgeRun({ report, recordings, scoring }: StoredRun): Result {
  const { subject, runId, profile, seed, challenge, startedAt, durationMs, reproduce, effects, contracts } = report;
  const header = { suite, subject, runId, profile, seed, challenge, startedAt, durationMs, reproduce, effects };
  return judgeRecordings({ header, only: [], recordings, keys: testKeys, scoring, contracts }).result;
}

/** The verdicts that differ between the stored report and `current`, the result of the current judges. */
export function rejudged(stored: Result, current: Result): NonNullable<Result['rejudged']> {
  const before = new Map(stored.results.map((row) => [row.id, row]));
  const now = new Map(current.results.map((row) => [row.id, row]));
  const inScope = (id: string) => current.scope === undefined || now.has(id);
  const ids = [...new Set([...now.keys(), ...before.keys()])].filter(inScope);
  return {
    suite: stored.suite.version,
    flips: ids.flatMap((id) => {
      const [old, fresh] = [before.get(id), now.get(id)];
      if (old?.outcome === fresh?.outcome) return [];
      // If the stored run left the requirement out (--only), there was no verdict that could change.
      if (old === undefined && stored.scope !== undefined) return [];
      return [{ id, before: old?.outcome, now: fresh?.outcome, why: flipReason(old, fresh, stored, current) }];
    }),
  };
}

function flipReason(old: ResultRow | undefined, fresh: ResultRow | undefined, stored: Result, current: Result): string {
  if (stored.profile !== current.profile) return `the profile is ${current.profile}, and was ${stored.profile}`;
  if (old === undefined) return 'the requirement is new';
  if (fresh === undefined) return 'the requirement was removed';
  if (old.kind !== fresh.kind) return `the kind of the requirement changed from ${old.kind} to ${fresh.kind}`;
  if (old.statement !== undefined && old.statement !== fresh.statement) {
    return `the statement of the requirement changed; before: "${old.statement}"`;
  }
  if (stored.suite.version !== current.suite.version) {
    return `the judge changed between countersign ${stored.suite.version} and ${current.suite.version}`;
  }
  return 'the verdict does not follow from the evidence: the report, the evidence or the judge of this version was changed';
}
