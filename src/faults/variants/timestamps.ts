/** Gateways that take fewer timestamps than the mock does: which ones is open (A3). */
import { firstValue, type Reading } from '../../mock/received.ts';
import type { World } from '../../mock/world.ts';
import type { Variant } from './variant.ts';

export const timestampVariants: readonly Variant[] = [
  {
    id: 'stricter-time',
    summary: 'A timestamp may be 30 seconds away from the clock and no more',
    openPoint: 'A3',
    alteration: { settings: { timestampWindowSeconds: 30 } },
  },
  {
    id: 'timestamps-never-go-back',
    summary: 'A timestamp before one that was accepted is refused',
    openPoint: 'A3',
    alteration: { refuses: earlierThanAccepted },
  },
];

/** OAuth Core 1.0 section 8 asks for it, RFC 5849 does not. */
function earlierThanAccepted({ oauth }: Reading, world: World): string | undefined {
  const timestamp = Number(firstValue(oauth, 'oauth_timestamp'));
  const latest = latestTimestamps.get(world) ?? 0;
  if (timestamp < latest) return 'the timestamp is before one that was accepted';
  latestTimestamps.set(world, timestamp);
  return undefined;
}

const latestTimestamps = new WeakMap<World, number>();
