/** The guard stops requests that exceed the allowance, and gives allowance back only if the answer excludes an effect. */
import { readFileSync } from 'node:fs';
import { encodeForm } from '../../../src/protocol/form.ts';
import type { SentRequest } from '../../../src/record/exchange.ts';
import { Effects } from '../../../src/run/allowance/budget.ts';
import { newGuard, newPace } from '../../../src/run/allowance/guard.ts';
import type { Ledger } from '../../../src/run/allowance/ledger.ts';
import { expect, test } from '../../engine.ts';
import { answer, closeDay, guardAt, noAnswer, site } from './guarded.ts';

const allow = { 'closes-day': 1, 'starts-payments': { count: 1, total: '1.00' } };
const limits = { allow, trustRefusals: 10 };
const path = (name = 'ledger.jsonl') => test.info().outputPath(name);
const pace = newPace({ rate: 1e6, now: () => 0, sleep: async () => {} });
const openNew = (name?: string) => guardAt(path(name), limits);

const finished = '{"response":{"status":"finished","gates":[]},"theRequestSerialNumber":"x"}';
const refused = '{"response":{"status":"error","errorCode":"403","errorMessage":"no"},"theRequestSerialNumber":"x"}';
const closing = '{"response":{"status":"error","errorCode":"99","errorMessage":"x"},"theRequestSerialNumber":"x"}';

test('only a refusal, or a connection that was never opened, releases the reservation', async () => {
  for (const [name, send, spent] of [
    ['accepted', answer(200, finished), 1],
    ['refused', answer(200, refused), 0],
    ['error 99', answer(200, closing), 1],
    ['a reset', noAnswer('reset'), 1],
    ['a time-out', noAnswer('timeout'), 1],
    ['nonsense', noAnswer('malformed'), 1],
    ['no connection', noAnswer('unreachable'), 0],
    ['no TLS', noAnswer('tls'), 0],
  ] as const) {
    const { liveGuard, ledger } = openNew(name);
    await liveGuard.send(closeDay, { what: 'x' }, send);
    expect(ledger.balance().spent.closesDay, name).toBe(spent);
  }
});

test('the reservation is on the disk before the request is sent, and what exceeds the allowance is not sent', async () => {
  const { liveGuard, ledger } = openNew();
  const spent: number[] = [];
  const send = (request: SentRequest) => {
    spent.push(ledger.balance().spent.closesDay);
    return answer(200, finished)(request);
  };
  await liveGuard.send(closeDay, { what: 'x' }, send);
  expect(await liveGuard.send(closeDay, { what: 'x' }, send)).toMatchObject({ why: 'allow' });
  const elsewhere = await liveGuard.send({ ...closeDay, target: '/api/v2/close-day/2' }, { what: 'x' }, send);
  expect(elsewhere).toMatchObject({ why: 'forbidden' });
  expect(spent).toEqual([1]);
});

for (const [days, sent, reason] of [
  [1, 1, /is used up: the first was wrongly accepted$/],
  [2, 1, /is reserved for a valid request: the first was wrongly accepted$/],
  [3, 2, /: the first and 1 more were wrongly accepted$/],
] as const) {
  test(`of ${days} close-days ${sent} may be wrongly accepted, and the last of several is kept`, async () => {
    const allowDays = { ...allow, 'closes-day': days };
    const { ledger, liveGuard } = guardAt(path(), { ...limits, allow: allowDays });
    const one = new Effects(1, 0, 0);
    const purpose = { negative: true, reserve: { first: one, all: one } };
    const names = ['the first', 'the second', 'the third'];
    const results = [];
    for (const what of names) results.push(await liveGuard.send(closeDay, { what, ...purpose }, answer(200, finished)));
    expect(results.filter((one) => !('why' in one))).toHaveLength(sent);
    expect(results.at(-1)).toEqual({ why: 'stopped', reason: expect.stringMatching(reason) });
    expect(ledger.balance().wronglyAccepted).toMatchObject({
      spent: { closesDay: sent, payments: 0, cents: 0 },
      closesDay: names.slice(0, sent),
    });
    const right = await liveGuard.send(closeDay, { what: 'right', settles: true }, answer(200, finished));
    expect('why' in right).toBe(days === 1);
  });
}

for (const [name, body, sent] of [
  ['refuses', refused, 2],
  ['accepts a request', finished, 1],
  ['says that its gate is closing', closing, 1],
] as const) {
  test(`an endpoint named as unknown that ${name} gets ${sent} of two requests`, async () => {
    const { liveGuard } = guardAt(path(), limits, { site: { unknownEndpointId: '9' } });
    let arrived = 0;
    const send = (request: SentRequest) => {
      arrived += 1;
      return answer(200, body)(request);
    };
    const unknownCall = { ...closeDay, target: '/api/v2/close-day/9' };
    await liveGuard.send(unknownCall, { what: 'x' }, send);
    const batch = { ...unknownCall, target: '/api/v4/process-recurring-payments/9' };
    const second = await liveGuard.send(batch, { what: 'y' }, send);
    expect(arrived).toBe(sent);
    if (sent === 1) expect(second).toMatchObject({ why: 'forbidden' });
    // A request to the base URL has no effect, whatever that endpoint does.
    const probe = await liveGuard.send({ ...closeDay, method: 'GET', target: '/' }, { what: 'z' }, send);
    expect('why' in probe).toBe(false);
  });
}

