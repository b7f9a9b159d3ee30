/** The end of a run against a gateway: its result, and the cases that the report's writers print. */
import type { Case } from '../exchange/case.ts';
import type { ClientRun } from '../exchange/client-case.ts';
import type { ContractRow, Result } from '../result/result.ts';
import { gatewayScenarios } from '../scenarios/index.ts';
import { countEffects } from './effects.ts';
import { finishRun } from './finish-run.ts';
import { gatewayEvidence } from './gateway-evidence.ts';
import { headerOf } from './header.ts';
import { numberCases } from './number-cases.ts';
import { provenBy } from './proven-by.ts';
import type { RunOptions } from './run-options.ts';
import type { ScenarioRecord } from './run-scenario.ts';
import { selectedIds, selectScenarios } from './selection.ts';

export interface EndOfRun {
  /** What the Pact verifier found; absent where the run does not verify contracts. */
  readonly contracts?: readonly ContractRow[];
  /** Why the run could not be carried to its end. */
  readonly aborted?: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** A result with its exchanges, in the order of their numbers. */
export interface ConcludedRun {
  readonly result: Result;
  readonly cases: readonly Case[];
  /** Where a client was the subject. */
  readonly client?: ClientRun;
}

/** Judges everything that the scenarios recorded. Pure. */
export function concludeGateway(
  options: RunOptions,
  records: readonly ScenarioRecord[],
  { contracts, aborted, now }: EndOfRun,
): ConcludedRun {
  const planned = selectScenarios(gatewayScenarios, selectedIds('gateway', options.only));
  const givenUp = records.find((record) => record.givenUp !== undefined)?.givenUp;
  const reason = aborted ?? givenUp;
  const result = finishRun({
    header: { ...headerOf(options, now), effects: countEffects(planned, records, options) },
    only: options.only,
    planned,
    records,
    evidence: gatewayEvidence(records),
    ...(contracts === undefined ? {} : { contracts }),
    provenBy: provenBy('gateway'),
    ...(reason === undefined ? {} : { aborted: reason }),
  });
  return { result, cases: numberCases(records) };
}
