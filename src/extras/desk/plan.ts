/** The plan of an engagement, which is the test of one client: the steps and their answers. Pure. */
import { type Operation, operationNames } from '../../../contracts/operations.ts';
import {
  acceptance,
  closedDayReply,
  emptyOk,
  errorBody,
  failure,
  finishedBody,
  htmlType,
  ordinaryCalls,
  parameterBody,
  paymentBatch,
  plainGate,
  reply,
} from '../../plan/client/cases.ts';
import type { Pair } from '../../protocol/index.ts';
import type { CallInput, LocalReply } from '../../record/case.ts';
import type { SentRequest } from '../../record/exchange.ts';
import { currentExchanges, type EngagementRecord } from './state.ts';

export interface DeskStep {
  /** Never change an id, because state files contain it. */
  readonly id: string;
  readonly title: string;
  readonly instruction?: string;
  readonly answers: string;
  /** What the client should display. Only a person can check this, because the desk does not see the display. */
  readonly expect: string;
  readonly input: CallInput;
  readonly kind?: 'hardening';
  readonly answer: LocalReply;
  readonly operation: Operation;
  /** True if the client may send a `day_close_request_id` of its own instead of the id in the step. */
  readonly ownRequestId: boolean;
}

type StepRow = Omit<DeskStep, 'operation' | 'ownRequestId'> & { readonly ownRequestId?: false };

const okReply = (body: string) => reply(200, htmlType, body);
const parametersReply = (pairs: readonly Pair[]) => okReply(parameterBody(pairs, 'raw-line-feed'));

const accepted = { answers: '200 with an empty body', expect: 'The batch is accepted.', answer: emptyOk };
const refused = { answers: '403 with an empty body', answer: reply(403, null, '') };

/** Steps for sections 2.1, 2.2, 4.1 and 7 of the interface document. */
const closeDaySteps: readonly StepRow[] = [
  {
    id: 'close-day-plain',
    title: 'Close the day with only the id',
    answers: 'finished, with one gate: 42, open, sales 10.42, reversals 10.94',
    expect: 'The day is closed; gate 42 is shown with both amounts.',
    input: { day_close_request_id: 'DeskPlain0001' },
    answer: closedDayReply,
  },
  {
    id: 'close-day-totals',
    title: 'Send all four totals',
    answers: 'finished, with three gates that are not sorted; one has the id 9007199254740993, one has 0.00',
    expect: 'Three gates are shown. All digits of gate 9007199254740993 are right, and 0.00 is shown as an amount.',
    input: {
      day_close_request_id: 'DeskTotals0001',
      sale_approved_count: '120',
      sale_approved_sum: '9050.10',
      reversal_approved_count: '3',
      reversal_approved_sum: '20.00',
    },
    answer: okReply(
      finishedBody([
        { ...plainGate, gateId: '9007199254740993', saleApprovedCount: '120', saleAmount: '9050.10' },
        { ...plainGate, gateId: '7', saleApprovedCount: '0', saleAmount: '0.00', reversalAmount: '0.00' },
        { ...plainGate, gateId: '42', gateCloseDate: 'Sun Mar 31 03:00:01 EEST 2024' },
      ]),
    ),
  },
  {
    id: 'close-day-leading-zeros',
    title: 'An id with leading zeros',
    instruction: 'The id is text: all twelve characters must arrive.',
    answers: 'finished, with one gate that stays locked',
    expect: 'The client says that gate 42 is still locked, and does not simply report success.',
    input: { day_close_request_id: '000000012345' },
    ownRequestId: false,
    answer: okReply(finishedBody([{ ...plainGate, isDayClosing: true }])),
  },
  {
    id: 'close-day-some-absent',
    title: 'Two totals absent',
    instruction: 'Leave the absent fields out: do not send them with an empty value.',
    answers: "error 99, 'gate is closing already'",
    expect: 'The client shows error 99 and its message, and does not report the day as closed.',
    input: { day_close_request_id: 'DeskAbsent0001', reversal_approved_count: '1', reversal_approved_sum: '0.94' },
    answer: okReply(errorBody('"99"', '"gate is closing already"')),
  },
  {
    id: 'close-day-empty-field',
    title: 'One total sent with an empty value',
    instruction: 'Send the name of the field and "=", but no value. If your client cannot do that, skip the step.',
    answers: 'finished, without any gate',
    expect: 'The day is closed; no gate is shown, and nothing breaks.',
    input: { day_close_request_id: 'DeskEmpty00001', sale_approved_count: '2', sale_approved_sum: '' },
    kind: 'hardening',
    answer: okReply(finishedBody([])),
  },
  {
    id: 'close-day-longest-id',
    title: 'An id of 32 characters',
    answers: 'error 1017 with a message that is not ASCII',
    expect: 'The client shows the code 1017 and the message „Terminal gesperrt – später“ with all its letters.',
    input: { day_close_request_id: 'abcdefghijABCDEFGHIJ012345678901' },
    ownRequestId: false,
    answer: okReply(errorBody('"1017"', '"Terminal gesperrt – später"')),
  },
  {
    id: 'close-day-cut-answer',
    title: 'An answer that breaks off',
    answers: 'JSON that is cut in the middle of a gate, with status 200',
    expect: 'The client reports that the answer cannot be read. It must not say that the day is closed.',
    input: { day_close_request_id: 'DeskCut0000001', sale_approved_count: '1', sale_approved_sum: '1.00' },
    answer: okReply(finishedBody([plainGate]).slice(0, 90)),
  },
  {
    id: 'close-day-refused',
    title: 'A refusal without a body',
    ...refused,
    expect: 'The client reports a refusal with status 403.',
    input: { day_close_request_id: 'DeskRefused001', reversal_approved_count: '0', reversal_approved_sum: '0.00' },
  },
];

