/** What a client should read in an answer that a gateway gave, by the suite's own lenient reading of it. Pure. */
import type { Operation } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import { isJsonObject, JsonNumber, type JsonValue } from '../../protocol/json.ts';
import type { DecodingQuestion, ExpectedReading } from '../../record/client-case.ts';
import type { Exchange } from '../../record/exchange.ts';
import { answerReadings } from './answer-reading.ts';
import { closeDayBody, errorCodeOf, errorMessageOf, gatesOf, statusOf } from './close-day-body.ts';
import { namedParameters, recurringBody } from './recurring-body.ts';

type Asked = Pick<DecodingQuestion, 'expected'> & { readonly answers: readonly TestableId<'client'>[] };

/** Undefined where the answer says neither yes nor no, and yet could be read as success: then no reading of it is wrong. */
export function expectedOf(operation: Operation, exchange: Exchange): Asked | undefined {
  return expectations[operation](exchange);
}

const expectations: Readonly<Record<Operation, (exchange: Exchange) => Asked | undefined>> = {
  'close-day': (exchange) => {
    const meaning = answerReadings['close-day'].acceptance(exchange);
    const status = statusOf(exchange);
    if (meaning === 'accepted') return finished(exchange);
    if (meaning === 'unclear' && status === 'finished') return undefined;
    if (status === 'error') return failed(exchange);
    return { answers: ['close-day/broken-body-not-success'], expected: { kind: 'not-success' } };
  },
  'process-recurring-payments': (exchange) => {
    const meaning = answerReadings['process-recurring-payments'].acceptance(exchange);
    const body = recurringBody(exchange);
    if (body?.kind === 'parameters') return meaning === 'unclear' ? undefined : parameters(exchange);
    if (meaning === 'accepted') return { answers: ['recurring/decodes-accepted'], expected: { kind: 'accepted' } };
    if (meaning === 'refused' && body?.kind === 'empty') {
      const expected = { kind: 'refused', httpStatus: exchange.response!.status } as const;
      return { answers: ['recurring/decodes-refused'], expected };
    }
    return { answers: ['recurring/broken-body-not-success'], expected: { kind: 'not-success' } };
  },
};

/** The requirement on each member of a gate. */
const gateRows = {
  gateId: 'close-day/decodes-gate-id',
  isDayClosing: 'close-day/decodes-gate-is-day-closing',
  gateCloseDate: 'close-day/decodes-gate-close-date',
  epntId: 'close-day/decodes-gate-epnt-id',
  saleApprovedCount: 'close-day/decodes-gate-sale-approved-count',
  saleAmount: 'close-day/decodes-gate-sale-amount',
  reversalApprovedCount: 'close-day/decodes-gate-reversal-approved-count',
  reversalAmount: 'close-day/decodes-gate-reversal-amount',
  code39: 'close-day/decodes-gate-code39',
  RRN: 'close-day/decodes-gate-rrn',
} as const satisfies Readonly<Record<string, TestableId<'client'>>>;

/** Of a gate that lacks a member, or has a list for a text, nothing is asked there. */
function finished(exchange: Exchange): Asked {
  const serial = closeDayBody(exchange)?.root?.theRequestSerialNumber;
  const elements = gatesOf(exchange) ?? [];
  const gates = elements.filter(isJsonObject).map((gate) => {
    const members = Object.entries(gate).flatMap(([name, value]) => {
      const plain = plainValue(value);
      return plain === undefined || !Object.hasOwn(gateRows, name) ? [] : [[name, plain] as const];
    });
    return Object.fromEntries(members);
  });
  const rows = Object.entries(gateRows).filter(([member]) => gates.every((gate) => Object.hasOwn(gate, member)));
  const isWhole = gatesOf(exchange) !== undefined && gates.length === elements.length;
  return {
    expected: { kind: 'finished', serial: typeof serial === 'string' ? serial : '', gates },
    answers: [
      'close-day/decodes-finished',
      ...(typeof serial === 'string' ? ['close-day/decodes-serial' as const] : []),
      ...(isWhole ? ['close-day/decodes-gates' as const] : []),
      ...(isWhole && gates.length > 0 ? rows.map(([, id]) => id) : []),
      ...(isWhole && gates.some(({ isDayClosing, gateId }) => isDayClosing === true && gateId !== undefined)
        ? ['close-day/decodes-locked-gate' as const]
        : []),
    ],
  };
}

function plainValue(value: JsonValue): string | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return value instanceof JsonNumber ? value.text : undefined;
}

/** Where code or message are not there to be read, only success would be wrong. */
function failed(exchange: Exchange): Asked {
  const [errorCode, errorMessage] = [errorCodeOf(exchange), errorMessageOf(exchange)];
  const serial = closeDayBody(exchange)?.root?.theRequestSerialNumber;
  const isWritten = errorCode !== undefined && errorMessage !== undefined;
  const expected: ExpectedReading = isWritten
    ? { kind: 'error', errorCode, errorMessage, ...(typeof serial === 'string' ? { serial } : {}) }
    : { kind: 'not-success' };
  const withSerial = isWritten && typeof serial === 'string';
  return {
    answers: ['close-day/decodes-error', ...(withSerial ? ['close-day/decodes-serial' as const] : [])],
    expected,
  };
}

function parameters(exchange: Exchange): Asked {
  const body = recurringBody(exchange);
  const all = body?.kind === 'parameters' ? body.parameters : [];
  const params = all.map(({ name, value }) => [name, value] as const);
  const type = params.find(([name]) => name === 'type')?.[1];
  const expected = { kind: 'parameters', params } as const;
  if (type === 'process-recurring-payment-response') {
    return { answers: ['recurring/decodes-response-type', 'recurring/decodes-parameters'], expected };
  }
  const hasId = params.some(([name]) => !namedParameters.includes(name));
  return {
    answers: [
      type === 'error' ? 'recurring/decodes-error' : 'recurring/decodes-validation-error',
      'recurring/decodes-parameters',
      ...(hasId ? ['recurring/decodes-error-id' as const] : []),
    ],
    expected,
  };
}
