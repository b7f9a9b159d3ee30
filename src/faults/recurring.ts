/** Gateways whose answers to batches differ from sections 2.4, 4.2 and 8, and faults of a gateway's connection. */
import type { Decision } from '../mock/alteration.ts';
import { editBody, type Reply, withBody, withHeader, withoutHeader, withStatus } from '../mock/responses.ts';
import { type Breaks, type GatewayDefect, recurring } from './defect.ts';

export const recurringDefects: readonly GatewayDefect[] = [
  answer('accepted', 'accepted-says-ok', 'The empty answer is not empty: it says OK', 'success-body-empty', (reply) =>
    withBody(reply, 'OK'),
  ),
  answer(
    'accepted',
    'accepted-with-201',
    'An accepted batch is answered with HTTP 201',
    'success-status-200',
    (reply) => withStatus(reply, 201),
  ),
  answer(
    'accepted',
    'accepted-chunked',
    'The empty answer comes chunked, without Content-Length',
    'success-content-length-zero',
    (reply) => withoutHeader(reply, 'Content-Length'),
  ),
  answer(
    'accepted',
    'accepted-framed-twice',
    'The empty answer says Content-Length: 0, and comes chunked all the same',
    'success-content-length-zero',
    (reply) => withHeader(reply, 'Transfer-Encoding', 'chunked'),
  ),
  answer(
    'refused',
    'refused-with-page',
    'The 403 answer has an HTML page as its body',
    'failure-body-empty',
    (reply) => (reply.status === 403 ? withBody(reply, '<html><body>Forbidden</body></html>') : reply),
  ),
  answer(
    'refused',
    'refused-with-400',
    'An unsuccessful request is answered with HTTP 400',
    'failure-status-403',
    (reply) => withStatus(reply, 400),
  ),
  answer(
    'refused',
    'refused-with-302',
    'An unsuccessful request is redirected to a page',
    'failure-status-403',
    (reply) => withHeader(withStatus(reply, 302), 'Location', '/error'),
  ),
  answer(
    'refused',
    'refused-with-500',
    'An unsuccessful request is answered with HTTP 500',
    'failure-status-403',
    (reply) => withStatus(reply, 500),
  ),
  recurring('batch-fault-with-401', 'A batch whose CSV is at fault is answered with HTTP 401', 'failure-status-403', {
    writes: (reply, { decision, step }) =>
      decision === 'refused' && step?.startsWith('csv') ? withStatus(reply, 401) : reply,
  }),
  answer(
    'accepted',
    'keep-alive-with-unit',
    'The keep-alive timeout is announced as 60s',
    'keep-alive-timeout',
    (reply) => withHeader(reply, 'Keep-Alive', 'timeout=60s'),
  ),
  answer(
    'accepted',
    'keep-alive-beside-close',
    'The keep-alive timeout is announced as 60 seconds, and the connection is closed',
    'keep-alive-timeout',
    (reply) => withHeader(reply, 'Connection', 'close'),
  ),
  recurring(
    'wrong-signature-with-200',
    'A batch whose signature does not verify is not charged, but gets the answer of an accepted one',
    [
      'authentication/recurring-wrong-key-refused',
      'authentication/recurring-altered-body-refused',
      'authentication/recurring-other-method-refused',
      'authentication/recurring-wrong-signature-refused',
      'authentication/recurring-altered-uri-refused',
    ],
    { writes: (reply, { step }) => (step === 'signature' ? withStatus(reply, 200) : reply) },
  ),
  answer(
    'accepted',
    'keep-alive-short',
    'The keep-alive timeout is announced as 5 seconds',
    'keep-alive-timeout',
    (reply) => withHeader(reply, 'Keep-Alive', 'timeout=5'),
  ),
];

