/** Fetching, verifying and publishing the pacts of a broker. A stub answers as the documentation of brokers says. */
import { existsSync, readFileSync } from 'node:fs';
import { gatewayRunOptions } from '../../../src/app/commands/gateway.ts';
import { fetchPacts, withBrokeredPacts } from '../../../src/extras/pact/broker.ts';
import { readPactFiles } from '../../../src/extras/pact/contracts.ts';
import { providerStates } from '../../../src/extras/pact/signing-forwarder.ts';
import { performContracts } from '../../../src/extras/pact/verify-contracts.ts';
import type { ContractRow } from '../../../src/record/result/result.ts';
import type { Input } from '../../../src/run/options/options.ts';
import type { RunOptions } from '../../../src/run/options/run-options.ts';
import { publishedConfig } from '../../../src/run/target/target.ts';
import { expect, test } from '../../engine.ts';
import { type StoredPact, type StubBroker, startStubBroker } from './stub-broker.ts';

const storedPacts = async (): Promise<StoredPact[]> =>
  (await readPactFiles()).map(({ name, path }) => ({
    consumer: name.replace(/-payment-gateway\.json$/, ''),
    version: '1.0.0',
    pact: JSON.parse(readFileSync(path, 'utf8')),
  }));

const publishAs = { version: '4.12.0', branch: 'main' };
const token = { PACT_BROKER_TOKEN: 'the-token' };
const closeDay = 'Pact between close-day-client (1.0.0) and payment-gateway';
const recurring = 'Pact between recurring-payments-client (1.0.0) and payment-gateway';
const resultsOf = (consumer: string) =>
  `POST /pacts/provider/payment-gateway/consumer/${consumer}/version/1.0.0/verification-results`;

async function withBroker<T>(
  run: (broker: StubBroker) => Promise<T>,
  ...args: Partial<Parameters<typeof startStubBroker>>
) {
  const broker = await startStubBroker(args[0] ?? (await storedPacts()), args[1]);
  try {
    return await run(broker);
  } finally {
    await broker.close();
  }
}

const row = (pact: string, outcome: ContractRow['outcome']): ContractRow => ({
  pact,
  interaction: `one that is ${outcome}`,
  state: 'gate open',
  outcome,
  mismatches: [],
});

test('the pacts of main branches and deployed versions are fetched, and their files are deleted after the run', async () => {
  await withBroker(async ({ url, requests }) => {
    const paths = await withBrokeredPacts({ url, publishAs }, token, async (fetched) => {
      const consumers = fetched.map(({ path }) => JSON.parse(readFileSync(path, 'utf8')).consumer.name);
      expect(consumers).toEqual(['close-day-client', 'recurring-payments-client']);
      return fetched;
    });
    expect(paths.map(({ name }) => name)).toEqual([closeDay, recurring]);
    expect(paths.filter(({ path }) => existsSync(path))).toEqual([]);
    expect(requests.map(({ line }) => line)).toEqual([
      'GET /',
      'POST /pacts/provider/payment-gateway/for-verification',
      'GET /pacts/provider/payment-gateway/consumer/close-day-client/version/1.0.0',
      'GET /pacts/provider/payment-gateway/consumer/recurring-payments-client/version/1.0.0',
    ]);
    expect(requests[1]!.body).toEqual({
      consumerVersionSelectors: [{ matchingBranch: true }, { mainBranch: true }, { deployedOrReleased: true }],
      providerVersionBranch: 'main',
    });
    expect([...new Set(requests.map(({ authorization }) => authorization))]).toEqual(['Bearer the-token']);
  });
});

/** The sentences of a run with these verdicts, and its writing requests. */
function publishRows(rows: readonly ContractRow[], target?: typeof publishAs) {
  return withBroker(async ({ url, requests }) => {
    const sentences: string[] = [];
    const broker = { url, ...(target && { publishAs: target }) };
    await withBrokeredPacts(broker, token, (_, publish) => publish(rows, (sentence) => sentences.push(sentence)));
    const written = requests.filter(({ line }) => /^PUT|results$/.test(line)).map(({ line, body }) => [line, body]);
    return { sentences, written };
  });
}

