/** The self-test of an adapter: whether it keeps to the protocol. What its client does with payments is not its concern. */

import { AdapterError } from '../adapter/adapter-error.ts';
import type { AdapterOptions } from '../adapter/adapter-session.ts';
import type { Check, CheckedPoint, Seen } from './checked-point.ts';
import { endings } from './endings.ts';
import { greetings, remains } from './greetings.ts';
import { offers } from './offers.ts';
import { peers } from './peers.ts';
import { AdapterProbe, type Peer } from './probe.ts';
import { texts } from './texts.ts';

/** By the fact that each establishes, in the order in which they run. */
export const checks: Readonly<Record<string, Check>> = {
  ...greetings,
  ...texts,
  ...offers,
  ...peers,
  ...endings,
  ...remains,
};

/**
 * Runs every check, one after another, and leaves no process behind. Takes some ten seconds.
 *
 * @param peer answers what the client sends; it never has to verify anything.
 * @param onPoint called for each point as soon as it is known.
 * @returns one point for each check; only the first where the adapter does not introduce itself.
 */
export async function checkAdapter(
  options: AdapterOptions,
  peer: Peer,
  onPoint: (point: CheckedPoint) => void = () => {},
): Promise<readonly CheckedPoint[]> {
  const probe = new AdapterProbe(options, peer);
  const points: CheckedPoint[] = [];
  try {
    for (const [name, check] of Object.entries(checks)) {
      const seen = await seenBy(check, probe);
      const point = { name, ok: seen.hint === undefined, ...seen };
      points.push(point);
      onPoint(point);
      if (!point.ok && points.length === 1) break;
    }
  } finally {
    await probe.end();
  }
  return points;
}

async function seenBy(check: Check, probe: AdapterProbe): Promise<Seen> {
  try {
    return await check(probe);
  } catch (error) {
    if (error instanceof AdapterError) return { what: error.message, hint: error.hint };
    throw error;
  }
}
