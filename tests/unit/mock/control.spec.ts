/** Changes of the mock's world, by functions and over the control interface. */

import { readFileSync } from 'node:fs';
import net from 'node:net';
import { openPoints } from '../../../contracts/open-points.ts';
import * as mock from '../../../src/mock/index.ts';
import { expect, test } from '../../engine.ts';
import { listen } from '../../listen.ts';
import { batchRequest, csv, noon, request, send } from './caller.ts';

const { assumptions, defaultSettings, defaultWorld, publishedIdentity, startMock } = mock;

function sendTo(world: mock.World, sent: mock.Received, settings = defaultSettings, now = noon) {
  return mock.respond(sent, world, settings, now);
}

test('counters are exact after a mixture of requests', () => {
  const world = defaultWorld();
  sendTo(world, request());
  sendTo(world, request({ endpointId: '1112' }));
  sendTo(world, request({ secret: 'some-other-secret' }));
  sendTo(world, batchRequest(csv));
  sendTo(world, batchRequest('"client-orderid";"recurring-payment-id";"amount"\no;1234567890;0.005\n'));
  sendTo(world, batchRequest(csv, { endpointId: '9999' }));
  sendTo(world, { ...request(), target: '/' });
  expect(world.counters).toEqual({ closedDays: 1, startedPayments: 3, totalAmount: '11.005', requests: 7, refused: 2 });
});

test('started payments are sales of the day, and closing the day starts the totals again', () => {
  const world = defaultWorld();
  sendTo(world, batchRequest(csv));
  const [first, second] = [1, 2].map(() => sendTo(world, request()).about.gates?.[0]);
  expect(first).toMatchObject({ saleApprovedCount: 4, saleAmount: '21.42', closeDayNumber: 1 });
  expect(second).toMatchObject({ saleApprovedCount: 0, saleAmount: '0.00', closeDayNumber: 2 });
});

test('two consumers may use the same nonce at the same time', () => {
  const { consumerSecret } = publishedIdentity;
  const world = defaultWorld({ consumers: ['a', 'b'].map((consumerKey) => ({ consumerKey, consumerSecret })) });
  const steps = ['a', 'b', 'a'].map(
    (oauth_consumer_key) => sendTo(world, request({ oauth: { oauth_consumer_key, oauth_nonce: 'n' } })).about.step,
  );
  expect(steps).toEqual([undefined, undefined, 'nonce']);
});

for (const [what, call, steps] of [
  ['a forged request does not use up its nonce', { secret: 'wrong' }, ['signature', undefined]],
  ['a verified request with a wrong field uses up its nonce', { fields: [] }, ['request-id', 'nonce']],
] as const) {
  test(what, () => {
    const world = defaultWorld();
    const oauth = { oauth_nonce: 'n' };
    const sent = [request({ oauth, ...call }), request({ oauth })];
    expect(sent.map((one) => sendTo(world, one).about.step)).toEqual(steps);
  });
}

test('the memory for nonces is bounded and forgets the oldest first', () => {
  const world = defaultWorld();
  const settings = { ...defaultSettings, maxNonces: 3 };
  const sent = (oauth_nonce: string) => sendTo(world, request({ oauth: { oauth_nonce } }), settings).about.step;
  for (const nonce of ['a', 'b', 'c', 'd']) sent(nonce);
  expect(world.nonces.size).toBe(3);
  expect(sent('d')).toBe('nonce');
  expect(sent('b')).toBe('nonce');
  expect(sent('a')).toBeUndefined();
});

test('a clock late in its second accepts the same timestamps as one at its start', () => {
  const sent = request({ oauth: { oauth_timestamp: String(noon / 1000 - 300) } });
  expect(sendTo(defaultWorld(), sent, defaultSettings, noon + 999).about.step).toBeUndefined();
});

