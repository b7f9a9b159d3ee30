/** An engagement (a client with credentials, base URL and plan), its events in the state file, and its state. */
import type { Operation } from '../../../contracts/operations.ts';
import { CodedError, inTwoLines } from '../../record/errors.ts';
import type { Exchange } from '../../record/exchange.ts';

export interface Engagement {
  /** `e` and twelve hexadecimal digits: the first segment of the path. */
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** What the client supports; the plan has steps only for these. */
  readonly operations: readonly Operation[];
  readonly endpointId: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** SPKI, PEM: made by the desk, or provided by the owner of the client. */
  readonly publicKeyPem: string;
  /** PKCS#8, PEM; absent if the owner of the client keeps it. */
  readonly privateKeyPem?: string;
}

export interface KeptExchange {
  /** From 1, never reused. */
  readonly number: number;
  readonly step?: string;
  readonly baseUrl: string;
  readonly exchange: Exchange;
}

/** What the person at the client reports about a step. It is never evidence. */
export type Reported = 'showed' | 'did-not-show';

/** `repeat`: earlier requests for the step no longer count. */
export type StepAction = Reported | 'skip' | 'repeat';

export const stepActions: readonly StepAction[] = ['showed', 'did-not-show', 'skip', 'repeat'];

/** The server's certificate survives a restart, so that clients need to trust it only once. All PEM. */
export interface KeptCertificate {
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
  /** Milliseconds since the Unix epoch. */
  readonly issuedAt: number;
}

interface At {
  readonly engagement: string;
  readonly at: number;
}

export type DeskEvent =
  | { readonly t: 'engagement'; readonly engagement: Engagement }
  | ({ readonly t: 'exchange'; readonly engagement: string } & KeptExchange)
  | ({ readonly t: 'unread'; readonly reason: string } & At)
  | ({ readonly t: 'step'; readonly step: string; readonly action: StepAction } & At)
  /** Earlier exchanges are kept but no longer count. */
  | ({ readonly t: 'restart' } & At)
  | ({ readonly t: 'private-key-given' } & At)
  | { readonly t: 'certificate'; readonly certificate: KeptCertificate };

export interface EngagementRecord {
  readonly engagement: Engagement;
  readonly exchanges: KeptExchange[];
  /** Numbers of exchanges replaced by a repetition or a restart: kept and shown, but not judged. */
  readonly superseded: Set<number>;
  readonly reported: Map<string, Reported>;
  readonly skipped: Set<string>;
  /** Requests that could not be recorded completely, so they were never judged. */
  readonly unread: { readonly at: number; readonly reason: string }[];
  privateKeyGiven: boolean;
  version: number;
  lastNumber: number;
}

export function countingExchanges({ exchanges, superseded }: EngagementRecord): KeptExchange[] {
  return exchanges.filter(({ number }) => !superseded.has(number));
}

export class DeskState {
  certificate: KeptCertificate | undefined;
  readonly records = new Map<string, EngagementRecord>();

  /** Applies an event. If it does not fit, returns the reason (to follow "it") and changes nothing. */
  apply(event: DeskEvent): string | undefined {
    if (event.t === 'certificate') {
      this.certificate = event.certificate;
      return undefined;
    }
    if (event.t === 'engagement') {
      const { engagement } = event;
      if (this.records.has(engagement.id)) return `creates the engagement ${engagement.id} a second time`;
      this.records.set(engagement.id, {
        engagement,
        exchanges: [],
        superseded: new Set(),
        reported: new Map(),
        skipped: new Set(),
        unread: [],
        privateKeyGiven: false,
        version: 1,
        lastNumber: 0,
      });
      return undefined;
    }
    const record = this.records.get(event.engagement);
    if (record === undefined) return 'names an unknown engagement';
    const { exchanges, superseded, reported, skipped, unread, lastNumber } = record;
    const supersede = (some: (kept: KeptExchange) => boolean) => {
      for (const kept of exchanges.filter(some)) superseded.add(kept.number);
    };
    if (event.t === 'exchange') {
      const { t: _, engagement: __, ...kept } = event;
      if (kept.number <= lastNumber) return `has the number ${kept.number} of another exchange`;
      exchanges.push(kept);
      record.lastNumber = kept.number;
    } else if (event.t === 'unread') {
      unread.push({ at: event.at, reason: event.reason });
    } else if (event.t === 'private-key-given') {
      record.privateKeyGiven = true;
    } else if (event.t === 'restart') {
      supersede(() => true);
      reported.clear();
      skipped.clear();
    } else if (event.action === 'skip') {
      skipped.add(event.step);
    } else if (event.action === 'repeat') {
      supersede(({ step }) => step === event.step);
      reported.delete(event.step);
      skipped.delete(event.step);
    } else {
      reported.set(event.step, event.action);
    }
    record.version += 1;
    return undefined;
  }
}

export class DeskError extends CodedError<
  | 'state-in-use'
  | 'state-unwritable'
  | 'state-foreign'
  | 'state-full'
  | 'bad-request'
  | 'bad-public-key'
  | 'no-such-thing'
  | 'already-given'
  | 'too-many'
> {}

/** Takes a template of two lines: what is wrong, and what to do. */
export function deskError(code: DeskError['code'], cause?: unknown) {
  return inTwoLines((message, hint) => new DeskError(code, message, hint, cause));
}
