/** How the answer to each operation is read, as far as it says what became of the request (sections 4.1, 4.2 and 7). */
import type { Operation } from '../../../contracts/operations.ts';
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { JsonNumber } from '../../protocol/json.ts';
import type { Exchange } from '../../record/exchange.ts';
import { errorCodeOf, responseObject, statusOf } from './close-day-body.ts';
import { parameterOf, recurringBody } from './recurring-body.ts';

/** `past-authentication`: error 99, which only a right signature gets. `unclear`: neither yes nor no. */
export type Acceptance = 'accepted' | 'refused' | 'past-authentication' | 'unclear';

interface AnswerReading {
  readonly acceptance: (exchange: Exchange) => Acceptance;
  /** Whether the document shows such a refusal, so that it is no fault after the effect. */
  readonly isDocumentedRefusal: (exchange: Exchange) => boolean;
  readonly hasDocumentedBody: (exchange: Exchange) => boolean;
  /** Statuses that only the row on the status judges if authentication fails: their form is open (A35). */
  readonly openRefusals: readonly number[];
  /** If an answer is neither yes nor no, it mostly breaks one of these. */
  readonly readBy: readonly RequirementId[];
  /** If a right request is refused, it breaks one of these. */
  readonly takenBy: readonly RequirementId[];
}

export const answerReadings: Readonly<Record<Operation, AnswerReading>> = {
  'close-day': {
    acceptance: closeDayAnswer,
    isDocumentedRefusal: (exchange) =>
      isRefusingStatus(exchange) && (statusOf(exchange) === undefined || saysNo(writtenCodeOf(exchange))),
    hasDocumentedBody: (exchange) => responseObject(exchange) !== undefined,
    openRefusals: [401, 403],
    readBy: [
      'close-day/status-200',
      'close-day/body-decodable',
      'close-day/response-member',
      'close-day/status-present',
      'close-day/status-value',
    ],
    takenBy: [
      'authentication/close-day-valid-accepted',
      'close-day/request-id-bounds-accepted',
      'close-day/accepts-sale-approved-count',
      'close-day/accepts-sale-approved-sum',
      'close-day/accepts-reversal-approved-count',
      'close-day/accepts-reversal-approved-sum',
      'close-day/generated-requests-accepted',
    ],
  },
  'process-recurring-payments': {
    acceptance: recurringAnswer,
    isDocumentedRefusal: (exchange) => isRefusingStatus(exchange) && isDocumentedType(exchange),
    hasDocumentedBody: (exchange) =>
      recurringBody(exchange)?.kind === 'parameters' || recurringAnswer(exchange) === 'accepted',
    openRefusals: [],
    readBy: [
      'recurring/success-status-200',
      'recurring/success-body-empty',
      'recurring/failure-status-403',
      'recurring/failure-body-empty',
      'recurring/type-present',
      'recurring/type-value',
    ],
    takenBy: [
      'authentication/recurring-valid-accepted',
      'recurring/many-rows-accepted',
      'recurring/amount-range-accepted',
      'recurring/amount-sequence-accepted',
      'recurring/generated-requests-accepted',
    ],
  },
};

/** Faults of the server, rate limits, wrong addresses and redirects do not answer the request. Nor do 408 (RFC 9110 15.5.9) and 425. */
export function noAnswerToTheRequest(status: number): boolean {
  return status >= 500 || [404, 408, 425, 429].includes(status) || (status >= 300 && status < 400);
}

function closeDayAnswer(exchange: Exchange): Acceptance {
  const { status } = exchange.response!;
  if (noAnswerToTheRequest(status)) return 'unclear';
  const said = statusOf(exchange);
  if (said === 'finished') return status === 200 ? 'accepted' : 'unclear';
  if (said === 'error') return errorCodeOf(exchange) === '99' ? 'past-authentication' : 'refused';
  return status === 401 || status === 403 ? 'refused' : 'unclear';
}

function recurringAnswer(exchange: Exchange): Acceptance {
  const { status } = exchange.response!;
  const type = parameterOf(exchange, 'type');
  if (type === 'validation-error' || type === 'error') return 'refused';
  if (status === 200) {
    const accepted = recurringBody(exchange)?.kind === 'empty' || type === 'process-recurring-payment-response';
    return accepted ? 'accepted' : 'unclear';
  }
  return status === 401 || status === 403 ? 'refused' : 'unclear';
}

function isRefusingStatus({ response }: Exchange): boolean {
  return [200, 401, 403].includes(response!.status);
}

function isDocumentedType(exchange: Exchange): boolean {
  const type = parameterOf(exchange, 'type');
  const code = parameterOf(exchange, 'error-code');
  if (type === undefined) return true;
  return type === 'validation-error' ? saysNo(code) : type === 'error' && Number(code) === 403;
}

/** Undefined unless the code is text or a number. */
function writtenCodeOf(exchange: Exchange): string | undefined {
  const code = responseObject(exchange)?.errorCode;
  return typeof code === 'string' || code instanceof JsonNumber ? errorCodeOf(exchange) : undefined;
}

/** 99 is a gate that is closing, 5xx a fault of the server, 2xx may be anything (section 7), also inside other words. */
function saysNo(code: string | undefined): boolean {
  if (code === undefined || code.trim() === '') return false;
  const numbers = [code, ...(code.normalize('NFKC').match(/\d+/g) ?? [])].map(Number);
  return !numbers.some((number) => number === 99 || (number >= 200 && number < 300) || (number >= 500 && number < 600));
}
