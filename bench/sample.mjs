/** The data of all measurements: one identity, one close-day call, and batches of any size. */
import { createHmac, createSign } from 'node:crypto';

export const consumerKey = 'countersign-test';
export const consumerSecret = 'published-secret-for-tests-only';
export const path = '/api/v2/close-day/1111';
export const batchPath = '/api/v4/process-recurring-payments/1111';
export const closeDay = [
  ['day_close_request_id', 'A1B2C3D4E5F6A7B8'],
  ['sale_approved_count', '12'],
  ['sale_approved_sum', '1042.50'],
  ['reversal_approved_count', '3'],
  ['reversal_approved_sum', '99.05'],
];

/** The answer of a gateway. It is also the example in `openApi`, which describes the operation for Prism. */
export const finished =
  '{"response":{"status":"finished","gates":[{"gateId":7101,"isDayClosing":false,"gateCloseDate":"Tue Nov 03 23:59:59 UTC 2026",' +
  '"epntId":1111,"saleApprovedCount":"0","saleAmount":"0.00","reversalApprovedCount":"0","reversalAmount":"0.00","code39":"00",' +
  '"RRN":"000000000001"}]},"theRequestSerialNumber":"00000000-0000-0000-0000-000000000000"}';

const fields = {
  type: 'object',
  required: ['day_close_request_id'],
  properties: Object.fromEntries(closeDay.map(([name]) => [name, { type: 'string' }])),
};
const answer = { type: 'object', required: ['response', 'theRequestSerialNumber'] };
const operation = {
  parameters: [{ name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } }],
  requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: fields } } },
  responses: {
    200: { description: 'closed', content: { 'application/json': { schema: answer, example: JSON.parse(finished) } } },
  },
};
export const openApi = {
  openapi: '3.0.3',
  info: { title: 'close-day', version: '1' },
  paths: { [path]: { post: operation } },
};

/** A CSV with 40 bytes for each row, which are 54 bytes in base64. */
export function csvOf(count) {
  const row = (i) =>
    `inv-${String(i).padStart(8, '0')};${1_000_000 + (i % 9_000_000)};${`${i % 90}.5${i % 10}`.padStart(5, '1')};rent for May\n`;
  return `"client-orderid";"recurring-payment-id";"amount";"comment"\n${Array.from({ length: count }, (_, i) => row(i)).join('')}`;
}

/** Encodes as RFC 5849 section 3.6 says. Independent of the contenders, so that no contender checks itself. */
function escaped(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The signature base string of a call with these parameters (RFC 5849 section 3.4.1.1). */
export function baseString(url, pairs) {
  const sorted = pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort();
  return `POST&${escaped(url)}&${escaped(sorted.join('&'))}`;
}

/** Escapes the three characters of base64 that need it. For megabytes, replaceAll is the fastest way. */
export function escapedBase64(text) {
  return text.replaceAll('+', '%2B').replaceAll('/', '%2F').replaceAll('=', '%3D');
}

export const oauth = (method, { nonce, timestamp }) => [
  ['oauth_consumer_key', consumerKey],
  ['oauth_nonce', nonce],
  ['oauth_signature_method', method],
  ['oauth_timestamp', timestamp],
  ['oauth_version', '1.0'],
];

function header(pairs, signature) {
  return `OAuth ${[...pairs, ['oauth_signature', signature]].map(([name, value]) => `${name}="${escaped(value)}"`).join(', ')}`;
}

/** Signed close-day calls, ready to send, each with its own nonce. */
export function signedCloseDay(host, count, start) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = new URLSearchParams(closeDay).toString();
  return Array.from({ length: count }, (_, i) => {
    const pairs = oauth('HMAC-SHA1', { nonce: `n${start + i}`, timestamp });
    const base = baseString(`http://${host}${path}`, [...closeDay, ...pairs]);
    const signature = createHmac('sha1', `${consumerSecret}&`).update(base).digest('base64');
    return { path, authorization: header(pairs, signature), body };
  });
}

/** The Authorization header of a batch. `encoded` is its escaped payload. */
export function signedBatch(host, encoded, privateKey, nonce) {
  const pairs = oauth('RSA-SHA256', { nonce, timestamp: String(Math.floor(Date.now() / 1000)) });
  const prefix = `${baseString(`http://${host}${batchPath}`, pairs)}${escaped('&payload=')}`;
  const signature = createSign('RSA-SHA256')
    .update(prefix)
    .update(encoded.replaceAll('%', '%25'))
    .sign(privateKey, 'base64');
  return header(pairs, signature);
}
