/** Cases that are judged on the request: an input, what is special about it, and the plainest right answer. */
import type { Operation } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { Labelled } from '../../../generators/labelled.ts';
import type { ClientLabel, CloseDayInput, InputKind, RecurringInput } from '../../record/client-case.ts';
import { dayClosed, emptyOk } from './answers.ts';
import type { ClientPlan } from './client-scenario.ts';

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
