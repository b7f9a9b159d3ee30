/** Bodies of both operations: requests as sections 2.1 and 2.3 have them, responses by the vectors. */
import { buildCloseDay, decodeCloseDayResponse } from '../../../src/protocol/close-day.ts';
import { decodeForm, encodeForm } from '../../../src/protocol/form.ts';
import { buildRecurring, decodeRecurringResponse } from '../../../src/protocol/recurring.ts';
import { expect, test } from '../../engine.ts';
import { bytesOf, disagreements, errorCode, readVectors, type Vector } from './vectors.ts';

interface ResponseVector extends Vector {
  readonly operation: 'close-day' | 'process-recurring-payments';
  readonly response: { status: number; headers: [string, string][]; body?: string; bodyHex?: string };
  readonly answer?: unknown;
}

const vectors = readVectors<ResponseVector>('response.json');

for (const operation of ['close-day', 'process-recurring-payments'] as const) {
  const own = vectors.filter((vector) => vector.operation === operation);

  test(`every readable ${operation} response of the vectors is read as it says`, () => {
    const ok = own.filter((vector) => vector.class === 'ok');
    const sorted = (value: unknown) => JSON.parse(JSON.stringify(value), sortMembers);
    const answered = (vector: ResponseVector) => sorted(read(vector));
    expect(disagreements(ok, ({ answer }) => sorted(answer), answered)).toEqual([]);
  });

  test(`every other ${operation} response of the vectors is refused for its reason`, () => {
    const bad = own.filter((vector) => vector.class !== 'ok');
    const reason = (vector: ResponseVector) => {
      const code = errorCode(() => read(vector));
      return code === 'none' || code === 'unexpected-status' ? code : 'malformed';
    };
    expect(disagreements(bad, (vector) => vector.class, reason)).toEqual([]);
  });
}

test('an absent field is not sent, an empty one is, and the order is that of section 2.1', () => {
  const fields = { reversal_approved_sum: '0.94', sale_approved_sum: '', day_close_request_id: '902B4FF5' };
  expect(buildCloseDay(fields)).toEqual([
    ['day_close_request_id', '902B4FF5'],
    ['sale_approved_sum', ''],
    ['reversal_approved_sum', '0.94'],
  ]);
  expect(buildCloseDay({})).toEqual([]);
});

test('a batch is its CSV in UTF-8 and base64, and its plus signs survive the form', () => {
  const table = {
    columns: ['client-orderid', 'recurring-payment-id', 'amount'],
    rows: [['Заказ>>>', '1234567890', '1.00']],
  };
  const { csv, payload, body } = buildRecurring(table);
  expect(csv).toBe('"client-orderid";"recurring-payment-id";"amount"\nЗаказ>>>;1234567890;1.00\n');
  expect(Buffer.from(payload, 'base64').toString('utf8')).toBe(csv);
  expect(decodeForm(encodeForm(body))).toEqual([['payload', payload]]);
  expect(buildRecurring(table, { lineEnd: '\r\n', quoteRows: true }).csv).toContain('\r\n"Заказ>>>";"1234567890"');
});

test('half of a surrogate pair in a cell is refused instead of replaced', () => {
  expect(errorCode(() => buildRecurring({ columns: ['a'], rows: [['\ud83d']] }))).toBe('not-text');
});

function read(vector: ResponseVector): unknown {
  const response = { ...vector.response, body: bytesOf(vector.response) };
  return vector.operation === 'close-day' ? decodeCloseDayResponse(response) : decodeRecurringResponse(response);
}

function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
