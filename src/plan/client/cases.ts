/** Builds test cases for a client. Each case tests one input or one answer of the gateway. */
import { createHash } from 'node:crypto';
import { type Area, type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { gateResultFields } from '../../../contracts/requirements/close-day-response.ts';
import { requirements, type TestableId } from '../../../contracts/requirements/index.ts';
import { baseGate } from '../../../generators/gate-result.ts';
import type { Gate } from '../../protocol/close-day.ts';
import type { Pair } from '../../protocol/form.ts';
import type {
  ClientLabel,
  CloseDayInput,
  DecodingQuestion,
  ExpectedReading,
  LocalAnswer,
  LocalReply,
  RecurringInput,
} from '../../record/case.ts';
import { fullIds, type InArea, row, type Tag } from '../../record/row.ts';
import { paymentColumns } from '../requests.ts';
import type { ClientPlan, ClientScenario } from '../scenario.ts';

export const htmlType = 'text/html;charset=utf-8';

/** A gate with ordinary values, which do not change if a client stores them as numbers. */
export const plainGate: Gate = { ...baseGate, reversalAmount: '10.94', code39: '12', RRN: '123456789012' };

/** A zero-padded serial number with hex letters of both cases, as gateways send. */
export const serial = '00000000-0000-0000-0000-000002D9b22a';
export const serialOfError = '00000000-0000-0000-0000-000002D9b22b';
const serialOfBatch = '00000000-0000-0000-0000-0000006C1a42';

export function reply(
  status: number,
  contentType: string | null,
  body: string | Uint8Array,
  extraHeaders: LocalReply['headers'] = [],
): LocalReply {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const type = contentType === null ? [] : [['Content-Type', contentType] as const];
  // RFC 9110 section 8.6 forbids Content-Length with status 204.
  const length = status === 204 ? [] : [['Content-Length', String(bytes.length)] as const];
  return { kind: 'reply', status, headers: [...type, ...extraHeaders, ...length], body: bytes };
}

/** JSON text of a gate whose values need no escape. */
export function gateText(gate: Gate): string {
  const members = Object.values(gateResultFields).map(({ member, type }) => {
    const quote = type === 'string' ? '"' : '';
    return `"${member}":${quote}${gate[member]}${quote}`;
  });
  return `{${members.join()}}`;
}

export function finishedBody(gates: readonly Gate[], status?: string): string {
  return finishedWith(gates.map(gateText), status);
}

export function finishedWith(gates: readonly string[], status = 'finished'): string {
  return `{"response":{"status":"${status}","gates":[${gates.join(',')}]},"theRequestSerialNumber":"${serial}"}`;
}

/** The body of an error. `code` and `message` are JSON texts. If `reversed`, the members are in reverse order. */
export function errorBody(code: string, message: string, reversed = false): string {
  const inOrder = (members: readonly string[]) => (reversed ? members.toReversed() : members).join(',');
  const response = inOrder(['"status":"error"', `"errorCode":${code}`, `"errorMessage":${message}`]);
  return `{${inOrder([`"response":{${response}}`, `"theRequestSerialNumber":"${serialOfError}"`])}}`;
}

const lineFeeds = { 'raw-line-feed': '\n', 'escaped-line-feed': '%0A' } as const;

/** A body of section 2.4, with a line feed after each value. Values must already be escaped. */
export function parameterBody(
  parameters: readonly (readonly [name: string, escaped: string])[],
  form: keyof typeof lineFeeds,
): string {
  return parameters.map(([name, escaped]) => `${name}=${escaped}${lineFeeds[form]}`).join('&');
}

export const closedDayReply = reply(200, htmlType, finishedBody([plainGate]));

export function failure(type: 'validation-error' | 'error', message: string, code = '403'): readonly Pair[] {
  return [
    ['type', type],
    ['serial-number', serialOfBatch],
    ['error-message', message],
    ['error-code', code],
  ];
}

export function acceptance(serialNumber = serialOfBatch): readonly Pair[] {
  return [
    ['type', 'process-recurring-payment-response'],
    ['status', 'processing'],
    ['serial-number', serialNumber],
  ];
}

export function finishedReading(gates: readonly Gate[]): Extract<ExpectedReading, { kind: 'finished' }> {
  return { kind: 'finished', serial, gates: gates.map((gate) => ({ ...gate })) };
}

export const emptyOk = reply(200, null, '');

/** A scenario in the area `authentication` or `transport` tests both operations. Ids in `shows` may omit the area. */
export function clientScenario<A extends Area | 'authentication' | 'transport'>(
  id: `${A}/${string}`,
  shows: readonly InArea<'client', A>[],
  plan: ClientScenario['plan'],
): Tag<ClientScenario> {
  const [area = ''] = id.split('/');
  const operation = operationNames.find((name) => operations[name].area === area) ?? 'both';
  return row((title) => ({ id, operation, title, shows: fullIds<'client'>(area, shows), plan }));
}

export type WireLabel = Omit<ClientLabel, 'operation' | 'decoding'>;
export type Details = Partial<Omit<ClientPlan, 'label' | 'input'>>;

export function closeDayCase(input: CloseDayInput, label: WireLabel, details: Details = {}): ClientPlan {
  return { label: { operation: 'close-day', ...label }, input, answer: closedDayReply, ...details };
}

export function recurringCase(input: RecurringInput, label: WireLabel, details: Details = {}): ClientPlan {
  return { label: { operation: 'process-recurring-payments', ...label }, input, answer: emptyOk, ...details };
}

/** The simplest close-day request: only an id. Every client can send it. */
export const plainCloseDay: CloseDayInput = { day_close_request_id: 'a1b2c3d4e5f6' };

export const fullCloseDay = {
  day_close_request_id: 'a1b2c3d4e5f6',
  sale_approved_count: '2',
  sale_approved_sum: '10.42',
  reversal_approved_count: '1',
  reversal_approved_sum: '0.94',
} as const satisfies CloseDayInput;

export const plainCells = ['order-1', '1234567890', '1.00'] as const;

export function paymentBatch(...rows: RecurringInput['rows']): RecurringInput {
  return { columns: paymentColumns, rows };
}

interface OrdinaryCall extends Pick<ClientPlan, 'input'> {
  readonly answer: LocalReply;
  /** Returns a new input for this id. For recurring payments, the input has one row, which charges `payment`. */
  readonly fresh: (id: string, payment?: { readonly id: string; readonly amount: string }) => ClientPlan['input'];
}

/** One call of each operation that every client can make, with the simplest valid answer. */
export const ordinaryCalls: Readonly<Record<Operation, OrdinaryCall>> = {
  'close-day': {
    input: plainCloseDay,
    answer: closedDayReply,
    fresh: (id) => ({ day_close_request_id: id }),
  },
  'process-recurring-payments': {
    input: paymentBatch(['order-1', '1234567890', '10.42']),
    answer: emptyOk,
    fresh: (id, payment) => paymentBatch([`countersign-${id}`, payment!.id, payment!.amount]),
  },
};

/** The testable client requirements whose ids match `pattern`. */
export function testableIds(pattern: RegExp): readonly TestableId<'client'>[] {
  return requirements
    .filter(({ id, side, untestable }) => side === 'client' && untestable === undefined && pattern.test(id))
    .map(({ id }) => id as TestableId<'client'>);
}

/** `answers` lists the requirements that an answer of the gateway tests. If it is empty, nothing is judged. */
export interface Question extends Omit<DecodingQuestion, 'form'> {
  /** The document does not define this answer, so a client may decline it. */
  readonly open?: true;
  readonly misbehaviour?: string;
}

export const notSuccess: ExpectedReading = { kind: 'not-success' };

/** Sends the body as text/html in two ways: as it is, and wrapped in an object. */
export function htmlQuestion(question: Question, body: string): ClientPlan[] {
  return [
    closeDayDecodeCase(question, reply(200, htmlType, body), 'unwrapped'),
    closeDayDecodeCase(question, reply(200, htmlType, `{"closeDayResponse":${body}}`), 'wrapped'),
  ];
}

/** Sends a body of section 2.4 twice with each HTTP status: with raw line feeds, and with %0A. */
export function recurringQuestion(
  question: string,
  answers: Question['answers'],
  params: readonly Pair[],
  escaped: readonly Pair[] = params.map(([name, value]) => [name, encodeURIComponent(value)]),
  statuses: readonly number[] = [200],
): ClientPlan[] {
  const decoding: Question = { question, answers, expected: { kind: 'parameters', params } };
  return statuses.flatMap((status) =>
    (['raw-line-feed', 'escaped-line-feed'] as const).map((form) => {
      const plan = recurringDecodeCase(decoding, reply(status, htmlType, parameterBody(escaped, form)), form);
      return { ...plan, label: { ...plan.label, special: `${question} (HTTP ${status}, ${form})` } };
    }),
  );
}

type Form = DecodingQuestion['form'];

export function closeDayDecodeCase(question: Question, answer: LocalAnswer, form: Form = 'only'): ClientPlan {
  const input = { day_close_request_id: `q${distinctId(question, form, answer)}` };
  return { label: { operation: 'close-day', ...labelOf(question, form) }, input, answer };
}

export function recurringDecodeCase(question: Question, answer: LocalAnswer, form: Form = 'only'): ClientPlan {
  const label = { operation: 'process-recurring-payments', ...labelOf(question, form) } as const;
  const [, ...cells] = plainCells;
  return { label, input: paymentBatch([`order-${distinctId(question, form, answer)}`, ...cells]), answer };
}

/** Each call has its own id, so that the suite recognizes a repeated request. */
function distinctId({ question }: Question, form: string, answer: LocalAnswer): string {
  const status = answer.kind === 'reply' ? answer.status : answer.kind;
  return createHash('sha256').update(`${question}\n${form}\n${status}`).digest('hex').slice(0, 11);
}

function labelOf({ misbehaviour, open, ...decoding }: Question, form: Form): Omit<ClientLabel, 'operation'> {
  return {
    input: decoding.answers.length === 0 ? 'probe' : open ? 'hardening' : 'mandatory',
    special: form === 'only' ? decoding.question : `${decoding.question} (${form})`,
    decoding: { ...decoding, form },
    misbehaviour,
  };
}
