/** Defects of the mock that take what is wrong or refuse what is right, one line for each request. */

import type { Received } from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { csv, payload } from '../mock/caller.ts';
import * as gateway from './gateway-calls.ts';

const { batch, closeDay, signedAs, unsigned, withFields, withId, without } = gateway;

type Row = readonly [id: string, what: string, requests: readonly Received[]];

const header = '"client-orderid";"recurring-payment-id";"amount"';
const one = (row: string) => batch(`${header}\n${row}\n`);
const idIs = (id: string) => ({ fields: [['day_close_request_id', id]] as const });
const path = '/api/v2/close-day/1111';
const host = '127.0.0.1:8080';
const twice = `${header}\norder-1;1234567890;10.42\norder-1;1234567890;10.42\n`;
const once = Buffer.from(`payload=${encodeURIComponent(payload(`${header}\norder-1;1234567890;10.42\n`))}`);
const replayed = closeDay();

/** Refused by the mock, taken with the defect. */
const taken: readonly Row[] = [
  ['authentication/signature-not-checked', 'another secret', closeDay({ secret: 'x' })],
  ['authentication/nonce-not-remembered', 'a request for the second time', [...replayed, ...replayed]],
  ['authentication/other-method-accepted', 'RSA-SHA256', closeDay({ oauth: { oauth_signature_method: 'RSA-SHA256' } })],
  ['authentication/unknown-consumer-accepted', 'a stranger', closeDay({ oauth: { oauth_consumer_key: 'stranger' } })],
  ['authentication/version-not-checked', 'version 2.0', closeDay({ oauth: { oauth_version: '2.0' } })],
  ['authentication/timestamp-not-checked', 'a date', closeDay({ oauth: { oauth_timestamp: 'today' } })],
  ['authentication/revoked-secret-taken', "the suite's other secret", gateway.otherSecretUsed],
  ['authentication/revoked-key-pair-taken', "the suite's other key pair", gateway.otherKeyPairUsed],
  [
    'authentication/first-of-request-id-not-signed',
    'the signature of another id',
    signedAs(idIs('X02B4FF5'), { body: closeDay(idIs('902B4FF5'))[0]!.body }),
  ],
  [
    'authentication/repeated-payment-not-signed',
    'the signature of a payment twice',
    [{ ...batch(twice)[0]!, body: once }],
  ],
  [
    'authentication/short-hmac-accepted',
    'a signature cut short',
    closeDay({ signature: (right) => right.slice(0, -8) }),
  ],
  [
    'authentication/short-signature-accepted',
    'a signature cut short',
    batch(csv, { signature: (right) => right.slice(0, -8) }),
  ],
  [
    'authentication/path-not-signed',
    'the signature of another path',
    signedAs({ endpointId: '11110' }, { target: path }),
  ],
  ['authentication/method-not-signed', 'the signature of a GET', signedAs({ method: 'GET' }, { method: 'POST' })],
  [
    'authentication/host-not-signed',
    'the signature of another host',
    signedAs({ host: 'gateway.example:8080' }, { host }),
  ],
  ['authentication/port-not-compared', 'the signature of port 1', signedAs({ host: '127.0.0.1:1' }, { host })],
  ['authentication/query-not-compared', 'the signature of a query', signedAs({ query: 'x=1' }, { target: path })],
  ['authentication/unsigned-close-day-accepted', 'no header', unsigned(closeDay())],
  ['authentication/unsigned-batch-accepted', 'no header', unsigned(batch())],
  ...lacking('authentication/nonce-not-needed', 'oauth_nonce'),
  ...lacking('authentication/timestamp-not-needed', 'oauth_timestamp'),
  ...lacking('authentication/consumer-key-not-needed', 'oauth_consumer_key'),
  // Without a method a batch of this caller is signed with HMAC.
  ...lacking('authentication/signature-method-not-needed', 'oauth_signature_method').slice(0, 1),
  ...lacking('authentication/signature-not-needed', 'oauth_signature'),
  ['close-day/request-id-length-not-checked', 'an id of 7 characters', withId('a1b2c3d')],
  ['close-day/request-id-not-needed', 'no id', closeDay({ fields: [['sale_approved_count', '2']] })],
  ['close-day/request-id-characters-not-checked', 'a dash in the id', withId('a1b2-c3d4')],
  ['close-day/content-type-not-checked', 'text/plain', gateway.ofType('text/plain', closeDay())],
  ['recurring/content-type-not-checked', 'text/plain', gateway.ofType('text/plain', batch())],
  ['recurring/wrong-signature-with-200', "the suite's other key pair", gateway.otherKeyPairUsed],
  ['recurring/payload-not-needed', 'no payload', batch(csv, { fields: [] })],
  ['recurring/client-orderid-length-not-checked', '129 characters', one(`${'A'.repeat(129)};1234567890;1`)],
  ['recurring/payment-id-length-not-checked', '11 characters', one('o;12345678901;1')],
  ['recurring/amount-length-not-checked', '11 digits', one('o;1234567890;12345678901')],
  ['recurring/amount-not-checked', 'a word', one('o;1234567890;ten')],
  ['recurring/amount-not-needed', 'no amount', batch('"client-orderid";"recurring-payment-id"\no;1\n')],
  ['recurring/columns-not-needed', 'no client-orderid', batch('"recurring-payment-id";"amount"\n1;1\n')],
  ['recurring/columns-not-needed', 'no recurring-payment-id', batch('"client-orderid";"amount"\no;1\n')],
  ['recurring/header-quotes-not-needed', 'bare names', batch('client-orderid;recurring-payment-id;amount\no;1;1\n')],
  ['recurring/row-length-not-checked', 'a cell too many', one('o;1;1;1')],
  ['recurring/commas-accepted', 'commas', batch(csv.replaceAll(';', ','))],
  ['recurring/payload-decoded-twice', 'base64 of base64', batch(payload(csv))],
];

