/** The contracts against a mock that somebody else started: through the effect guard, and never beyond the allowance. */
import { ledgerInMemory } from '../../../src/app/prove/live-in-memory.ts';
import { verifyContracts } from '../../../src/extras/pact/verify-contracts.ts';
import { startMock } from '../../../src/mock/server.ts';
import { newGuard } from '../../../src/run/allowance/guard.ts';
import type { LiveConfig } from '../../../src/run/target/live-config.ts';
import { publishedProfile } from '../../../src/run/target/published.ts';
import { siteOf } from '../../../src/run/target/site.ts';
import { liveTarget } from '../../../src/run/target/target.ts';
import { openTransport } from '../../../src/run/transport/transport.ts';
import { expect, test } from '../../engine.ts';

const recurring = [
  { id: '1234567890', amount: '1.00' },
  { id: '1234567891', amount: '10.42' },
];

async function verifiedWith(allow: LiveConfig['allow']) {
  const mock = await startMock({ control: { port: 0 } });
  try {
    const { baseUrl, controlUrl } = mock;
    const { credentials: _, ...published } = publishedProfile;
    const config = { ...published, target: baseUrl, controlUrl, recurring, allow };
    const pace = { turn: async () => {}, answered: () => {}, overloaded: () => undefined };
    const guard = newGuard({ site: siteOf(config), limits: config, ledger: ledgerInMemory(), pace });
    const target = await liveTarget(config, {});
    const rows = await verifyContracts(
      async () => ({ target, close: async () => {} }),
      undefined,
      () => ({
        transport: openTransport(),
        pass: guard.send.bind(guard),
      }),
    );
    return { rows, counters: mock.counters() };
  } finally {
    await mock.close();
  }
}

test('a live mock keeps the contracts within the allowance; what it has no endpoint for is not determined @all', async () => {
  const { rows, counters } = await verifiedWith({
    'closes-day': 20,
    'starts-payments': { count: 60, total: '400.00' },
  });
  expect(rows.filter(({ outcome }) => outcome !== 'pass')).toMatchObject([
    { state: 'several gates', outcome: 'inconclusive', blame: 'configuration' },
    // What cannot be read may charge anything: the guard lets it through to no live target.
    { state: 'payload not base64', outcome: 'inconclusive', blame: 'configuration' },
  ]);
  expect(rows).toHaveLength(21);
  expect(counters.closedDays).toBeLessThanOrEqual(20);
  expect(counters.startedPayments).toBeLessThanOrEqual(60);
});

test('where nothing is allowed nothing is sent, and no interaction is green', { tag: '@all' }, async () => {
  const nothing = { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } };
  const { rows, counters } = await verifiedWith(nothing);
  expect([...new Set(rows.map(({ outcome, blame }) => `${outcome} ${blame}`))]).toEqual(['inconclusive configuration']);
  expect(counters).toMatchObject({ closedDays: 0, startedPayments: 0, requests: 0 });
});
