/** What the answer to a request says of its effect: done, not done, or unknown. Pure. */
import type { Operation } from '../../contracts/requirements/requirement.ts';
import { type Acceptance, blameForUnclear, classify, neverArrived } from '../answers/acceptance.ts';
import { errorCodeOf, responseObject, statusOf } from '../answers/close-day-body.ts';
import { parameterOf } from '../answers/recurring-body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { JsonNumber } from '../protocol/json.ts';
import type { Settlement } from './ledger.ts';
import { answeredWith } from './ledger-lines.ts';
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
  if (said === 'refused' && hasOneEffect(worst) && isDocumentedRefusal(operation, exchange)) {
    return { event: 'release', answer, by: 'target' };
  }
  const unreadable = said === 'unclear' && blameForUnclear(exchange) === 'subject';
  return { event: 'unclear', answer, ...(unreadable ? { unreadable } : {}) };
}

export function saidTo(operation: Operation, exchange: Exchange): Acceptance {
  return classify({ scenario: '', number: 0, label: { operation, intent: 'valid' }, exchange });
}

/** Whether its refusal says all of what it did. */
export function hasOneEffect(worst: WorstEffect): boolean {
  return worst.effect === 'closes-day' || worst.count === 1;
}

export function operationOf({ effect }: WorstEffect): Operation {
  return effect === 'closes-day' ? 'close-day' : 'process-recurring-payments';
}

/** Sections 4.1, 4.2 and 7: what the document shows as a refusal, and nothing that may be a fault after the effect. */
function isDocumentedRefusal(operation: Operation, exchange: Exchange): boolean {
  const { status } = exchange.response!;
  if (status !== 200 && status !== 401 && status !== 403) return false;
  if (operation === 'close-day') {
    return statusOf(exchange) === undefined || saysNo(writtenCodeOf(exchange));
  }
  const type = parameterOf(exchange, 'type');
  const code = parameterOf(exchange, 'error-code');
  if (type === undefined) return true;
  return type === 'validation-error' ? saysNo(code) : type === 'error' && Number(code) === 403;
}

/** The code of a close-day, where it is text or a number: other forms may hold anything. */
function writtenCodeOf(exchange: Exchange): string | undefined {
  const code = responseObject(exchange)?.errorCode;
  return typeof code === 'string' || code instanceof JsonNumber ? errorCodeOf(exchange) : undefined;
}

/**
 * Error 99 comes from a gate that is closing, 500 from a server at fault, and 200 may be anything (section 7): in whatever
 * digits and whatever words surround such a number.
 */
function saysNo(code: string | undefined): boolean {
  if (code === undefined || code.trim() === '') return false;
  const numbers = [code, ...(code.normalize('NFKC').match(/\d+/g) ?? [])].map(Number);
  return !numbers.some((number) => number === 99 || (number >= 200 && number < 300) || (number >= 500 && number < 600));
}