function batch(rows: number): SentRequest {
  const csv = ['"client-orderid";"recurring-payment-id";"amount"', ...Array(rows).fill('a;2;1.00')].join('\n');
  const body = Buffer.from(encodeForm([['payload', Buffer.from(csv).toString('base64')]]));
  return { ...closeDay, target: '/api/v4/process-recurring-payments/1', body };
}
const types = ['validation-error', 'error', 'process-recurring-payment-response'].flatMap((type) =>
  ['12', '99', '200', '403', '500', ''].map((code) => `type=${type}\n&error-message=no\n&error-code=${code}\n`),
);
// Answers whose error code is doubtful or unreadable.
const doubtfulCodes =
  '[99]#null#true#""#" 99 "#9.9e1#"0099"#"0x63"#"\uff19\uff19"#"gate 99"#"500"#500.0#"5e2"#"HTTP/1.1 503"';
const coded = doubtfulCodes.split('#').map((code) => refused.replace('"403"', code));
const bodies = ['', 'ok', '<html>', finished, refused, closing, ...types, ...coded];

test('no status and no body gives back more allowance than the believed refusals', async () => {
  const largeAllow = { 'closes-day': 1e6, 'starts-payments': { count: 1e6, total: '1000000.00' } };
  const trusted: string[] = [];
  for (const [operation, request, rows] of [
    ['close-day', closeDay, 1],
    ['one payment', batch(1), 1],
    ['two payments', batch(2), 2],
  ] as const) {
    let event: string | undefined;
    // A ledger in memory, because one on the disk is too slow for so many requests.
    const inMemory = { reserve: () => ({ id: 1 }), settle: (_, settled) => ({ event } = settled) } as Partial<Ledger>;
    const guard = newGuard({ site, limits, pace, ledger: inMemory as Ledger });
    for (const body of bodies) {
      for (let status = 200; status < 600; status += 1) {
        event = undefined;
        await guard.send(request, { what: 'x' }, answer(status, body));
        if (event === 'release') trusted.push(`${operation} ${status} ${bodies.indexOf(body)}`);
      }
    }
    // A ledger on the disk, and a gateway that acts on every request and refuses every request.
    const { ledger, liveGuard } = guardAt(path(`${operation}.jsonl`), { ...limits, allow: largeAllow });
    for (let sent = 0; sent < 30; sent += 1) await liveGuard.send(request, { what: 'x' }, answer(403));
    const { spent, refused: released } = ledger.balance();
    expect(spent.closesDay + spent.payments).toBe(operation === 'two payments' ? 60 : 20);
    expect(spent.closesDay + spent.payments + released.closesDay + released.payments).toBe(30 * rows);
  }
  // Of four hundred status codes at most three are a refusal, and none is one for two payments.
  expect(new Set(trusted.map((one) => one.replace(/ \d+$/, '')))).toEqual(
    new Set(['close-day', 'one payment'].flatMap((what) => [200, 401, 403].map((status) => `${what} ${status}`))),
  );
  const bodiesOf = (what: string) =>
    trusted.filter((one) => one.startsWith(what)).map((one) => bodies[Number(one.split(' ').at(-1))]);
  expect(bodiesOf('one payment 200')).toEqual([types[0], types[3], types[9]]);
  expect(bodiesOf('close-day 200')).toEqual([refused]);
});

test('if the correct request is not accepted, earlier refusals are no longer trusted', async () => {
  const some = { 'closes-day': 5, 'starts-payments': { count: 0, total: '0.00' } };
  for (const [right, spent, proven] of [
    [answer(200, finished), 1, true],
    [answer(200, 'ok'), 4, false],
    [answer(403), 4, false],
  ] as const) {
    const name = `${(await right(closeDay)).response!.status}-${spent}.jsonl`;
    const { ledger, liveGuard } = guardAt(path(name), { ...limits, allow: some });
    for (let sent = 0; sent < 3; sent += 1) await liveGuard.send(closeDay, { what: 'x', negative: true }, answer(403));
    expect(ledger.balance()).toMatchObject({ spent: { closesDay: 0 }, refused: { closesDay: 3 } });
    await liveGuard.send(closeDay, { what: 'right', settles: true }, right);
    expect(ledger.balance()).toMatchObject({ spent: { closesDay: spent }, proven: { closesDay: proven } });
  }
});

test('refusals of an earlier run that did not end count as believed in the next one', async () => {
  for (const run of ['one', 'two']) {
    const { ledger, liveGuard } = guardAt(path(), { allow, trustRefusals: 3 }, { run });
    for (let sent = 0; sent < 2; sent += 1) await liveGuard.send(closeDay, { what: 'x', negative: true }, answer(403));
    const { spent, refused: given } = ledger.balance();
    expect([spent.closesDay, given.closesDay]).toEqual(run === 'one' ? [0, 2] : [1, 1]);
  }
});

test('nothing that the target wrote is in the ledger, whichever way it answers', async () => {
  const canary = 'canary-of-the-gateway';
  const bodies = [
    refused.replace('403', canary),
    refused.replace('"no"', `"${canary}"`),
    refused.replace('"error"', `"${canary}"`),
    finished.replace('[]', `["${canary}"]`),
    canary,
    `type=${canary}&error-code=${canary}`,
  ];
  const failure = { kind: 'malformed', message: canary } as const;
  const answers = bodies.flatMap((body) =>
    [200, 302, 404, 500].map((status) => answer(status, body, [['Location', canary]])),
  );
  answers.push(async (request) => ({ request, failure, startedAt: 0, durationMs: 1 }));
  for (const [index, send] of answers.entries()) {
    const name = `${index}.jsonl`;
    await openNew(name).liveGuard.send(closeDay, { what: 'x' }, send);
    const text = readFileSync(path(name), 'utf8');
    expect(text).toMatch(/"event":"(?:release|confirm|unclear)"/);
    expect(text).not.toContain(canary);
  }
});