test('one gate of several can be moved, and the others stay unchanged', () => {
  const world = defaultWorld();
  const states = () => world.endpoints.get('1114')?.gates.map(({ state }) => state);
  mock.lock(world, '1114', '9007199254740995');
  mock.putIntoClosing(world, '1114', '9223372036854775807');
  expect(states()).toEqual(['open', 'locked', 'closing']);
  mock.removeLock(world, '1114', '9223372036854775807');
  expect(states()).toEqual(['open', 'locked', 'closing']);
  mock.closeByHand(world, '1114', '9223372036854775807');
  mock.removeLock(world, '1114', '9007199254740995');
  expect(states()).toEqual(['open', 'open', 'open']);
  expect(() => mock.lock(world, '1114', '1')).toThrow('there is no gate 1 of endpoint 1114');
  expect(() => mock.lock(world, '9999')).toThrow('no endpoint 9999');
});

test('one closing gate among others closes nothing', () => {
  const world = defaultWorld();
  mock.addEndpoint(world, '2000', [mock.newGate('1', '2000'), mock.newGate('2', '2000', 'closing')]);
  expect(sendTo(world, request({ endpointId: '2000' })).about.decision).toBe('closing');
  expect(world.endpoints.get('2000')?.gates[0]?.totals.saleAmount).toBe('10.42');
});

test('every assumption names an open point, is one sentence, and states the numbers of the settings', () => {
  const texts = assumptions.map(({ assumption }) => assumption);
  const ids: readonly string[] = openPoints.map(({ id }) => id);
  expect(assumptions.filter(({ openPoint }) => !ids.includes(openPoint))).toEqual([]);
  expect(texts.filter((text) => !/^[A-Z].*\.$/.test(text))).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
  const text = texts.join('\n');
  expect(text).toContain(`${defaultSettings.timestampWindowSeconds} seconds`);
  expect(text).toContain(`${defaultSettings.maxNonces.toLocaleString('en')} are remembered`);
  expect(text).toContain(`${defaultSettings.maxBodyBytes / 1024 / 1024} MiB`);
  expect(text).toContain(`${defaultSettings.maxHeaderBytes / 1024} KiB`);
});

const keys = new URL('../../../contracts/vectors/keys/', import.meta.url);

test('its keys are those of the vectors, to the byte', () => {
  expect(publishedIdentity.privateKeyPem).toBe(readFileSync(new URL('rsa-test-private.pem', keys), 'utf8'));
  expect(publishedIdentity.publicKeyPem).toBe(readFileSync(new URL('rsa-test-public.pem', keys), 'utf8'));
});

const limitMs = 10_000;

/** Any JSON. The assertions check it. */
type Parsed = ReturnType<typeof JSON.parse>;

interface Controlled {
  readonly mock: mock.RunningMock;
  ask(method: string, path: string, body?: string): Promise<{ status: number; allow: string | null; json: Parsed }>;
  closeDay(endpointId?: string): Promise<Parsed>;
  batch(): Promise<{ status: number; body: string }>;
}

/** Runs `use` with a mock whose clock stands still, and closes it. */
async function withControl(
  use: (controlled: Controlled) => Promise<void>,
  options: mock.MockOptions = {},
): Promise<void> {
  const mock = await startMock({ now: () => noon, control: { port: 0 }, ...options });
  const host = `127.0.0.1:${mock.port}`;
  try {
    await use({
      mock,
      ask: async (method, path, body) => {
        const signal = AbortSignal.timeout(limitMs);
        const headers = { 'Content-Type': 'application/json' };
        const answer = await fetch(mock.controlUrl + path, { method, body, signal, headers });
        expect(answer.headers.get('content-type')).toBe('application/json');
        return { status: answer.status, allow: answer.headers.get('allow'), json: await answer.json() };
      },
      closeDay: async (endpointId) => JSON.parse((await send(mock.port, request({ host, endpointId }))).body).response,
      batch: () => send(mock.port, batchRequest(csv, { host })),
    });
  } finally {
    await mock.close();
  }
}

