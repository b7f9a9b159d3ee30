/** The verification: the meaning of the verifier's JSON, the signing proxy, and a hostile environment. */

import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import {
  noVerdictRows,
  type PactFile,
  readPactFiles,
  readVerdicts,
  unverifiedRows,
} from '../../../src/extras/pact/contracts.ts';
import { openSigningForwarder, type SigningForwarder } from '../../../src/extras/pact/signing-forwarder.ts';
import { performContracts, runVerifier, verifyContracts } from '../../../src/extras/pact/verify-contracts.ts';
import { publishedIdentity } from '../../../src/mock/identity.ts';
import { verifyRequest } from '../../../src/protocol/oauth/verify-request.ts';
import { headerValues, type SentRequest } from '../../../src/record/exchange.ts';
import { publishedCredentials } from '../../../src/run/target/published.ts';
import { mockTarget, type Target } from '../../../src/run/target/target.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';
import { listen } from '../../listen.ts';
import { here } from '../../unit/app/run-command.ts';

test('an unreachable gateway passes nothing and fails nothing', async () => {
  const { target, close } = await mockTarget([]);
  await close();
  const rows = await verifyContracts(async () => ({ target, close: async () => {} }));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ outcome, blame }) => `${outcome} ${blame}`)).toEqual(rows.map(() => 'inconclusive environment'));
});

