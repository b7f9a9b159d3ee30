/** Faults of a batch of recurring payments, each with the rows that it breaks. */
import { sign as rsaSign } from 'node:crypto';
import { publishedIdentity } from '../../../../src/mock/identity.ts';
import { percentEncode } from '../../../../src/protocol/index.ts';
import { batch, type Fault, privateKey } from './sample-requests.ts';

const row = (cells: string) => (csv: string) => csv.replace('order-2;1234567890;100.00', cells);
const wrapped = (text: string) => text.replace(/.{76}/g, '$&\n');

export const batchFaults: readonly Fault[] = [
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
  [
    'a payload with an escape that is not UTF-8',
    { payload: (payload) => `${payload.slice(0, 40)}%DE${payload.slice(40)}` },
    'payload-escaped',
    'payload-base64',
  ],
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
  ['quotes around the text', { payload: (text) => `"${text}"` }, 'payload-base64'],
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
  ['an amount of eleven digits', { input: { ...batch, rows: [['a', '0000000042', '123456789.01']] } }, 'amount-length'],
  ['a decimal comma', { csv: (text) => text.replace('1234.50', '1234,50') }, 'amount-numeric'],
  ['an exponent', { csv: (text) => text.replace('1234.50', '1.2345e3') }, 'amount-numeric'],
  ['groups of thousands', { csv: (text) => text.replace('1234.50', '1,234.50') }, 'amount-numeric'],
  ['another amount', { csv: (text) => text.replace('100.00', '100.01') }, 'csv-rows'],
];
