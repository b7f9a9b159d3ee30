/** What the reference client does differently for each operation: the rules on its input, the fields of the body, the answer. */
import type { Operation } from '../../../contracts/operations.ts';
import {
  buildCloseDay,
  decodeCloseDayResponse,
  decodeRecurringResponse,
  encodeBase64,
  encodeCsv,
  type Gate,
  type Pair,
  ProtocolError,
  utf8Bytes,
} from '../../protocol/index.ts';
import type { CloseDayInput, Decoded, DecodedGate, RecurringInput } from '../../record/client-case.ts';
import type { ReceivedResponse } from '../../record/exchange.ts';
import type { ClientRefusal, TakeStep } from './alteration.ts';

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

/** The first rule that the input breaks; undefined where it may be sent. Lengths are in characters, not bytes. */
function closeDayRefusal({ day_close_request_id: id }: CloseDayInput): ClientRefusal | undefined {
  const refused = (reason: string): ClientRefusal => ({ stage: 'fields', reason: `day_close_request_id ${reason}` });
  if (id === undefined) return refused('is missing');
  const length = characters(id);
  if (length < 8 || length > 32) return refused(`has ${length} characters, 8 to 32 are allowed`);
  if (!/^[A-Za-z0-9]+$/.test(id)) return refused('has characters other than letters and digits');
  return undefined;
}

/** The first rule that the batch breaks; undefined where it may be sent. */
function batchRefusal({ columns, rows }: RecurringInput): ClientRefusal | undefined {
  const refused = (reason: string): ClientRefusal => ({ stage: 'csv', reason });
  if (new Set(columns).size < columns.length) return refused('a column occurs twice');
  for (const [index, row] of rows.entries()) {
    const cell = (name: string) => row[columns.indexOf(name)] ?? '';
    const wrong = row.length === columns.length ? rowFault(cell) : 'has another number of cells than columns';
    if (wrong !== undefined) return refused(`row ${index + 1}: ${wrong}`);
  }
  return undefined;
}

/** An empty cell counts as missing: the gateway could not tell the two apart. */
function rowFault(cell: (name: string) => string): string | undefined {
  const amount = cell('amount');
  const hasOtherAmount = (cell('amount-from') !== '' && cell('amount-to') !== '') || cell('amount-sequence') !== '';
  if (amount === '' && !hasOtherAmount) return 'amount is missing';
  if (amount !== '' && !/^[0-9]+(?:\.[0-9]+)?$/.test(amount)) return 'amount is not a number with a point';
  return (
    bounded('client-orderid', cell('client-orderid'), 128) ??
    bounded('recurring-payment-id', cell('recurring-payment-id'), 10) ??
    (characters(amount) > 10 ? 'amount has more than 10 characters' : undefined)
  );
}

function bounded(name: string, value: string, most: number): string | undefined {
  if (value === '') return `${name} is missing`;
  return characters(value) > most ? `${name} has more than ${most} characters` : undefined;
}

function characters(text: string): number {
  return [...text].length;
}

/** What `read` makes of an answer; one that is none that the interface document knows is `undecodable`. */
export function readAnswer(read: () => Decoded): Decoded {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { kind: 'undecodable', reason: error.message };
  }
}

/** What an answer to close-day says. Throws ProtocolError. */
function readCloseDay(response: ReceivedResponse): Decoded {
  const answer = decodeCloseDayResponse(response);
  switch (answer.kind) {
    case 'finished':
      return { kind: 'finished', serial: answer.serial, gates: answer.gates.map(decodedGate) };
    case 'error':
      return {
        kind: 'error',
        errorCode: answer.errorCode,
        errorMessage: answer.errorMessage,
        serial: answer.serial,
      };
    case 'refused':
      return { kind: 'refused', http_status: answer.httpStatus };
  }
}

/** What an answer to a batch says. Throws ProtocolError. */
function readBatchAnswer(response: ReceivedResponse): Decoded {
  const answer = decodeRecurringResponse(response);
  if (answer.kind === 'refused') return { kind: 'refused', http_status: answer.httpStatus };
  return answer.kind === 'accepted' ? answer : { kind: 'parameters', params: answer.params };
}

function decodedGate(gate: Gate): DecodedGate {
  return {
    gateId: { long: gate.gateId },
    isDayClosing: { bool: gate.isDayClosing },
    gateCloseDate: { text: gate.gateCloseDate },
    epntId: { long: gate.epntId },
    saleApprovedCount: { text: gate.saleApprovedCount },
    saleAmount: { text: gate.saleAmount },
    reversalApprovedCount: { text: gate.reversalApprovedCount },
    reversalAmount: { text: gate.reversalAmount },
    code39: { text: gate.code39 },
    RRN: { text: gate.RRN },
  };
}
