/** Which requirements and which stored clients break with the new gateway, and what their requests get from it. */
import { newRunCache, runClientInProcess, runInProcess } from '../../src/app/prove/run-in-process.ts';
import { checkClients, planCall, type StoredClient } from '../../src/extras/impact/check-clients.ts';
import { type ReplayTarget, replayRequests, withLiveTarget, withMockTarget } from '../../src/extras/impact/replay.ts';
import type { ClientDefect } from '../../src/faults/client/defect.ts';
import { gatewayDefects, usableClientDefects } from '../../src/faults/index.ts';
import { ordinaryCalls } from '../../src/plan/client/cases.ts';
import type { ClientCase } from '../../src/record/case.ts';
import type { Header, SentRequest } from '../../src/record/exchange.ts';
import { casesOf } from '../../src/record/run.ts';
import { completeRunOptions, type RunOptions } from '../../src/run/options/run-options.ts';
import type { ConcludedRun } from '../../src/verdict/conclude.ts';
import { diffRuns } from '../../src/verdict/diff/diff-runs.ts';
import type { ClientRequests, Difference } from '../../src/verdict/diff/difference.ts';
import { defaultPolicy } from '../../src/verdict/diff/verdict.ts';
import { expect, test } from '../engine.ts';
import { answer } from '../unit/verdict/runs.ts';
import { withLive } from './live-setting.ts';

/** Few requirements whose requests get every kind of answer. */
const only = [
  'close-day/open-gate-reported',
  'close-day/one-result-per-gate',
  'close-day/closing-gate-error',
  'close-day/missing-request-id-refused',
  'recurring/success-body-empty',
  'recurring/missing-amount-refused',
];

function run(input: Partial<RunOptions>) {
  const options = completeRunOptions({ cases: 4, profile: 'rfc5849', only, ...input }, Date.now(), '/nowhere');
  return runInProcess(options, { usesOracle: false });
}

function client(...defects: string[]): StoredClient {
  const options = { command: [], mode: 'process', plainHttp: false, cwd: '/', defects } as const;
  return { name: defects.join(' ') || 'reference', options };
}

const clients = [
  client(),
  client('close-day/further-members-refused'),
  client('close-day/error-code-read-as-number'),
  client('close-day/longs-through-a-double'),
  client('recurring/line-feeds-kept'),
  client('recurring/body-taken-for-error'),
  client('recurring/validation-error-taken-for-success'),
];

const comparison = { policy: defaultPolicy, calls: ordinaryCalls };
let old: ReturnType<typeof run> | undefined;

async function compare(input: Partial<RunOptions>, subjects = clients): Promise<Difference> {
  old ??= run({ seed: '1' });
  const runs = { old: await old, fresh: await run({ seed: '2', ...input }), ...comparison };
  const impact = await checkClients(subjects, runs);
  return diffRuns(runs.old, runs.fresh, { impact });
}

function breaking({ impact }: Difference): string[] {
  return impact!.clients.flatMap(({ name, readings }) => (readings.some(({ is }) => is === 'breaks') ? [name] : []));
}

const broken: Readonly<Record<string, readonly string[]>> = {
  'error-code-as-number': [],
  'header-names-in-lower-case': [],
  'wrapped-body': ['close-day/further-members-refused'],
  'further-members': ['close-day/further-members-refused'],
  'other-errors': ['close-day/error-code-read-as-number'],
  'accepted-with-parameters': ['recurring/line-feeds-kept', 'recurring/body-taken-for-error'],
  'validation-error-with-200': ['recurring/line-feeds-kept', 'recurring/validation-error-taken-for-success'],
};
for (const [at, [variant, expected]] of Object.entries(broken).entries()) {
  const tag = at % 3 === 0 ? [] : ['@all'];
  test(`${variant} breaks ${expected.join(' and ') || 'no client'}`, { tag }, async () => {
    const difference = await compare({ variants: [variant] });
    expect(breaking(difference)).toEqual(expected);
    expect(difference.verdict).toBe(expected.length === 0 ? 'thin' : 'breaks');
    const { answers, clients: asked } = difference.impact!;
    expect(asked[0]!.readings).toEqual(answers.map(() => ({ is: 'reads it' })));
    for (const { readings } of asked) {
      for (const [at, reading] of readings.entries()) {
        if (reading.is === 'breaks') expect(answers[at]!.changes).not.toEqual([]);
      }
    }
  });
}

