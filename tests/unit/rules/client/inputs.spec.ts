/** What a client may do with an input depends on its kind: mandatory, hardening, forbidden. */
import type { ClientCase } from '../../../../src/record/client-case.ts';
import { expect, test } from '../../../engine.ts';
import {
  batch,
  closeDay,
  type Draft,
  failing,
  fields,
  findingsOn,
  passing,
  recurring,
  unsent,
} from './sample-requests.ts';

const about = 'close-day/request-id-alphabet';
const reply = (outcome: NonNullable<ClientCase['reply']>['outcome']) => ({ outcome, reason: 'dashes' });

for (const [input, outcome, expected] of [
  ['mandatory', 'refused_locally', { outcome: 'fail', actual: 'the client refused the input: dashes' }],
  ['mandatory', 'unsupported', { outcome: 'inconclusive', blame: 'configuration' }],
  ['mandatory', 'transport_error', { outcome: 'inconclusive', blame: 'environment' }],
  ['mandatory', 'adapter_error', { outcome: 'inconclusive', blame: 'subject' }],
  ['mandatory', 'completed', { outcome: 'inconclusive', blame: 'subject' }],
  [
    'hardening',
    'refused_locally',
    { outcome: 'not-applicable', remark: 'the client declines an unusual input: dashes' },
  ],
  ['hardening', 'unsupported', { outcome: 'not-applicable' }],
  ['forbidden', 'refused_locally', { outcome: 'pass' }],
  ['forbidden', 'unsupported', { outcome: 'not-applicable' }],
] as const) {
  test(`a ${input} input that ends in ${outcome} answers its row alone`, () => {
    const cases = [unsent(reply(outcome), { input, about })];
    expect(findingsOn(about, cases)).toMatchObject([expected]);
    expect(findingsOn('close-day/path', cases)).toEqual([]);
    expect(findingsOn('close-day/body-is-form', cases)).toEqual([]);
  });
}

for (const outcome of ['completed', 'transport_error'] as const) {
  test(`what arrived and is no request is told of a call that ends in ${outcome}`, () => {
    const incomplete = 'a request that is not HTTP: the size of a chunk is no number';
    const examined = { ...unsent(reply(outcome), { input: 'mandatory', about }), incomplete };
    expect(findingsOn(about, [examined])).toMatchObject([
      { outcome: 'inconclusive', blame: 'subject', actual: expect.stringContaining(`the record lacks ${incomplete}`) },
    ]);
  });
}

test('a case without a row of its own answers the one of the body or of the path', () => {
  const batchLabel = { operation: 'process-recurring-payments' } as const;
  expect(failing([unsent(reply('refused_locally'), {})])).toEqual(['close-day/body-is-form']);
  expect(failing([unsent(reply('refused_locally'), batchLabel)])).toEqual(['recurring/csv-rows']);
  const [finding] = findingsOn('recurring/path', [unsent(reply('transport_error'), batchLabel)]);
  expect(finding).toMatchObject({ outcome: 'inconclusive', blame: 'environment' });
});

test('an adapter that crashed leaves the row open', () => {
  const crashed = { ...unsent(undefined, {}), adapterFault: { code: 'adapter-crash', message: 'it ended' } };
  expect(findingsOn('close-day/path', [crashed])).toMatchObject([{ outcome: 'inconclusive', blame: 'subject' }]);
});

const dashed = { ...fields, day_close_request_id: '902b4ff5-902b-4ff5-902b-4ff5902b4ff5' };
const label = { input: 'forbidden', about } as const;

test('a forbidden id that is sent unchanged passes with a remark, and its other rows stay silent', () => {
  const examined = closeDay({ label, input: dashed });
  expect(findingsOn(about, [examined])).toMatchObject([{ outcome: 'pass' }]);
  expect(findingsOn(about, [examined])[0]!.remark).toContain('does not validate');
  expect(failing([examined])).toEqual([]);
  expect(findingsOn('close-day/request-id-length', [examined])).toEqual([]);
  expect(passing([examined])).toContain('close-day/sale-approved-sum');
});

test('a forbidden id that is sent altered breaks its row alone', () => {
  const pairs = Object.entries({ ...fields, day_close_request_id: '902b4ff5902b4ff5902b4ff5902b4ff5' });
  expect(failing([closeDay({ label, input: dashed, pairs })])).toEqual([about]);
});

