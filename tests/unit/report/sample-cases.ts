/** The eight exchanges of the sample result, such as a failure with its twin, and bodies that are not text. */
import type { Case, CaseLabel } from '../../../src/record/case.ts';
import type { Exchange, Header } from '../../../src/record/exchange.ts';
import { hostile } from './all-outcomes.ts';

const startedAt = Date.UTC(2024, 1, 29, 23, 59, 59);
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'));
const csv = '"client-orderid";"amount"\nÖrder;1.00\n';

const authorization: Header = [
  'Authorization',
  'OAuth oauth_consumer_key="shop", oauth_signature_method="HMAC-SHA1", oauth_nonce="one", oauth_signature="c2ln"',
];

function closeDay(body: string, response: Partial<NonNullable<Exchange['response']>> = {}): Exchange {
  return {
    request: {
      method: 'POST',
      scheme: 'http',
      host: '127.0.0.1:1',
      target: '/paynet/api/v2/close-day/1',
      headers: [['Host', '127.0.0.1:1'], authorization, ['Content-Type', 'application/x-www-form-urlencoded']],
      body: bytes(body),
    },
    response: {
      status: 200,
      reason: 'OK',
      headers: [['Content-Type', 'text/html;charset=utf-8']],
      body: bytes(''),
      ...response,
    },
    startedAt,
    durationMs: 1.5,
    connection: '1',
  };
}

function recurring(form: string, more: Partial<Exchange> = {}): Exchange {
  const { request, ...rest } = closeDay(form);
  return { ...rest, request: { ...request, target: '/paynet/api/v4/process-recurring-payments/1' }, ...more };
}

const finished = `{"response": {"status":"finished", "gates":[{}, {"gateId": 12345678901234567890, "odd": "</script>\\u202e"}], "none": [ ]}}`;
const right: CaseLabel = { operation: 'close-day', intent: 'valid', facts: { gate: 'open', gates: 2 } };

const odd: Header[] = [
  ['X-Odd', 'r\u009bed'],
  ['X-Odd', hostile.markup],
];
const refused: CaseLabel = {
  operation: 'close-day',
  intent: 'fault',
  about: 'authentication/fails',
  twin: { scenario: 'close-day/two', number: 0 },
  differsIn: `the value ${hostile.markup}`,
};
const silent = { response: undefined, failure: { kind: 'timeout', message: `no answer ${hostile.escape}` } } as const;
const invalid = bytes('type=validation-error\n&error-code=1%0A&error-message=a+b\n');
const batch: CaseLabel = { operation: 'process-recurring-payments', intent: 'valid' };

const sample: readonly (readonly [scenario: string, number: number, label: CaseLabel, exchange: Exchange])[] = [
  ['close-day/one', 0, right, closeDay('a=b', { body: bytes(finished) })],
  ['close-day/one', 1, right, closeDay('a=', { body: bytes(`{"left": ${hostile.markup}`) })],
  [
    'close-day/two',
    0,
    right,
    closeDay('day_close_request_id=abc&day_close_request_id=%E2%80%AEx', { body: bytes(finished) }),
  ],
  [
    'close-day/two',
    1,
    refused,
    closeDay('day_close_request_id=xyz', {
      status: 403,
      reason: 'Forbidden',
      headers: odd,
      body: Uint8Array.of(0xff, 0xfe, 0x00),
    }),
  ],
  ['close-day/two', 2, { ...right, intent: 'open', openPoint: 'A5' }, { ...closeDay(''), ...silent }],
  ['recurring/one', 0, batch, recurring(`payload=${encodeURIComponent(Buffer.from(csv, 'utf8').toString('base64'))}`)],
  [
    'recurring/one',
    1,
    batch,
    recurring('payload=%%%&other=1', { response: { status: 200, reason: 'OK', headers: [], body: invalid } }),
  ],
  ['recurring/one', 2, batch, recurring(`payload=${'A'.repeat(40_000)}`)],
];

export const sampleCases: readonly Case[] = sample.map(([scenario, number, label, exchange]) => ({
  scenario,
  number,
  label,
  exchanges: [exchange],
}));
