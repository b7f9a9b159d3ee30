/** What is tolerated breaks no row; where it is unusual, a remark says so. */
import { printAuthorization } from '../../../../src/protocol/index.ts';
import { inGivenOrder } from '../../../../src/rules/client/asked.ts';
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
  remarks,
  replaced,
  sent,
} from './sample-requests.ts';

const tolerated: readonly [string, Draft, string | undefined][] = [
  ['realm', { print: (pairs) => printAuthorization(pairs, { realm: 'any where' }) }, 'the header also holds realm'],
  [
    'quotes and a comma in the realm',
    { print: (pairs) => printAuthorization(pairs).replace('OAuth ', 'OAuth realm="a, b=\\"c\\"", ') },
    'the header also holds realm',
  ],
  [
    'an empty oauth_token that is signed',
    { parameters: (p) => [...p, ['oauth_token', '']] },
    'the header also holds an empty oauth_token',
  ],
  [
    'a charset',
    { contentType: 'application/x-www-form-urlencoded; charset=UTF-8' },
    'Content-Type is written application/x-www-form-urlencoded; charset=UTF-8',
  ],
  [
    'a content type in capitals',
    { contentType: 'Application/X-WWW-Form-Urlencoded' },
    'Content-Type is written Application/X-WWW-Form-Urlencoded',
  ],
  [
    'escapes in lower-case hexadecimal',
    { print: (p) => printAuthorization(p).replace('%3D', '%3d') },
    'escapes in lower-case hexadecimal',
  ],
  [
    'an escape of the path in lower-case hexadecimal, and a letter of it escaped',
    { asked: { baseUrl: 'https://localhost:8443/n%C3%AAt' }, target: '/n%c3%AAt/%61pi/v2/close-day/1111' },
    'the path is written /n%c3%AAt/%61pi/v2/close-day/1111',
  ],
  [
    'the scheme in lower case',
    { print: (pairs) => printAuthorization(pairs).replace('OAuth', 'oauth') },
    'the scheme is written oauth',
  ],
  ['no space between the parameters', { print: (p) => printAuthorization(p).replaceAll('", ', '",') }, undefined],
  ['parameters in another order', { print: (pairs) => printAuthorization([...pairs].reverse()) }, undefined],
  [
    '%20 for a space',
    { input: { ...fields, sale_approved_sum: '1 0+4' }, body: (body) => body.replace('+', '%20') },
    undefined,
  ],
  ['fields in another order', sent((pairs) => [...pairs].reverse()), undefined],
  [
    'a total that nobody gave sent empty',
    sent((pairs) => [...pairs, ['reversal_approved_count', '']]),
    'reversal_approved_count is sent empty',
  ],
  [
    'an empty total left out',
    { input: { ...fields, reversal_approved_count: '' }, ...sent((pairs) => pairs) },
    'reversal_approved_count is left out where it is empty',
  ],
  [
    'an id with letters beyond ASCII',
    { input: { ...fields, day_close_request_id: 'Tagesendee\u0301' } },
    'letters or digits beyond ASCII',
  ],
  [
    'an id of 32 letters in more code points',
    { input: { ...fields, day_close_request_id: 'e\u0301'.repeat(32) } },
    'letters or digits beyond ASCII; more than 32 bytes or Unicode characters, though a reader sees 32 at most: the limit can mean either',
  ],
  [
    'an id of 4 letters in 8 bytes',
    { input: { ...fields, day_close_request_id: '\u00e9'.repeat(4) } },
    'letters or digits beyond ASCII; a reader sees fewer than 8 characters, though there are 8 bytes or more: the limit can mean either',
  ],
  [
    'a sum in another notation',
    { input: { ...fields, sale_approved_sum: '1e3' }, ...sent(replaced('sale_approved_sum', '1000.00')) },
    '1e3 is sent as 1000.00',
  ],
];