test('the mock with another seed breaks no client, and a client that also misreads OLD is unverified', async () => {
  const difference = await compare({}, [...clients, client('close-day/error-message-lost')]);
  expect(breaking(difference)).toEqual([]);
  expect(difference.verdict).toBe('thin');
  const misreading = difference.impact!.clients.find(({ name }) => name === 'close-day/error-message-lost')!;
  expect(misreading.readings).toContainEqual({
    is: 'unverified',
    reason: expect.stringMatching(
      /^the client also misreads exchange \d+ of OLD: error "[^"]*": "close-day failed" instead of/,
    ),
  });
});

test('a client that cannot be started is unverified, which counts only for risky changes @all', async () => {
  const options = { command: ['./no-such-adapter'], mode: 'process', plainHttp: false, cwd: '/' } as const;
  const asked: StoredClient[] = [
    { name: 'gone', options },
    { name: 'empty', unverified: 'nothing says how it is started' },
  ];
  const risky = await compare({ variants: ['wrapped-body'] }, asked);
  expect(risky.verdict).toBe('not known');
  expect(risky.sentence).toContain('2 clients whose reading of the changes is unverified: gone, empty');
  const [missing, empty] = risky.impact!.clients;
  for (const reading of missing!.readings)
    expect(reading).toMatchObject({ is: 'unverified', reason: expect.stringContaining('could not be started') });
  for (const reading of empty!.readings) expect(reading).toMatchObject({ reason: 'nothing says how it is started' });
  expect((await compare({ variants: ['header-names-in-lower-case'] }, asked)).verdict).toBe('thin');
});

test.describe('replay', () => {
  /** Few requirements of both operations. */
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
    const given = { seed: 'replay', cases: 3, only, usesOracle: false } as const;
    return runClientInProcess(given, alterations).then(({ recorded }) => casesOf(recorded!) as ClientCase[]);
  }

  /**
   * What one client's requests get from a mock with these defects. Requests that `refuses` selects get an empty 403.
   */
  async function readings(
    calls: readonly ClientCase[],
    { defects = [] as readonly string[], refuses = (_: SentRequest): boolean => false } = {},
  ): Promise<readonly ClientRequests[]> {
    const replayed = await withMockTarget({ defects, variants: [] }, 'run', (target) =>
      replayRequests([{ name: 'shop', calls }], withRefusals(target, refuses)),
    );
    if ('hindrance' in replayed) throw new Error(replayed.hindrance);
    return replayed[0]!;
  }

  function withRefusals(target: ReplayTarget, refuses: (request: SentRequest) => boolean): ReplayTarget {
    const response = { status: 403, reason: 'Forbidden', headers: [], body: Buffer.alloc(0) };
    return {
      ...target,
      send: async (request, what) =>
        refuses(request) ? { request, response, startedAt: 0, durationMs: 1 } : target.send(request, what),
    };
  }

  test('the mock accepts replayed requests, which keep the client’s notation and get a new signature', async () => {
    const all = await readings(await rightCalls());
    expect(all.map(({ operation, is }) => [operation, is])).toEqual([
      ['close-day', 'accepted'],
      ['process-recurring-payments', 'accepted'],
    ]);
    for (const { of, accepted } of all) expect([accepted, of > 2]).toEqual([Math.min(of, 20), true]);
  });

  test('only a client whose own notation is refused twice breaks', async () => {
    const isClientForm = ({ headers }: SentRequest) => headers.some(([name]) => /^(?:user-agent|accept)$/i.test(name));
    const [closeDay, recurring] = await readings(
      (await rightCalls()).map((call) => ({
        ...call,
        exchanges: call.exchanges.map((exchange) => ({
          ...exchange,
          request: { ...exchange.request, headers: [...exchange.request.headers, ['Accept', '*/*'] as const] },
        })),
      })),
      { refuses: (request) => isClientForm(request) && request.target.includes('close-day') },
    );
    expect(closeDay).toMatchObject({ is: 'breaks', accepted: 0, answered: 'HTTP 403 with an empty body' });
    expect(recurring).toMatchObject({ is: 'accepted' });
    // The gateway refuses only one request.
    let refused = 0;
    const [once] = await readings(await rightCalls(), { refuses: () => refused++ === 0 });
    expect(once).toMatchObject({ is: 'unverified', reason: expect.stringContaining('refused once and accepted once') });
  });

  test('if the gateway also refuses the suite, all clients are unverified', { tag: '@all' }, async () => {
    for (const reading of await readings(await rightCalls(), { defects: ['authentication/port-left-out'] })) {
      expect(reading).toMatchObject({
        is: 'unverified',
        reason: expect.stringMatching(
          /a request of the suite with the same values is refused too: HTTP 200 with error 403|refused too: HTTP 403/,
        ),
      });
    }
  });

  test('faulty requests of a client are not replayed, so they break nothing', { tag: '@all' }, async () => {
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
    const reason = 'its run has no request that a gateway must accept';
    for (const reading of await readings(unsigned)) expect(reading).toMatchObject({ is: 'unverified', of: 0, reason });
  });

  test('a live target gets what the allowance has room for, with its own keys, ids and payments @all', async () => {
    const allow = { 'closes-day': 2, 'starts-payments': { count: 1, total: '1.00' } };
    await withLive({ allow }, async ({ config, mock }) => {
      const calls = await rightCalls();
      const clients = ['one', 'two'].map((name) => ({ name, calls }));
      const place = { runId: 'replayed', env: {} };
      const all = await withLiveTarget(config, place, (target) => replayRequests(clients, target));
      if ('hindrance' in all) throw new Error(all.hindrance);
      expect(all.map((one) => one.map(({ is, accepted }) => `${is} ${accepted}`))).toEqual([
        ['accepted 1', 'accepted 1'],
        ['accepted 1', 'unverified 0'],
      ]);
      expect(all[1]![1]).toMatchObject({ reason: expect.stringMatching(/^exchange \d+: not sent: .*starts-payments/) });
      expect(mock.world.counters).toMatchObject({ closedDays: 2, startedPayments: 1 });
    });
  });
});

