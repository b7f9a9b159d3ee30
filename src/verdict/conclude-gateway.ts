/** The end of a run against a gateway: its result, and the cases that the report's writers print. */
import { type Operation, operationNames } from '../../contracts/operations.ts';
import { gatewayScenarios } from '../plan/index.ts';
import type { Scenario } from '../plan/scenario.ts';
import type { Case, ClientRun } from '../record/case.ts';
import { type GatewayRun, gatewayRunOf } from '../record/gateway-run.ts';
import type { ContractRow, Result } from '../record/result/result.ts';
import { classify } from '../rules/answers/acceptance.ts';
import { webPageNotes } from '../rules/answers/media-type.ts';
import { isRedirect, isTakenElsewhere, whyCredentialsFail } from '../run/doctor/signed-checks.ts';
import { countEffects } from '../run/gateway/effects.ts';
import type { ScenarioRecord } from '../run/gateway/perform-case.ts';
import type { EndOfLive } from '../run/live/begin-live.ts';
import { nothingBefore } from '../run/live/plan.ts';
import { headerOf } from '../run/options/result-head.ts';
import type { RunOptions } from '../run/options/run-options.ts';
import { selectedIds, selectScenarios, shareOf } from '../run/options/selection.ts';
import { finishRun } from './finish-run.ts';
import { provenBy, withUnnoticed } from './forecast/by-requirements.ts';
import { forecast } from './forecast/forecast.ts';
import { gatewayEvidence, numberCases } from './gateway-evidence.ts';
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

/** Judges everything that the scenarios recorded. Pure. */
export function concludeGateway(
  options: RunOptions,
  records: readonly ScenarioRecord[],
  { contracts, aborted, now, live, outcomesAlone }: EndOfRun,
): ConcludedRun {
  const all = selectScenarios(gatewayScenarios, selectedIds('gateway', options.only), options.slow);
  const planned = shareOf(all, options.shard);
  const cases = numberCases(records);
  const misconfigured = whyRefused(options, records);
  const givenUp = records.find((record) => record.givenUp !== undefined)?.givenUp;
  // A target that is gone after a request has a finding: the run is judged, and not aborted.
  const isGone = records.some(({ goneAfter }) => goneAfter !== undefined);
  const reason = misconfigured ?? (isGone ? undefined : givenUp) ?? aborted;
  let result = finishRun({
    header: { ...headerOf(options, now), ...effectsOf(options, planned, records, live) },
    only: options.only,
    scoring: options.scoring,
    planned,
    records,
    evidence: {
      ...gatewayEvidence(records, { misconfigured, aborted }),
      ...(outcomesAlone ? { observations: () => [], mistakes: undefined } : {}),
    },
    contracts,
    provenBy: provenBy('gateway'),
    aborted: reason,
  });
  const { live: target } = options;
  if (target !== undefined && live !== undefined && result.aborted === undefined) {
    const known = result.results.filter((row) => row.known !== undefined).map(({ id }) => id);
    const before = { ...nothingBefore, carried: live.balance.carried };
    // Beside a probe that failed no answer counts.
    const unnoticed = forecast(
      { ...options, live: target },
      {
        cases: records.filter(({ unreachable }) => unreachable === undefined).flatMap(({ cases }) => cases),
        before,
        known,
      },
    );
    // Whatever more is allowed, the request that it did not survive would be sent again.
    result = { ...result, unnoticed: isGone ? { ...unnoticed, allowances: [] } : unnoticed };
  }
  // One generated case by itself is no run of which this is known.
  if (target === undefined && options.path === undefined && !outcomesAlone) result = withUnnoticed(result);
  return { result, cases, gateway: gatewayRunOf(records, { aborted: result.aborted, misconfigured }) };
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

function effectsOf(
  options: RunOptions,
  planned: readonly Scenario[],
  records: readonly ScenarioRecord[],
  end: EndOfLive | undefined,
): Pick<Result, 'effects' | 'notes'> {
  const { live } = options;
  const cases = numberCases(records);
  const pages = webPageNotes(cases.map(({ exchanges: [exchange] }) => exchange));
  const isLive = live !== undefined && end !== undefined;
  const effects = isLive ? liveEffects({ ...options, live }, records, end) : countEffects(planned, records, options);
  const notes = [...(isLive ? liveNotes({ ...options, live }, cases, end, effects) : []), ...pages];
  return { effects, ...(notes.length === 0 ? {} : { notes }) };
}