for (const [what, draft, remark] of tolerated) {
  test(`close-day with ${what} breaks nothing${remark === undefined ? '' : ' and is remarked'}`, () => {
    const cases = [closeDay(), closeDay(draft)];
    expect(failing(cases)).toEqual([]);
    expect(remarks(cases).join('; ')).toBe(remark ?? '');
    expect(passing([cases[1]!])).toContain('authentication/signature-verifies');
  });
}

test('payments in another order are paired by their order ids, so that an amount of another one is found', () => {
  const turned: Draft = { csv: (text) => text.replace(/^(.*\n)(.*;)(.*\n)(.*;)(.*\n?)$/, '$1$4$3$2$5') };
  expect(findingsOn('recurring/csv-rows', [recurring(turned)])).toMatchObject([
    { outcome: 'fail', expected: expect.stringContaining('"1234.50" as amount'), actual: '"100.00"' },
  ]);
});

const ofOneOrder = {
  columns: batch.columns,
  rows: [...batch.rows.slice(0, 1), ...batch.rows.map(([, ...cells]) => [batch.rows[0]![0]!, ...cells])],
};
const reversed = (text: string) => {
  const [names, ...rows] = text.trimEnd().split('\n');
  return `${[names, ...rows.reverse()].join('\n')}\n`;
};

test('payments of one order in another order break nothing where their amounts are the same numbers, written otherwise', () => {
  const examined = recurring({ input: ofOneOrder, csv: (text) => reversed(text).replaceAll('1234.50', '1234.5') });
  expect(passing([examined])).toContain('recurring/csv-rows');
});

test('payments in another order of which one has another order id: that one alone differs', () => {
  const examined = recurring({ csv: (text) => reversed(text).replace('order-2', 'order-3') });
  expect(findingsOn('recurring/csv-rows', [examined])).toMatchObject([
    { outcome: 'fail', expected: '"order-2" as client-orderid of row 2', actual: '"order-3"' },
  ]);
});

for (const [amount, remark] of [
  ['12345678.90', '12345678.90 has 10 digits and 11 characters: the limit of 10 can count either'],
  ['-1.00', 'not every program reads -1.00 as a number'],
  ['+1.00', 'not every program reads +1.00 as a number'],
  ['.50', 'not every program reads .50 as a number'],
  ['5.', 'not every program reads 5. as a number'],
  ['1e3', 'not every program reads 1e3 as a number'],
  ['0001.00', undefined],
  ['0', undefined],
]) {
  test(`the amount ${amount} breaks nothing, whether it was given or that is not known`, () => {
    const input = { ...batch, rows: [['a', '0000000042', amount!]] };
    for (const asked of [undefined, null]) {
      const examined = recurring({ input, ...(asked === null ? { asked, label: { input: 'observed' } } : {}) });
      expect(failing([examined])).toEqual([]);
      expect(remarks([examined])).toEqual(remark === undefined ? [] : [remark]);
    }
  });
}

test('lengths in cells are counted in the reading that allows most', () => {
  for (const row of [
    ['e\u0301'.repeat(128), 'e\u0301'.repeat(10), '1.00'],
    ['\u{1f600}'.repeat(128), '\u{1f600}'.repeat(10), '1.00'],
  ]) {
    const examined = recurring({ input: { ...batch, rows: [row] } });
    expect(failing([examined])).toEqual([]);
    expect(remarks([examined])).toHaveLength(2);
  }
  for (const row of [
    ['e\u0301'.repeat(129), '1234567890', '1.00'],
    ['a', 'e\u0301'.repeat(11), '1.00'],
  ]) {
    expect(failing([recurring({ input: { ...batch, rows: [row] } })])).toHaveLength(1);
  }
});

const columns = ['client-orderid', 'recurring-payment-id', 'amount'];
const row = ['one-order', '1', '1.00'];

test('of equal rows the first one sent is that of the first payment, and a row of too few cells stays where one is missing', () => {
  const other = ['b', '2', '3.00'];
  const rows = [other, undefined, [...row], [...row]];
  const placed = inGivenOrder(columns, rows, { columns, rows: [row, other, row, ['c', '3', '4.00']] });
  expect(placed.map((sent) => rows.indexOf(sent as string[]))).toEqual([2, 0, 3, 1]);
});
