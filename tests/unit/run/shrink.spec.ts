/** A failing generated call is made smaller, in few further calls, and its path repeats it alone. */
import { runClientInProcess, runOpened } from '../../../src/app/prove/run-in-process.ts';
import { usableClientDefects } from '../../../src/faults/client/index.ts';
import type { ClientAlteration } from '../../../src/peer/client/client.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import type { ClientCase } from '../../../src/record/case.ts';
import { openReference } from '../../../src/run/client/open-client.ts';
import { type ClientContext, performClientScenario } from '../../../src/run/client/perform-client.ts';
import { expect, test } from '../../engine.ts';

async function performed(
  id: string,
  alteration: ClientAlteration,
  more: Partial<Pick<ClientContext, 'path' | 'shrinks' | 'onCall'>> = {},
) {
  const opened = await openReference([alteration]);
  const scenario = clientScenarios.find((one) => one.id === id)!;
  const context = { ...opened, seed: '5', cases: 25, inFlight: 8, now: () => performance.now(), ...more };
  return performClientScenario(scenario, context).finally(() => opened.close());
}

const altered = (id: string) => usableClientDefects.find((one) => one.id === id)!.alteration;
const asked = ({ call: { asked } }: ClientCase) => asked!;

/** What of the smallest call is as small as it can be. */
const rows: readonly (readonly [
  defect: string,
  scenario: string,
  about: string,
  smallest: (call: ClientCase) => unknown,
  is: unknown,
])[] = [
  [
    'recurring/delimiter-in-cell-bare',
    'recurring/odd-cells',
    'recurring/csv-rows',
    (call) => JSON.stringify(asked(call).input).match(/"[^"]*;[^"]*"/)?.[0].length,
    4,
  ],
  [
    'authentication/tilde-of-path-signed-as-escape',
    'authentication/generated',
    'authentication/signature-verifies',
    (call) => new URL(asked(call).baseUrl).pathname.split('/').slice(2).join('/'),
    'A~Aa',
  ],
  [
    'transport/endpoint-through-a-double',
    'authentication/generated',
    'close-day/path',
    (call) => asked(call).endpointId.length,
    18,
  ],
  [
    'authentication/timestamp-in-32-bits',
    'authentication/generated',
    'authentication/timestamp-seconds',
    (call) => asked(call).inject?.timestamp,
    String(2 ** 31),
  ],
];

for (const [defect, scenario, about, smallest, is] of rows) {
  test(`${defect} is shrunk, and its path repeats that call alone`, async () => {
    const { cases, counterexamples } = await performed(scenario, altered(defect));
    const { number, path } = counterexamples!.find((one) => one.about === about)!;
    const call = cases.find((one) => one.number === number)!;
    expect(path).toContain(`${scenario}/`);
    expect(smallest(call)).toEqual(is);
    const again = await performed(scenario, altered(defect), { path });
    expect(again.cases).toHaveLength(1);
    const { baseUrl: _, ...given } = asked(again.cases[0]!);
    expect(asked(call)).toMatchObject(given);
    expect(again.counterexamples).toEqual([{ about, number: 0, path }]);
  });
}

test('a client that fails everywhere costs at most 120 further calls of a scenario, and none where it is not asked to', async () => {
  const broken: ClientAlteration = { body: () => Buffer.from('x'), signature: () => 'AAAA' };
  for (const [shrinks, most] of [
    [true, 120],
    [false, 0],
  ] as const) {
    let calls = 0;
    const onCall = () => {
      calls += 1;
    };
    const { cases, counterexamples } = await performed('close-day/generated', broken, { shrinks, onCall });
    expect(calls - 25).toBeLessThanOrEqual(most);
    expect(calls - 25 > 0).toBe(shrinks);
    expect(cases.length - 25).toBeLessThanOrEqual(counterexamples?.length ?? 0);
    expect(new Set(cases.map(({ number }) => number)).size).toBe(cases.length);
  }
});

test('a client that behaves has no counterexample', async () => {
  const { cases, counterexamples } = await performed('recurring/generated', {});
  expect(counterexamples).toEqual([]);
  expect(cases).toHaveLength(38);
});

test('a row names the smallest call and repeats it, also where the client sent nothing', async () => {
  const refuses: ClientAlteration = { refusal: () => ({ stage: 'fields', reason: 'no' }) };
  const only = ['close-day/body-is-form'];
  const { result } = await runClientInProcess({ seed: '5', cases: 3, only }, [refuses]);
  const [row] = result.results;
  expect(row?.counterexample).toEqual({ path: expect.stringMatching(/^close-day\/generated\/1\/0(:\d+)*$/) });
  expect(row?.repeat).toContain(` --path ${row?.counterexample?.path}`);
});

const keyReaders: readonly (readonly [what: string, reply: (pem: string) => void, observed: string])[] = [
  ['reads both forms', () => {}, 'completed'],
  ['reads PKCS#8 alone', refusing('BEGIN RSA PRIVATE KEY'), 'adapter_error'],
];

for (const [what, read, observed] of keyReaders) {
  test(`a client that ${what} of a private key conforms, and it is observed`, async () => {
    const opened = await openReference([]);
    const session: typeof opened.session = {
      ...opened.session,
      perform: async (call) => {
        try {
          if (call.auth.method === 'RSA-SHA256') read(call.auth.privateKeyPem);
          return await opened.session.perform(call);
        } catch (cause) {
          return { reply: { outcome: 'adapter_error', reason: String(cause) } };
        }
      },
    };
    const { result } = await runOpened({ cases: 1, only: ['recurring/*'] }, { ...opened, session });
    expect(result.conclusion).toBe('conformant');
    const values = result.observations.filter(({ openPoint }) => openPoint === 'A2').map(({ value }) => value);
    expect(values).toEqual([`private key as PKCS#1: ${observed}`]);
  });
}

function refusing(text: string): (pem: string) => void {
  return (pem) => {
    if (pem.includes(text)) throw new Error('unknown form of a private key');
  };
}
