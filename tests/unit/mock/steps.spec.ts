/** Each named step refuses its own fault, and nothing else refuses that fault once the step is left out. */

import {
  defaultSettings,
  defaultWorld,
  joinAlterations,
  newGate,
  type Received,
  respond,
  type StepName,
  stepNames,
  type World,
} from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, type Call, csv, noon, payload, request } from './caller.ts';

interface Fault {
  readonly request: () => Received;
  /** Steps that see the same fault later: a request without a payload also has no columns. */
  readonly also?: readonly StepName[];
  /** The same, sent before. */
  readonly before?: () => Received;
}

const seconds = noon / 1000;

const faults: Record<StepName, Fault> = {
  method: { request: () => request({ method: 'PUT' }) },
  'content-type': { request: () => withHeader('Content-Type', 'text/plain') },
  authorization: { request: () => withHeader('Authorization', 'Basic dXNlcg=='), also: hasSteps() },
  'has-oauth_consumer_key': { request: () => request({ oauth: { oauth_consumer_key: undefined } }) },
  'has-oauth_signature_method': { request: () => request({ oauth: { oauth_signature_method: undefined } }) },
  'has-oauth_timestamp': { request: () => request({ oauth: { oauth_timestamp: undefined } }) },
  'has-oauth_nonce': { request: () => request({ oauth: { oauth_nonce: undefined } }) },
  'has-oauth_version': { request: () => request({ oauth: { oauth_version: undefined } }) },
  'has-oauth_signature': { request: () => request({ oauth: { oauth_signature: undefined } }), also: ['signature'] },
  'parameters-in-header': {
    request: () => request({ fields: [...closeDayFields(), ['oauth_version', '1.0']] }),
  },
  token: { request: () => request({ oauth: { oauth_token: 'stolen' } }) },
  consumer: { request: () => request({ oauth: { oauth_consumer_key: 'stranger' } }) },
  'signature-method': { request: () => request({ oauth: { oauth_signature_method: 'RSA-SHA256' } }) },
  version: { request: () => request({ oauth: { oauth_version: '1.1' } }) },
  timestamp: { request: () => request({ oauth: { oauth_timestamp: `${seconds}.0` } }) },
  'timestamp-window': { request: () => request({ oauth: { oauth_timestamp: String(seconds - 301) } }) },
  'signature-base64': { request: () => request({ signature: (right) => right.replace(/=+$/, '') }) },
  signature: { request: () => request({ secret: 'some-other-secret' }) },
  nonce: {
    request: () => request({ oauth: { oauth_nonce: 'again' } }),
    before: () => request({ oauth: { oauth_nonce: 'again' } }),
  },
  endpoint: { request: () => request({ endpointId: '9999' }) },
  'endpoint-of-consumer': { request: () => request({ endpointId: '1115' }) },
  'fields-once': { request: () => request({ fields: [...closeDayFields(), ...closeDayFields()] }) },
  'request-id': { request: () => request({ fields: [['sale_approved_count', '2']] }) },
  'request-id-length': { request: () => request({ fields: [['day_close_request_id', 'A'.repeat(33)]] }) },
  'request-id-characters': { request: () => request({ fields: [['day_close_request_id', '902B-4FF5']] }) },
  payload: {
    request: () => batch({ fields: [['payload', '']] }),
    also: ['csv-columns', 'csv-rows'],
  },
  'payload-alone': {
    request: () =>
      batch({
        fields: [
          ['payload', payload(csv)],
          ['extra', '1'],
        ],
      }),
  },
  base64: { request: () => batch({ fields: [['payload', payload(`${csv}x;1;1`).replaceAll('=', '')]] }) },
  'utf-8': { request: () => batchRequest(Buffer.from(row('é', '1234567890', '1'), 'latin1')) },
  'byte-order-mark': { request: () => batchRequest(`\uFEFF${csv}`) },
  csv: { request: () => batchRequest(`${csv}"unfinished`) },
  'csv-header-quotes': { request: () => batchRequest(csv.replace('"amount"', 'amount')) },
  'csv-columns': { request: () => batchRequest('"recurring-payment-id";"amount"\n1234567890;1\n') },
  'csv-columns-once': {
    request: () => batchRequest(csv.replace('"amount"', '"amount";"amount"').replaceAll(/(\d\.\d+)/g, '$1;1')),
  },
  'csv-rows': { request: () => batchRequest(csv.split('\n')[0]!) },
  'csv-cells': { request: () => batchRequest(`${csv}order-3;1234567892;1;more\n`) },
  'client-orderid': { request: () => batchRequest(row('', '1234567890', '1')) },
  'client-orderid-length': { request: () => batchRequest(row('é'.repeat(129), '1234567890', '1')) },
  'recurring-payment-id': { request: () => batchRequest(row('order-1', '', '1')) },
  'recurring-payment-id-length': { request: () => batchRequest(row('order-1', '12345678901', '1')) },
  amount: { request: () => batchRequest(row('order-1', '1234567890', '')) },
  'amount-numeric': { request: () => batchRequest(row('order-1', '1234567890', '1,50')) },
  'amount-length': { request: () => batchRequest(row('order-1', '1234567890', '12345678.90')) },
  profile: { request: () => batchRequest(row('order-1', 'stopped', '1')) },
};

for (const name of stepNames) {
  const { request: faulty, also = [], before } = faults[name];

  test(`the step ${name} refuses its fault`, () => {
    expect(decide(faulty(), [], before)).toEqual({ decision: 'refused', step: name });
  });

  test(`without the step ${name} nothing else refuses that fault`, () => {
    expect(decide(faulty(), [name, ...also], before)).toEqual({ decision: 'accepted', step: undefined });
  });
}

