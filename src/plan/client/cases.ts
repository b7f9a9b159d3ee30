/** Builds the cases of a client. A case has a special input or a special answer. */
import { createHash } from 'node:crypto';
import { type Area, type Operation, operationNames, operations } from '../../../contracts/operations.ts';
import { requirements, type TestableId } from '../../../contracts/requirements/index.ts';
import type { Labelled } from '../../../generators/labelled.ts';
import type {
  ClientLabel,
  CloseDayInput,
  DecodingQuestion,
  ExpectedReading,
  RecurringInput,
} from '../../record/case.ts';
import { fullIds, type InArea, type Row, row } from '../../record/row.ts';
import { paymentColumns } from '../requests.ts';
import type { ClientPlan, ClientScenario, LocalAnswer, LocalReply } from '../scenario.ts';
import { dayClosed, emptyOk, htmlAnswer, type Params, parameterBody, reply } from './answers.ts';

/** The part of `id` before the slash selects one operation, or both. Ids in `shows` may omit that part. */
export function clientScenario<A extends Area | 'authentication' | 'transport'>(
  id: `${A}/${string}`,
  shows: readonly InArea<'client', A>[],
  plan: ClientScenario['plan'],
): Row<ClientScenario> {
  const [area = ''] = id.split('/');
  const operation = operationNames.find((name) => operations[name].area === area) ?? 'both';
  return row((title) => ({ id, operation, title, shows: fullIds<'client'>(area, shows), plan }));
}

export type WireLabel = Omit<ClientLabel, 'operation' | 'decoding'>;
export type Details = Partial<Omit<ClientPlan, 'label' | 'input'>>;

export function closeDayCase(input: CloseDayInput, label: WireLabel, details: Details = {}): ClientPlan {
  return { label: { operation: 'close-day', ...label }, input, answer: dayClosed, ...details };
}

export function recurringCase(input: RecurringInput, label: WireLabel, details: Details = {}): ClientPlan {
  return { label: { operation: 'process-recurring-payments', ...label }, input, answer: emptyOk, ...details };
}

/** A request with only an id, which every client can send. */
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

export function withCell(at: number, cell: string | null): RecurringInput {
  return paymentBatch(plainCells.map((plain, index) => (index === at ? cell : plain)));
}

/** Names of edges whose kind of input differs from the kind of their label. No requirement judges a `probe`. */
export type Exceptions = Partial<Record<'mandatory' | 'hardening' | 'probe', readonly string[]>>;

/** `about` is the requirement that fails if the client refuses the value. For a fault, the label names the broken requirement. */
export function classified(
  { label, edge = 'generated' }: Labelled<unknown>,
  about: TestableId<'client'>,
  exceptions: Exceptions = {},
): WireLabel {
  if (label.kind === 'fault') return { input: 'forbidden', about: label.breaks, special: edge };
  const exception = (['mandatory', 'hardening', 'probe'] as const).find((kind) => exceptions[kind]?.includes(edge));
  return { input: exception ?? (label.kind === 'valid' ? 'mandatory' : 'hardening'), about, special: edge };
}

interface OrdinaryCall extends Pick<ClientPlan, 'input'> {
  readonly answer: LocalReply;
  /** Returns the input with another id. A batch charges `payment`. */
  readonly fresh: (id: string, payment?: { readonly id: string; readonly amount: string }) => ClientPlan['input'];
}

/** One call of each operation that every client can make, with the simplest valid answer. */
export const ordinaryCalls: Readonly<Record<Operation, OrdinaryCall>> = {
  'close-day': {
    input: plainCloseDay,
    answer: dayClosed,
    fresh: (id) => ({ day_close_request_id: id }),
  },
  'process-recurring-payments': {
    input: paymentBatch(['order-1', '1234567890', '10.42']),
    answer: emptyOk,
    fresh: (id, payment) => paymentBatch([`countersign-${id}`, payment!.id, payment!.amount]),
  },
};

/** Requirements that no ordinary request tests. They need a special answer, several environments or a special address. */
const ofOwnCases = /\/(?:decodes-|broken-body|environment-|uri-host-case|uri-default-port)/;

