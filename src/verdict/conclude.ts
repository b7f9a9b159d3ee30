/** The end of a run: its result, and the cases that the report's writers print. */
import { type Operation, operationNames } from '../../contracts/operations.ts';
import type { AnyCase, Case, ClientRun } from '../record/case.ts';
import { type GatewayRun, gatewayRunOf } from '../record/gateway-run.ts';
import type { ContractRow, Result } from '../record/result/result.ts';
import { classify } from '../rules/answers/acceptance.ts';
import { webPageNotes } from '../rules/answers/media-type.ts';
import { isRedirect, isTakenElsewhere, whyCredentialsFail } from '../run/doctor/signed-checks.ts';
import { countEffects } from '../run/gateway/effects.ts';
import type { EndOfLive } from '../run/live/begin-live.ts';
import { nothingBefore } from '../run/live/plan.ts';
import { headerOf, type RunOptions } from '../run/options/run-options.ts';
import { clientPlan, gatewayPlan } from '../run/options/selection.ts';
import { type ClientRecord, notesOf, type ScenarioRecord } from '../run/scenario-record.ts';
import { publishedKeys } from '../run/target/published.ts';
import { clientEvidence, hostNotes, junkNotes } from './client/client-evidence.ts';
import { finishRun, type RunRecord } from './finish-run.ts';
import { provenBy, withUnnoticed } from './forecast/by-requirements.ts';
import { forecast } from './forecast/forecast.ts';
import { gatewayEvidence } from './gateway-evidence.ts';
import { liveEffects, liveNotes } from './report-live.ts';

export interface EndOfRun {
  /** What the Pact verifier found; absent where the run does not verify contracts. */
  readonly contracts?: readonly ContractRow[];
  /** Of a run against a live target. */
  readonly live?: EndOfLive;
  /** Why the run could not be carried to its end. */
  readonly aborted?: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Whether outcomes are all that is asked for: then nothing is explained, and nothing observed. */
  readonly outcomesAlone?: boolean;
}

/** A result with its exchanges, in the order of their numbers. */
export interface ConcludedRun {
  readonly result: Result;
  readonly cases: readonly Case[];
  /** Where a client was the subject. */
  readonly client?: ClientRun;
  /** Where a gateway was, and there is something to say beside the cases. */
  readonly gateway?: GatewayRun;
}

/** Judges everything that the scenarios recorded: those of a client where the options name one. Pure. */
export function concludeRun(
  options: RunOptions,
  records: readonly ScenarioRecord<AnyCase>[],
  end: EndOfRun,
): ConcludedRun {
  const { contracts, outcomesAlone } = end;
  const side = options.client === undefined ? 'gateway' : 'client';
  const { evidence, ...judged } =
    side === 'gateway'
      ? judgedGateway(options, records as readonly ScenarioRecord[], end)
      : judgedClient(options, records as readonly ClientRecord[], end);
  const { cases } = evidence;
  let result = finishRun({
    ...judged,
    only: options.only,
    scoring: options.scoring,
    records,
    evidence: outcomesAlone
      ? { ...evidence, observations: () => [], mistakes: undefined, signatures: undefined }
      : evidence,
    contracts,
    provenBy: provenBy(side),
  });
  // One generated case by itself is no run of which this is known.
  if (options.live === undefined && options.path === undefined && !outcomesAlone) result = withUnnoticed(result);
  const { aborted } = result;
  if (side === 'client') {
    return { result, cases, client: { ...runOf(records as readonly ClientRecord[]), aborted } };
  }
  result = withForecast(result, options, records as readonly ScenarioRecord[], end);
  const { misconfigured } = judged;
  return { result, cases, gateway: gatewayRunOf(records, { aborted, misconfigured }) };
}

type Judged = Pick<RunRecord, 'header' | 'planned' | 'evidence' | 'aborted'> & { readonly misconfigured?: string };

