/** The gateway: its answers and steps, and those hooks of defects that the kill matrix does not show. */

import { gatewayDefects, variants } from '../../../src/faults/index.ts';
import type { NextAnswer, Received, StepName, World } from '../../../src/mock/index.ts';
import * as mock from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { batchRequest, type Call, csv, noon, payload, request } from './caller.ts';

const { defaultSettings, defaultWorld, joinAlterations, newGate, respond, setNextAnswer, settingsWith, stepNames } =
  mock;
const serial = '00000000-0000-0000-0000-000002d9b22a';
const html = ['Content-Type', 'text/html;charset=utf-8'];
const keepAlive = Object.entries({ 'Keep-Alive': 'timeout=60', Connection: 'keep-alive' });

function answerTo(sent: ReturnType<typeof request>, settings = defaultSettings) {
  const { status, headers, body, reason } = respond(sent, defaultWorld(), settings, noon);
  return { status, reason, headers, body: Buffer.from(body).toString('utf8') };
}

test('a closed day is finished, with one result for its gate', () => {
  const body =
    '{"response":{"status":"finished","gates":[{"gateId":7101,"isDayClosing":false,' +
    '"gateCloseDate":"Fri Jan 02 12:00:00 UTC 2026","epntId":1111,"saleApprovedCount":"2","saleAmount":"10.42",' +
    '"reversalApprovedCount":"1","reversalAmount":"0.94","code39":"00","RRN":"000000000001"}]},' +
    '"theRequestSerialNumber":"00000000-0000-0000-0000-000002d9b22a"}';
  const headers = [html, ['Content-Length', String(body.length)], ...keepAlive];
  expect(answerTo(request())).toEqual({ status: 200, reason: 'OK', headers, body });
});

for (const [what, call, error] of [
  ['a closing gate', { endpointId: '1112' }, '"errorCode":"99","errorMessage":"gate is closing already"'],
  ['a wrong key', { secret: 'wrong' }, '"errorCode":"403","errorMessage":"the signature does not verify"'],
] as const) {
  test(`close-day answers ${what} with HTTP 200 and an error`, () => {
    const { status, headers, body } = answerTo(request(call));
    const expected = `{"response":{"status":"error",${error}},"theRequestSerialNumber":"${serial}"}`;
    expect([status, headers[0], body]).toEqual([200, html, expected]);
  });
}

test('the status of a close-day authentication failure can be 401, with a challenge, or 403', () => {
  const wrong = () => request({ secret: 'some-other-secret' });
  const unauthorized = answerTo(wrong(), { ...defaultSettings, refusalStatus: 401 });
  expect(unauthorized.status).toBe(401);
  expect(unauthorized.headers).toContainEqual(['WWW-Authenticate', 'OAuth']);
  expect(answerTo(wrong(), { ...defaultSettings, refusalStatus: 403 }).status).toBe(403);
  const wrongField = request({ fields: [['day_close_request_id', 'short']] });
  expect(answerTo(wrongField, { ...defaultSettings, refusalStatus: 401 }).status).toBe(200);
});

test('any other path is not found', () => {
  const shortened = ['/', '/api/v2/close-day/', '/api/v2/close-day', '/api/v2/close-day/1111/'];
  const others = ['/api/v3/close-day/1111', '/api/v2/process-recurring-payments/1111', '/x/api/v2/close-day/1111'];
  const found = [...shortened, ...others].filter((target) => answerTo({ ...request(), target }).status !== 404);
  expect(found).toEqual([]);
});

test('another method than POST is 405 and says which one is allowed', () => {
  const { status, headers } = answerTo(request({ method: 'GET' }));
  expect([status, headers[0]]).toEqual([405, ['Allow', 'POST']]);
});

function batchAnswer(world: World, sent = batchRequest(csv)) {
  const { status, headers, body, about } = respond(sent, world, defaultSettings, noon);
  return { status, headers, body: Buffer.from(body).toString('utf8'), about };
}

