/** Each named step refuses its own fault, and what the document leaves open is accepted. */
import { gatewayDefects } from '../../../src/faults/index.ts';
import {
  defaultSettings,
  defaultWorld,
  newGate,
  type Received,
  respond,
  type StepName,
  stepNames,
  type World,
} from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, type Call, csv, noon, payload, request } from './caller.ts';

const seconds = noon / 1000;

/** Faults of the steps that no defect of the kill matrix leaves out; each other step is missed there by a requirement. */
const faults: Partial<Record<StepName, () => Received>> = {
  method: () => request({ method: 'PUT' }),
  authorization: () => withHeader('Authorization', 'Basic dXNlcg=='),
  'has-oauth_version': () => request({ oauth: { oauth_version: undefined } }),
  'has-oauth_signature': () => request({ oauth: { oauth_signature: undefined } }),
  token: () => request({ oauth: { oauth_token: 'stolen' } }),
  'signature-base64': () => request({ signature: (right) => right.replace(/=+$/, '') }),
  endpoint: () => request({ endpointId: '9999' }),
  'endpoint-of-consumer': () => request({ endpointId: '1115' }),
  payload: () => batch({ fields: [['payload', '']] }),
  base64: () => batch({ fields: [['payload', payload(`${csv}x;1;1`).replaceAll('=', '')]] }),
  'utf-8': () => batchRequest(Buffer.from(row('é', '1234567890', '1'), 'latin1')),
  'byte-order-mark': () => batchRequest(`\uFEFF${csv}`),
  csv: () => batchRequest(`${csv}"unfinished`),
  'csv-columns-once': () => batchRequest(csv.replace('"amount"', '"amount";"amount"').replaceAll(/(\d\.\d+)/g, '$1;1')),
  'csv-rows': () => batchRequest(csv.split('\n')[0]!),
  profile: () => batchRequest(row('order-1', 'stopped', '1')),
};

test('every step is left out by a defect or has a row here', () => {
  const leftOut = new Set(gatewayDefects.flatMap(({ alteration }) => alteration?.skips ?? []));
  expect(stepNames.filter((name) => !leftOut.has(name)).sort()).toEqual(Object.keys(faults).sort());
});

for (const [name, faulty] of Object.entries(faults)) {
  test(`the step ${name} refuses its fault`, () => {
    expect(decide(faulty())).toEqual({ decision: 'refused', step: name });
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
    expect(decide(sent())).toEqual({ decision: 'accepted', step: undefined });
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
    expect(decide(withHeader('Authorization', change))).toEqual({ decision: 'refused', step: 'authorization' });
  });
}

test('two Authorization headers are refused, right as they may be', () => {
  const right = request();
  const twice = { ...right, headers: [...right.headers, right.headers[2]!] };
  expect(decide(twice)).toEqual({ decision: 'refused', step: 'authorization' });
});

test('a row with too few cells is refused, an empty line as well', () => {
  for (const line of ['order-3;1234567892', '']) {
    expect(decide(batchRequest(`${csv}${line}\n${csv.split('\n')[1]}\n`)).step).toBe('csv-cells');
  }
});

test('amount-from alone is not an amount', () => {
  const sent = batchRequest('"client-orderid";"recurring-payment-id";"amount-from"\no;1234567890;1\n');
  expect(decide(sent)).toEqual({ decision: 'refused', step: 'amount' });
});

test('the other operation refuses the method of this one', () => {
  const sent = batch({ oauth: { oauth_signature_method: 'HMAC-SHA1' } });
  expect(decide(sent)).toEqual({ decision: 'refused', step: 'signature-method' });
});

function decide(sent: Received) {
  const { decision, step } = respond(sent, worldOfBatches(), defaultSettings, noon).about;
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
