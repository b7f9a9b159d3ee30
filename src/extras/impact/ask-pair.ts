/** One client beside one gateway, from what was kept of both: the gateway's answers for the client, the client's requests for a mock like the gateway. */
import { randomBytes } from 'node:crypto';
import type { ComparedRun, TakenRequests } from '../../verdict/diff/difference.ts';
import { defaultPolicy } from '../../verdict/diff/policy.ts';
import { asTheMockAnswers, likeIn, replayable } from '../../verdict/recordings/mock-likeness.ts';
import { askClients, type StoredClient } from './ask-clients.ts';
import { withMockTarget } from './open-replay-target.ts';
import { type ReplayedClient, replayRequests } from './replay.ts';

/**
 * A client breaks that misreads what the gateway answered and reads what the mock answers to the same, or whose requests a mock
 * refuses that has the variants which make it answer as the gateway did.
 */
export async function askPair(client: StoredClient & ReplayedClient, gateway: ComparedRun, signal: AbortSignal) {
  const { cases = [] } = gateway;
  if (replayable(cases).length === 0) {
    return {
      is: 'unverified' as const,
      reason: 'its run has no request that is signed with the published test identity',
    };
  }
  const old = { ...gateway, cases: asTheMockAnswers(cases) };
  const impact = await askClients([client], { old, fresh: gateway, policy: defaultPolicy }, signal);
  const { variants, alike, compared } = likeIn(replayable(cases));
  const mock = { alike: alike[1], compared };
  const place = { defects: [], variants: variants.map(({ id }) => id) };
  const taken = await withMockTarget(place, randomBytes(8).toString('hex'), (target) =>
    replayRequests([client], target, signal),
  );
  const readings = impact.clients.flatMap((one) => one.readings);
  const requests: readonly TakenRequests[] = 'hindrance' in taken ? [] : taken.flat();
  for (const one of readings) {
    if (one.is !== 'breaks') continue;
    const { exchange, answered, read, expected } = one;
    return {
      is: 'breaks' as const,
      reason: `it reads ${read} in place of ${expected} in exchange ${exchange}: ${answered}`,
      mock,
    };
  }
  for (const one of requests) {
    if (one.is !== 'breaks') continue;
    return { is: 'breaks' as const, reason: `its exchange ${one.exchange} is not taken: ${one.answered}`, mock };
  }
  const open = [...readings, ...requests].flatMap((one) => (one.is === 'unverified' ? [one.reason] : []));
  const [reason = 'hindrance' in taken ? taken.hindrance : undefined] = open;
  return reason === undefined ? { is: 'works' as const, mock } : { is: 'unverified' as const, reason, mock };
}
