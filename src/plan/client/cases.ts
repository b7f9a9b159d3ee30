/** Cases of a client, by what is judged: the request, of which an input is special, or how the answer is read, of which a question is put. */
import { createHash } from 'node:crypto';
import type { Operation } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { Labelled } from '../../../generators/labelled.ts';
import type {
  ClientLabel,
  CloseDayInput,
  DecodingQuestion,
  ExpectedReading,
  InputKind,
  RecurringInput,
} from '../../record/client-case.ts';
import type { ClientPlan, ClientScenario, LocalAnswer } from '../scenario.ts';
import { dayClosed, emptyOk, htmlAnswer, type lineFeeds, parameterBody, reply } from './answers.ts';

/** A scenario of a client. */
export function clientScenario(
  operation: ClientScenario['operation'],
  id: string,
  title: string,
  shows: ClientScenario['shows'],
  plan: ClientScenario['plan'],
): ClientScenario {
  return { id, operation, title, shows, plan };
}

export type WireLabel = Omit<ClientLabel, 'operation' | 'decoding'>;
type Details = Omit<ClientPlan, 'label' | 'input'>;

/** A call of close-day; the day is closed unless `details` answers otherwise. */
export function closeDayCase(input: CloseDayInput, label: WireLabel, details: Partial<Details> = {}): ClientPlan {
  return { label: { operation: 'close-day', ...label }, input, answer: dayClosed, ...details };
}

/** A call of process-recurring-payments; the batch is accepted unless `details` answers otherwise. */
export function recurringCase(input: RecurringInput, label: WireLabel, details: Partial<Details> = {}): ClientPlan {
  return { label: { operation: 'process-recurring-payments', ...label }, input, answer: emptyOk, ...details };
}

/** A request that every client can send: the id alone. */
export const plainCloseDay: CloseDayInput = { day_close_request_id: 'a1b2c3d4e5f6' };

/** All five fields in their plausible forms. */
export const fullCloseDay = {
  day_close_request_id: 'a1b2c3d4e5f6',
  sale_approved_count: '2',
  sale_approved_sum: '10.42',
  reversal_approved_count: '1',
  reversal_approved_sum: '0.94',
} as const satisfies CloseDayInput;

export const documentedColumns = ['client-orderid', 'recurring-payment-id', 'amount'] as const;

/** A payment that every client can send. */
export const plainCells = ['order-1', '1234567890', '1.00'] as const;

/** The batch of these rows in the three documented columns. */
export function paymentBatch(...rows: RecurringInput['rows']): RecurringInput {
  return { columns: documentedColumns, rows };
}

/** The plain row with one cell replaced, alone in its batch. */
export function withCell(at: number, cell: string | null): RecurringInput {
  return paymentBatch(plainCells.map((plain, index) => (index === at ? cell : plain)));
}

/** Where the kind of a generator's value differs from what its label alone says; by the names of its edges. */
export interface Exceptions {
  /** Open by the document, and yet plausible. */
  readonly mandatory?: readonly string[];
  /** Right by the document, and yet exotic. */
  readonly hardening?: readonly string[];
  /** Open in a way that no row can judge. */
  readonly probe?: readonly string[];
}

/**
 * The label of a generated value: right ones are mandatory, open ones hardening, faults forbidden, with the exceptions.
 * `about` is the row that a refusal of the value breaks; a fault is about the row that it breaks itself.
 */
export function classified(
  { label, edge = 'generated' }: Labelled<unknown>,
  about: TestableId<'client'>,
  exceptions: Exceptions = {},
): WireLabel {
  if (label.kind === 'fault') return { input: 'forbidden', about: label.breaks, special: edge };
  return { input: kindOf(label.kind, edge, exceptions), about, special: edge };
}

function kindOf(kind: 'valid' | 'open', edge: string, { mandatory, hardening, probe }: Exceptions): InputKind {
  if (mandatory?.includes(edge)) return 'mandatory';
  if (hardening?.includes(edge)) return 'hardening';
  if (probe?.includes(edge)) return 'probe';
  return kind === 'valid' ? 'mandatory' : 'hardening';
}

/** A call of each operation that every client can make, with the plainest right answer. */
export const ordinaryCalls: Readonly<Record<Operation, Pick<ClientPlan, 'input' | 'answer'>>> = {
  'close-day': { input: plainCloseDay, answer: dayClosed },
  'process-recurring-payments': { input: paymentBatch(['order-1', '1234567890', '10.42']), answer: emptyOk },
};

const signingRows = [
  'authentication/header-scheme',
  'authentication/header-parameters',
  'authentication/header-values-encoded',
  'authentication/parameters-only-in-header',
  'authentication/timestamp-seconds',
  'authentication/version',
  'authentication/consumer-key',
  'authentication/nonce-unique',
  'authentication/signature-base64',
  'authentication/signature-verifies',
  'authentication/uri-port',
  'transport/https',
] as const satisfies readonly TestableId<'client'>[];

