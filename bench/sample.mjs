/** What the contenders of all measurements are given: one identity, one close-day call, batches of any size. */
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

export const columns = ['client-orderid', 'recurring-payment-id', 'amount', 'comment'];

/** A batch: 40 bytes a row, or 54 in base64, where its text is ASCII. */
export function rowsOf(count, ascii = true) {
  const comment = ascii ? 'rent for May' : 'оплата';
  return Array.from({ length: count }, (_, i) => [
    `inv-${String(i).padStart(8, '0')}`,
    String(1_000_000 + (i % 9_000_000)),
    `${i % 90}.5${i % 10}`.padStart(5, '1'),
    comment,
  ]);
}

export function csvOf(count, ascii = true) {
  const header = columns.map((name) => `"${name}"`).join(';');
  return `${header}\n${rowsOf(count, ascii)
    .map((row) => row.join(';'))
    .join('\n')}\n`;
}

/** RFC 5849 section 3.6 written down once more, so that no contender is the measure of the others. */
export function escaped(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The signature base string of a call whose body is already in its form (RFC 5849 section 3.4.1.1). */
export function baseString(url, pairs) {
  const sorted = pairs.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort();
  return `POST&${escaped(url)}&${escaped(sorted.join('&'))}`;
}

/** Base64 has three characters that are escaped; over megabytes the native searches are quickest. */
export function escapedBase64(text) {
  return text.replaceAll('+', '%2B').replaceAll('/', '%2F').replaceAll('=', '%3D');
}

const oauth = (method, nonce, timestamp) => [
  ['oauth_consumer_key', consumerKey],
  ['oauth_nonce', nonce],
  ['oauth_signature_method', method],
  ['oauth_timestamp', timestamp],
  ['oauth_version', '1.0'],
];

export function header(pairs, signature) {
  return `OAuth ${[...pairs, ['oauth_signature', signature]].map(([name, value]) => `${name}="${escaped(value)}"`).join(', ')}`;
}

/** Close-day calls as they go over the wire, each with a nonce of its own. */
export function signedCloseDay(host, count, start) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = new URLSearchParams(closeDay).toString();
  return Array.from({ length: count }, (_, i) => {
    const pairs = oauth('HMAC-SHA1', `n${start + i}`, timestamp);
    const base = baseString(`http://${host}${path}`, [...closeDay, ...pairs]);
    const signature = createHmac('sha1', `${consumerSecret}&`).update(base).digest('base64');
    return { path, authorization: header(pairs, signature), body };
  });
}

/** A batch as it goes over the wire; `encoded` is its payload, escaped. */
export function signedBatch(host, encoded, privateKey, nonce) {
  const pairs = oauth('RSA-SHA256', nonce, String(Math.floor(Date.now() / 1000)));
  const prefix = `${baseString(`http://${host}${batchPath}`, pairs)}${escaped('&payload=')}`;
  const signature = createSign('RSA-SHA256')
    .update(prefix)
    .update(encoded.replaceAll('%', '%25'))
    .sign(privateKey, 'base64');
  return header(pairs, signature);
}