/** Taken by the mock, refused with the defect. */
const refused: readonly Row[] = [
  ...[
    'body-left-out',
    'port-left-out',
    'query-added',
    'nonce-in-lower-case',
    'scheme-behind-proxy',
    'clock-wrong',
    'first-parameter-dropped',
  ].flatMap((what): Row[] => [
    [`authentication/${what}`, 'a right close-day', closeDay()],
    [`authentication/${what}`, 'a right batch', batch()],
  ]),
  ['authentication/header-read-as-form', 'a right batch', batch()],
  ['close-day/short-id-has-to-be-hexadecimal', 'an id of 8 letters', withId('AbCdEfGh')],
  ['close-day/sale-count-refused', 'that total', withFields(['sale_approved_count', '2'])],
  ['close-day/sale-sum-refused', 'that total', withFields(['sale_approved_sum', '10.42'])],
  ['close-day/reversal-count-refused', 'that total', withFields(['reversal_approved_count', '1'])],
  ['close-day/reversal-sum-refused', 'that total', withFields(['reversal_approved_sum', '0.94'])],
  ['recurring/one-row-only', 'two rows', batch()],
  [
    'recurring/amount-range-refused',
    'a range',
    batch('"client-orderid";"recurring-payment-id";"amount-from";"amount-to"\no;1;1;2\n'),
  ],
  [
    'recurring/amount-sequence-refused',
    'a sequence',
    batch('"client-orderid";"recurring-payment-id";"amount-sequence"\no;1;1\n'),
  ],
];

/** Requests that a defect must leave as they are, lest it breaks more than its rows. */
const kept: readonly Row[] = [
  ['close-day/short-id-has-to-be-hexadecimal', 'an id of 9 letters', withId('AbCdEfGhI')],
  ['close-day/sale-count-refused', 'another total', withFields(['sale_approved_sum', '10.42'])],
  ['recurring/payload-decoded-twice', 'a right batch', batch()],
  ['recurring/commas-accepted', 'a right batch', batch()],
  ['authentication/header-read-as-form', 'a right close-day', closeDay()],
  ['authentication/revoked-secret-taken', 'a right close-day', closeDay()],
  ['authentication/query-not-compared', 'a right batch', batch()],
];

for (const [id, what, requests] of taken) {
  test(`${id} takes ${what}`, () => {
    expect(gateway.answered(undefined, requests).accepted).toBe(false);
    expect(gateway.answered(id, requests).accepted).toBe(true);
  });
}

/** Those whose answer says that something happened which did not: the second is what they are about. */
const onlyAnswers: readonly string[] = ['recurring/payload-not-needed', 'recurring/wrong-signature-with-200'];

for (const [id, what, requests] of taken) {
  test(`${id} ${onlyAnswers.includes(id) ? 'does nothing for' : 'counts the effect of'} ${what}`, () => {
    const { closedDays, startedPayments } = gateway.answered(id, requests).counters;
    expect(closedDays + startedPayments > 0).toBe(!onlyAnswers.includes(id));
  });
}

for (const [id, what, requests] of refused) {
  test(`${id} refuses ${what}`, () => {
    expect(gateway.answered(undefined, requests).accepted).toBe(true);
    expect(gateway.answered(id, requests).accepted).toBe(false);
  });
}

for (const [id, what, requests] of kept) {
  test(`${id} goes on taking ${what}`, () => {
    expect(gateway.answered(id, requests).accepted).toBe(true);
  });
}

test('a signature with one bit changed is refused by all defects but those that look at none', () => {
  const flipped = closeDay({ signature: (right) => `${right[0] === 'A' ? 'B' : 'A'}${right.slice(1)}` });
  const taking = taken.map(([id]) => id).filter((id) => gateway.answered(id, flipped).accepted);
  expect([...new Set(taking)]).toEqual(['authentication/signature-not-checked']);
});

function lacking(id: string, parameter: string): Row[] {
  return without(parameter).map((requests): Row => [id, `no ${parameter} for ${requests[0]!.target}`, requests]);
}