test('an id of a request or an order that was not given may be made up, one of a payment may not', () => {
  const { day_close_request_id: _, ...input } = fields;
  const absent = { input: 'forbidden', about: 'close-day/request-id-present' } as const;
  expect(failing([closeDay({ label: absent, input })])).toEqual([]);
  const pairs = Object.entries({ day_close_request_id: 'invented1', ...input });
  const madeUp = closeDay({ label: absent, input, pairs });
  expect(failing([madeUp])).toEqual([]);
  expect(findingsOn('close-day/request-id-present', [madeUp])[0]!.remark).toContain('made up');
  const row = (order: string, payment: string): Draft => ({
    label: {
      input: 'forbidden',
      about: `recurring/${order === '' ? 'client-orderid' : 'recurring-payment-id'}-present`,
    },
    input: { ...batch, rows: [[order, payment, '1.00']] },
    csv: (csv) => csv.replace(/^;/m, 'order-1;').replace(';;', ';0000000001;'),
  });
  expect(failing([recurring(row('', '1234567890'))])).toEqual([]);
  expect(failing([recurring(row('order-1', ''))])).toEqual(['recurring/recurring-payment-id-present']);
});

test('a forbidden amount may not be cut', () => {
  const amount = { input: 'forbidden', about: 'recurring/amount-length' } as const;
  const input = { ...batch, rows: [['a', '0000000042', '12345678.90']] };
  const unchanged = recurring({ label: amount, input });
  expect(failing([unchanged])).toEqual([]);
  expect(findingsOn('recurring/amount-length', [unchanged])[0]!.remark).toContain('does not validate');
  const cut = recurring({ label: amount, input, csv: (csv) => csv.replace('12345678.90', '12345678.9') });
  expect(failing([cut])).toEqual(['recurring/amount-length']);
});

test('a forbidden order id may not be cut, and is counted in characters', () => {
  const orderId = { input: 'forbidden', about: 'recurring/client-orderid-length' } as const;
  const input = { ...batch, rows: [['ß'.repeat(129), '0000000042', '1.00']] };
  expect(failing([recurring({ label: orderId, input })])).toEqual([]);
  expect(failing([recurring({ label: orderId, input, csv: (csv) => csv.replace('ßß', 'ß') })])).toEqual([
    'recurring/client-orderid-length',
  ]);
  const longest = { ...batch, rows: [['ß'.repeat(128), '0000000042', '1.00']] };
  expect(failing([recurring({ input: longest })])).toEqual([]);
});

test('beside a forbidden value another may be sent as an equal number', () => {
  const orderId = { input: 'forbidden', about: 'recurring/client-orderid-length' } as const;
  const input = { ...batch, rows: [['a'.repeat(129), '0000000042', '1.00']] };
  expect(failing([recurring({ label: orderId, input, csv: (csv) => csv.replace('1.00', '1') })])).toEqual([]);
  const other = recurring({ label: orderId, input, csv: (csv) => csv.replace('1.00', '100') });
  expect(failing([other])).toContain('recurring/client-orderid-length');
  const id = { input: 'forbidden', about: 'close-day/request-id-length' } as const;
  const short = { ...fields, day_close_request_id: '0000007', sale_approved_sum: '10.00' };
  const sent = (changed: object) =>
    closeDay({ label: id, input: short, pairs: Object.entries({ ...short, ...changed }) });
  expect(failing([sent({ sale_approved_sum: '10' })])).toEqual([]);
  expect(failing([sent({ day_close_request_id: '7' })])).toContain('close-day/request-id-length');
});

test('an equal number in place of an unusual one is remarked', () => {
  const unusual = { input: 'hardening' } as const;
  const input = { ...fields, sale_approved_count: '002', sale_approved_sum: '-100.00' };
  const pairs = Object.entries({ ...input, sale_approved_count: '2', sale_approved_sum: '-100.0' });
  const examined = closeDay({ label: unusual, input, pairs });
  expect(failing([examined])).toEqual([]);
  expect(findingsOn('close-day/sale-approved-sum', [examined])).toEqual([
    { outcome: 'pass', remark: '-100.00 is sent as -100.0' },
  ]);
  const other = closeDay({ label: unusual, input, pairs: Object.entries({ ...input, sale_approved_sum: '100.00' }) });
  expect(failing([other])).toEqual(['close-day/sale-approved-sum']);
});

test('a line end inside an unusual cell may change with those of the rows, and is remarked', () => {
  const input = { ...batch, rows: [['order\n42', '0000000042', '1.00']] };
  const csv = (text: string) => text.replaceAll('\n', '\r\n');
  const examined = recurring({ label: { input: 'hardening' }, input, csv });
  expect(failing([examined])).toEqual([]);
  expect(findingsOn('recurring/csv-rows', [examined])[0]!.remark).toContain('line ends inside a cell');
  expect(failing([recurring({ input, csv })])).toEqual(['recurring/csv-rows']);
});

test('an absent cell is sent as an empty one', () => {
  const input = {
    columns: [...batch.columns, 'amount-sequence'],
    rows: [
      ['a', '0000000042', null, '1,2'],
      ['b', '1', '1.00', null],
    ],
  };
  expect(failing([recurring({ input })])).toEqual([]);
});
