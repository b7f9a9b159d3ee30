/** The self-test of adapters: does one keep the protocol? */
import { AdapterError } from '../adapter/adapter-error.ts';
import type { AdapterOptions } from '../adapter/session.ts';
import { checks } from './checks.ts';
import { AdapterProbe, type Check, type CheckedPoint, type Peer, type Seen, wrong } from './probe.ts';

export type { CheckedPoint, Peer } from './probe.ts';

/** In a row: each costs a deadline, while a person waits, and the next would show the same. */
const mostUnanswered = 2;

/**
 * Runs every check, one after another, and leaves no process behind. Takes some ten seconds.
 *
 * @param peer answers what the client sends; it never has to verify anything.
 * @param onPoint called for each point as soon as it is known.
 * @returns one point for each check; only the first where the adapter does not introduce itself, and fewer where it does not
 * answer cases, which the last point then says.
 */
export async function checkAdapter(
  options: AdapterOptions,
  peer: Peer,
  onPoint: (point: CheckedPoint) => void = () => {},
): Promise<readonly CheckedPoint[]> {
  const probe = new AdapterProbe(options, peer);
  const points: CheckedPoint[] = [];
  const add = (name: string, seen: Seen) => {
    const point = { name, ok: seen.hint === undefined, ...seen };
    points.push(point);
    onPoint(point);
  };
  try {
    for (const [name, check] of Object.entries(checks)) {
      add(name, await seenBy(check, probe));
      if (!points[0]!.ok) break;
      if (probe.unanswered < mostUnanswered) continue;
      add('cases are answered in time', unanswered(Object.keys(checks).length - points.length));
      break;
    }
  } finally {
    await probe.end();
  }
  return points;
}

function unanswered(left: number): Seen {
  return wrong(
    `${mostUnanswered} cases in a row had no answer in time, so that ${left} more points were not checked.`,
    'Mend what the points before this one say, and check again.',
  );
}

async function seenBy(check: Check, probe: AdapterProbe): Promise<Seen> {
  try {
    return await check(probe);
  } catch (error) {
    if (error instanceof AdapterError) return { what: error.message, hint: error.hint };
    throw error;
  }
}
