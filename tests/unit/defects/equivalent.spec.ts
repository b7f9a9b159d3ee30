/** Equivalent alterations change no byte of any request, whatever the caller gives, the credentials are or the base URL is. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { clientDefects } from '../../../src/faults/client/index.ts';
import { type ClientAlteration, newClient } from '../../../src/peer/client/index.ts';
import type { SentRequest } from '../../../src/record/exchange.ts';
import { expect, test } from '../../engine.ts';
import { emptyAnswer, rsaKey } from '../peer/calls.ts';
import { equivalentAlterations } from './equivalent.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const total = fc.option(text, { nil: undefined });

const call = fc.record({
  operation: fc.constantFrom('close-day', 'process-recurring-payments'),
  baseUrl: fc.constantFrom('https://Gate.Example:8443/pay%20Net', 'http://gate.example:80', 'https://[::1]:443/A/'),
  endpointId: fc.stringMatching(/^[A-Za-z0-9 %/+-]{1,8}$/),
  consumerKey: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  consumerSecret: text,
  nonce: fc.stringMatching(/^[A-Za-z0-9+/ %é-]{1,16}$/),
  day_close_request_id: fc.stringMatching(/^[A-Za-z0-9]{8,32}$/),
  totals: fc.tuple(total, total, total, total),
  rows: fc.array(
    fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), fc.stringMatching(/^\d{1,10}$/)),
  ),
});

type Drawn = typeof call extends fc.Arbitrary<infer T> ? T : never;

for (const { id, alteration, why } of equivalentAlterations) {
  test(`${id} changes nothing: ${why}`, async () => {
    let sent = 0;
    const changed: Drawn[] = [];
    await fc.assert(
      fc.asyncProperty(call, async (drawn) => {
        const right = await request(drawn, []);
        if (!isDeepStrictEqual(await request(drawn, [alteration]), right)) changed.push(drawn);
        if (right !== undefined) sent += 1;
      }),
      { seed: 5849, numRuns: 100 },
    );
    expect(changed).toEqual([]);
    expect(sent).toBeGreaterThan(60);
  });
}

test('an alteration that is a defect does not pass for equivalent', async () => {
  const { alteration } = clientDefects.find((defect) => defect.id === 'authentication/parameters-not-sorted')!;
  const [drawn] = fc.sample(call, { seed: 5849, numRuns: 1 });
  expect(await request(drawn!, [alteration])).not.toEqual(await request(drawn!, []));
});

test('no equivalent alteration has the id of a defect', () => {
  const ids = [...clientDefects, ...equivalentAlterations].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

/** The request that goes out; undefined where the client refuses what was drawn. */
async function request(drawn: Drawn, alterations: readonly ClientAlteration[]): Promise<SentRequest | undefined> {
  const { operation, baseUrl, endpointId, consumerKey, consumerSecret, nonce, rows } = drawn;
  let sent: SentRequest | undefined;
  const client = newClient({
    baseUrl,
    endpointId,
    credentials: { consumerKey, key: operation === 'close-day' ? { method: 'HMAC-SHA1', consumerSecret } : rsaKey },
    send: async (given) => {
      sent = given;
      return { response: emptyAnswer };
    },
    clock: () => 1_700_000_000_999,
    nonce: () => nonce,
    alterations,
  });
  const [sale_approved_count, sale_approved_sum, reversal_approved_count, reversal_approved_sum] = drawn.totals;
  if (operation === 'close-day') {
    const { day_close_request_id } = drawn;
    const totals = { sale_approved_count, sale_approved_sum, reversal_approved_count, reversal_approved_sum };
    const given = Object.fromEntries(Object.entries(totals).filter(([, value]) => value !== undefined));
    await client.closeDay({ day_close_request_id, ...given });
  } else {
    const columns = ['client-orderid', 'recurring-payment-id', 'amount'];
    await client.processRecurringPayments({ columns, rows: rows.map(([order, id]) => [order, id, '1.00']) });
  }
  return sent;
}