test('a proxy of the machine does not get the requests', async () => {
  const before = process.env.HTTP_PROXY;
  process.env.HTTP_PROXY = 'http://127.0.0.1:9';
  try {
    const rows = await performContracts({ defects: [], variants: [] });
    expect(rows.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
  }
});

test('a file that is not a Pact file is a fault of the suite for each of its interactions', async () => {
  const [file] = await readPactFiles();
  const rows = await verifyContracts(() => mockTarget([]), [{ ...file!, path: '/nowhere/at/all.json' }]);
  expect(rows.map(({ outcome, blame }) => `${outcome} ${blame}`)).toEqual(file!.interactions.map(() => 'error suite'));
});

test('a folder without Pact files is an error in our words, not an empty success', async () => {
  writeFileSync(here('README.md'), 'no contract');
  await expect(readPactFiles(here())).rejects.toThrow('has no Pact file');
  await expect(readPactFiles(here('none'))).rejects.toThrow(/^the folder of Pact files .*none does not exist$/);
  await expect(readPactFiles(here('README.md'))).rejects.toThrow(
    /^the folder of Pact files .*README.md does not exist$/,
  );
});

test('a verification that takes too long is aborted', async () => {
  const [file] = await readPactFiles();
  // No program listens on this port.
  const nowhere = { url: 'http://127.0.0.1:9', statesUrl: 'http://127.0.0.1:9/states' };
  const verified = runVerifier(file!, nowhere, { limitMs: 1, isLive: false });
  await expect(verified).rejects.toThrow('did not end within 1 ms');
});

test('each description occurs once, so that no interaction is mistaken for another', async () => {
  const descriptions = (await readPactFiles()).flatMap(({ interactions }) =>
    interactions.map(({ description }) => description),
  );
  expect([...new Set(descriptions)]).toEqual(descriptions);
});

const description = 'a request to close the day';
const interactions = [{ description, state: 'gate open' }];
const file: PactFile = { name: 'a-b.json', path: '/nowhere/a-b.json', provider: 'b', interactions };
const place = `Verifying a pact between a and b Given gate open - ${description}`;

const resultOf = (result: string, of = description) => ({ description: of, result });
const missing = 'Actual map is missing the following keys: gates';
const errorOn = (mismatch: object, interaction = place) => ({
  interactionResults: [resultOf('Error')],
  errors: [{ interaction, mismatch }],
});
const suiteFault = { outcome: 'error', blame: 'suite' };

/** A part of the verifier's JSON, and the verdict on the interaction. A third text is another state. */
const verdicts: readonly (readonly [fact: string, json: object, verdict: object, state?: string])[] = [
  ['OK is a pass', { interactionResults: [resultOf('OK')], errors: [] }, { outcome: 'pass', mismatches: [] }],
  [
    'mismatches are a failure of the subject, each with its place',
    errorOn({
      type: 'mismatches',
      mismatches: [
        { type: 'StatusMismatch', mismatch: 'expected 200 but was 500' },
        { type: 'BodyMismatch', path: '$.response', mismatch: missing },
      ],
    }),
    { outcome: 'fail', blame: 'subject', mismatches: ['expected 200 but was 500', `$.response: ${missing}`] },
  ],
  [
    'mismatches of another interaction are not taken for those of this one',
    errorOn({ mismatches: [{ mismatch: 'other' }] }, `${place} of a locked gate`),
    { ...suiteFault, mismatches: ['the verifier gave no reason'] },
  ],
  [
    'no answer is inconclusive, because of the environment',
    errorOn({ type: 'error', message: 'error sending request' }),
    { outcome: 'inconclusive', blame: 'environment', mismatches: ['error sending request'] },
  ],
  [
    'no result of any interaction is told as a pact that the verifier could not read',
    { interactionResults: [], errors: [] },
    { ...suiteFault, mismatches: [expect.stringMatching(/^the verifier could not read the pact: check /)] },
  ],
  ['no result is a fault of the suite', { interactionResults: [resultOf('OK', 'another')], errors: [] }, suiteFault],
  ['one with two results is one too', { interactionResults: [resultOf('OK'), resultOf('OK')], errors: [] }, suiteFault],
  [
    'a state that cannot be set is a fault of the suite, whatever the verifier says',
    { interactionResults: [resultOf('OK')] },
    { ...suiteFault, mismatches: ['there is no provider state "gate on fire"'] },
    'gate on fire',
  ],
];

for (const [fact, json, verdict, state = 'gate open'] of verdicts) {
  test(fact, () => {
    const [row] = readVerdicts({ ...file, interactions: [{ description, state }] }, JSON.stringify(json));
    expect(row).toMatchObject({ pact: 'a-b.json', interaction: description, state, ...verdict });
  });
}

test('a file that could not be verified has a faulty row for each interaction', () => {
  const row = { pact: 'a-b.json', interaction: description, state: 'gate open' };
  expect(unverifiedRows(file, 'it did not end')).toEqual([{ ...row, ...suiteFault, mismatches: ['it did not end'] }]);
  expect(noVerdictRows('no files')).toMatchObject([{ outcome: 'error', blame: 'suite', mismatches: ['no files'] }]);
  expect(noVerdictRows('ended', true)).toMatchObject([{ outcome: 'inconclusive', blame: 'environment' }]);
});

test('interactions with one description get different names: with their state, and a number if the state is the same', () => {
  const interactions = [
    ...['gate open', 'several gates', 'several gates'].map((state) => ({ description, state })),
    { description: `${description}, given several gates (2)`, state: 'gate open' },
    { description: 'another', state: 'gate open' },
  ];
  const names = [
    `${description}, given gate open`,
    `${description}, given several gates`,
    `${description}, given several gates (3)`,
    `${description}, given several gates (2)`,
    'another',
  ];
  const results = interactions.map((one) => ({ description: one.description, result: 'OK' }));
  const verified = readVerdicts({ ...file, interactions }, JSON.stringify({ interactionResults: results }));
  expect(verified.map(({ interaction, outcome }) => [interaction, outcome])).toEqual(names.map((one) => [one, 'pass']));
  expect(unverifiedRows({ ...file, interactions }, 'why').map(({ interaction }) => interaction)).toEqual(names);
});

const body = 'payload=YWI%2BCg%3D%3D&x=%31+2';
const closeDayPath = '/api/v2/close-day/1111';
const recurringPath = '/api/v4/process-recurring-payments/1111';

test('the body arrives byte for byte, with the header lines of the sender', async () => {
  await withForwarder(async ({ send, received }) => {
    await send(recurringPath, [['X-Trace', 'a, b']]);
    expect(received[0]?.target).toBe(`/paynet${recurringPath}`);
    expect(Buffer.from(received[0]!.body).toString('utf8')).toBe(body);
    expect(headerValues(received[0]!.headers, 'x-trace')).toEqual(['a, b']);
    expect(headerValues(received[0]!.headers, 'content-type')).toEqual(['application/x-www-form-urlencoded']);
  });
});

for (const path of [closeDayPath, recurringPath]) {
  test(`${path} gets a signature of its operation for the address of the gateway`, async () => {
    await withForwarder(async ({ send, received }) => {
      await send(path, [['Authorization', 'OAuth oauth_signature="of the example"']]);
      expect(isVerified(received[0]!)).toBe(true);
    });
  });

  test(`${path} is signed wrongly while the state is bad signature, and rightly after it`, async () => {
    await withForwarder(async ({ send, received, set }) => {
      expect(await set('bad signature', 'setup')).toBe(200);
      await send(path);
      expect(await set('bad signature', 'teardown')).toBe(200);
      await send(path);
      expect(received.map(isVerified)).toEqual([false, true]);
    });
  });
}

test('an unknown state is refused', async () => {
  await withForwarder(async ({ set }) => {
    expect(await set('gate on fire', 'setup')).toBe(400);
    expect(await set('toString', 'setup')).toBe(400);
  });
});

test('the proxy returns the answer as received, without the headers of a connection', async () => {
  await withForwarder(async ({ send }) => {
    const { response } = await send(closeDayPath);
    expect(response?.status).toBe(299);
    expect(response?.reason).toBe('Odd');
    expect(headerValues(response!.headers, 'x-twice')).toEqual(['1', '2']);
    expect(headerValues(response!.headers, 'content-length')).toEqual([]);
    expect(headerValues(response!.headers, 'transfer-encoding')).toEqual(['chunked']);
    expect(Buffer.from(response!.body).toString('utf8')).toBe('answer');
  });
});

test('if the gateway does not answer, the proxy closes the connection', async () => {
  await withForwarder(async ({ send }) => {
    expect((await send('/api/v2/close-day/gone')).failure?.kind).toBe('reset');
  });
});

interface Surroundings {
  send(path: string, headers?: SentRequest['headers']): ReturnType<ReturnType<typeof openTransport>['send']>;
  /** The HTTP status of the state change. */
  set(state: string, action: 'setup' | 'teardown'): Promise<number | undefined>;
  readonly received: readonly SentRequest[];
}

/** A proxy before a gateway that stores its requests, and closes the connection at the path `gone`. */
async function withForwarder(use: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  const received: SentRequest[] = [];
  const gateway = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url?.endsWith('/gone')) {
      response.destroy();
      return;
    }
    const headers = request.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1]!] as const] : []));
    const line = {
      method: request.method!,
      scheme: 'http',
      host: request.headers.host!,
      target: request.url!,
    } as const;
    received.push({ ...line, headers, body: Buffer.concat(chunks) });
    response.writeHead(299, 'Odd', ['X-Twice', '1', 'X-Twice', '2']);
    response.end('answer');
  });
  const { host } = await listen(gateway);
  const place = { kind: 'mock', scheme: 'http', host, prefix: '/paynet' } as const;
  const target: Target = { ...place, ...publishedCredentials(), endpoints: { open: '1111' }, gates: {} };
  let nonce = 0;
  const forwarder = await openSigningForwarder(
    async () => ({ target, close: async () => {} }),
    () => ({ timestamp: '1800000000', nonce: `nonce${++nonce}` }),
  );
  const transport = openTransport();
  try {
    await use({
      received,
      send: (path, headers = []) => transport.send(post(forwarder, path, body, headers)),
      set: async (state, action) => {
        const text = JSON.stringify({ state, action, params: {} });
        return (await transport.send(post(forwarder, '/provider-states', text, []))).response?.status;
      },
    });
  } finally {
    await transport.close();
    await forwarder.close();
    await new Promise((resolve) => gateway.close(resolve));
  }
}

function post({ url }: SigningForwarder, path: string, text: string, headers: SentRequest['headers']): SentRequest {
  return {
    method: 'POST',
    scheme: 'http',
    host: new URL(url).host,
    target: path,
    headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...headers],
    body: Buffer.from(text, 'utf8'),
  };
}

function isVerified(request: SentRequest): boolean {
  const { consumerKey, consumerSecret } = publishedIdentity;
  const publicKey = publishedCredentials().credentials.publicKeyPem;
  const rsa = { method: 'RSA-SHA256', publicKey: createPublicKey(publicKey) } as const;
  const keys = [{ method: 'HMAC-SHA1', consumerSecret }, rsa] as const;
  return verifyRequest(request, (key) => (key === consumerKey ? keys : undefined)).ok;
}
