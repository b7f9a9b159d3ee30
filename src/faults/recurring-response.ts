/** Gateways whose answers to a batch violate section 2.4, 4.2 or 8, or that mishandle the connection. */
import { withBody } from '../mock/responses.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../record/exchange.ts';
import { breaking, type GatewayDefect, recurring, transport } from './defect.ts';

const acceptedLength = breaking(recurring, 'success-content-length-zero');
const refusedStatus = breaking(recurring, 'failure-status-403');
const keepAlive = breaking(recurring, 'keep-alive-timeout');
const lineFeed = breaking(recurring, 'parameters-line-feed');
const type = breaking(recurring, 'type-present');
const status = breaking(recurring, 'status-present');
const message = breaking(recurring, 'error-message-present');
const code = breaking(recurring, 'error-code-present');
const errorId = breaking(recurring, 'error-id-with-500');

export const recurringAnswerDefects: readonly GatewayDefect[] = [
  recurring('accepted-says-ok', 'success-body-empty', { on: 'accepted', body: 'OK' })`
    The answer that must be empty has the body OK`,
  recurring('accepted-with-201', 'success-status-200', { on: 'accepted', status: 201 })`
    An accepted batch is answered with HTTP 201`,
  acceptedLength('accepted-chunked', { on: 'accepted', header: { 'Content-Length': undefined } })`
    The empty answer is chunked, without Content-Length`,
  acceptedLength('accepted-framed-twice', { on: 'accepted', header: { 'Transfer-Encoding': 'chunked' } })`
    The empty answer has Content-Length: 0 but is chunked`,
  recurring('refused-with-page', 'failure-body-empty', {
    writes: (reply, { decision }) =>
      decision === 'refused' && reply.status === 403 ? withBody(reply, '<html><body>Forbidden</body></html>') : reply,
  })`The 403 answer has an HTML page as its body`,
  refusedStatus('refused-with-400', { on: 'refused', status: 400 })`
    An unsuccessful request is answered with HTTP 400`,
  refusedStatus('refused-with-302', { on: 'refused', status: 302, header: { Location: '/error' } })`
    An unsuccessful request is redirected to a page`,
  refusedStatus('refused-with-500', { on: 'refused', status: 500 })`
    An unsuccessful request is answered with HTTP 500`,
  refusedStatus('batch-fault-with-401', { at: /^csv/, status: 401 })`
    A batch with a faulty CSV is answered with HTTP 401`,
  keepAlive('keep-alive-with-unit', { on: 'accepted', header: { 'Keep-Alive': 'timeout=60s' } })`
    The keep-alive timeout is announced as 60s`,
  keepAlive('keep-alive-beside-close', { on: 'accepted', header: { Connection: 'close' } })`
    An answer has both Keep-Alive: timeout=60 and Connection: close`,
  recurring(
    'wrong-signature-with-200',
    [
      'authentication/recurring-wrong-key-refused',
      'authentication/recurring-altered-body-refused',
      'authentication/recurring-other-method-refused',
      'authentication/recurring-wrong-signature-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    { at: /^signature$/, status: 200 },
  )`A batch with a wrong signature is not charged, but the answer says that it was accepted`,
  keepAlive('keep-alive-short', { on: 'accepted', header: { 'Keep-Alive': 'timeout=5' } })`
    The keep-alive timeout is announced as 5 seconds`,
];

/** Defects in bodies of section 2.4. The mock sends such a body only if the answer is scripted. */
const bodyDefects: readonly GatewayDefect[] = [
  recurring('parameters-as-plain-text', 'parameters-content-type', {
    on: 'with-body',
    header: { 'Content-Type': 'text/plain;charset=utf-8' },
  })`A body of 2.4 has the content type text/plain`,
  recurring('parameters-said-to-be-packed', 'success-body-empty', {
    on: 'with-body',
    header: { 'Content-Encoding': 'gzip' },
  })`Content-Encoding says gzip, but the body of 2.4 is not compressed`,
  lineFeed('parameters-without-line-feeds', { text: (body) => body.replaceAll('\n', '') })`
    The values of 2.4 do not end with 0x0A`,
  // Only `type-present` fails: without a type, other judges do not know if the batch was accepted or refused.
  type('parameters-without-type', { text: without('type') })`A body of 2.4 has no type`,
  recurring('parameters-of-other-type', 'type-value', {
    text: (body) => body.replace('type=process-recurring-payment-response', 'type=async-response'),
  })`The type of an accepted batch is async-response`,
  status('parameters-without-status', { text: without('status') })`A body of an accepted batch has no status`,
  recurring('parameters-without-serial', 'serial-number-present', { text: without('serial-number') })`
    A body of 2.4 has no serial-number`,
  recurring('parameters-with-one-serial', 'serial-number-unique', { text: withValue('serial-number', '1') })`
    Every body of 2.4 has the same serial-number`,
  message('error-without-message', { text: without('error-message') })`An error body has no error-message`,
  code('error-without-code', { text: without('error-code') })`An error body has no error-code`,
  recurring('error-with-other-code', 'error-code-value', {
    text: (body) => body.replace('error-code=403', 'error-code=404'),
  })`An error body has the code 404`,
  type('type-empty', { text: withValue('type', '') })`The type of a body of 2.4 is empty`,
  status('status-empty', { text: withValue('status', '') })`The status of an accepted batch is empty`,
  message('error-message-empty', { text: withValue('error-message', '') })`An error body has an empty error-message`,
  code('error-code-empty', { text: withValue('error-code', '') })`An error body has an empty error-code`,
  code('error-code-twice', { text: (body) => body.replace(/error-code=\d+\n/, '$&&$&') })`
    An error body has error-code twice`,
  type('type-twice', { text: (body) => body.replace(/type=[^&\n]*\n/, '$&&$&') })`A body of 2.4 has type twice`,
  lineFeed('parameters-not-encoded', { text: (body) => body.replaceAll('%20', ' ') })`
    The values of 2.4 have unencoded spaces`,
  recurring('parameters-with-byte-order-mark', ['parameters-line-feed', 'type-present'], {
    on: 'with-body',
    text: (body) => `\ufeff${body}`,
  })`A body of 2.4 starts with a byte-order mark`,
  errorId('error-500-without-id', { text: without('error-id') })`An error body with code 500 has no error ID`,
  errorId('error-500-code-in-message', {
    text: (body) => without('error-id')(body).replace(/error-message=[^\n]*/, '$&%20(500)'),
  })`An error body with code 500 repeats the code in error-message, and has no error ID`,
];

/** Defects that the mock cannot have. For example, the mock runs on loopback, where plain http is allowed. */
const transportDefects: readonly GatewayDefect[] = [
  {
    ...transport('served-over-plain-http', 'https-served', {})`
      Both operations are answered over plain http at a public address`,
    reach: 'stored',
    stored: [exchangeOf({ scheme: 'http' }, { status: 403, reason: 'Forbidden', headers: [['Content-Length', '0']] })],
  },
  {
    ...recurring('connection-closed-early', 'keep-alive-kept', {})`An idle connection is closed after five seconds`,
    reach: 'stored',
    stored: [
      {
        ...exchangeOf({}, { headers: Object.entries({ 'Content-Length': '0', 'Keep-Alive': 'timeout=60' }) }),
        silence: { waitedMs: 61_000, closedAfterMs: 5_000 },
      },
    ],
  },
];

export const otherAnswerDefects: readonly GatewayDefect[] = [...bodyDefects, ...transportDefects];

function exchangeOf(request: Partial<SentRequest>, response: Partial<ReceivedResponse>): Exchange {
  const body = new Uint8Array();
  return {
    request: {
      method: 'POST',
      scheme: 'https',
      host: 'gateway.invalid',
      target: '/api/v4/process-recurring-payments/1111',
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body,
      ...request,
    },
    response: { status: 200, reason: 'OK', headers: [], body, ...response },
    startedAt: 1_800_000_000_000,
    durationMs: 1,
  };
}

function withValue(name: string, value: string): (body: string) => string {
  return (body) => body.replace(new RegExp(`(?<=(?:^|&)${name}=)[^&\\n]*`), value);
}

function without(name: string): (body: string) => string {
  return (body) =>
    body
      .split('&')
      .filter((part) => !part.startsWith(`${name}=`))
      .join('&');
}
