/** The worst that a request can do is read from its bytes, and counted upwards. */
import { encodeForm, type Pair } from '../../../src/protocol/form.ts';
import { isSigned, worstCaseOf } from '../../../src/run/allowance/worst-case.ts';
import { mayBeSameEndpoint, siteOf } from '../../../src/run/target/site.ts';
import { expect, test } from '../../engine.ts';

const site = siteOf({
  environment: 'integration',
  target: 'https://gateway.example/paynet',
  endpointId: '1111',
  states: { closing: '1112' },
  unknownEndpointId: '999',
  recurring: [
    { id: '1234567890', amount: '1.00', savedAmount: '1.00' },
    { id: '42', amount: '2.50', savedAmount: '2.40' },
  ],
});

function request(path: string, body = '', method = 'POST') {
  return { method, scheme: 'https', host: 'gateway.example', target: path, body: Buffer.from(body) } as const;
}

test('a version that the configuration names is the only one that leads to the operation', () => {
  const next = { ...site, versions: { 'close-day': 'v3' } };
  expect(worstCaseOf(request('/paynet/api/v3/close-day/1111'), next)).toEqual({
    effect: 'closes-day',
    endpointId: '1111',
  });
  expect(worstCaseOf(request('/paynet/api/v2/close-day/1111'), next)).toMatchObject({ why: 'forbidden' });
  expect(worstCaseOf(request('/paynet/api/v3/close-day/1111'), site)).toMatchObject({ why: 'forbidden' });
  expect(worstCaseOf(request(batchPath, 'payload='), next)).toMatchObject({ effect: 'starts-payments' });
});

const batchPath = '/paynet/api/v4/process-recurring-payments/1111';
const header = '"client-orderid";"recurring-payment-id";"amount"\n';

/** The worst case of a batch with these form fields. */
function worstOfForm(pairs: readonly Pair[]) {
  return worstCaseOf(request(batchPath, encodeForm(pairs)), site);
}

function worstOfCsv(csv: string) {
  return worstOfForm([['payload', Buffer.from(csv).toString('base64')]]);
}

const payments = (count: number, cents: number) => ({
  effect: 'starts-payments',
  endpointId: '1111',
  count,
  cents,
});

test('a close-day to an endpoint of the configuration closes a day, with any method and body', () => {
  for (const method of ['POST', 'GET', 'PUT']) {
    const worst = worstCaseOf(request('/paynet/api/v2/close-day/1111', '', method), site);
    expect(worst).toEqual({ effect: 'closes-day', endpointId: '1111' });
  }
  expect(worstCaseOf(request('/paynet/api/v2/close-day/1112'), site)).toMatchObject({ effect: 'closes-day' });
});

test('the base URL has no effect, and what goes to the unknown endpoint is marked as such', () => {
  expect(worstCaseOf(request('/paynet/', '', 'GET'), site)).toEqual({ effect: 'none' });
  for (const host of ['', 'https://gateway.example']) {
    const worst = worstCaseOf(request(`${host}/paynet/api/v2/close-day/999`), site);
    expect(worst).toEqual({ effect: 'closes-day', endpointId: '999', unknown: true });
  }
});

test('outside of integration nothing signed goes to either operation, whatever endpoint it names', () => {
  const production = { ...site, integration: false };
  for (const path of ['/paynet/api/v2/close-day/999', '/paynet/api/v4/process-recurring-payments/999', batchPath]) {
    expect(worstCaseOf({ ...request(path), isSigned: true }, production)).toMatchObject({ why: 'forbidden' });
    expect(worstCaseOf(request(path), production)).toMatchObject({ why: 'forbidden' });
    expect(worstCaseOf({ ...request(path), isSigned: false }, production)).not.toMatchObject({ why: 'forbidden' });
  }
});

test('a request is signed wherever the signature is', () => {
  const body = (text: string, target = '/') => ({ headers: [], body: Buffer.from(text), target });
  expect(isSigned({ ...body(''), headers: [['authorization', 'OAuth x="y"']] })).toBe(true);
  expect(isSigned(body('day_close_request_id=1&oauth_signature=x'))).toBe(true);
  expect(isSigned(body('day_close_request_id=1&o%61uth%5Fsignature=x'))).toBe(true);
  expect(isSigned(body('', '/paynet/api/v2/close-day/999?o%61uth_signature=x'))).toBe(true);
  expect(isSigned(body('day_close_request_id=1&oauth_version=1.0'))).toBe(false);
});

test('a query changes nothing about where a request leads, but one that may hold a batch is not sent', () => {
  const closeDay = '/paynet/api/v2/close-day/1111';
  expect(worstCaseOf(request(`${closeDay}?x=1`), site)).toEqual({ effect: 'closes-day', endpointId: '1111' });
  expect(worstCaseOf(request('/paynet/api/v2/close-day/7?x=1'), site)).toMatchObject({ why: 'forbidden' });
  for (const name of ['payload', 'PayLoad', 'p%61yload']) {
    expect(worstCaseOf(request(`${batchPath}?${name}=x`), site)).toMatchObject({ why: 'forbidden' });
  }
});

test('a path that is not to the letter one of the configuration may not be asked for', () => {
  const endpoints = ['1113', '', '1111/', '%31111'].map((endpoint) => `/paynet/api/v2/close-day/${endpoint}`);
  const others = ['/paynet/api/v3/close-day/999', '/paynet/API/v2/close-day/999', '/api/v2/close-day/1111'];
  for (const path of [...endpoints, ...others, '/paynet/../paynet/api/v2/close-day/1111']) {
    expect(worstCaseOf(request(path), site), path).toMatchObject({ why: 'forbidden' });
  }
});