export const closeDayRowIds = [
  'close-day/path',
  'close-day/method',
  'close-day/content-type-sent',
  'close-day/authorization-sent',
  'close-day/body-is-form',
  'close-day/request-id-present',
  'close-day/request-id-alphabet',
  'close-day/request-id-length',
  'close-day/sale-approved-count',
  'close-day/sale-approved-sum',
  'close-day/reversal-approved-count',
  'close-day/reversal-approved-sum',
  'authentication/close-day-method',
  ...signingRows,
] as const satisfies readonly TestableId<'client'>[];

export const recurringRowIds = [
  'recurring/path',
  'recurring/method',
  'recurring/content-type-sent',
  'recurring/authorization-sent',
  'recurring/payload-only',
  'recurring/payload-escaped',
  'recurring/payload-base64',
  'recurring/csv-delimiter',
  'recurring/csv-header-quoted',
  'recurring/csv-rows',
  'recurring/csv-utf-8',
  'recurring/client-orderid-present',
  'recurring/client-orderid-length',
  'recurring/recurring-payment-id-present',
  'recurring/recurring-payment-id-length',
  'recurring/amount-conditional',
  'recurring/amount-numeric',
  'recurring/amount-length',
  'authentication/recurring-method',
  ...signingRows,
] as const satisfies readonly TestableId<'client'>[];

/** The rows of both operations, each once. */
export const wireRows: readonly TestableId<'client'>[] = [...new Set([...closeDayRowIds, ...recurringRowIds])];

export interface Question {
  readonly question: string;
  /** None: the answer is looked at, and never judged. */
  readonly answers: readonly TestableId<'client'>[];
  readonly expected: ExpectedReading;
  /** The document leaves such an answer open: a client may decline it. */
  readonly open?: true;
  /** What is wrong with how the answer comes. */
  readonly misbehaviour?: string;
}

export const notSuccess: ExpectedReading = { kind: 'not-success' };

/** A close-day body bare and one object deep, both under text/html, and bare under application/json. */
export function closeDayQuestion(asked: Question, body: string): ClientPlan[] {
  return [...htmlQuestion(asked, body), askedOfCloseDay(asked, reply(200, 'application/json', body), 'json')];
}

/** The same under text/html alone, where a client that is deaf to it has been asked often enough. */
export function htmlQuestion(asked: Question, body: string): ClientPlan[] {
  return [
    askedOfCloseDay(asked, reply(200, htmlAnswer, body), 'unwrapped'),
    askedOfCloseDay(asked, reply(200, htmlAnswer, `{"closeDayResponse":${body}}`), 'wrapped'),
  ];
}

/**
 * A body of 2.4 whose line feeds come as bytes and as %0A, under each of the HTTP statuses: which one it has is open too.
 * The values of `parameters` are escaped already.
 */
export function recurringQuestion(
  asked: Question,
  statuses: readonly number[],
  parameters: readonly (readonly [name: string, escaped: string])[],
): ClientPlan[] {
  const forms = ['raw-line-feed', 'escaped-line-feed'] as const satisfies (keyof typeof lineFeeds)[];
  return statuses.flatMap((status) =>
    forms.map((form) => {
      const plan = askedOfRecurring(asked, reply(status, htmlAnswer, parameterBody(parameters, form)), form);
      return { ...plan, label: { ...plan.label, special: `${asked.question} (HTTP ${status}, ${form})` } };
    }),
  );
}

export function askedOfCloseDay(
  asked: Question,
  answer: LocalAnswer,
  form: DecodingQuestion['form'] = 'only',
): ClientPlan {
  const input = { day_close_request_id: `q${ownText(asked, form, answer)}` };
  return { label: { operation: 'close-day', ...labelOf(asked, form) }, input, answer };
}

export function askedOfRecurring(
  asked: Question,
  answer: LocalAnswer,
  form: DecodingQuestion['form'] = 'only',
): ClientPlan {
  const label = { operation: 'process-recurring-payments', ...labelOf(asked, form) } as const;
  const [, ...cells] = plainCells;
  return { label, input: paymentBatch([`order-${ownText(asked, form, answer)}`, ...cells]), answer };
}

/** Each call has an id of its own: what a client sends once more in place of it is not what it was given. */
function ownText({ question }: Question, form: string, answer: LocalAnswer): string {
  const status = answer.kind === 'reply' ? answer.status : answer.kind;
  return createHash('sha256').update(`${question}\n${form}\n${status}`).digest('hex').slice(0, 11);
}

/** The input is as plain as every client can send: the answer alone is special, and `input` says how binding it is. */
function labelOf(
  { misbehaviour, open, ...asked }: Question,
  form: DecodingQuestion['form'],
): Omit<ClientLabel, 'operation'> {
  return {
    input: asked.answers.length === 0 ? 'probe' : open ? 'hardening' : 'mandatory',
    special: form === 'only' ? asked.question : `${asked.question} (${form})`,
    decoding: { ...asked, form },
    misbehaviour,
  };
}
