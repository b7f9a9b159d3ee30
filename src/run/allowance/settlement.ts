/** What the answer to a request says of its effect: done, not done, or unknown. Pure. */
import { type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import type { Exchange } from '../../record/exchange.ts';
import { blameForUnclear, classify, neverArrived } from '../../rules/answers/acceptance.ts';
import { type Acceptance, answerReadings } from '../../rules/answers/answer-reading.ts';
import type { Settlement } from './ledger.ts';
import type { AnswerInLedger } from './ledger-lines.ts';
import type { WorstEffect } from './worst-case.ts';

/**
 * Only what never arrived is given back for certain. A documented refusal of a request with one effect is given back on the
 * target's word, which the ledger counts; a refused batch of several payments may have started some of them.
 */
export function settlementOf(exchange: Exchange, worst: WorstEffect): Settlement {
  const operation = operationOf(worst);
  const said = saidTo(operation, exchange);
  const answer = answeredWith(exchange, said);
  if (neverArrived(exchange)) return { event: 'release', answer };
  if (said === 'accepted') return { event: 'confirm', answer };
  if (said === 'refused' && hasOneEffect(worst) && answerReadings[operation].isDocumentedRefusal(exchange)) {
    return { event: 'release', answer, by: 'target' };
  }
  const unreadable = said === 'unclear' && blameForUnclear(exchange) === 'subject';
  return { event: 'unclear', answer, ...(unreadable ? { unreadable } : {}) };
}

function answeredWith({ response, failure }: Exchange, said: Acceptance): AnswerInLedger {
  if (response === undefined) return { said: failure?.kind ?? said };
  return { status: response.status, said };
}

export function saidTo(operation: Operation, exchange: Exchange): Acceptance {
  return classify({ scenario: '', number: 0, label: { operation, intent: 'valid' }, exchange });
}

/** Whether its refusal says all of what it did. */
export function hasOneEffect(worst: WorstEffect): boolean {
  return worst.effect === 'closes-day' || worst.count === 1;
}

/** The operation that has the effect: no two of them share one. */
export function operationOf({ effect }: WorstEffect): Operation {
  return operationNames.find((name) => operations[name].effect === effect)!;
}