/** Bodies of section 2.4; they show in the scripted answers of a mock. */
export const recurringParameterDefects: readonly GatewayDefect[] = [
  parameters('parameters-as-plain-text', 'A body of 2.4 comes as text/plain', 'parameters-content-type', (reply) =>
    withHeader(reply, 'Content-Type', 'text/plain;charset=utf-8'),
  ),
  parameters(
    'parameters-said-to-be-packed',
    'A body of 2.4 comes as it is, and Content-Encoding says gzip',
    'success-body-empty',
    (reply) => withHeader(reply, 'Content-Encoding', 'gzip'),
  ),
  text('parameters-without-line-feeds', 'The values of 2.4 do not end with 0x0A', 'parameters-line-feed', (text) =>
    text.replaceAll('\n', ''),
  ),
  // Without its type an answer tells neither acceptance nor refusal; the rows that ask for more of a type are silent then.
  text('parameters-without-type', 'A body of 2.4 has no type', 'type-present', without('type')),
  text('parameters-of-other-type', 'The type of an accepted batch is async-response', 'type-value', (text) =>
    text.replace('type=process-recurring-payment-response', 'type=async-response'),
  ),
  text('parameters-without-status', 'A body of an accepted batch has no status', 'status-present', without('status')),
  text(
    'parameters-without-serial',
    'A body of 2.4 has no serial-number',
    'serial-number-present',
    without('serial-number'),
  ),
  text('parameters-with-one-serial', 'Every body of 2.4 has the same serial-number', 'serial-number-unique', (text) =>
    text.replace(/serial-number=[^&\n]*/, 'serial-number=1'),
  ),
  text(
    'error-without-message',
    'An error body has no error-message',
    'error-message-present',
    without('error-message'),
  ),
  text('error-without-code', 'An error body has no error-code', 'error-code-present', without('error-code')),
  text('error-with-other-code', 'An error body has the code 404', 'error-code-value', (text) =>
    text.replace(/error-code=403/, 'error-code=404'),
  ),
  text('type-empty', 'The type of a body of 2.4 is empty', 'type-present', empty('type')),
  text('status-empty', 'The status of an accepted batch is empty', 'status-present', empty('status')),
  text(
    'error-message-empty',
    'An error body has an empty error-message',
    'error-message-present',
    empty('error-message'),
  ),
  text('error-code-empty', 'An error body has an empty error-code', 'error-code-present', empty('error-code')),
  text('error-code-twice', 'An error body has error-code twice', 'error-code-present', (text) =>
    text.replace(/error-code=\d+\n/, '$&&$&'),
  ),
  text('type-twice', 'A body of 2.4 has type twice', 'type-present', (text) => text.replace(/type=[^&\n]*\n/, '$&&$&')),
  text(
    'parameters-not-encoded',
    'The values of 2.4 come without percent-encoding, blanks and all',
    'parameters-line-feed',
    (text) => text.replaceAll('%20', ' '),
  ),
  text(
    'parameters-with-byte-order-mark',
    'A body of 2.4 starts with a byte-order mark',
    ['parameters-line-feed', 'type-present'],
    (text) => `\ufeff${text}`,
  ),
  text('error-500-without-id', 'An error body with code 500 has no error ID', 'error-id-with-500', without('error-id')),
  text(
    'error-500-code-in-message',
    'An error body with code 500 has that code in error-message, and no error ID',
    'error-id-with-500',
    (body) => without('error-id')(body).replace(/(error-message=[^\n]*)/, '$1%20(500)'),
  ),
];

/** The mock is on loopback, where plain http shows nothing: records of gateways elsewhere do. */
export const transportDefects: readonly GatewayDefect[] = [
  {
    id: 'transport/served-over-plain-http',
    side: 'gateway',
    operation: 'both',
    summary: 'Both operations are answered over plain http at a public address',
    breaks: ['transport/https-served'],
    reach: 'stored',
    stored: [
      {
        request: {
          method: 'POST',
          scheme: 'http',
          host: 'gateway.invalid',
          target: '/api/v4/process-recurring-payments/1111',
          headers: [['Content-Type', 'application/x-www-form-urlencoded']],
          body: new Uint8Array(),
        },
        response: { status: 403, reason: 'Forbidden', headers: [['Content-Length', '0']], body: new Uint8Array() },
        startedAt: 1_800_000_000_000,
        durationMs: 1,
      },
    ],
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
        request: {
          method: 'POST',
          scheme: 'https',
          host: 'gateway.invalid',
          target: '/api/v4/process-recurring-payments/1111',
          headers: [['Content-Type', 'application/x-www-form-urlencoded']],
          body: new Uint8Array(),
        },
        response: {
          status: 200,
          reason: 'OK',
          headers: [
            ['Content-Length', '0'],
            ['Keep-Alive', 'timeout=60'],
          ],
          body: new Uint8Array(),
        },
        startedAt: 1_800_000_000_000,
        durationMs: 5001,
        silence: { waitedMs: 61_000, closedAfterMs: 5_000 },
      },
    ],
    alteration: {},
  },
];

type Rows = Breaks<'gateway', 'recurring'>;

/** Changes the answers of one decision. */
function answer(
  decision: Decision,
  what: string,
  summary: string,
  breaks: Rows,
  edit: (reply: Reply) => Reply,
): GatewayDefect {
  return recurring(what, summary, breaks, {
    writes: (reply, about) => (about.decision === decision ? edit(reply) : reply),
  });
}

/** Changes the answers that have a body. */
function parameters(what: string, summary: string, breaks: Rows, edit: (reply: Reply) => Reply): GatewayDefect {
  return recurring(what, summary, breaks, { writes: (reply) => (reply.body.length > 0 ? edit(reply) : reply) });
}

function text(what: string, summary: string, breaks: Rows, edit: (text: string) => string): GatewayDefect {
  return parameters(what, summary, breaks, (reply) => editBody(reply, edit));
}

/** Leaves the value of one parameter out, its line feed stays. */
function empty(name: string): (body: string) => string {
  return (body) => body.replace(new RegExp(`(^|&)${name}=[^&\\n]*`), `$1${name}=`);
}

/** Leaves one parameter out, its line feed and separator with it. */
function without(name: string): (body: string) => string {
  return (body) =>
    body
      .split('&')
      .filter((part) => !part.startsWith(`${name}=`))
      .join('&');
}
