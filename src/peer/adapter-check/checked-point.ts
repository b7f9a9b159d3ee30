/** What the self-test says of one property of an adapter. */
import type { AdapterProbe } from './probe.ts';

export interface CheckedPoint {
  /** A fact, such as "bye ends it". */
  readonly name: string;
  readonly ok: boolean;
  /** What was seen, one sentence. */
  readonly what: string;
  /** What to do about it, in the adapter's language where that is known; present where it is not ok. */
  readonly hint?: string;
}

/** What was seen; with a hint, it is a fault. */
export interface Seen {
  readonly what: string;
  readonly hint?: string;
}

/** One property: looks at an adapter and says what it saw. */
export type Check = (probe: AdapterProbe) => Promise<Seen>;

export function wrong(what: string, hint: string): Seen {
  return { what, hint };
}

export function right(what: string): Seen {
  return { what };
}