function scripted(...answers: NextAnswer[]): World {
  const world = defaultWorld();
  for (const answer of answers) setNextAnswer(world, '1111', answer);
  return world;
}

const bodies: [what: string, answer: NextAnswer, status: number, body: string][] = [
  ['an empty 200', { kind: 'empty-200' }, 200, ''],
  ['an empty 403', { kind: 'empty-403' }, 403, ''],
  [
    'an acceptance with parameters',
    { kind: 'parameters', type: 'process-recurring-payment-response' },
    200,
    `type=process-recurring-payment-response\n&serial-number=${serial}\n&status=processing\n`,
  ],
  [
    'a validation-error',
    { kind: 'parameters', type: 'validation-error', httpStatus: 403 },
    403,
    `type=validation-error\n&serial-number=${serial}\n&error-message=the%20batch%20is%20not%20valid\n&error-code=403\n`,
  ],
  [
    'an error 500 with its error ID',
    { kind: 'parameters', type: 'error', code: '500', httpStatus: 500 },
    500,
    `type=error\n&serial-number=${serial}\n&error-message=the%20batch%20cannot%20be%20processed\n&error-code=500\n` +
      '&error-id=E47821354\n',
  ],
  [
    'an error ID of another name, with escaped line feeds',
    { kind: 'parameters', type: 'error', errorIdName: 'errorId', lineFeed: '%0A' },
    200,
    `type=error%0A&serial-number=${serial}%0A&error-message=the%20batch%20cannot%20be%20processed%0A&error-code=500%0A` +
      '&errorId=E47821354%0A',
  ],
  [
    'an error 200, without an error ID',
    { kind: 'parameters', type: 'error', code: '200' },
    200,
    `type=error\n&serial-number=${serial}\n&error-message=the%20batch%20cannot%20be%20processed\n&error-code=200\n`,
  ],
];

for (const [what, answer, status, body] of bodies) {
  const accepted = status === 200 && !/type=(validation-)?error/.test(body);
  test(`${what} goes out as written, and ${accepted ? 'starts the payments' : 'is a refusal that starts none'}`, () => {
    const world = scripted(answer);
    const sent = batchAnswer(world);
    expect([sent.status, sent.body, sent.about.decision]).toEqual([status, body, accepted ? 'accepted' : 'refused']);
    if (answer.kind === 'parameters') expect(sent.headers[0]).toEqual(html);
    expect(sent.headers).toContainEqual(['Content-Length', String(body.length)]);
    const counted = accepted ? [2, '11.00', 0, 4] : [0, '0', 1, 2];
    const { startedPayments, totalAmount, refused } = world.counters;
    const sales = world.endpoints.get('1111')!.gates[0]!.totals.saleApprovedCount;
    expect([startedPayments, totalAmount, refused, sales]).toEqual(counted);
  });
}

test('answers are used up in their order, and only by batches of their endpoint that would be accepted', () => {
  const world = scripted({ kind: 'empty-403' }, { kind: 'empty-200' }, { kind: 'empty-403' });
  const refused = [batchRequest(csv, { signature: () => 'AAAA' }), batchRequest('"amount"\n1\n')];
  const others = [request(), batchRequest(csv, { endpointId: '1114' }), ...refused];
  const steps = others.map((sent) => batchAnswer(world, sent).about.step);
  expect(steps).toEqual([undefined, undefined, 'signature', 'csv-columns']);
  const answers = [1, 2, 3, 4].map(() => batchAnswer(world));
  expect(answers.map(({ status }) => status)).toEqual([403, 200, 403, 200]);
  expect(answers[0]!.about.step).toBe('next-answer');
});

/** A fault for each step that no defect of the kill matrix skips. The kill matrix shows the other steps. */
const faults: Partial<Record<StepName, () => Received>> = {
  method: () => request({ method: 'PUT' }),
  authorization: () => ({ ...request(), headers: request().headers.with(2, ['Authorization', 'Basic dXNlcg==']) }),
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
  const skipped = new Set(gatewayDefects.flatMap(({ alteration }) => alteration?.skips ?? []));
  expect(stepNames.filter((name) => !skipped.has(name)).sort()).toEqual(Object.keys(faults).sort());
});

