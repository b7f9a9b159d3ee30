/** What ends a live run before its last case, and what does not: silence in a row, and a page of any size. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlannedCase } from '../../../src/plan/scenario.ts';
import { mostBodyBytes } from '../../../src/record/exchange.ts';
import type { EffectGuard } from '../../../src/run/allowance/guard.ts';
import { examineTarget } from '../../../src/run/doctor/examine-target.ts';
import { newProbe, newSilence } from '../../../src/run/live/session.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from '../rules/sample-cases.ts';

const plain = { request: { body: [] } } as unknown as PlannedCase;
const framed = { request: { body: [], framing: 'chunked' } } as unknown as PlannedCase;

function kept(intent: 'valid' | 'fault' | 'open', kind: 'timeout' | 'reset' = 'timeout') {
  const examined = sampleCase('close-day', {}, { intent });
  const { request, startedAt, durationMs } = examined.exchange;
  const failure = { kind, message: 'gateway.example did not answer within 10000 ms' };
  return { ...examined, exchange: { request, startedAt, durationMs, failure } };
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
  const page = Buffer.alloc(mostBodyBytes + 1, ' ');
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
