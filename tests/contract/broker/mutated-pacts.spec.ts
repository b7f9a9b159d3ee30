/** Pacts that somebody else has written, with one member changed: each is refused in a sentence before the run, or verified to rows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fetchPacts } from '../../../src/extras/pact/broker.ts';
import { readPactFiles } from '../../../src/extras/pact/contracts.ts';
import { performContracts } from '../../../src/extras/pact/verify-contracts.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';
import { startStubBroker } from './stub-broker.ts';

const others: readonly unknown[] = [
  null,
  true,
  -1,
  '',
  'x'.repeat(100_000),
  '\u001b[31m\u0000',
  [],
  {},
  [[null]],
  '(a+)+$',
  '$..*',
  '__proto__',
];

for (const [pacts, tag] of [
  [3, []],
  [40, ['@all']],
] as const) {
  test(`${pacts} pacts with a member in another form`, { tag: [...tag] }, async () => {
    const draw = diceFrom(pacts);
    const files = await readPactFiles();
    const seen = { refused: 0, verified: 0, failed: 0 };
    for (let at = 0; at < pacts; at++) {
      const pact = JSON.parse(readFileSync(draw.of(files).path, 'utf8'));
      // Two interactions show as much as twenty.
      pact.interactions = pact.interactions.slice(draw.below(4)).slice(0, 2);
      const place = draw.of(placesIn(pact));
      const changed = draw.of(['removed', 'another', 'another', 'another', 'twice']);
      if (changed === 'removed') delete place.of[place.name];
      else if (changed === 'twice') place.of[`${place.name}2`] = place.of[place.name];
      else place.of[place.name] = draw.of(others);
      const broker = await startStubBroker([{ consumer: 'shop', version: '1', pact }]);
      try {
        const fetched = await fetchPacts({ url: broker.url });
        const path = test.info().outputPath(`${at}.json`);
        writeFileSync(path, fetched[0]!.text);
        const rows = await performContracts({ defects: [], variants: [], pacts: [{ name: fetched[0]!.name, path }] });
        for (const { outcome, mismatches } of rows) {
          expect(['pass', 'fail', 'error', 'inconclusive']).toContain(outcome);
          if (outcome !== 'pass') expect(mismatches.join('')).not.toMatch(/^$|Cannot read|is not a function| {4}at /);
          seen[outcome === 'pass' ? 'verified' : 'failed'] += 1;
        }
      } catch (cause) {
        expect(cause).toMatchObject({ name: 'BrokerError', message: expect.stringMatching(/^[^\n]{10,900}$/) });
        seen.refused += 1;
      } finally {
        await broker.close();
      }
    }
    if (pacts > 3) expect(Object.values(seen).filter((count) => count === 0)).toEqual([]);
    test.info().annotations.push({ type: 'measured: mutated pacts', description: JSON.stringify(seen) });
  });
}

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
    const broker = await startStubBroker([{ consumer: 'shop', version: '1', pact }]);
    const fetching = fetchPacts({ url: broker.url, authorization });
    await expect(fetching).rejects.toMatchObject({
      code: 'unreadable',
      message: `a pact of the Pact Broker ${broker.url} holds the credentials that were sent to it`,
    });
    await expect(fetchPacts({ url: broker.url, authorization: 'Bearer another-token' })).resolves.toHaveLength(1);
    await broker.close();
  });
}

test('a link of a broker with the token in it is in no message', async () => {
  const text = '{"_links":{"pb:provider-pacts-for-verification":{"href":"http://127.0.0.2/the-token"}}}';
  const broker = await startStubBroker([], () => ({ status: 200, text }));
  await expect(fetchPacts({ url: broker.url, authorization: 'Bearer the-token' })).rejects.toMatchObject({
    message: `a link of the Pact Broker ${broker.url} holds the credentials that were sent to it`,
  });
  await broker.close();
});

test('pacts that have no interaction at all are nothing to verify', async () => {
  const pact = { ...pactOf(''), interactions: [] };
  const one = await startStubBroker([{ consumer: 'shop', version: '1', pact }]);
  await expect(fetchPacts({ url: one.url })).rejects.toMatchObject({ code: 'nothing-to-verify' });
  await one.close();
  const two = await startStubBroker([
    { consumer: 'shop', version: '1', pact },
    { consumer: 'kiosk', version: '1', pact: pactOf('a day that closes') },
  ]);
  await expect(fetchPacts({ url: two.url })).resolves.toHaveLength(2);
  await two.close();
});

interface Place {
  readonly of: Record<string, unknown>;
  readonly name: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const of = value as Record<string, unknown>;
  return Object.keys(of).flatMap((name) => [{ of, name }, ...placesIn(of[name])]);
}

test('pacts that are missing are named in words, and not in those of the system', async () => {
  const none = test.info().outputPath('none');
  await expect(readPactFiles(none)).rejects.toThrow(/^the folder of the pacts .*none does not exist$/);
  const file = test.info().outputPath('file');
  writeFileSync(file, '');
  await expect(readPactFiles(file)).rejects.toThrow(/^the folder of the pacts .*file does not exist$/);
});