test('GET / of the control port lists every route with its effect, and the example bodies are valid', async () => {
  await withControl(async ({ mock, ask }) => {
    expect(mock.controlUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${mock.baseUrl}/state`, { signal: AbortSignal.timeout(limitMs) })).status).toBe(404);
    expect((await ask('GET', '/api/v2/close-day/1111')).status).toBe(404);
    const { json } = await ask('GET', '/');
    expect(json.routes.length).toBeGreaterThan(10);
    for (const { path, body, does } of json.routes) {
      expect(does).toMatch(/^[A-Z].*\.$/);
      if (body === undefined) continue;
      expect((await ask('POST', path.replace('<id>', '1111'), JSON.stringify(body))).status, path).toBe(200);
    }
  });
});

test('the state shows gates, profiles and counters, longs as text, and nothing secret', async () => {
  await withControl(async ({ ask, closeDay, batch, mock }) => {
    await closeDay('1114');
    await batch();
    await ask('POST', '/profiles/1234567890/stop');
    const { json } = await ask('GET', '/state');
    expect(json.endpoints.map(({ id }: Parsed) => id)).toEqual(['1111', '1112', '1113', '1114']);
    const totals = { saleApprovedCount: 0, saleAmount: '0.00', reversalApprovedCount: 0, reversalAmount: '0.00' };
    const gate = { gateId: '9223372036854775807', epntId: '1114', state: 'open', ...totals };
    expect([json.endpoints[3].closings, json.endpoints[3].gates[2]]).toEqual([1, gate]);
    expect(json.profiles).toEqual([{ id: '1234567890', state: 'stopped' }]);
    expect(json.counters).toEqual({ closedDays: 1, startedPayments: 2, totalAmount: '11.00', requests: 2, refused: 0 });
    expect((await ask('GET', '/counters?x=1')).json).toEqual(json.counters);
    const [consumer] = mock.world.consumers;
    const text = JSON.stringify(json);
    for (const secret of [consumer!.consumerSecret!, 'PUBLIC KEY', consumer!.consumerKey])
      expect(text).not.toContain(secret);
  });
});

test('a gate is moved by each route of its own', async () => {
  await withControl(async ({ ask, closeDay }) => {
    const move = async (action: string) => (await ask('POST', `/endpoints/1111/gates/7101/${action}`, '{}')).json.state;
    const states = [await move('closing'), await move('remove-lock'), await move('close-by-hand'), await move('lock')];
    expect(states, 'the lock removal tool is for locks').toEqual(['closing', 'closing', 'open', 'locked']);
    expect((await closeDay()).gates[0].isDayClosing).toBe(true);
    expect(await move('remove-lock')).toBe('open');
  });
});

test('a scripted answer comes next, and is shown while it waits', async () => {
  await withControl(async ({ ask, batch }) => {
    const answer = { kind: 'parameters', type: 'error', code: '403', httpStatus: 403, lineFeed: '%0A' };
    expect((await ask('POST', '/endpoints/1111/next-answer', JSON.stringify(answer))).json).toEqual({
      nextAnswers: [answer],
    });
    expect((await ask('GET', '/state')).json.endpoints[0].nextAnswers).toEqual([answer]);
    const refused = await batch();
    expect([refused.status, refused.body]).toEqual([403, expect.stringMatching(/^type=error%0A&.*error-code=403%0A$/)]);
    expect((await batch()).status).toBe(200);
    expect((await ask('GET', '/state')).json.endpoints[0].nextAnswers).toEqual([]);
  });
});

test('the queue of scripted answers is bounded', async () => {
  await withControl(async ({ ask, mock }) => {
    mock.world.nextAnswers.set('1111', new Array(1_000).fill({ kind: 'empty-200' }));
    const { status, json } = await ask('POST', '/endpoints/1111/next-answer', '{"kind":"empty-200"}');
    expect([status, json.error]).toEqual([400, '1000 answers are waiting already']);
  });
});

test('a profile is stopped, at once or on its finish date', async () => {
  await withControl(async ({ ask, batch }) => {
    const later = await ask('POST', '/profiles/1234567890/finish-date', '{"finishDate":"2026-01-02T13:00:01+01:00"}');
    expect(later.json).toEqual({ id: '1234567890', state: 'active', finishDate: '2026-01-02T12:00:01.000Z' });
    expect((await batch()).status).toBe(200);
    await ask('POST', '/profiles/1234567890/finish-date', '{"finishDate":"2026-01-02T12:00:00Z"}');
    expect((await batch()).status).toBe(403);
    await ask('POST', '/profiles/1234567890/finish-date', '{"finishDate":"2026-01-03T12:00:00Z"}');
    expect((await batch()).status).toBe(200);
    await ask('POST', '/profiles/1234567890/stop');
    expect((await batch()).status).toBe(403);
  });
});

test('a reset brings the start back, again and again, but no serial number', async () => {
  await withControl(async ({ ask, mock }) => {
    const host = `127.0.0.1:${mock.port}`;
    const start = (await ask('GET', '/state')).json;
    const sent = request({ host });
    const serials: string[] = [];
    for (let round = 0; round < 2; round++) {
      // Both rounds send the same nonce, which a reset forgets.
      const answer = JSON.parse((await send(mock.port, sent)).body);
      expect(answer.response.gates[0]).toMatchObject({ saleAmount: '10.42', RRN: '000000000001' });
      serials.push(answer.theRequestSerialNumber);
      await ask('POST', '/endpoints/1114/gates/9007199254740993/lock');
      await ask('POST', '/endpoints/1111/next-answer', '{"kind":"empty-403"}');
      await ask('POST', '/profiles/x/stop');
      expect((await ask('POST', '/reset')).json).toEqual(start);
    }
    expect(new Set(serials).size).toBe(2);
  });
});

test('a page of another site moves nothing, and sees nothing over a name of its own', async () => {
  await withControl(async ({ mock, ask }) => {
    const { host, port } = new URL(mock.controlUrl!);
    const json = { 'Content-Type': 'application/json' };
    const start = (await ask('GET', '/state')).json;
    const statusOf = async (method: string, headers: Record<string, string>) => {
      const target = method === 'GET' ? '/state' : '/endpoints/1111/gates/7101/lock';
      const lines = Object.entries({ Host: host, ...headers });
      const sent = { method, scheme: 'http' as const, host, target, headers: lines, body: Buffer.from('') };
      return (await send(Number(port), sent)).status;
    };
    for (const [method, headers] of [
      ['GET', { Host: `gateway.example:${port}` }],
      ['POST', { Host: `gateway.example:${port}`, ...json }],
      ['POST', { Origin: 'https://site.example', ...json }],
      ['POST', { Origin: 'null', ...json }],
      ['POST', { Origin: `http://${host}1`, ...json }],
      ['POST', { 'Sec-Fetch-Site': 'cross-site', ...json }],
      ['POST', { 'Sec-Fetch-Site': 'same-site', ...json }],
    ] as const)
      expect(await statusOf(method, headers), JSON.stringify(headers)).toBe(403);
    // A page can send these types without a preflight request.
    const plain = ['', 'text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded'];
    const more = ['multipart/form-data; boundary=x', 'text/plain; application/json', 'application/jsonp'];
    for (const type of [undefined, ...plain, ...more, 'application/json, text/plain'])
      expect(await statusOf('POST', type === undefined ? {} : { 'Content-Type': type }), type).toBe(415);
    expect((await ask('GET', '/state')).json).toEqual(start);
    for (const type of ['application/json', 'Application/JSON; charset=utf-8'])
      expect(await statusOf('POST', { 'Content-Type': type })).toBe(200);
    expect(await statusOf('POST', { Host: `localhost:${port}`, ...json })).toBe(200);
  });
});