/** Steps for sections 2.3, 2.4, 4.2 and 7 of the interface document. */
const recurringSteps: readonly StepRow[] = [
  {
    id: 'recurring-plain',
    title: 'Charge one payment',
    ...accepted,
    expect: 'The batch is accepted. An empty answer is success here.',
    input: paymentBatch(['desk-order-1', '1234567890', '1.00']),
  },
  {
    id: 'recurring-delimiters',
    title: 'An order id with ; and "',
    instruction: 'In the CSV, the cell is in double quotes, and each quote inside it is doubled.',
    ...refused,
    expect: 'The client reports that the batch was refused.',
    input: paymentBatch(['shop "A"; till 7', '1234567890', '2.50']),
  },
  {
    id: 'recurring-leading-zeros',
    title: 'Ids with leading zeros, amounts with trailing zeros',
    instruction: 'Ids are text, and amounts are sent unchanged.',
    answers: '200 with the parameters of an accepted batch',
    expect: 'The batch is accepted; if the client shows the serial number, it ends in 02d9b22a without a line feed.',
    input: paymentBatch(['desk-order-3a', '0000000042', '100.00'], ['desk-order-3b', '0012300450', '0.50']),
    answer: parametersReply(acceptance('00000000-0000-0000-0000-000002d9b22a')),
  },
  {
    id: 'recurring-plus-and-slash',
    title: 'A payload with "+" and "/" in its base64',
    instruction: 'In the form body they are %2B and %2F. An unescaped "+" arrives as a space.',
    answers: 'validation-error with code 403 and a message; the HTTP status is 200',
    expect: 'The client reports a validation error, with code 403 and the message "amount & limit = wrong".',
    input: paymentBatch(['order>>>>>????', '1234567890', '3.00'], ['order??>>>?~~~', '1234567891', '4.00']),
    answer: parametersReply(failure('validation-error', 'amount+%26+limit+%3D+wrong')),
  },
  {
    id: 'recurring-many-rows',
    title: 'Twenty payments in one batch',
    instruction: 'Order ids desk-batch-01 to desk-batch-20, all with the same payment id and amount 1.25.',
    ...accepted,
    input: paymentBatch(
      ...Array.from({ length: 20 }, (_, at) => [`desk-batch-${String(at + 1).padStart(2, '0')}`, '1234567890', '1.25']),
    ),
  },
  {
    id: 'recurring-non-ascii',
    title: 'An order id that is not ASCII',
    instruction: 'The CSV is UTF-8 without a byte-order mark.',
    answers: 'error with code 500 and a message; the HTTP status is 200',
    expect: 'The client reports an error with code 500. It must not say that the batch was accepted.',
    input: paymentBatch(['Zürich № 5', '1234567890', '5.00']),
    answer: parametersReply(failure('error', 'internal+error', '500')),
  },
  {
    id: 'recurring-twice',
    title: 'The first of two batches within one second',
    instruction: 'Call this step and the next one as quickly as you can: their nonces must differ.',
    ...accepted,
    input: paymentBatch(['desk-quick-1', '1234567890', '0.10']),
  },
  {
    id: 'recurring-twice-again',
    title: 'The second of two batches within one second',
    ...accepted,
    input: paymentBatch(['desk-quick-2', '1234567890', '0.10']),
  },
];