function testableRows(startsWith: RegExp): readonly TestableId<'client'>[] {
  return requirements
    .filter(({ id, side, untestable }) => side === 'client' && untestable === undefined && startsWith.test(id))
    .map(({ id }) => id as TestableId<'client'>);
}

function requestRows(area: Area, method: TestableId<'client'>): readonly TestableId<'client'>[] {
  const ofBoth = testableRows(/^(?:authentication|transport)\//).filter((id) => !id.endsWith('-method'));
  return [...testableRows(new RegExp(`^${area}/`)), method, ...ofBoth].filter((id) => !ofOwnCases.test(id));
}

export const closeDayRowIds = requestRows('close-day', 'authentication/close-day-method');
export const recurringRowIds = requestRows('recurring', 'authentication/recurring-method');

export const wireRows: readonly TestableId<'client'>[] = [...new Set([...closeDayRowIds, ...recurringRowIds])];

export const gateRowIds = testableRows(/^close-day\/decodes-gate-/);

/** What a call asks the client to read. If `answers` is empty, no requirement judges the reading. */
export interface Question extends Omit<DecodingQuestion, 'form'> {
  /** The document does not define this answer, so a client may decline it. */
  readonly open?: true;
  readonly misbehaviour?: string;
}

export const notSuccess: ExpectedReading = { kind: 'not-success' };

export function neverSuccess(row: TestableId<'client'>, question: string): Question {
  return { question, answers: [row], expected: notSuccess };
}

/** Sends the body in three ways: as text/html, as text/html wrapped in an object, and as application/json. */
export function closeDayQuestion(asked: Question, body: string): ClientPlan[] {
  return [...htmlQuestion(asked, body), closeDayReading(asked, reply(200, 'application/json', body), 'json')];
}

/** Sends the body as text/html in two ways: as it is, and wrapped in an object. */
export function htmlQuestion(asked: Question, body: string): ClientPlan[] {
  return [
    closeDayReading(asked, reply(200, htmlAnswer, body), 'unwrapped'),
    closeDayReading(asked, reply(200, htmlAnswer, `{"closeDayResponse":${body}}`), 'wrapped'),
  ];
}

/** Sends a body of section 2.4 under each status in two ways: with raw line feeds, and with %0A. */
export function recurringQuestion(
  question: string,
  answers: Question['answers'],
  params: Params,
  escaped: Params = params.map(([name, value]) => [name, encodeURIComponent(value)]),
  statuses: readonly number[] = [200],
): ClientPlan[] {
  const asked: Question = { question, answers, expected: { kind: 'parameters', params } };
  return statuses.flatMap((status) =>
    (['raw-line-feed', 'escaped-line-feed'] as const).map((form) => {
      const plan = recurringReading(asked, reply(status, htmlAnswer, parameterBody(escaped, form)), form);
      return { ...plan, label: { ...plan.label, special: `${question} (HTTP ${status}, ${form})` } };
    }),
  );
}

type Form = DecodingQuestion['form'];

export function closeDayReading(asked: Question, answer: LocalAnswer, form: Form = 'only'): ClientPlan {
  const input = { day_close_request_id: `q${distinctId(asked, form, answer)}` };
  return { label: { operation: 'close-day', ...labelOf(asked, form) }, input, answer };
}

export function recurringReading(asked: Question, answer: LocalAnswer, form: Form = 'only'): ClientPlan {
  const label = { operation: 'process-recurring-payments', ...labelOf(asked, form) } as const;
  const [, ...cells] = plainCells;
  return { label, input: paymentBatch([`order-${distinctId(asked, form, answer)}`, ...cells]), answer };
}

/** Each call has its own id, so that the suite recognizes a repeated request. */
function distinctId({ question }: Question, form: string, answer: LocalAnswer): string {
  const status = answer.kind === 'reply' ? answer.status : answer.kind;
  return createHash('sha256').update(`${question}\n${form}\n${status}`).digest('hex').slice(0, 11);
}

/** The label of a call with a plain input and a special answer. */
function labelOf({ misbehaviour, open, ...asked }: Question, form: Form): Omit<ClientLabel, 'operation'> {
  return {
    input: asked.answers.length === 0 ? 'probe' : open ? 'hardening' : 'mandatory',
    special: form === 'only' ? asked.question : `${asked.question} (${form})`,
    decoding: { ...asked, form },
    misbehaviour,
  };
}
