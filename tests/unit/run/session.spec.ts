/** What ends a live run before its last case, and what does not: silence in a row, and a page of any size. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlannedCase } from '../../../src/plan/scenario.ts';
import { maxBodyBytes } from '../../../src/record/exchange.ts';
import { type EffectGuard, newPace } from '../../../src/run/allowance/guard.ts';
import { examineTarget } from '../../../src/run/doctor/examine-target.ts';
import { newProbe, newSilence } from '../../../src/run/live/session.ts';
import { controlOf } from '../../../src/run/target/control.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from '../rules/sample-cases.ts';
import { answer, closeDay } from './guarded.ts';

const plain = { request: { body: [] } } as unknown as PlannedCase;
const framed = { request: { body: [], framing: 'chunked' } } as unknown as PlannedCase;

function kept(intent: 'valid' | 'fault' | 'open', kind: 'timeout' | 'reset' = 'timeout') {
  const testCase = sampleCase('close-day', {}, { intent });
  const { request, startedAt, durationMs } = testCase.exchanges[0];
  const failure = { kind, message: 'gateway.example did not answer within 10000 ms' };
  return { ...testCase, exchanges: [{ request, startedAt, durationMs, failure }] as const };
}

test('five requests in a row that wait out the deadline end a live run, right ones and wrong ones alike', () => {
  const silence = newSilence();
  for (const intent of ['fault', 'valid', 'fault', 'valid'] as const) silence.note(kept(intent), plain);
  expect(silence.reason()).toBeUndefined();
  silence.note(kept('valid'), plain);
  expect(silence.reason()).toBe('5 requests in a row got no answer: gateway.example did not answer within 10000 ms');
});

test('an answer and a closed connection begin anew, and unusual framing says nothing', () => {
  for (const between of [sampleCase('close-day', {}), kept('fault', 'reset')]) {
    const silence = newSilence();
    for (let at = 0; at < 4; at += 1) silence.note(kept('valid'), plain);
    silence.note(between, plain);
    for (let at = 0; at < 4; at += 1) silence.note(kept('valid'), plain);
    for (let at = 0; at < 30; at += 1) silence.note(kept('open'), framed);
    expect(silence.reason()).toBeUndefined();
  }
});

test('what the document leaves open may be kept waiting more often, but not for the rest of the run', () => {
  const silence = newSilence();
  for (let at = 0; at < 19; at += 1) silence.note(kept('open'), plain);
  expect(silence.reason()).toBeUndefined();
  silence.note(kept('open'), plain);
  expect(silence.reason()).toContain('20 requests in a row');
});

test('a first page that is longer than an answer may be is there, and keeps being there', async () => {
  const page = Buffer.alloc(maxBodyBytes + 1, ' ');
  const server = createServer((_request, response) => void response.end(page)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = openTransport();
  try {
    const { send } = transport;
    const io = { send: (request: Parameters<typeof send>[0]) => send(request), now: Date.now, env: {} };
    const { answers, findings } = await examineTarget({ target: `http://${host}`, deadlineMs: 5000 }, io);
    expect([answers, findings.filter(({ status }) => status === 'problem')]).toEqual([true, []]);
    const guard = { send: (request: Parameters<typeof send>[0]) => send(request) } as unknown as EffectGuard;
    const probe = newProbe(guard, { scheme: 'http', host, prefix: '' } as Parameters<typeof newProbe>[1], send);
    expect(await probe()).toEqual({ gone: false });
  } finally {
    await transport.close();
    server.close();
  }
});

test('a target that says that requests come too fast gets them at longer distances from then on', async () => {
  let time = 0;
  const waits: number[] = [];
  const sleep = async (wait: number) => {
    time += wait;
    waits.push(wait);
  };
  const pace = newPace({ rate: 100, now: () => time, sleep });
  for (const status of [429, 200, 200, 429, 200, 200, ...Array<number>(12).fill(429), 200, 200]) {
    await pace.turn();
    pace.answered(await answer(status)(closeDay));
  }
  expect(waits.slice(0, 6)).toEqual([1_000, 20, 20, 1_000, 40, 40]);
  expect(waits.at(-1)).toBe(2_000);
});

test('a target that is asked more slowly than that is asked no faster for it', async () => {
  let time = 0;
  const sleep = async (wait: number) => {
    time += wait;
  };
  const pace = newPace({ rate: 0.1, now: () => time, sleep });
  for (let turn = 0; turn < 3; turn++) {
    await pace.turn();
    pace.answered(await answer(429)(closeDay));
  }
  expect(time).toBe(20_000);
});

test('requests keep their distance, and more of it after 429 and 503', async () => {
  const [waits, now]: [number[], number] = [[], 1_000];
  let time = now;
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    time += milliseconds;
  };
  const pace = newPace({ rate: 2, now: () => time, sleep });
  const asked = async (status: number, retryAfter?: string) => {
    await pace.turn();
    const headers = retryAfter === undefined ? [] : ([['Retry-After', retryAfter]] as const);
    pace.answered(await answer(status, '', headers)(closeDay));
  };
  for (const [status, retryAfter] of [[200], [200], [429, '3'], [503], [429, '3600'], [200]] as const) {
    await asked(status, retryAfter);
  }
  expect(waits).toEqual([500, 500, 3_000, 1_000, 10_000]);
  expect(pace.overloaded()).toBeUndefined();
  for (let left = 5; left > 0; left -= 1) await asked(503);
  expect(pace.overloaded()).toBe('5 answers in a row were HTTP 503');
});

test('a clock that is set back holds no request up', async () => {
  const real = Date.now;
  const waits: number[] = [];
  const pace = newPace({ rate: 2, sleep: async (milliseconds) => void waits.push(milliseconds) });
  try {
    await pace.turn();
    Date.now = () => real() - 3_600_000;
    await pace.turn();
  } finally {
    Date.now = real;
  }
  expect(waits.filter((milliseconds) => milliseconds > 500)).toEqual([]);
});

test('counters that are none are a sentence, and those of a mock are read', async () => {
  const right = { closedDays: 1, startedPayments: 0, totalAmount: '0.00' };
  const answers: unknown[] = [right, null, {}, 'x', { ...right, closedDays: -1 }, { ...right, totalAmount: 10.42 }];
  const said: unknown[] = [...answers];
  const server = createServer((_, response) => response.end(JSON.stringify(said.shift())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read: unknown[] = [];
  for (const _ of answers) {
    read.push(
      await controlOf(base)
        .counters()
        .catch((cause: Error) => cause.message),
    );
  }
  server.closeAllConnections();
  server.close();
  const none = `the control interface ${base} gives no counters of days, payments and their sum`;
  expect(read).toEqual([right, none, none, none, none, none]);
});