test('verdicts are published for the version and its branch, and a pact without a verdict is not', async () => {
  const rows = [row(closeDay, 'pass'), row(closeDay, 'inconclusive'), row(recurring, 'pass'), row(recurring, 'fail')];
  expect(await publishRows(rows, publishAs)).toEqual({
    sentences: [
      `${closeDay}: not published, because 1 of 2 interactions has no verdict`,
      `${recurring}: published for version 4.12.0, as failed`,
    ],
    written: [
      ['PUT /pacticipants/payment-gateway/branches/main/versions/4.12.0', {}],
      [resultsOf('recurring-payments-client'), { success: false, providerApplicationVersion: '4.12.0' }],
    ],
  });
});

test('without a version nothing is published', async () => {
  expect(await publishRows([row(closeDay, 'pass')])).toEqual({ sentences: [], written: [] });
});

test('a broker that is too slow in total ends the run with a sentence', async () => {
  await withBroker(async ({ url, requests }) => {
    await expect(fetchPacts({ url, maxMs: 0 })).rejects.toMatchObject({
      code: 'unreachable',
      message: `the Pact Broker ${url} needs more than 0 s in total for its answers`,
    });
    expect([requests.length, (await fetchPacts({ url })).length]).toEqual([0, 2]);
  });
});

test('our own pacts from a broker hold on the mock as they do from their files', { tag: '@all' }, async () => {
  await withBroker(async ({ url }) => {
    await withBrokeredPacts({ url, publishAs }, token, async (pacts, publish) => {
      const rows = await performContracts({ defects: [], variants: [], pacts });
      expect(rows.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
      const sentences: string[] = [];
      await publish(rows, (sentence) => sentences.push(sentence));
      expect(sentences).toEqual(
        [closeDay, recurring].map((name) => `${name}: published for version 4.12.0, as successful`),
      );
    });
  });
});

test('interactions with the same description are distinguished by their states, and an unknown state is inconclusive', async () => {
  const [stored] = await storedPacts();
  const [first] = (stored!.pact as { interactions: object[] }).interactions.filter((one) =>
    /gate open"/.test(JSON.stringify(one)),
  );
  const makeInteraction = (state: string | undefined, status: number) => ({
    ...first,
    description: 'a call',
    providerStates: state === undefined ? [] : [{ name: state }],
    response: { status },
  });
  const states = ['gate open', 'several gates', 'gate on fire', undefined];
  const interactions = states.map((state, at) => makeInteraction(state, at === 1 ? 201 : 200));
  const foreign = { consumer: 'till', version: '7', pact: { ...stored!.pact, interactions } };
  await withBroker(
    async ({ url }) => {
      const rows = await withBrokeredPacts({ url }, token, (pacts) =>
        performContracts({ defects: [], variants: [], pacts } satisfies Partial<RunOptions>),
      );
      expect(rows.map(({ state, outcome, mismatches }) => [state, outcome, mismatches])).toEqual([
        ['gate open', 'pass', []],
        ['several gates', 'fail', ['expected 201 but was 200']],
        ['gate on fire', 'inconclusive', ['not sent: there is no provider state "gate on fire"']],
        ['', 'pass', []],
      ]);
    },
    [foreign],
  );
});

test('the Pact verifier makes the same requests to the stub, and publishes in the same place @all', async () => {
  const { default: core } = await import('@pact-foundation/pact-core');
  await withBroker(async ({ url, requests }) => {
    await withBrokeredPacts({ url, publishAs }, token, (_, publish) =>
      publish([row(closeDay, 'fail'), row(recurring, 'fail')], () => {}),
    );
    const suiteRequests = requests.splice(0);
    const verified = core.default.verifyPacts({
      provider: 'payment-gateway',
      // No program listens here. The verifier publishes every interaction as a failure, so we publish ourselves.
      providerBaseUrl: 'http://127.0.0.1:9',
      pactBrokerUrl: url,
      pactBrokerToken: 'the-token',
      consumerVersionSelectors: [{ matchingBranch: true }, { mainBranch: true }, { deployedOrReleased: true }],
      publishVerificationResult: true,
      providerVersion: '4.12.0',
      providerVersionBranch: 'main',
      timeout: 500,
      logLevel: 'error',
    });
    await expect(verified).rejects.toThrow();
    for (const { line, body, authorization } of suiteRequests.filter((one) => one.line !== 'GET /')) {
      const match = requests.find((one) => one.line === line);
      expect({ line, ...match }).toMatchObject({ line, authorization, ...(body === undefined ? {} : { body }) });
    }
  });
});

const page = (text: string) => () => ({ status: 200, text });
const link = (href: unknown) => page(JSON.stringify({ _links: { 'pb:provider-pacts-for-verification': { href } } }));
const listed = (pacts: unknown) => page(JSON.stringify({ _embedded: { pacts } }));
const pactPath = 'close-day-client/version/1.0.0';
type Answer = () => { status: number; text: string };
type Fault = [fact: string, code: string, line: string, answer: Answer, says?: (url: string) => string];
const faults: readonly Fault[] = [
  ['refuses the credentials', 'refused', 'GET /', () => ({ status: 401, text: '' })],
  ['has no such pact any more', 'refused', pactPath, () => ({ status: 404, text: '{}' })],
  ['is a page', 'unreadable', 'GET /', page('<html></html>')],
  ['is another JSON service', 'unreadable', 'GET /', page('[]')],
  ['says null', 'unreadable', 'GET /', page('null')],
  ['has a number as a link', 'unreadable', 'GET /', link(1)],
  ['never stops', 'unreachable', 'GET /', page(' '.repeat(16 * 1024 ** 2 + 1))],
  ['has no pacts', 'nothing-to-verify', 'for-verification', listed([])],
  ['has a text as the list of pacts', 'unreadable', 'for-verification', listed('none')],
  ['lists null', 'unreadable', 'for-verification', listed([null])],
  ['lists a thousand pacts', 'unreadable', 'for-verification', listed(Array(1000).fill({}))],
  ['has null as a pact', 'unreadable', pactPath, page('null')],
  ['has a pact without interactions', 'unreadable', pactPath, page('{"provider":{"name":"x"}}')],
  ['sends on to another host', 'unreadable', 'GET /', link('http://127.0.0.2:9/{provider}')],
  [
    'has the token in a link',
    'unreadable',
    'GET /',
    link('http://127.0.0.2/the-token'),
    (url) => `a link of the Pact Broker ${url} contains the credentials that were sent to it`,
  ],
];
for (const [fact, code, place, answer, message] of faults) {
  test(`a broker that ${fact} ends the run before it begins, with a sentence without the credentials`, async () => {
    await withBroker(
      async ({ url }) => {
        const run = withBrokeredPacts({ url }, token, async () => expect('the run').toBe('not begun'));
        const error: Error & { hint: string } = await run.catch((cause) => cause);
        expect(error).toMatchObject({ name: 'BrokerError', code, hint: expect.stringMatching(/\.$/) });
        if (message !== undefined) expect(error.message).toBe(message(url));
        expect(`${error.message} ${error.hint}`).not.toContain('the-token');
      },
      undefined,
      (line) => (line.endsWith(place) ? answer() : undefined),
    );
  });
}

test('if the broker fails on the second result, the sentence on the first pact is printed before', async () => {
  const rows = [row(recurring, 'pass')];
  const lines: string[] = [];
  const publishing = (override: Parameters<typeof startStubBroker>[1]) =>
    withBroker(
      ({ url }) =>
        withBrokeredPacts({ url, publishAs }, token, (_, publish) => publish(rows, (sentence) => lines.push(sentence))),
      undefined,
      override,
    );
  const failResults = (line: string) => (line.endsWith('verification-results') ? { status: 500, text: '' } : undefined);
  await expect(publishing(failResults)).rejects.toMatchObject({ name: 'BrokerError', code: 'refused' });
  expect(lines).toEqual([`${closeDay}: not published, because none of its interactions was verified`]);
});

test('an unreachable broker is named, and a token with a line feed is not shown', async () => {
  const run = withBrokeredPacts({ url: 'http://127.0.0.1:9' }, { PACT_BROKER_TOKEN: 'the\ntoken' }, async () => {});
  await expect(run).rejects.toMatchObject({ message: expect.stringMatching(/^the credentials .* cannot have$/) });
  const unreachable = withBrokeredPacts({ url: 'http://127.0.0.1:9' }, {}, async () => {});
  await expect(unreachable).rejects.toMatchObject({ code: 'unreachable' });
});

const url = 'https://broker.example';
const wrongUse: readonly [given: Input<'gateway'>, message: string][] = [
  [{ publishResults: '4.12.0' }, '--publish-results needs --pact-broker'],
  [{ pactBroker: url, publishResults: '4.12.0' }, '--publish-results needs a gateway'],
  [{ pactBroker: url, shard: '1/2', seed: '1' }, '--pact-broker and --shard exclude each other'],
  [{ pactBroker: url, set: '2026-11' }, '--pact-broker and --set exclude each other'],
  [{ pactBroker: 'broker.example' }, '--pact-broker needs an https:// or http:// address'],
  [{ pactBroker: 'https://me:word@broker.example' }, 'without a password'],
  ...['', '@main', '4.12.0@'].map((publishResults): [Input<'gateway'>, string] => [
    { target: 'http://127.0.0.1:8080', pactBroker: url, publishResults },
    '--publish-results needs VERSION or VERSION@BRANCH',
  ]),
];
test('wrong use is refused before anything is fetched', async () => {
  const live = { ...publishedConfig, target: 'http://127.0.0.1:8080' };
  for (const [given, message] of wrongUse) {
    const target = given.target === undefined ? undefined : live;
    await expect(gatewayRunOptions(given, target, 0, '/'), message).rejects.toThrow(message);
  }
  const given = { pactBroker: url, publishResults: '4.12.0@feat/x' };
  const { broker, contracts } = await gatewayRunOptions(given, live, 0, '/');
  expect([broker, contracts]).toEqual([{ url, publishAs: { version: '4.12.0', branch: 'feat/x' } }, true]);
});

test('docs/reference/pact.md names every provider state', () => {
  const page = readFileSync('docs/reference/pact.md', 'utf8');
  expect(Object.keys(providerStates).filter((state) => !page.includes(`\`${state}\``))).toEqual([]);
});

const pactOf = (description: string, ...more: string[]) => ({
  provider: { name: 'payment-gateway' },
  interactions: [description, ...more].map((one) => ({ description: one, providerStates: [{ name: 'gate open' }] })),
});
const basic = Buffer.from('shop:the-password').toString('base64');
for (const [what, authorization, pact] of [
  ['a token', 'Bearer the-token', pactOf('a request with the-token in it')],
  ['an encoded token', 'Bearer the-token', pactOf(Buffer.from('x: the-token').toString('base64'))],
  ['a password', `Basic ${basic}`, pactOf('a request of the-password')],
  ['a name and its password in base64', `Basic ${basic}`, pactOf(`Authorization: Basic ${basic}`)],
] as const) {
  test(`${what} that a broker puts into its pact ends the run before it begins`, async () => {
    const fetching = async ({ url }: StubBroker) => {
      await expect(fetchPacts({ url, authorization })).rejects.toMatchObject({
        code: 'unreadable',
        message: `a pact of the Pact Broker ${url} contains the credentials that were sent to it`,
      });
      expect(await fetchPacts({ url, authorization: 'Bearer another-token' })).toHaveLength(1);
    };
    await withBroker(fetching, [{ consumer: 'shop', version: '1', pact }]);
  });
}

test('pacts without interactions are an error', async () => {
  const shop = { consumer: 'shop', version: '1', pact: { ...pactOf(''), interactions: [] } };
  const kiosk = { consumer: 'kiosk', version: '1', pact: pactOf('a day that closes') };
  const fetched = (held: StoredPact[]) => withBroker(({ url }) => fetchPacts({ url }), held);
  await expect(fetched([shop])).rejects.toMatchObject({ code: 'nothing-to-verify' });
  expect(await fetched([shop, kiosk])).toHaveLength(2);
});
