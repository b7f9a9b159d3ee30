/** One fault breaks exactly the rows that name it, among all rows about the wire. */
import { expect, test } from '../../../engine.ts';
import { batchFaults } from './batch-faults.ts';
import { closeDayFaults } from './close-day-faults.ts';
import { headerFaults } from './header-faults.ts';
import {
  batch,
  closeDay,
  type Draft,
  failing,
  fields,
  findingsOn,
  recurring,
  unsent,
  wireIds,
} from './sample-requests.ts';

const tables = [
  ['close-day', headerFaults, closeDay, 'authentication/'],
  ['close-day', closeDayFaults, closeDay, 'close-day/'],
  ['a batch', batchFaults, recurring, 'recurring/'],
] as const;

for (const [operation, table, build, area] of tables) {
  for (const [what, draft, ...ids] of table) {
    const expected = ids.map((id) => (id.includes('/') ? id : `${area}${id}`)).sort();
    test(`${operation} with ${what} breaks ${expected.join(' and ')}`, () => {
      expect(failing([closeDay(), recurring(), build(draft)])).toEqual(expected);
    });
  }
}

test('every row that one request can break is broken by one of these', () => {
  const severalCases = /nonce-unique|transport\/https|environment-independent/;
  const broken = tables.flatMap(([, table, , area]) =>
    table.flatMap(([, , ...ids]) => ids.map((id) => (id.includes('/') ? id : `${area}${id}`))),
  );
  expect([...new Set(broken)].sort()).toEqual(wireIds.filter((id) => !severalCases.test(id)).sort());
});

test('a raw + in a field breaks the row of the field alone', () => {
  const draft: Draft = { input: { ...fields, sale_approved_sum: '1+0' }, body: (body) => body.replace('%2B', '+') };
  expect(failing([closeDay(draft)])).toEqual(['close-day/sale-approved-sum']);
});

test('an amount in a range has no form of its own, and is sent as it was given', () => {
  const input = {
    columns: [...batch.columns.slice(0, 2), 'amount-from', 'amount-to'],
    rows: [['o', '0000000042', '1.00', '2.00']],
  };
  expect(failing([recurring({ input })])).toEqual([]);
  // A15: what these columns hold is not shown.
  const wide = { ...input, rows: [['o', '0000000042', '1234567890.12', 'from €2']] };
  expect(failing([recurring({ input: wide })])).toEqual([]);
  const rewritten = recurring({ input, csv: (text) => text.replace('2.00', '2.0') });
  expect(failing([rewritten])).toEqual([]);
  expect(findingsOn('recurring/csv-rows', [rewritten])).toMatchObject([{ remark: '2.00 is sent as 2.0' }]);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '2,00') })])).toEqual(['recurring/csv-rows']);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '') })])).toEqual([
    'recurring/amount-conditional',
  ]);
});

test('where a request is missing in an environment, the sentence has what the client says of it, and who is behind it', () => {
  const inRound = (environment: string) => ({ permutation: { group: 'g', environment, round: 0 } });
  const rounds = ['ordinary', 'ordinary', 'TZ=UTC'].map((name) => {
    const sent = closeDay();
    return { ...sent, label: { ...sent.label, ...inRound(name) } };
  });
  const actual = 'a request is missing in a round of TZ=UTC: not sent';
  for (const [outcome, blame] of [
    ['transport_error', 'environment'],
    ['adapter_error', 'subject'],
    ['completed', 'subject'],
  ] as const) {
    const missing = unsent({ outcome, reason: 'not sent' }, inRound('TZ=UTC'));
    const found = findingsOn('close-day/environment-independent', [...rounds, missing]);
    expect(found).toContainEqual(expect.objectContaining({ actual, blame }));
  }
});