for (const [name, faulty] of Object.entries(faults)) {
  test(`the step ${name} refuses its fault`, () => {
    const { about } = respond(faulty(), worldOfBatches(), defaultSettings, noon);
    expect(about).toMatchObject({ decision: 'refused', step: name });
  });
}

function worldOfBatches(): World {
  const profiles = ['1', '1234567890', '1234567891', '1234567892', '12345678901', ''];
  const world = defaultWorld({
    profiles: [...profiles.map((id) => ({ id, state: 'active' as const })), { id: 'stopped', state: 'stopped' }],
  });
  world.endpoints.set('1115', { gates: [{ ...newGate('7104', '1115'), consumerKey: 'another' }], closings: 0 });
  return world;
}

function batch(call: Call): Received {
  return batchRequest(csv, call);
}

function row(...cells: string[]): string {
  return `${csv.split('\n')[0]}\n${cells.join(';')}\n`;
}

test('explicit settings override those of alterations, and undefined overrides nothing', () => {
  const alterations = [{ settings: { refusalStatus: 401, timestampWindowSeconds: 1 } }] as const;
  const settings = settingsWith(alterations, { refusalStatus: 403, timestampWindowSeconds: undefined });
  expect([settings.refusalStatus, settings.timestampWindowSeconds]).toEqual([403, 1]);
});

function sendVariant(id: string, sent: Received, world = defaultWorld()) {
  const alterations = [variants.find((variant) => variant.id === id)!.alteration];
  const reply = respond(sent, world, settingsWith(alterations), noon, joinAlterations(alterations));
  return { status: reply.status, headers: reply.headers, body: Buffer.from(reply.body).toString('utf8') };
}

test('each variant has a reason: an open point, a rule, or one of three remarks', () => {
  const plain = variants.filter(({ openPoint, meaningless }) => openPoint === undefined && meaningless === undefined);
  expect(plain.map(({ id }) => id)).toEqual(['refusal-401', 'refusal-403', 'refusal-without-body', 'keep-alive-5']);
});

const variantBodies: [id: string, body: RegExp, sent?: Received][] = [
  ['wrapped-body', /^\{"closeDay":\{"response":\{"status":"finished",.*"theRequestSerialNumber":"[^"]+"\}\}$/],
  [
    'members-in-another-order',
    /^\{"theRequestSerialNumber":"[^"]+","response":\{"gates":\[\{"RRN":.*"status":"finished"\}\}$/,
  ],
  ['date-in-russian', /"gateCloseDate":"пт янв\. 2 15:00:00 MSK 2026"/],
  ['longs-of-19-digits', /"gateId":9000000000000007101,.*"epntId":9000000000000001111,/],
  ['escaped-text', /"status":"\\u0066\\u0069\\u006e/],
  [
    'escaped-line-feeds',
    /^type=validation-error%0A&serial-number=[0-9a-f-]+%0A&error-message=\S+%0A&error-code=403%0A$/,
    batchRequest(csv, { signature: () => 'AAAA' }),
  ],
];

for (const [id, body, sent = request()] of variantBodies) {
  test(`${id}: the body has that form, and its length is right`, () => {
    const answer = sendVariant(id, sent);
    expect(answer.body).toMatch(body);
    expect(answer.headers).toContainEqual(['Content-Length', String(Buffer.byteLength(answer.body))]);
  });
}

test('variants with a body of 2.4 leave a scripted answer alone', () => {
  const world = defaultWorld();
  setNextAnswer(world, '1111', { kind: 'parameters', type: 'error', code: '403' });
  expect(sendVariant('error-with-code-500', batchRequest(csv), world).body).toContain('error-code=403');
});
