/** One fault breaks exactly the rows that name it, among all rows about the wire; what is tolerated breaks none. */
import { createHmac, sign as rsaSign } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import { hmacKeyText, type Pair, percentEncode, printAuthorization } from '../../../../src/protocol/index.ts';
import {
  batch,
  closeDay,
  type Draft,
  failing,
  fields,
  now,
  passing,
  privateKey,
  recurring,
  remarks,
} from './sample-requests.ts';

const bare = (pairs: readonly Pair[]) => `OAuth ${pairs.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
const joined =
  (between: string, end = '') =>
  (pairs: readonly Pair[]) =>
    `OAuth ${pairs.map(([name, value]) => `${name}="${percentEncode(value)}"`).join(between)}${end}`;
const without = (name: string) => (pairs: Pair[]) => pairs.filter(([one]) => one !== name);
const replaced = (name: string, value: string) => (pairs: Pair[]) =>
  pairs.map(([one, old]): Pair => [one, one === name ? value : old]);
const secretKey = hmacKeyText(publishedIdentity.consumerSecret);
const sent = (change: (pairs: Pair[]) => Pair[]): Pick<Draft, 'pairs'> => ({
  pairs: change(Object.entries(fields) as Pair[]),
});
const row = (cells: string) => (csv: string) => csv.replace('order-2;1234567890;100.00', cells);
const wrapped = (text: string) => text.replace(/.{76}/g, '$&\n');

const header: readonly [string, Draft, ...string[]][] = [
  ['no Authorization header', { headers: (lines) => lines.slice(0, 2) }, 'close-day/authorization-sent'],
  ['an empty Authorization header', { print: () => '' }, 'close-day/authorization-sent'],
  [
    'parameters in the body and no header',
    { headers: (lines) => lines.slice(0, 2), body: (body) => `${body}&oauth_nonce=1&oauth_version=1.0` },
    'close-day/authorization-sent',
  ],
  ['another scheme', { print: (pairs) => printAuthorization(pairs).replace('OAuth', 'Bearer') }, 'header-scheme'],
  ['no scheme', { print: (pairs) => printAuthorization(pairs).replace('OAuth ', '') }, 'header-scheme'],
  ['Basic alone', { print: () => 'Basic dXNlcjpwYXNz' }, 'header-scheme'],
  ['two headers', { headers: (lines) => [...lines, lines.at(-1)!] }, 'header-scheme'],
  [
    'a comma after OAuth',
    { print: (pairs) => printAuthorization(pairs).replace('OAuth ', 'OAuth, ') },
    'header-scheme',
  ],
  ['a comma at the end', { print: joined(', ', ',') }, 'header-scheme'],
  ['a space between parameters', { print: joined(' ') }, 'header-scheme'],
  ['an ampersand between parameters', { print: joined('&') }, 'header-scheme'],
  ['a doubled comma', { print: joined(',,') }, 'header-scheme'],
  ['white space around =', { print: (pairs) => printAuthorization(pairs).replaceAll('="', ' = "') }, 'header-scheme'],
  ['no oauth_version', { parameters: without('oauth_version') }, 'header-parameters'],
  ['no oauth_nonce', { parameters: without('oauth_nonce') }, 'header-parameters'],
  ['no oauth_timestamp', { parameters: without('oauth_timestamp') }, 'header-parameters'],
  ['no oauth_consumer_key', { parameters: without('oauth_consumer_key') }, 'header-parameters'],
  ['no oauth_signature_method', { parameters: without('oauth_signature_method') }, 'header-parameters'],
  ['no oauth_signature', { print: (pairs) => printAuthorization(pairs.slice(0, -1)) }, 'header-parameters'],
  ['an empty oauth_signature', { signature: () => '' }, 'header-parameters'],
  ['oauth_version twice', { parameters: (pairs) => [...pairs, ['oauth_version', '1.0']] }, 'header-parameters'],
  [
    'oauth_version twice in the header alone',
    { print: (pairs) => printAuthorization([...pairs, ['oauth_version', '1.0']]) },
    'header-parameters',
  ],
  ['an oauth_body_hash', { parameters: (pairs) => [...pairs, ['oauth_body_hash', 'x']] }, 'header-parameters'],
  ['a token that nobody issued', { parameters: (pairs) => [...pairs, ['oauth_token', 'x']] }, 'header-parameters'],
  [
    'form fields copied into the header',
    { print: (pairs) => printAuthorization([...pairs, ['sale_approved_count', '2']]) },
    'header-parameters',
  ],
  ['values that are not encoded', { print: bare }, 'header-values-encoded'],
  [
    'values without quotes',
    { print: (pairs) => printAuthorization(pairs).replaceAll('"', '') },
    'header-values-encoded',
  ],
  ['values between apostrophes', { print: (p) => printAuthorization(p).replaceAll('"', "'") }, 'header-values-encoded'],
  ['a signature encoded twice', { signature: percentEncode }, 'header-values-encoded'],
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
  ['an oauth_nonce in the body too', { body: (body) => `${body}&oauth_nonce=1` }, 'parameters-only-in-header'],
  [
    'an oauth_nonce in the body, and signed',
    sent((pairs) => [...pairs, ['oauth_nonce', '1']]),
    'parameters-only-in-header',
  ],
  ['milliseconds', { parameters: replaced('oauth_timestamp', String(now)) }, 'timestamp-seconds'],
  ['local time', { parameters: replaced('oauth_timestamp', String(now / 1000 + 7200)) }, 'timestamp-seconds'],
  ['a fraction of a second', { parameters: replaced('oauth_timestamp', '1700000000.5') }, 'timestamp-seconds'],
  ['a timestamp of zero', { parameters: replaced('oauth_timestamp', '0') }, 'timestamp-seconds'],
  ['version 1.0a', { parameters: replaced('oauth_version', '1.0a') }, 'version'],
  ['an unknown method', { parameters: replaced('oauth_signature_method', 'HMAC-SHA256') }, 'close-day-method'],
  ['the method in lower case', { parameters: replaced('oauth_signature_method', 'hmac-sha1') }, 'close-day-method'],
  ['the method of the other operation', { key: { method: 'RSA-SHA256', privateKey } }, 'close-day-method'],
  [
    'another hash under the right name',
    { signWith: (base) => createHmac('sha256', secretKey).update(base).digest('base64') },
    'close-day-method',
    'signature-verifies',
  ],
  ['another consumer key', { parameters: replaced('oauth_consumer_key', 'countersign') }, 'consumer-key'],
  [
    'a signature in hexadecimal',
    { signature: (text) => Buffer.from(text, 'base64').toString('hex') },
    'signature-base64',
  ],
  [
    'base64 of a signature in hexadecimal',
    { signature: (text) => btoa(Buffer.from(text, 'base64').toString('hex')) },
    'signature-base64',
  ],
  ['a signature without padding', { signature: (text) => text.replace('=', '') }, 'signature-base64'],
  ['a line break after the signature', { signature: (text) => `${text}\n` }, 'signature-base64'],
  [
    'a key without &',
    { signWith: (b) => createHmac('sha1', secretKey.slice(0, -1)).update(b).digest('base64') },
    'signature-verifies',
  ],
  ['the body left out', { base: (base) => base.slice(0, base.indexOf('day_close')) }, 'signature-verifies'],
  ['another secret', { key: { method: 'HMAC-SHA1', consumerSecret: 'another' } }, 'signature-verifies'],
  ['lower-case escapes in the base string', { base: (base) => base.replaceAll('%3D', '%3d') }, 'signature-verifies'],
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

const request: readonly [string, Draft, ...string[]][] = [
  ['another path', { target: '/p1/api/v2/close-day' }, 'path'],
  ['the prefix left out', { target: '/api/v2/close-day/1111' }, 'path'],
  ['a doubled slash', { target: '/p1//api/v2/close-day/1111' }, 'path'],
  [
    'a query of its own',
    { target: '/p1/api/v2/close-day/1111?x=1', uri: (uri) => uri },
    'path',
    'authentication/signature-verifies',
  ],
  ['PUT', { method: 'PUT' }, 'method'],
  ['no content type', { contentType: null }, 'content-type-sent'],
  ['the content type of JSON', { contentType: 'application/json' }, 'content-type-sent'],
  ['a body of JSON', { body: JSON.stringify(fields) }, 'body-is-form'],
  ['an empty body', { body: '' }, 'body-is-form'],
  ['a line break after the body', { body: (body) => `${body}\r\n` }, 'body-is-form'],
  ['a further parameter', sent((pairs) => [...pairs, ['x', '1']]), 'body-is-form'],
  ['a field twice', sent((pairs) => [...pairs, pairs[1]!]), 'body-is-form'],
  ['a misspelled field', sent((pairs) => pairs.map(([name, v]) => [name.replaceAll('_', '-'), v])), 'body-is-form'],
  ['no request id', sent((pairs) => pairs.slice(1)), 'request-id-present'],
  ['an empty request id', sent(replaced('day_close_request_id', '')), 'request-id-present'],
  ['a request id in lower case', sent(replaced('day_close_request_id', '902b4ff5a1')), 'request-id-alphabet'],
  ['a request id that is cut', sent(replaced('day_close_request_id', '902B4FF5')), 'request-id-length'],
  ['a sum with a comma', sent(replaced('sale_approved_sum', '100,00')), 'sale-approved-sum'],
  ['a sum without its zeros', sent(replaced('sale_approved_sum', '100.0')), 'sale-approved-sum'],
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
  ['an empty count that nobody gave', sent((p) => [...p, ['reversal_approved_count', '']]), 'reversal-approved-count'],
  ['a changed sum of reversals', sent(replaced('reversal_approved_sum', '0.95')), 'reversal-approved-sum'],
  ['a sum that is changed after it was signed', { body: (body) => body.replace('100.00', '100') }, 'sale-approved-sum'],
];

const csv: readonly [string, Draft, ...string[]][] = [
  ['another path', { target: '/p1/api/v2/process-recurring-payments/1111' }, 'path'],
  ['GET', { method: 'GET' }, 'method'],
  ['text/plain', { contentType: 'text/plain' }, 'content-type-sent'],
  ['no header', { headers: (lines) => lines.slice(0, 2) }, 'authorization-sent'],
  [
    'HMAC',
    { key: { method: 'HMAC-SHA1', consumerSecret: publishedIdentity.consumerSecret } },
    'authentication/recurring-method',
  ],
  [
    'SHA-1 under the name of RSA-SHA256',
    { signWith: (base) => rsaSign('RSA-SHA1', Buffer.from(base), privateKey).toString('base64') },
    'authentication/recurring-method',
    'authentication/signature-verifies',
  ],
  ['a wrapped signature', { signature: (text) => text.replace(/.{76}/g, '$&\r\n') }, 'authentication/signature-base64'],
  [
    'a URL-safe signature',
    { signature: (text) => text.replaceAll('+', '-').replaceAll('/', '_') },
    'authentication/signature-base64',
  ],
  ['a further parameter', { body: (body) => `${body}&x=1` }, 'payload-only', 'authentication/signature-verifies'],
  [
    'a misspelled parameter',
    { body: (body) => body.replace('payload', 'Payload') },
    'payload-only',
    'authentication/signature-verifies',
  ],
  [
    'the CSV as the body',
    { body: () => '"client-orderid";"amount"\n1;2' },
    'payload-only',
    'authentication/signature-verifies',
  ],
  ['a raw +', { body: (body) => body.replaceAll('%2B', '+') }, 'payload-escaped'],
  ['a payload that is escaped twice', { body: (body) => body.replaceAll('%', '%25') }, 'payload-escaped'],
  ['a payload that is escaped twice, and signed so', { payload: percentEncode }, 'payload-escaped'],
  ['a wrapped payload', { payload: wrapped }, 'payload-base64'],
  [
    'a wrapped payload whose line ends change after signing',
    { payload: wrapped, body: (b) => b.replaceAll('%0A', '%0D%0A') },
    'payload-base64',
  ],
  ['a line break after the payload', { payload: (text) => `${text}\n` }, 'payload-base64'],
  ['the URL-safe alphabet', { payload: (text) => text.replaceAll('+', '-').replaceAll('/', '_') }, 'payload-base64'],
  ['no padding', { csv: (text) => text.trimEnd(), payload: (text) => text.replace(/=+$/, '') }, 'payload-base64'],
  ['base64 of base64', { payload: btoa }, 'payload-base64'],
  ['hexadecimal', { payload: (text) => Buffer.from(text, 'base64').toString('hex') }, 'payload-base64'],
  ['a data: URI', { payload: (text) => `data:text/csv;base64,${text}` }, 'payload-base64'],
  ['the CSV itself', { payload: (text) => Buffer.from(text, 'base64').toString() }, 'payload-base64'],
  ['an empty payload', { payload: () => '' }, 'payload-base64'],
  ['commas', { csv: (text) => text.replaceAll('";"', '","').replaceAll(/;(\d)/g, ',$1') }, 'csv-delimiter'],
  ['bare names', { csv: (text) => text.replace(/^.*/, (line) => line.replaceAll('"', '')) }, 'csv-header-quoted'],
  [
    'names between apostrophes',
    { csv: (text) => text.replace(/^.*/, (line) => line.replaceAll('"', "'")) },
    'csv-header-quoted',
  ],
  ['no names', { csv: (text) => text.slice(text.indexOf('\n') + 1) }, 'csv-header-quoted'],
  ['a misspelled name', { csv: (text) => text.replace('client-orderid', 'client_order_id') }, 'csv-header-quoted'],
  ['a further column', { csv: (text) => text.replaceAll('\n', ';"x"\n') }, 'csv-header-quoted'],
  ['a row too many', { csv: (text) => `${text}order-3;1234567890;1.00\n` }, 'csv-rows'],
  ['a row too few', { csv: row('') }, 'csv-rows'],
  ['a blank row at the end', { csv: (text) => `${text}\n` }, 'csv-rows'],
  ['a cell too many', { csv: row('order-2;1234567890;100.00;') }, 'csv-rows'],
  ['a cell with ; and no quotes', { csv: row('order;2;1234567890;100.00') }, 'csv-rows'],
  ['quotes that are not doubled', { csv: (text) => text.replaceAll('""', '"') }, 'csv-rows'],
  ['quotes with backslashes', { csv: (text) => text.replaceAll('""', '\\"') }, 'csv-rows'],
  ['another order id', { csv: row('order-3;1234567890;100.00') }, 'csv-rows'],
  ['carriage returns as line ends', { csv: (text) => text.replaceAll('\n', '\r') }, 'csv-rows'],
  ['a byte-order mark', { csv: (text) => `\ufeff${text}` }, 'csv-utf-8'],
  ['UTF-16', { csv: (text) => Buffer.from(text, 'utf16le') }, 'csv-utf-8'],
  ['Latin-1', { csv: (text) => Buffer.from(text.replace('漢', '?'), 'latin1') }, 'csv-utf-8'],
  ['letters that became question marks', { csv: (text) => text.replace('ß漢', '??') }, 'csv-utf-8'],
  ['UTF-8 read as Latin-1', { csv: (text) => Buffer.from(text).toString('latin1') }, 'csv-utf-8'],
  ['no order id in a row', { csv: row(';1234567890;100.00') }, 'client-orderid-present'],
  [
    'no column of order ids',
    { csv: (text) => text.replaceAll(/^("[^;]*"|order-2|"(?:[^"]|"")*");/gm, '') },
    'client-orderid-present',
  ],
  ['an order id that is cut', { csv: row('orde;1234567890;100.00') }, 'client-orderid-length'],
  ['no payment id in a row', { csv: row('order-2;;100.00') }, 'recurring-payment-id-present'],
  [
    'a payment id without its zeros',
    { csv: (text) => text.replace('0000000042', '42') },
    'recurring-payment-id-length',
  ],
  ['no amount in a row', { csv: row('order-2;1234567890;') }, 'amount-conditional'],
  ['no column of amounts', { csv: (text) => text.replaceAll(/;"amount"|;\d+\.\d\d$/gm, '') }, 'amount-conditional'],
  ['a decimal comma', { csv: (text) => text.replace('1234.50', '1234,50') }, 'amount-numeric'],
  ['an exponent', { csv: (text) => text.replace('1234.50', '1.2345e3') }, 'amount-numeric'],
  ['groups of thousands', { csv: (text) => text.replace('1234.50', '1,234.50') }, 'amount-numeric'],
  ['an amount without its zeros', { csv: (text) => text.replace('100.00', '100.0') }, 'amount-numeric'],
];

const tables = [
  ['close-day', header, closeDay, 'authentication/'],
  ['close-day', request, closeDay, 'close-day/'],
  ['a batch', csv, recurring, 'recurring/'],
] as const;

for (const [operation, table, build, area] of tables) {
  for (const [what, draft, ...ids] of table) {
    const expected = ids.map((id) => (id.includes('/') ? id : `${area}${id}`)).sort();
    test(`${operation} with ${what} breaks ${expected.join(' and ')}`, () => {
      expect(failing([closeDay(), recurring(), build(draft)])).toEqual(expected);
    });
  }
}

const tolerated: readonly [string, Draft, string | undefined][] = [
  ['realm', { print: (pairs) => printAuthorization(pairs, { realm: 'any where' }) }, 'the header also holds realm'],
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
    'the scheme in lower case',
    { print: (pairs) => printAuthorization(pairs).replace('OAuth', 'oauth') },
    'the scheme is written oauth',
  ],
  ['no space between the parameters', { print: joined(',') }, undefined],
  ['parameters in another order', { print: (pairs) => printAuthorization([...pairs].reverse()) }, undefined],
  [
    '%20 for a space',
    { input: { ...fields, sale_approved_sum: '1 0+4' }, body: (body) => body.replace('+', '%20') },
    undefined,
  ],
  ['fields in another order', sent((pairs) => [...pairs].reverse()), undefined],
];

for (const [what, draft, remark] of tolerated) {
  test(`close-day with ${what} breaks nothing${remark === undefined ? '' : ' and is remarked'}`, () => {
    const cases = [closeDay(), closeDay(draft)];
    expect(failing(cases)).toEqual([]);
    expect(remarks(cases)).toEqual(remark === undefined ? [] : [remark]);
    expect(passing([cases[1]!])).toContain('authentication/signature-verifies');
  });
}

for (const [what, draft] of [
  ['CRLF', { csv: (text) => text.replaceAll('\n', '\r\n') }],
  ['no final line end', { csv: (text) => text.trimEnd() }],
  ['every cell in quotes', { csv: (text) => text.replaceAll(/^(order-2);(\d+);(.*)$/gm, '"$1";"$2";"$3"') }],
  ['columns in another order', { csv: (text) => text.replaceAll(/^(.*);([^;\n]*);([^;\n]*)$/gm, '$3;$1;$2') }],
] satisfies [string, Draft][]) {
  test(`a batch with ${what} breaks nothing`, () => {
    const examined = recurring(draft);
    expect(failing([recurring(), examined])).toEqual([]);
    expect(passing([examined])).toContain('recurring/csv-rows');
  });
}

test('a raw + in a field breaks the row of the field alone', () => {
  const draft: Draft = { input: { ...fields, sale_approved_sum: '1+0' }, body: (body) => body.replace('%2B', '+') };
  expect(failing([closeDay(draft)])).toEqual(['close-day/sale-approved-sum']);
});

test('an empty field that is left out breaks the row of the field alone', () => {
  const draft: Draft = { input: { ...fields, reversal_approved_count: '' }, ...sent((pairs) => pairs) };
  expect(failing([closeDay(draft)])).toEqual(['close-day/reversal-approved-count']);
});

test('an amount in a range is judged like any amount', () => {
  const input = {
    columns: [...batch.columns.slice(0, 2), 'amount-from', 'amount-to'],
    rows: [['o', '0000000042', '1.00', '2.00']],
  };
  expect(failing([recurring({ input })])).toEqual([]);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '2,00') })])).toEqual([
    'recurring/amount-numeric',
  ]);
  expect(failing([recurring({ input, csv: (text) => text.replace('2.00', '') })])).toEqual([
    'recurring/amount-conditional',
  ]);
});
