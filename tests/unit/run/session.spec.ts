/** What ends a live run before its last case: silence, failed probes, and too many busy answers. */

import { createServer } from 'node:http';
import type { PlannedCase } from '../../../src/plan/scenario.ts';
import { maxBodyBytes } from '../../../src/record/exchange.ts';
import { type EffectGuard, newPace } from '../../../src/run/allowance/guard.ts';
import { examineTarget } from '../../../src/run/doctor/examine-target.ts';
import { newProbe, newTimeoutCounter } from '../../../src/run/live/session.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';
import { listen } from '../../listen.ts';
import { sampleCase } from '../rules/sample-cases.ts';
import { answer, closeDay } from './guarded.ts';

const plain = { request: { body: [] } } as unknown as PlannedCase;
const framed = { request: { body: [], framing: 'chunked' } } as unknown as PlannedCase;

function silentCase(intent: 'valid' | 'fault' | 'open', kind: 'timeout' | 'reset' = 'timeout') {
  const testCase = sampleCase('close-day', {}, { intent });
  const { request, startedAt, durationMs } = testCase.exchanges[0];
  const failure = { kind, message: 'gateway.example did not answer within 10000 ms' };
  return { ...testCase, exchanges: [{ request, startedAt, durationMs, failure }] as const };
}

type Case = readonly (number | Parameters<ReturnType<typeof newTimeoutCounter>['note']>[0])[];

const [valid, fault, open] = [silentCase('valid'), silentCase('fault'), silentCase('open')];
const reset = silentCase('fault', 'reset');
const answered = sampleCase('close-day', {});
const silences: [name: string, noted: Case, ends?: string][] = [
  ['four of the document', [4, valid]],
  ['five of the document', [2, fault, 3, valid], '5 requests'],
  ['an answer between them', [4, valid, 1, answered, 4, valid]],
  ['a closed connection between them', [4, valid, 1, reset, 4, valid]],
  ['19 that the document leaves open', [19, open]],
  ['20 that the document leaves open', [20, open], '20 requests'],
];

test('a run ends after five documented requests in a row without an answer, or after twenty of any kind', () => {
  for (const [name, cases, ends] of silences) {
    const silence = newTimeoutCounter();
    let times = 0;
    for (const one of cases) {
      if (typeof one === 'number') times = one;
      else for (let at = 0; at < times; at += 1) silence.note(one, plain);
    }
    // Silence after unusual framing shows nothing.
    for (let at = 0; at < 30; at += 1) silence.note(silentCase('open'), framed);
    expect(silence.reason(), name).toBe(
      ends && `${ends} in a row got no answer: gateway.example did not answer within 10000 ms`,
    );
  }
});

test('a first page above the size limit of an answer counts as reachable, also later', async () => {
  const page = Buffer.alloc(maxBodyBytes + 1, ' ');
  const server = createServer((_request, response) => void response.end(page));
  const { host } = await listen(server);
  const transport = openTransport();
  try {
    const { send } = transport;
    const io = { send: (request: Parameters<typeof send>[0]) => send(request), now: Date.now, env: {} };
    const { isAnswering, findings } = await examineTarget({ target: `http://${host}`, deadlineMs: 5000 }, io);
    expect([isAnswering, findings.filter(({ status }) => status === 'problem')]).toEqual([true, []]);
    const guard = { send: (request: Parameters<typeof send>[0]) => send(request) } as unknown as EffectGuard;
    const probe = newProbe(guard, { scheme: 'http', host, prefix: '' } as Parameters<typeof newProbe>[1]);
    expect(await probe(transport)).toEqual({ isGone: false });
  } finally {
    await transport.close();
    server.close();
  }
});

/** Answers requests one after the other, and returns how long each one waited. */
async function waitsOf(rate: number, answers: readonly (readonly [status: number, retryAfter?: string])[]) {
  const waits: number[] = [];
  let time = 1_000;
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    time += milliseconds;
  };
  const pace = newPace({ rate, now: () => time, sleep });
  for (const [status, retryAfter] of answers) {
    await pace.turn();
    pace.onAnswer(await answer(status, '', retryAfter === undefined ? [] : [['Retry-After', retryAfter]])(closeDay));
  }
  return { waits, overloaded: pace.overloadReason() };
}

test('requests keep their distance, more of it after 429 and 503, and for good after 429', async () => {
  const busy = await waitsOf(2, [[200], [200], [429, '3'], [503], [429, '3600'], [200]]);
  expect(busy).toEqual({ waits: [500, 500, 3_000, 1_000, 10_000], overloaded: undefined });
  const many = Array<[number]>(12).fill([429]);
  const { waits } = await waitsOf(100, [[429], [200], [200], [429], [200], [200], ...many, [200], [200]]);
  expect(waits.slice(0, 6)).toEqual([1_000, 20, 20, 1_000, 40, 40]);
  expect(waits.at(-1)).toBe(2_000);
  // A rate that is slower already does not become faster.
  expect((await waitsOf(0.1, [[429], [429], [429]])).waits).toEqual([10_000, 10_000]);
  expect((await waitsOf(2, Array<[number]>(5).fill([503]))).overloaded).toBe('5 answers in a row were HTTP 503');
});