/** All steps in order. The steps of an operation need different inputs, because `recognise` compares request bodies. */
export const deskSteps: readonly DeskStep[] = [
  ...closeDaySteps.map((row) => ({ ...row, operation: 'close-day' as const, ownRequestId: row.ownRequestId ?? true })),
  ...recurringSteps.map((row) => ({ ...row, operation: 'process-recurring-payments' as const, ownRequestId: false })),
];

export function stepById(id: string | undefined): DeskStep | undefined {
  return deskSteps.find((step) => step.id === id);
}

export function stepsFor(operations: readonly Operation[]): DeskStep[] {
  return deskSteps.filter(({ operation }) => operations.includes(operation));
}

/** Returns the state of each step. The first step that is neither done nor skipped is `next`. */
export function progressOf(record: EngagementRecord) {
  const current = currentExchanges(record);
  let openState: 'next' | 'later' = 'next';
  return stepsFor(record.engagement.operations).map((step, index) => {
    const exchanges = current.filter((stored) => stored.step === step.id);
    let state: 'done' | 'skipped' | 'next' | 'later' = openState;
    if (exchanges.length > 0) state = 'done';
    else if (record.skipped.has(step.id)) state = 'skipped';
    else openState = 'later';
    return { step, number: index + 1, state, exchanges, reported: record.reported.get(step.id) };
  });
}

export function operationOfRequest(request: SentRequest): Operation | undefined {
  const pathOperation = operationOfPath(request.target);
  if (pathOperation !== undefined) return pathOperation;
  const body = Buffer.from(request.body).toString('latin1');
  if (body.includes('payload=')) return 'process-recurring-payments';
  return body.includes('day_close_request_id=') ? 'close-day' : undefined;
}

/** Finds the step and the answer without checking the signature. A body equal to the latest one stays in its step. */
export function recognise(request: SentRequest, record: EngagementRecord) {
  const operation = operationOfPath(request.target);
  if (request.method !== 'POST') return { answer: reply(405, null, '', [['Allow', 'POST']]) };
  if (operation === undefined) return { answer: reply(404, null, '') };
  const latest = currentExchanges(record).findLast((stored) => stored.step !== undefined);
  const isRepeated = request.body.length > 0 && Buffer.from(latest?.exchange.request.body ?? []).equals(request.body);
  const next = progressOf(record).find(({ state }) => state === 'next')?.step;
  const repeated = isRepeated ? stepById(latest?.step) : undefined;
  const step = [repeated, next].find((one) => one?.operation === operation);
  return { step, answer: step?.answer ?? (ordinaryCalls[operation].answer as LocalReply) };
}

export function operationOfPath(target: string): Operation | undefined {
  const segments = target.split(/[?#]/)[0]!.split('/');
  return operationNames.find((operation) => segments.includes(operation));
}
