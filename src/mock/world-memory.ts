/** The world as it was at some time, and the way back to it. */
import type { World } from './state.ts';

/**
 * Remembers endpoints, profiles, nonces, counters and scripted answers. The function that comes back puts them there again,
 * as often as it is called. Serial numbers go on: a number that was given out is never given out twice (2.2, 2.4).
 */
export function rememberWorld(world: World): () => void {
  const { endpoints, profiles, nonces, counters, nextAnswers } = world;
  const memory = structuredClone({ endpoints, profiles, nonces, counters, nextAnswers });
  return () => {
    const fresh = structuredClone(memory);
    refill(world.endpoints, fresh.endpoints);
    refill(world.profiles, fresh.profiles);
    refill(world.nextAnswers, fresh.nextAnswers);
    world.nonces.clear();
    for (const nonce of fresh.nonces) world.nonces.add(nonce);
    Object.assign(world.counters, fresh.counters);
  };
}

function refill<K, V>(map: Map<K, V>, from: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}