test('a fixed port that is taken closes the gateway again', async () => {
  const blocker = net.createServer();
  const { port } = await listen(blocker);
  await expect(startMock({ control: { port } })).rejects.toMatchObject({ code: 'port-in-use' });
  await new Promise((closed) => blocker.close(closed));
});

/** Mistakes in a world that lists one profile. */
const mistakes: readonly (readonly [call: string, status: number, says: RegExp])[] = [
  ['GET /states', 404, /^there is no GET \/states\. GET \/ describes/],
  ['POST /endpoints/1111/gates/lock', 404, /^there is no POST/],
  ['POST /profiles//stop', 404, /^there is no POST/],
  ['POST /state', 405, /^\/state does not allow POST\. send GET$/],
  ['POST /endpoints/9/next-answer {"kind":"empty-200"}', 404, /no endpoint 9\. GET \/state/],
  ['POST /endpoints/9/gates/7101/lock', 404, /no endpoint 9/],
  ['POST /endpoints/1111/gates/1/lock', 404, /^there is no gate 1 of endpoint 1111\. its gates are 7101$/],
  ['POST /reset {"all":true}', 400, /^"all" is not a known member\. send no body$/],
  ['POST /endpoints/1111/next-answer', 400, /^the body is not JSON: /],
  ['POST /endpoints/1111/next-answer {"kind":', 400, /^the body is not JSON: .*position 8/],
  ['POST /reset {"a":1,"a":2}', 400, /^the body is not JSON: .*"a" occurs twice/],
  ['POST /endpoints/1111/next-answer []', 400, /^the body is not a JSON object\. /],
  ['POST /endpoints/1111/next-answer {}', 400, /^kind is missing\. use one of "empty-200", /],
  ['POST /endpoints/1111/next-answer {"kind":200}', 400, /^kind is not valid\. use one of "empty-200", /],
  ['POST /endpoints/1111/next-answer {"kind":"parameters"}', 400, /^type is missing\. use one of/],
  ['POST /profiles/2/stop', 404, /^there is no recurring profile 2\. GET \/state/],
  ['POST /profiles/2/finish-date', 404, /^there is no recurring profile 2\./],
  ['POST /profiles/1/finish-date {"finishDate":"2027-01-31T00:00:00"}', 400, /zone/],
  ['POST /profiles/1/finish-date {"finishDate":"2027-13-31T00:00:00Z"}', 400, /zone/],
  ['POST /profiles/1/finish-date {"finishDate":1}', 400, /^finishDate is not valid\. use a date with time and zone/],
];

