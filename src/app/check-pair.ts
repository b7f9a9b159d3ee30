/** Checks whether a client works with a gateway, from a stored run of each. A matrix shows such pairs. */
import { randomBytes } from 'node:crypto';
import { checkClients, type StoredClient } from '../extras/impact/check-clients.ts';
import { type ReplayedClient, replayRequests, withMockTarget } from '../extras/impact/replay.ts';
import { ordinaryCalls } from '../plan/client/cases.ts';
import type { ComparedRun, TakenRequests } from '../verdict/diff/difference.ts';
import { defaultPolicy } from '../verdict/diff/verdict.ts';
import { asTheMockAnswers, likeIn, replayable } from './mock-likeness.ts';

/**
 * A pair breaks if the client misreads an answer of the gateway, but reads the answer of the mock correctly. A pair
 * also breaks if a mock with the variants of the gateway refuses a request of the client.
 */
export async function checkPair(client: StoredClient & ReplayedClient, gateway: ComparedRun, signal: AbortSignal) {
  const { cases = [] } = gateway;
  if (replayable(cases).length === 0) {
    return {
      is: 'unverified' as const,
      reason: 'the run of the gateway has no request signed with the published test identity',
    };
  }
  const old = { ...gateway, cases: asTheMockAnswers(cases) };
  const impact = await checkClients(
    [client],
    { old, fresh: gateway, policy: defaultPolicy, calls: ordinaryCalls },
    signal,
  );
  const { variants, alike, compared } = likeIn(replayable(cases));
  const mock = { alike: alike[1], compared };
  const place = { defects: [], variants: variants.map(({ id }) => id) };
  const taken = await withMockTarget(place, randomBytes(8).toString('hex'), (target) =>
    replayRequests([client], target, signal),
  );
  const requests: readonly TakenRequests[] = 'hindrance' in taken ? [] : taken.flat();
  const readings = [...impact.clients.flatMap((one) => one.readings), ...requests];
  const broken = readings.find((one) => one.is === 'breaks');
  if (broken !== undefined) {
    const { exchange, answered } = broken;
    const reason =
      'read' in broken
        ? `the client reads ${broken.read} instead of ${broken.expected} in exchange ${exchange}: ${answered}`
        : `exchange ${exchange} of the client is refused: ${answered}`;
    return { is: 'breaks' as const, reason, mock };
  }
  const open = readings.find((one) => one.is === 'unverified')?.reason;
  const reason = open ?? ('hindrance' in taken ? taken.hindrance : undefined);
  return reason === undefined ? { is: 'works' as const, mock } : { is: 'unverified' as const, reason, mock };
}