function judgedGateway(
  options: RunOptions,
  records: readonly ScenarioRecord[],
  { aborted, now, live: end }: EndOfRun,
): Judged {
  const planned = gatewayPlan(options);
  const misconfigured = whyRefused(options, records);
  const evidence = gatewayEvidence(records, { misconfigured, aborted });
  const live = options.live !== undefined && end !== undefined ? { ...options, live: options.live } : undefined;
  const effects = live === undefined ? countEffects(planned, records, options) : liveEffects(live, records, end!);
  const notes = [
    ...(live === undefined ? [] : liveNotes(live, evidence.cases, end!, effects)),
    ...webPageNotes(evidence.cases.map(({ exchanges: [exchange] }) => exchange)),
  ];
  return {
    header: { ...headerOf(options, now), effects, ...(notes.length === 0 ? {} : { notes }) },
    planned,
    evidence,
    // A target that is gone after a request has a finding: the run is judged, and not aborted.
    aborted: misconfigured ?? (isGone(records) ? undefined : givenUpIn(records)) ?? aborted,
    misconfigured,
  };
}

function judgedClient(options: RunOptions, records: readonly ClientRecord[], { aborted, now }: EndOfRun): Judged {
  const run = runOf(records);
  const introduction = introductionIn(records);
  const notes = [...notesOf(records), ...junkNotes(run), ...hostNotes(run)];
  // An adapter attached by hand introduced itself only in the run.
  const client = options.client && { ...options.client, ...(introduction && { introduction }) };
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  return {
    header: {
      ...headerOf({ ...options, client }, now),
      // The local gateway closes no day and starts no payment.
      effects: { predicted: nothing, recorded: nothing },
      ...(notes.length === 0 ? {} : { notes }),
    },
    planned: clientPlan(options),
    evidence: clientEvidence(run, { hasKeys: true, keysOf: publishedKeys }),
    aborted: aborted ?? givenUpIn(records),
  };
}

/** What a run with a client leaves to be judged, and judged again. */
export function runOf(records: readonly ClientRecord[]): ClientRun {
  const introduction = introductionIn(records);
  return {
    calls: records.flatMap(({ cases }) => cases),
    skipped: records.flatMap(({ skipped }) => skipped ?? []),
    offered: introduction?.offers.ops,
    language: introduction?.client.language,
  };
}

function introductionIn(records: readonly ClientRecord[]): ClientRecord['introduction'] {
  return records.find(({ introduction }) => introduction !== undefined)?.introduction;
}

function givenUpIn(records: readonly Pick<ScenarioRecord, 'givenUp'>[]): string | undefined {
  return records.find(({ givenUp }) => givenUp !== undefined)?.givenUp;
}

function isGone(records: readonly ScenarioRecord[]): boolean {
  return records.some(({ goneAfter }) => goneAfter !== undefined);
}

/** With what a run against a live target does not rule out, and what more would have to be allowed. */
function withForecast(
  result: Result,
  options: RunOptions,
  records: readonly ScenarioRecord[],
  { live: end }: EndOfRun,
): Result {
  const { live } = options;
  if (live === undefined || end === undefined || result.aborted !== undefined) return result;
  const known = result.results.filter((row) => row.known !== undefined).map(({ id }) => id);
  const before = { ...nothingBefore, carried: end.balance.carried };
  // Beside a probe that failed no answer counts.
  const counted = records.filter(({ unreachable }) => unreachable === undefined);
  const unnoticed = forecast({ ...options, live }, { cases: counted.flatMap(({ cases }) => cases), before, known });
  // Whatever more is allowed, the request that it did not survive would be sent again.
  return { ...result, unnoticed: isGone(records) ? { ...unnoticed, allowances: [] } : unnoticed };
}

/** On a live target: what the answers to the first right requests say of credentials and address, where they are refused. */
export function whyRefused({ live }: Pick<RunOptions, 'live'>, records: readonly ScenarioRecord[]): string | undefined {
  const settling = records.filter(({ settles }) => settles).flatMap(({ cases }) => cases);
  const all = records.flatMap(({ cases }) => cases);
  // Redirects of wrong requests may take the allowance before a right one is sent: then they say it.
  const telling =
    settling.length === 0 && all.every(({ exchanges: [exchange] }) => isRedirect(exchange)) ? all : settling;
  const answerTo = (operation: Operation) => {
    const [first, ...others] = telling.filter(({ label }) => label.operation === operation);
    // A batch that was refused may have been accepted in another form.
    return (others.find((other) => classify(other) === 'accepted') ?? first)?.exchanges[0];
  };
  return whyCredentialsFail({
    sent: Object.fromEntries(operationNames.map((operation) => [operation, answerTo(operation)])),
    clockOffset: live?.clockOffset,
    isTakenElsewhere: all.some(isTakenElsewhere),
  });
}
