/** One fault breaks exactly the rows that name it, among all rows about the wire. */
import { createHmac, sign as rsaSign } from 'node:crypto';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import { hmacKeyText, percentEncode, printAuthorization } from '../../../../src/protocol/index.ts';
import { expect, test } from '../../../engine.ts';
import {
  batch,
  closeDay,
  type Draft,
  type Fault,
  failing,
  fields,
  findingsOn,
  privateKey,
  recurring,
  replaced,
  sent,
  unsent,
} from './sample-requests.ts';

const secretKey = hmacKeyText(publishedIdentity.consumerSecret);
const wrapped = (text: string) => text.replace(/.{76}/g, '$&\n');

/**
 * Faults that show only beside what the client was asked for, or in a signature: what is wrong in the bytes alone is in the tables under
 * tests/properties/table.
 */
const headerFaults: readonly Fault[] = [
  [
    'a consumer key encoded twice in the header alone',
    {
      identity: 'reserved',
      print: (p) => printAuthorization(replaced('oauth_consumer_key', percentEncode(p[0]![1]))([...p])),
    },
    'header-values-encoded',
  ],
  [
    'a consumer key encoded twice, and signed so',
    { identity: 'reserved', parameters: (p) => replaced('oauth_consumer_key', percentEncode(p[0]![1]))(p) },
    'header-values-encoded',
  ],
  [
    'a consumer key with its space as +',
    { identity: 'reserved', print: (pairs) => printAuthorization(pairs).replaceAll('%20', '+') },
    'header-values-encoded',
  ],
  [
    'an oauth_nonce in the body, and signed',
    sent((pairs) => [...pairs, ['oauth_nonce', '1']]),
    'parameters-only-in-header',
  ],
  [
    'another hash under the right name',
    { signWith: (base) => createHmac('sha256', secretKey).update(base).digest('base64') },
    'close-day-method',
    'signature-verifies',
  ],
  ['another secret', { key: { method: 'HMAC-SHA1', consumerSecret: 'another' } }, 'signature-verifies'],
  ['a port that is left out', { uri: (uri) => uri.replace(':8443', '') }, 'uri-port'],
  [
    'a host with its capitals',
    { asked: { baseUrl: 'https://LocalHost:8443/p1' }, uri: (uri) => uri.replace('localhost', 'LocalHost') },
    'uri-host-case',
  ],
  [
    'a default port that is kept',
    {
      asked: { baseUrl: 'https://localhost:443/p1' },
      host: 'localhost',
      uri: (uri) => uri.replace('localhost', 'localhost:443'),
    },
    'uri-default-port',
  ],
];

const closeDayFaults: readonly Fault[] = [
  ['a slash that is escaped', { target: '/p1%2Fapi/v2/close-day/1111' }, 'path'],
  [
    'a query of its own',
    { target: '/p1/api/v2/close-day/1111?x=1', uri: (uri) => uri },
    'path',
    'authentication/signature-verifies',
  ],
  ['a request id in lower case', sent(replaced('day_close_request_id', '902b4ff5a1')), 'request-id-alphabet'],
  ['a request id that is cut', sent(replaced('day_close_request_id', '902B4FF5')), 'request-id-length'],
  ['a sum with a comma', sent(replaced('sale_approved_sum', '100,00')), 'sale-approved-sum'],
  [
    'a count that is left out',
    sent((pairs) => pairs.filter(([name]) => name !== 'sale_approved_count')),
    'sale-approved-count',
  ],
  [
    'a count that nobody gave',
    sent((pairs) => [...pairs, ['reversal_approved_count', '0']]),
    'reversal-approved-count',
  ],
  ['a changed sum of reversals', sent(replaced('reversal_approved_sum', '0.95')), 'reversal-approved-sum'],
  ['a sum that is changed after it was signed', { body: (body) => body.replace('100.00', '101') }, 'sale-approved-sum'],
  [
    'a sum that is written otherwise after it was signed',
    { body: (body) => body.replace('100.00', '100.0') },
    'authentication/signature-verifies',
  ],
  [
    'an empty total that is added after the rest was signed',
    { body: (body) => `${body}&reversal_approved_count=` },
    'authentication/signature-verifies',
  ],
  [
    'an empty total that is signed and not sent',
    {
      input: { ...fields, reversal_approved_count: '' },
      body: (body) => body.replace('&reversal_approved_count=', ''),
    },
    'authentication/signature-verifies',
  ],
];

const row = (cells: string) => (csv: string) => csv.replace('order-2;1234567890;100.00', cells);

const batchFaults: readonly Fault[] = [
  [
    'SHA-1 under the name of RSA-SHA256',
    { signWith: (base) => rsaSign('RSA-SHA1', Buffer.from(base), privateKey).toString('base64') },
    'authentication/recurring-method',
    'authentication/signature-verifies',
  ],
  ['a payload that is escaped twice, and signed so', { payload: percentEncode }, 'payload-escaped'],
  [
    'a payload with an escape that is not UTF-8',
    { payload: (payload) => `${payload.slice(0, 40)}%DE${payload.slice(40)}` },
    'payload-escaped',
    'payload-base64',
  ],
  [
    'a wrapped payload whose line ends change after signing',
    { payload: wrapped, body: (b) => b.replaceAll('%0A', '%0D%0A') },
    'payload-base64',
  ],
  ['the CSV itself', { payload: (text) => Buffer.from(text, 'base64').toString() }, 'payload-base64'],
  [
    'an amount that nobody gave',
    {
      csv: (text) =>
        text.replaceAll(/^(.*)$/gm, (line, _, at) => line && `${line};${at === 0 ? '"amount-from"' : '1.00'}`),
    },
    'csv-header-quoted',
  ],
  ['a row too many', { csv: (text) => `${text}order-3;1234567890;1.00\n` }, 'csv-rows'],
  ['a row too few', { csv: row('') }, 'csv-rows'],
  ['a cell with ; and no quotes', { csv: row('order;2;1234567890;100.00') }, 'csv-rows'],
  ['quotes that are not doubled', { csv: (text) => text.replaceAll('""', '"') }, 'csv-rows'],
  ['quotes with backslashes', { csv: (text) => text.replaceAll('""', '\\"') }, 'csv-rows'],
  ['another order id', { csv: row('order-3;1234567890;100.00') }, 'csv-rows'],
  ['letters that became question marks', { csv: (text) => text.replace('ß漢', '??') }, 'csv-utf-8'],
  ['UTF-8 read as Latin-1', { csv: (text) => Buffer.from(text).toString('latin1') }, 'csv-utf-8'],
  [
    'no column of order ids',
    { csv: (text) => text.replaceAll(/^("[^;]*"|order-2|"(?:[^"]|"")*");/gm, '') },
    'client-orderid-present',
  ],
  ['an order id that is cut', { csv: row('orde;1234567890;100.00') }, 'client-orderid-length'],
  [
    'a payment id without its zeros',
    { csv: (text) => text.replace('0000000042', '42') },
    'recurring-payment-id-length',
  ],
  ['no column of amounts', { csv: (text) => text.replaceAll(/;"amount"|;\d+\.\d\d$/gm, '') }, 'amount-conditional'],
  ['groups of thousands', { csv: (text) => text.replace('1234.50', '1,234.50') }, 'amount-numeric'],
  ['another amount', { csv: (text) => text.replace('100.00', '100.01') }, 'csv-rows'],
];

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
