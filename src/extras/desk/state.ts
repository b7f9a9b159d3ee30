/** The state of the desk: what its events add up to, the same live and after a restart. */
import {
  countingExchanges,
  type Engagement,
  type EngagementRecord,
  type KeptExchange,
  type Reported,
  type Unread,
} from './engagement.ts';
import type { DeskEvent, KeptCertificate } from './events.ts';

/** A record while it is being added to; everybody else sees the readonly face. */
interface GrowingRecord extends EngagementRecord {
  readonly exchanges: KeptExchange[];
  readonly superseded: Set<number>;
  readonly reported: Map<string, Reported>;
  readonly skipped: Set<string>;
  readonly unread: Unread[];
  privateKeyGiven: boolean;
  version: number;
  lastNumber: number;
}

export class DeskState {
  certificate: KeptCertificate | undefined;
  private readonly records = new Map<string, GrowingRecord>();

  /** In the order of their creation. */
  all(): readonly EngagementRecord[] {
    return [...this.records.values()];
  }

  find(id: string): EngagementRecord | undefined {
    return this.records.get(id);
  }

  findByConsumerKey(consumerKey: string): EngagementRecord | undefined {
    return this.all().find(({ engagement }) => engagement.consumerKey === consumerKey);
  }

  /** The number that the next exchange of the engagement gets. */
  nextNumber(id: string): number {
    return (this.records.get(id)?.lastNumber ?? 0) + 1;
  }

  /** Returns why the event cannot be taken in its place, in words that follow "it"; then nothing has changed. */
  apply(event: DeskEvent): string | undefined {
    if (event.t === 'certificate') {
      this.certificate = event.certificate;
      return undefined;
    }
    if (event.t === 'engagement') {
      const { id } = event.engagement;
      if (this.records.has(id)) return `begins the engagement ${id}, which has begun`;
      this.records.set(id, emptyRecord(event.engagement));
      return undefined;
    }
    const record = this.records.get(event.engagement);
    if (record === undefined) return 'is about an unknown engagement';
    if (event.t === 'exchange' && event.number <= record.lastNumber)
      return `has the number ${event.number} of another exchange`;
    add(event, record);
    record.version += 1;
    return undefined;
  }

  /** Takes an exchange out again that could not be written down. Its number is not used again. */
  withdraw(id: string, number: number): void {
    const record = this.records.get(id);
    if (record === undefined) return;
    const at = record.exchanges.findIndex((kept) => kept.number === number);
    if (at !== -1) record.exchanges.splice(at, 1);
    record.version += 1;
  }
}

function emptyRecord(engagement: Engagement): GrowingRecord {
  return {
    engagement,
    exchanges: [],
    superseded: new Set(),
    reported: new Map(),
    skipped: new Set(),
    unread: [],
    privateKeyGiven: false,
    version: 1,
    lastNumber: 0,
  };
}

function add(event: Exclude<DeskEvent, { readonly t: 'engagement' | 'certificate' }>, record: GrowingRecord): void {
  switch (event.t) {
    case 'exchange': {
      const { t: _, engagement: __, ...kept } = event;
      record.exchanges.push(kept);
      record.lastNumber = Math.max(record.lastNumber, kept.number);
      return;
    }
    case 'unread':
      record.unread.push({ at: event.at, reason: event.reason });
      return;
    case 'step':
      act(event, record);
      return;
    case 'restart':
      for (const { number } of countingExchanges(record)) record.superseded.add(number);
      record.reported.clear();
      record.skipped.clear();
      return;
    case 'private-key-given':
      record.privateKeyGiven = true;
      return;
    default:
      event satisfies never;
  }
}

function act({ step, action }: DeskEvent & { readonly t: 'step' }, record: GrowingRecord): void {
  if (action === 'skip') {
    record.skipped.add(step);
  } else if (action === 'repeat') {
    for (const kept of countingExchanges(record)) if (kept.step === step) record.superseded.add(kept.number);
    record.reported.delete(step);
    record.skipped.delete(step);
  } else {
    record.reported.set(step, action);
  }
}
