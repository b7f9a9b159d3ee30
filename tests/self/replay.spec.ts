/** What becomes of the stored requests of clients: what NEW takes, what it refuses in the client's writing alone, and what is not known. */
import { runClientInProcess } from '../../src/app/prove/run-in-process.ts';
import { type ReplayTarget, replayRequests, withLiveTarget, withMockTarget } from '../../src/extras/impact/replay.ts';
import type { ClientDefect } from '../../src/faults/client/defect.ts';
import { usableClientDefects } from '../../src/faults/client/index.ts';
import type { ClientCase } from '../../src/record/case.ts';
import type { SentRequest } from '../../src/record/exchange.ts';
import { casesOf } from '../../src/record/run.ts';
import type { TakenRequests } from '../../src/verdict/diff/difference.ts';
import { expect, test } from '../engine.ts';
import { startLive } from './live-setting.ts';

/** Few calls, of both operations. */
const only = [
  'close-day/request-id-length',
  'close-day/path',
  'recurring/path',
  'recurring/delimiter',
  'recurring/amount-form',
];

let right: Promise<readonly ClientCase[]> | undefined;

function rightCalls(): Promise<readonly ClientCase[]> {
  right ??= callsOf();
  return right;
}

function callsOf(...defects: readonly ClientDefect[]): Promise<readonly ClientCase[]> {
  const alterations = defects.map(({ alteration }) => alteration);
  const given = { seed: 'replay', cases: 3, only, secondVoice: false } as const;
  return runClientInProcess(given, alterations).then(({ recorded }) => casesOf(recorded!) as ClientCase[]);
}

/** Of the one client, on a mock with these defects, where requests that `refuses` names are answered as by a closed door. */
async function readings(
  calls: readonly ClientCase[],
  { defects = [] as readonly string[], refuses = (_: SentRequest): boolean => false } = {},
): Promise<readonly TakenRequests[]> {
  const replayed = await withMockTarget({ defects, variants: [] }, 'run', (target) =>
    replayRequests([{ name: 'shop', calls }], refusing(target, refuses)),
  );
  if ('hindrance' in replayed) throw new Error(replayed.hindrance);
  return replayed[0]!;
}

function refusing(target: ReplayTarget, refuses: (request: SentRequest) => boolean): ReplayTarget {
  const response = { status: 403, reason: 'Forbidden', headers: [], body: Buffer.alloc(0) };
  return {
    ...target,
    send: async (request, what) =>
      refuses(request) ? { request, response, startedAt: 0, durationMs: 1 } : target.send(request, what),
  };
}

test('the mock takes what the reference client sends, written as the client writes it and signed anew', async () => {
  const all = await readings(await rightCalls());
  expect(all.map(({ operation, is }) => [operation, is])).toEqual([
    ['close-day', 'accepted'],
    ['process-recurring-payments', 'accepted'],
  ]);
  for (const { of, accepted } of all) expect([accepted, of > 3]).toEqual([Math.min(of, 20), true]);
});

test('a client breaks whose own writing is refused twice, and no other', async () => {
  const ownWriting = ({ headers }: SentRequest) => headers.some(([name]) => /^(?:user-agent|accept)$/i.test(name));
  const [closeDay, recurring] = await readings(
    (await rightCalls()).map((call) => ({
      ...call,
      exchanges: call.exchanges.map((exchange) => ({
        ...exchange,
        request: { ...exchange.request, headers: [...exchange.request.headers, ['Accept', '*/*'] as const] },
      })),
    })),
    { refuses: (request) => ownWriting(request) && request.target.includes('close-day') },
  );
  expect(closeDay).toMatchObject({ is: 'breaks', accepted: 0, answered: 'HTTP 403 with an empty body' });
  expect(recurring).toMatchObject({ is: 'accepted' });
  // Refused once only, as by a door that happened to be closed.
  let refused = 0;
  const [once] = await readings(await rightCalls(), { refuses: () => refused++ === 0 });
  expect(once).toMatchObject({ is: 'unverified', reason: expect.stringContaining('refused once, and accepted once') });
});

test('a gateway that refuses the suite too breaks nobody: nothing is known', { tag: '@all' }, async () => {
  for (const reading of await readings(await rightCalls(), { defects: ['authentication/port-left-out'] })) {
    expect(reading).toMatchObject({
      is: 'unverified',
      reason: expect.stringMatching(
        /the same values as the suite writes them are not accepted either: HTTP 200 with error 403|accepted either: HTTP 403/,
      ),
    });
  }
});

test('what was wrong in the run of the client is not sent, and so breaks nothing', { tag: '@all' }, async () => {
  const wrong = usableClientDefects.find(({ breaks }) =>
    breaks.some((id) => id === 'authentication/signature-verifies'),
  )!;
  const [all, some] = [await rightCalls(), await callsOf(wrong)];
  const before = await readings(all);
  for (const [at, reading] of (await readings(some)).entries()) {
    expect(reading.is).not.toBe('breaks');
    expect(reading.of).toBeLessThanOrEqual(before[at]!.of);
  }
  const unsigned = all.map((call) => ({
    ...call,
    exchanges: call.exchanges.map((one) => ({ ...one, request: { ...one.request, headers: [] } })),
  }));
  const reason = 'its run has no request that a gateway must take';
  for (const reading of await readings(unsigned)) expect(reading).toMatchObject({ is: 'unverified', of: 0, reason });
});

test('a live target gets what the allowance has room for, with its own keys, ids and payments @all', async () => {
  const allow = { 'closes-day': 2, 'starts-payments': { count: 1, total: '1.00' } };
  const setting = await startLive({ allow });
  try {
    const calls = await rightCalls();
    const clients = ['one', 'two'].map((name) => ({ name, calls }));
    const place = { runId: 'replayed', env: {}, cwd: '/nowhere' };
    const all = await withLiveTarget(setting.config, place, (target) => replayRequests(clients, target));
    if ('hindrance' in all) throw new Error(all.hindrance);
    expect(all.map((one) => one.map(({ is, accepted }) => `${is} ${accepted}`))).toEqual([
      ['accepted 1', 'accepted 1'],
      ['accepted 1', 'unverified 0'],
    ]);
    expect(all[1]![1]).toMatchObject({ reason: expect.stringMatching(/^exchange \d+: not sent: .*starts-payments/) });
    expect(setting.mock.world.counters).toMatchObject({ closedDays: 2, startedPayments: 1 });
  } finally {
    await setting.close();
  }
});