test.describe('diff', () => {
  const shared = { 1: newRunCache(), 2: newRunCache() };
  let old: Promise<ConcludedRun> | undefined;

  function outcomes(seed: 1 | 2, ...defects: string[]): Promise<ConcludedRun> {
    const given = { profile: 'strict', seed: String(seed), cases: 4, defects } as const;
    const mock = { usesOracle: false, outcomesOnly: true, unframed: true, cache: shared[seed] };
    return runInProcess(completeRunOptions(given, Date.now(), '/nowhere'), mock);
  }

  const reachable = gatewayDefects.filter(({ reach }) => reach !== 'stored');
  for (const { id, breaks } of reachable.filter((_, at) => at % 20 === 0)) {
    test(`compared with the mock under another seed, ${id} breaks exactly its requirements @all`, async () => {
      old ??= outcomes(1);
      const { verdict, newlyBroken, fixed } = diffRuns(await old, await outcomes(2, id));
      expect(newlyBroken.map((one) => one.id).sort()).toEqual([...breaks].sort());
      expect([verdict, fixed]).toEqual(['breaks', []]);
    });
  }
});

const storedBody = '{"response":{"status":"error","errorCode":"7","errorMessage":"no"},"theRequestSerialNumber":"1"}';
const length = ['Content-Length', String(storedBody.length)] as const;

function planOf(headers: readonly Header[], status = 200) {
  const { input } = ordinaryCalls['close-day'];
  return planCall('close-day', answer(storedBody, { headers, status }).exchanges[0], input);
}

const framings: Readonly<Record<string, readonly [stored: Header[], sent: readonly Header[]]>> = {
  'a wrong length': [
    Object.entries({ 'content-type': 'text/html;charset=utf-8', 'X-Trace': 'a\u00e9', 'content-length': '9' }),
    Object.entries({ 'content-type': 'text/html;charset=utf-8', 'X-Trace': 'a\u00e9', 'content-length': length[1] }),
  ],
  'a trailer that does not come': [[['Trailer', 'X-Sum']], []],
  'a coding that was removed': [[['Transfer-Encoding', 'gzip, chunked']], [['Transfer-Encoding', 'chunked']]],
  'two framings': [
    Object.entries({ 'Content-Length': '3', 'Transfer-Encoding': 'chunked' }),
    [['Transfer-Encoding', 'chunked']],
  ],
  'two lengths': [
    [
      ['Content-Length', '3'],
      ['Content-Length', '4'],
    ],
    [length],
  ],
};

test('replayed headers keep order and spelling, and exactly one header frames the body', () => {
  for (const [what, [stored, sent]] of Object.entries(framings)) {
    const planned = planOf(stored, 403);
    const expected = { kind: 'reply', status: 403, headers: sent, body: Buffer.from(storedBody) };
    expect(planned.plan?.answer, what).toEqual(expected);
  }
});

test('an answer that HTTP cannot express is unverified, and is not sent', () => {
  const reason = { unverified: 'the stored answer cannot be sent again unchanged' };
  expect(planOf([['X', 'a\r\nY: b']])).toEqual(reason);
  expect(planOf([['X Y', 'a']])).toEqual(reason);
  expect(planOf([['X', '\u6f22']])).toEqual(reason);
  for (const status of [0, 101, 199, 600, 1000]) expect(planOf([], status)).toEqual(reason);
});