const wrongAnswers: [members: string, says: RegExp][] = [
  ['"kind":"empty-200","httpStatus":200', /^an answer of kind "empty-200" has no other members\. /],
  ['"kind":"parameters","type":"errors"', /^type is not valid\. use one of "process-recurring-payment-response", /],
  ['"kind":"parameters","type":"error","code":500', /^code is not valid\. use one of "200", "403", "500"$/],
  [
    '"kind":"parameters","type":"process-recurring-payment-response","code":"200"',
    /^an answer of type "process-recurring-payment-response" has no code\. use the member "code" only if/,
  ],
  ['"kind":"parameters","type":"error","httpStatus":204', /^httpStatus is not valid\. use a number from 200 to 599/],
  ['"kind":"parameters","type":"error","httpStatus":"200"', /^httpStatus is not valid/],
  ['"kind":"parameters","type":"error","httpStatus":600', /^httpStatus is not valid/],
  ['"kind":"parameters","type":"error","errorIdName":"a=b"', /^errorIdName is not valid/],
  ['"kind":"parameters","type":"error","errorIdName":"status"', /^errorIdName is not valid/],
  ['"kind":"parameters","type":"error","lineFeed":"\\n"', /^lineFeed is not valid\. use one of "raw", "%0A"$/],
  ['"kind":"parameters","type":"error","message":"x"', /^"message" is not a known member\. use only kind, type, /],
];

test('each mistake is answered with its status and a sentence, and no wrong answer is put into the queue', async () => {
  await withControl(
    async ({ ask, mock }) => {
      const scripted = wrongAnswers.map(
        ([members, message]) => [`POST /endpoints/1111/next-answer {${members}}`, 400, message] as const,
      );
      for (const [call, status, message] of [...mistakes, ...scripted]) {
        const [method = '', path = '', body] = call.split(' ');
        const answer = await ask(method, path, body);
        expect([answer.status, `${answer.json.error}. ${answer.json.hint}`], call).toEqual([
          status,
          expect.stringMatching(message),
        ]);
        if (status === 405) expect(answer.allow).toBe('GET');
      }
      expect(mock.world.nextAnswers.get('1111') ?? []).toEqual([]);
    },
    { world: defaultWorld({ profiles: [{ id: '1', state: 'active' }] }) },
  );
});