test('another host or scheme may not be asked', () => {
  const right = request('/paynet/api/v2/close-day/999');
  expect(worstCaseOf({ ...right, host: 'gateway.example:444' }, site)).toMatchObject({ why: 'forbidden' });
  expect(worstCaseOf({ ...right, scheme: 'http' }, site)).toMatchObject({ why: 'forbidden' });
});

test('each row of a right batch counts as much as the dearest profile', () => {
  expect(worstOfCsv(`${header}a;1234567890;1.00\n"b;c";42;2.50\n`)).toEqual(payments(2, 500));
});

test('a row without an amount or without a profile costs what could be charged at most', () => {
  expect(worstOfCsv('"client-orderid";"recurring-payment-id"\na;1234567890\n')).toEqual(payments(1, 250));
  expect(worstOfCsv('"client-orderid";"amount"\na;1.00\n')).toEqual(payments(1, 250));
  expect(worstOfCsv(`${header}a;42;ten\n`)).toEqual(payments(1, 250));
});

test('a batch without payments counts as one', () => {
  expect(worstOfForm([])).toEqual(payments(1, 250));
  expect(worstOfForm([['payload', '']])).toEqual(payments(1, 250));
  expect(worstOfCsv(header)).toEqual(payments(1, 250));
});

test('the greatest of several amount columns counts', () => {
  const columns = '"client-orderid";"recurring-payment-id";"amount-from";"amount-to"\n';
  expect(worstOfCsv(`${columns}a;42;1.00;2.00\n`)).toMatchObject({ count: 1, cents: 250 });
  expect(worstOfCsv(`${columns}a;42;1.00;2.51\n`)).toMatchObject({ why: 'forbidden' });
});

test('payloads are added up, and a line end inside a cell counts as a row', () => {
  const payload: Pair = ['payload', Buffer.from(`${header}a;42;2.00\n`).toString('base64')];
  expect(worstOfForm([payload, ['Payload', payload[1]]])).toMatchObject({ count: 2 });
  expect(worstOfCsv(`${header}"a\nb";42;2.00\n`)).toMatchObject({ count: 2, cents: 500 });
});

const row = 'cs0123456789-a;42;2.00\n';
for (const [name, payload] of [
  ['commas', Buffer.from((header + row).replaceAll(';', ',')).toString('base64')],
  ['no header row', Buffer.from(row).toString('base64')],
  ['the CSV as it is', header + row],
  ['base64 twice', Buffer.from(Buffer.from(header + row).toString('base64')).toString('base64')],
  ['hexadecimal', Buffer.from(header + row).toString('hex')],
  ['base64url without padding', Buffer.from(header + row).toString('base64url')],
] as const) {
  test(`a payload in another form is read all the same: ${name}`, () => {
    expect(worstOfForm([['payload', payload]])).toMatchObject({ effect: 'starts-payments', count: 1 });
  });
}

for (const [name, csv] of [
  ['a profile that is not listed', `${header}a;1234567891;1.00\n`],
  ['a profile with a digit more', `${header}a;12345678901;1.00\n`],
  ['more than the amount that is listed', `${header}a;1234567890;1.01\n`],
  ['an amount that is the id of a profile', `${header}a;42;1234567890\n`],
  ['an amount behind a line end in its cell', `${header}a;42;"\n9.99"\n`],
  ['an id in an order id', `${header}"a;7";42;2.00\n`],
  ['an amount with an exponent', `${header}a;42;1e0\n`],
  ['an amount with a comma', `${header}a;42;"1,00"\n`],
  ['an amount in other digits', `${header}a;42;\u0661\n`],
  ['commas, and a number of which nobody knows what it is', 'client-orderid,amount\n7,42,2.00\n'],
  ['something that is no CSV', 'nothing to be seen here'],
] as const) {
  test(`a batch is not sent with ${name}`, () => {
    expect(worstOfCsv(csv)).toMatchObject({ why: 'forbidden' });
  });
}

const sameIds =
  "01111 0001111 +1111 1111.0 1111x 1.111e3 0x457 02127 1_111 0_2127 0x4_57 1,111 1'111 %31111 \u0661\u0661\u0661\u0661 " +
  '\uff11111 1111\u200b 4294968407 18446744073709552727';

for (const id of sameIds.split(' ')) {
  test(`${JSON.stringify(id)} may be read as 1111`, () => {
    expect(mayBeSameEndpoint('1111', id)).toBe(true);
    expect(mayBeSameEndpoint(id, '1111')).toBe(true);
  });
}

test('ids that no parser takes for each other are two endpoints', () => {
  for (const id of ['1112', '11111', '999999999', '02128', '1_112', 'x1111', 'none'])
    expect(mayBeSameEndpoint('1111', id)).toBe(false);
  expect(mayBeSameEndpoint('ABC', 'abc')).toBe(true);
});

test('nothing is sent to an unknown endpoint that may be one that exists', () => {
  const site = siteOf({
    environment: 'integration',
    target: 'https://gateway.example',
    endpointId: '1111',
    unknownEndpointId: '01111',
    states: {},
    recurring: [],
  });
  const request = { method: 'POST', scheme: 'https', host: 'gateway.example', body: Buffer.alloc(0) } as const;
  expect(worstCaseOf({ ...request, target: '/api/v2/close-day/01111' }, site)).toMatchObject({ why: 'forbidden' });
});
