/** One engagement of the desk: a client with credentials, a base URL and a plan of its own, and what it has sent so far. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Exchange } from '../../record/exchange.ts';

export interface Engagement {
  /** `e` and twelve hexadecimal digits: the first segment of its path. */
  readonly id: string;
  /** As its owner calls the client. */
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** What the client can do; the plan has steps for nothing else. */
  readonly operations: readonly Operation[];
  readonly endpointId: string;
  readonly consumerKey: string;
  /** Issued by the desk for this engagement alone, of hexadecimal digits. */
  readonly consumerSecret: string;
  /** SPKI, PEM: made by the desk, or given by the owner of the client. */
  readonly publicKeyPem: string;
  /** PKCS#8, PEM; absent where the owner of the client keeps it. */
  readonly privateKeyPem?: string;
}

/** An exchange with its place in the engagement. */
export interface KeptExchange {
  /** From 1, never used again. */
  readonly number: number;
  /** Step of the plan that it belongs to; absent for a request outside of the plan. */
  readonly step?: string;
  /** What the client had been told when it sent it. */
  readonly baseUrl: string;
  readonly exchange: Exchange;
}

/** A request that could not be recorded whole, and so was never judged. */
export interface Unread {
  readonly at: number;
  readonly reason: string;
}

/** What the person at the client says of a step: never evidence of the suite. */
export type Reported = 'showed' | 'did-not-show';

export interface EngagementRecord {
  readonly engagement: Engagement;
  readonly exchanges: readonly KeptExchange[];
  /** Numbers of exchanges that a repetition or a new start has replaced: kept, shown and not judged. */
  readonly superseded: ReadonlySet<number>;
  readonly reported: ReadonlyMap<string, Reported>;
  readonly skipped: ReadonlySet<string>;
  readonly unread: readonly Unread[];
  readonly privateKeyGiven: boolean;
  /** Grows with everything that happens. */
  readonly version: number;
}

/** The exchanges that count, in the order of their arrival. */
export function countingExchanges({ exchanges, superseded }: EngagementRecord): KeptExchange[] {
  return exchanges.filter(({ number }) => !superseded.has(number));
}
