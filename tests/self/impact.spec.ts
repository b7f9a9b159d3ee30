/** Which clients a variant of the mock breaks: exactly those whose decoding defect it concerns, and never the reference client. */
import { runInProcess } from '../../src/app/prove/run-in-process.ts';
import { askClients, type StoredClient } from '../../src/extras/impact/ask-clients.ts';
import { completeRunOptions, type RunOptions } from '../../src/run/options/run-options.ts';
import { diffRuns } from '../../src/verdict/diff/diff-runs.ts';
import type { Difference } from '../../src/verdict/diff/difference.ts';
import { defaultPolicy } from '../../src/verdict/diff/policy.ts';
import { expect, test } from '../engine.ts';

/** Few requests, of which each kind of answer comes. */
const only = [
  'close-day/open-gate-reported',
  'close-day/one-result-per-gate',
  'close-day/closing-gate-error',
  'close-day/missing-request-id-refused',
  'recurring/success-body-empty',
  'recurring/missing-amount-refused',
];

function run(given: Partial<RunOptions>) {
  const options = completeRunOptions({ cases: 4, profile: 'rfc5849', only, ...given }, Date.now(), '/nowhere');
  return runInProcess(options, { secondVoice: false });
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

let old: ReturnType<typeof run> | undefined;

async function compared(given: Partial<RunOptions>, asked = clients): Promise<Difference> {
  old ??= run({ seed: '1' });
  const runs = { old: await old, fresh: await run({ seed: '2', ...given }), policy: defaultPolicy };
  const impact = await askClients(asked, runs);
  return diffRuns(runs.old, runs.fresh, { statementOf: () => undefined, impact });
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
    const difference = await compared({ variants: [variant] });
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

test('the mock with another seed breaks nobody, and what a client misreads in OLD too is unverified', async () => {
  const difference = await compared({}, [...clients, client('close-day/error-message-lost')]);
  expect(breaking(difference)).toEqual([]);
  expect(difference.verdict).toBe('thin');
  const lost = difference.impact!.clients.find(({ name }) => name === 'close-day/error-message-lost')!;
  expect(lost.readings).toContainEqual({
    is: 'unverified',
    reason: expect.stringMatching(
      /^it misreads OLD too, in exchange \d+: error "[^"]*": "close-day failed" in place of/,
    ),
  });
});

test('who cannot be asked is unverified with a reason: not known where the change is risky, and no matter where it is allowed @all', async () => {
  const options = { command: ['./no-such-adapter'], mode: 'process', plainHttp: false, cwd: '/' } as const;
  const asked: StoredClient[] = [
    { name: 'gone', options },
    { name: 'empty', unverified: 'nothing says how it is started' },
  ];
  const risky = await compared({ variants: ['wrapped-body'] }, asked);
  expect(risky.verdict).toBe('not known');
  expect(risky.sentence).toContain('what changed is unverified with 2 clients: gone, empty');
  const [gone, empty] = risky.impact!.clients;
  for (const reading of gone!.readings) {
    expect(reading).toMatchObject({ is: 'unverified', reason: expect.stringContaining('could not be started') });
  }
  for (const reading of empty!.readings) expect(reading).toMatchObject({ reason: 'nothing says how it is started' });
  expect((await compared({ variants: ['header-names-in-lower-case'] }, asked)).verdict).toBe('thin');
});
