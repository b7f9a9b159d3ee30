/** The evidence of a run with a client: verdicts of the client's judges, with the exchanges that show them. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import { clientJudges } from '../../checks/client/index.ts';
import { observeClient } from '../../checks/client/observe-client.ts';
import { type Finding, inconclusive } from '../../checks/finding.ts';
import type { ClientCase, ClientRun } from '../../exchange/client-case.ts';
import type { VerifyingKey } from '../../protocol/index.ts';
import type { Evidence, NumberedFinding, Silence } from '../evidence.ts';
import { numberCalls } from './number-calls.ts';

export interface KnownKeys {
  readonly hasKeys: boolean;
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
}

/** Pure. */
export function clientEvidence(run: ClientRun, keys: KnownKeys): Evidence {
  const { calls, cases, numberOf } = numberCalls(run.calls);
  const numbersOf = (call: ClientCase) => call.wire.map((exchange) => numberOf.get(exchange)!);
  return {
    judge: (id) => [
      ...clientJudges[id as keyof typeof clientJudges]({ id, cases: calls, ...keys }).map(
        ({ finding, examined, exchange }): NumberedFinding => ({
          finding,
          exchanges: exchange === undefined ? numbersOf(examined) : [numberOf.get(exchange)!],
        }),
      ),
      ...unanswered(id, calls).map(({ finding, call }) => ({ finding, exchanges: numbersOf(call) })),
    ],
    whySilent: (row) => whySilent(row, run),
    observations: () =>
      observeClient(calls).map(({ openPoint, value, exchanges }) => ({
        openPoint,
        value,
        exchanges: exchanges.map((exchange) => numberOf.get(exchange)!),
      })),
    numberOf: (scenario, caseNumber) => {
      const call = calls.find((one) => one.scenario === scenario && one.number === caseNumber);
      return call && numbersOf(call)[0];
    },
    exchangeCount: cases.length,
  };
}

/** Calls that a conforming client must manage and that ended in nothing: they must not vanish, or silence would be green. */
function unanswered(id: RequirementId, calls: readonly ClientCase[]): { finding: Finding; call: ClientCase }[] {
  return calls.flatMap((call) => {
    const why = (call.label.about ?? pathOf(call)) === id ? nothingCame(call) : undefined;
    return why === undefined ? [] : [{ finding: why, call }];
  });
}

function nothingCame({ label, adapterFault, reply, wire }: ClientCase): Finding | undefined {
  if (label.input !== 'mandatory' || (label.server !== undefined && label.server !== 'ordinary')) return undefined;
  if (adapterFault !== undefined) return inconclusive(adapterFault.message, 'subject');
  if (reply?.outcome === 'adapter_error') {
    return inconclusive(`the adapter reported an error of its own: ${reply.reason ?? 'no reason given'}`, 'subject');
  }
  if (reply?.outcome === 'completed' && wire.length === 0) {
    return inconclusive('the client reported a completed call, and no request arrived', 'subject');
  }
  return undefined;
}

function pathOf({ label }: ClientCase): RequirementId {
  return label.operation === 'close-day' ? 'close-day/path' : 'recurring/path';
}

function whySilent({ id, operation }: Requirement, { skipped, offered }: ClientRun): Silence | undefined {
  const missing = operation !== 'both' && offered !== undefined && !offered.includes(operation);
  const reason = missing
    ? `the adapter does not offer ${operation}`
    : skipped.find(({ ids }) => ids.some((one) => one === id))?.reason;
  return reason === undefined ? undefined : { outcome: 'not-applicable', reason };
}
