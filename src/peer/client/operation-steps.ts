/** The steps of the reference client in which one operation differs from another. */
import type { Operation } from '../../../contracts/operations.ts';
import { buildCloseDay, encodeBase64, encodeCsv, type Pair, utf8Bytes } from '../../protocol/index.ts';
import type { CloseDayInput, Decoded, RecurringInput } from '../../record/client-case.ts';
import type { ReceivedResponse } from '../../record/exchange.ts';
import type { ClientRefusal, TakeStep } from './alteration.ts';
import { batchRefusal, closeDayRefusal } from './input-rules.ts';
import { readBatchAnswer, readCloseDay } from './read-answer.ts';

interface OperationSteps {
  /** The first rule that the input breaks; undefined where it may be sent. */
  readonly refusal: (input: CloseDayInput | RecurringInput) => ClientRefusal | undefined;
  /** Takes the steps from the input to the fields of the form. */
  readonly fields: (take: TakeStep, input: CloseDayInput | RecurringInput) => readonly Pair[];
  /** What the answer says. Throws ProtocolError for one that the interface document does not know. */
  readonly read: (response: ReceivedResponse) => Decoded;
}

export const operationSteps: Readonly<Record<Operation, OperationSteps>> = {
  'close-day': {
    refusal: (input) => closeDayRefusal(input as CloseDayInput),
    fields: (take, input) => take('fields', () => buildCloseDay(input as CloseDayInput)),
    read: readCloseDay,
  },
  'process-recurring-payments': {
    refusal: (input) => batchRefusal(input as RecurringInput),
    fields: (take, input) => batchFields(take, input as RecurringInput),
    read: readBatchAnswer,
  },
};

/** Table, CSV, bytes and base64 of a batch (4.2). */
function batchFields(take: TakeStep, { columns, rows }: RecurringInput): readonly Pair[] {
  // A cell that is absent is written empty: a row has as many cells as the header.
  const table = take('table', () => ({ columns, rows: rows.map((row) => row.map((cell) => cell ?? '')) }));
  const csv = take('csv', () => encodeCsv(table));
  const bytes = take('csvBytes', () => utf8Bytes(csv));
  const payload = take('payload', () => encodeBase64(bytes));
  return take('fields', () => [['payload', payload]]);
}