const fine: Record<string, () => Received> = {
  'a realm': () => withHeader('Authorization', (old) => old.replace('OAuth ', 'OAuth realm="Gate, day",')),
  'an empty oauth_token that is signed': () => request({ oauth: { oauth_token: '' } }),
  'a lower-case scheme name': () => withHeader('Authorization', (old) => old.replace('OAuth', 'oauth')),
  'parameters in another order and without spaces': () =>
    withHeader('Authorization', (old) => `OAuth ${old.slice(6).split(', ').reverse().join(',')}`),
  'a content type with a charset and capitals': () =>
    withHeader('Content-Type', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8'),
  'a signed query': () => request({ query: 'b=2&a=1+1' }),
  'a close-day field that nobody knows': () => request({ fields: [...closeDayFields(), ['x', 'y']] }),
  'all close-day fields, some empty': () =>
    request({ fields: [...closeDayFields(), ['sale_approved_count', ''], ['sale_approved_sum', '1 0+4']] }),
  'a request id of 8 and of 32 characters': () =>
    request({ fields: [['day_close_request_id', 'aZ9'.repeat(11).slice(1)]] }),
  'a timestamp at the edge of the window': () => request({ oauth: { oauth_timestamp: String(seconds + 300) } }),
  'CRLF line ends': () => batchRequest(csv.replaceAll('\n', '\r\n')),
  'no line end at the end': () => batchRequest(csv.trimEnd()),
  'quoted cells with a semicolon and a quote': () => batchRequest(row('"a;""b"', '"1234567890"', '"1.00"')),
  'columns in another order, one of them unknown': () =>
    batchRequest('"amount";"city";"recurring-payment-id";"client-orderid"\n1;Riga;1234567890;order-1\n'),
  'order ids of 1 and of 128 characters outside of the basic plane': () =>
    batchRequest(`${row('o', '1234567890', '1')}${'😀'.repeat(128)};1;0\n`),
  'an amount of 10 characters': () => batchRequest(row('order-1', '1234567890', '1234567.89')),
  'amount-from with amount-to': () =>
    batchRequest('"client-orderid";"recurring-payment-id";"amount-from";"amount-to"\no;1234567890;1;2\n'),
  'amount-sequence': () =>
    batchRequest('"client-orderid";"recurring-payment-id";"amount-sequence"\no;1234567890;1,2\n'),
};

for (const [what, sent] of Object.entries(fine)) {
  test(`${what}: accepted`, () => {
    expect(decide(sent(), [])).toEqual({ decision: 'accepted', step: undefined });
  });
}

for (const [what, change] of [
  ['a parameter that stands twice', (old: string) => `${old}, oauth_nonce="another"`],
  ['a realm that stands twice', (old: string) => old.replace('OAuth ', 'OAuth realm="a", realm="b", ')],
  ['a broken escape', (old: string) => old.replace('oauth_version="1.0"', 'oauth_version="1%2"')],
  ['a value without quotes', (old: string) => old.replace('"1.0"', '1.0')],
  ['a trailing comma', (old: string) => `${old},`],
  ['another scheme', (old: string) => old.replace('OAuth', 'OAuth2')],
] as const) {
  test(`${what}: the header cannot be read`, () => {
    expect(decide(withHeader('Authorization', change), [])).toEqual({ decision: 'refused', step: 'authorization' });
  });
}

test('two Authorization headers are refused, right as they may be', () => {
  const right = request();
  const twice = { ...right, headers: [...right.headers, right.headers[2]!] };
  expect(decide(twice, [])).toEqual({ decision: 'refused', step: 'authorization' });
});

test('a row with too few cells is refused, an empty line as well', () => {
  for (const line of ['order-3;1234567892', '']) {
    expect(decide(batchRequest(`${csv}${line}\n${csv.split('\n')[1]}\n`), []).step).toBe('csv-cells');
  }
});

test('amount-from alone is not an amount', () => {
  const sent = batchRequest('"client-orderid";"recurring-payment-id";"amount-from"\no;1234567890;1\n');
  expect(decide(sent, [])).toEqual({ decision: 'refused', step: 'amount' });
});

test('the other operation refuses the method of this one', () => {
  const sent = batch({ oauth: { oauth_signature_method: 'HMAC-SHA1' } });
  expect(decide(sent, [])).toEqual({ decision: 'refused', step: 'signature-method' });
});

function decide(sent: Received, skips: readonly StepName[], before?: () => Received) {
  const world = worldOfBatches();
  if (before) respond(before(), world, defaultSettings, noon);
  const { decision, step } = respond(sent, world, defaultSettings, noon, joinAlterations([{ skips }])).about;
  return { decision, step };
}

function worldOfBatches(): World {
  const profiles = ['1', '1234567890', '1234567891', '1234567892', '12345678901', ''];
  const world = defaultWorld({
    profiles: [...profiles.map((id) => ({ id, state: 'active' as const })), { id: 'stopped', state: 'stopped' }],
  });
  world.endpoints.set('1115', { gates: [{ ...newGate('7104', '1115'), consumerKey: 'another' }], closings: 0 });
  return world;
}

function hasSteps(): StepName[] {
  return [...stepNames.filter((name) => name.startsWith('has-')), 'signature'];
}

function closeDayFields(): [string, string][] {
  return [['day_close_request_id', '902B4FF5']];
}

function batch(call: Call): Received {
  return batchRequest(csv, call);
}

function row(...cells: string[]): string {
  return `${csv.split('\n')[0]}\n${cells.join(';')}\n`;
}

function withHeader(name: string, value: string | ((old: string) => string)): Received {
  const right = request();
  const change = typeof value === 'string' ? () => value : value;
  return { ...right, headers: right.headers.map(([found, old]) => [found, found === name ? change(old) : old]) };
}
