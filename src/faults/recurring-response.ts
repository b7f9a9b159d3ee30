/** Gateways that violate 2.4, 4.2 and 8 in the answers to a batch, and connection faults. */
import { withBody } from '../mock/responses.ts';
import type { Exchange, ReceivedResponse } from '../record/exchange.ts';
import { breaking, type GatewayDefect, recurring } from './defect.ts';

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
    The keep-alive timeout is announced as 60 seconds, and the connection is closed`,
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
  )`A batch with a wrong signature is not charged, but is answered as accepted`,
  keepAlive('keep-alive-short', { on: 'accepted', header: { 'Keep-Alive': 'timeout=5' } })`
    The keep-alive timeout is announced as 5 seconds`,
];

/** Bodies of section 2.4. Only scripted answers of a mock show them. */
export const parameterDefects: readonly GatewayDefect[] = [
  recurring('parameters-as-plain-text', 'parameters-content-type', {
    on: 'with-body',
    header: { 'Content-Type': 'text/plain;charset=utf-8' },
  })`A body of 2.4 has the type text/plain`,
  recurring('parameters-said-to-be-packed', 'success-body-empty', {
    on: 'with-body',
    header: { 'Content-Encoding': 'gzip' },
  })`Content-Encoding says gzip, but the body of 2.4 is not compressed`,
  lineFeed('parameters-without-line-feeds', { text: (body) => body.replaceAll('\n', '') })`
    The values of 2.4 do not end with 0x0A`,
  // Without a type the answer is neither acceptance nor refusal, so rows about a specific type do not judge it.
  type('parameters-without-type', { text: without('type') })`A body of 2.4 has no type`,
  recurring('parameters-of-other-type', 'type-value', {
    text: (body) => body.replace('type=process-recurring-payment-response', 'type=async-response'),
  })`The type of an accepted batch is async-response`,
  status('parameters-without-status', { text: without('status') })`A body of an accepted batch has no status`,
  recurring('parameters-without-serial', 'serial-number-present', { text: without('serial-number') })`
    A body of 2.4 has no serial-number`,
  recurring('parameters-with-one-serial', 'serial-number-unique', { text: valued('serial-number', '1') })`
    Every body of 2.4 has the same serial-number`,
  message('error-without-message', { text: without('error-message') })`An error body has no error-message`,
  code('error-without-code', { text: without('error-code') })`An error body has no error-code`,
  recurring('error-with-other-code', 'error-code-value', {
    text: (body) => body.replace('error-code=403', 'error-code=404'),
  })`An error body has the code 404`,
  type('type-empty', { text: valued('type', '') })`The type of a body of 2.4 is empty`,
  status('status-empty', { text: valued('status', '') })`The status of an accepted batch is empty`,
  message('error-message-empty', { text: valued('error-message', '') })`An error body has an empty error-message`,
  code('error-code-empty', { text: valued('error-code', '') })`An error body has an empty error-code`,
  code('error-code-twice', { text: (body) => body.replace(/error-code=\d+\n/, '$&&$&') })`
    An error body has error-code twice`,
  type('type-twice', { text: (body) => body.replace(/type=[^&\n]*\n/, '$&&$&') })`A body of 2.4 has type twice`,
  lineFeed('parameters-not-encoded', { text: (body) => body.replaceAll('%20', ' ') })`
    The values of 2.4 are not percent-encoded, not even blanks`,
  recurring('parameters-with-byte-order-mark', ['parameters-line-feed', 'type-present'], {
    on: 'with-body',
    text: (body) => `\ufeff${body}`,
  })`A body of 2.4 starts with a byte-order mark`,
  errorId('error-500-without-id', { text: without('error-id') })`An error body with code 500 has no error ID`,
  errorId('error-500-code-in-message', {
    text: (body) => without('error-id')(body).replace(/error-message=[^\n]*/, '$&%20(500)'),
  })`An error body with code 500 repeats the code in error-message, and has no error ID`,
];

/** The mock runs on loopback, where plain http is allowed. Stored records of other gateways show these defects. */
export const transportDefects: readonly GatewayDefect[] = [
  {
    id: 'transport/served-over-plain-http',
    side: 'gateway',
    operation: 'both',
    summary: 'Both operations are answered over plain http at a public address',
    breaks: ['transport/https-served'],
    reach: 'stored',
    stored: [stored('http', { status: 403, reason: 'Forbidden', headers: [['Content-Length', '0']] }, 1)],
    alteration: {},
  },
  {
    id: 'recurring/connection-closed-early',
    side: 'gateway',
    operation: 'process-recurring-payments',
    summary: 'A silent connection is closed after five seconds',
    breaks: ['recurring/keep-alive-kept'],
    reach: 'stored',
    stored: [
      {
        ...stored(
          'https',
          {
            status: 200,
            reason: 'OK',
            headers: [
              ['Content-Length', '0'],
              ['Keep-Alive', 'timeout=60'],
            ],
          },
          5001,
        ),
        silence: { waitedMs: 61_000, closedAfterMs: 5_000 },
      },
    ],
    alteration: {},
  },
];

function stored(scheme: 'http' | 'https', response: Omit<ReceivedResponse, 'body'>, durationMs: number): Exchange {
  const body = new Uint8Array();
  return {
    request: {
      method: 'POST',
      scheme,
      host: 'gateway.invalid',
      target: '/api/v4/process-recurring-payments/1111',
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body,
    },
    response: { ...response, body },
    startedAt: 1_800_000_000_000,
    durationMs,
  };
}

function valued(name: string, value: string): (body: string) => string {
  return (body) => body.replace(new RegExp(`(?<=(?:^|&)${name}=)[^&\\n]*`), value);
}

function without(name: string): (body: string) => string {
  return (body) =>
    body
      .split('&')
      .filter((part) => !part.startsWith(`${name}=`))
      .join('&');
}
