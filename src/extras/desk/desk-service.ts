/** What can be done at the desk, whoever asks for it: each change is written down before it is confirmed. */

import { responseOf } from '../../peer/local-gateway/full-answer.ts';
import type { Case } from '../../record/case.ts';
import type { ClientRun } from '../../record/client-case.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import type { Result } from '../../record/result/result.ts';
import { Callers } from './callers.ts';
import { DeskError } from './desk-error.ts';
import type { EngagementRecord } from './engagement.ts';
import type { DeskEvent, StepAction } from './events.ts';
import { issueEngagement, type NewEngagement } from './issue.ts';
import type { EventLog } from './log.ts';
import { recognise } from './recognise.ts';
import { stepsFor } from './script.ts';
import type { ExplainSignature, SeenSignatures } from './signature-note.ts';
import type { DeskState } from './state.ts';

/** What the judges make of an engagement. */
export interface Judged {
  readonly result: Result;
  /** In the order of the numbers that the result names; the number of each is that of its exchange at the desk. */
  readonly cases: readonly Case[];
  readonly client: ClientRun;
}

export interface DeskSurroundings {
  readonly state: DeskState;
  readonly log: EventLog;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly judge: (record: EngagementRecord) => Judged;
  readonly explainSignature: ExplainSignature;
  /** Scheme, authority and prefix before the segment of an engagement. */
  readonly origin: () => string;
}

/** The id of the engagement of which something is new; undefined where it concerns all. */
type Changed = string | undefined;

const mostEngagements = 100;
/** A client in a loop fills neither the disk nor the memory. */
const mostExchanges = 1_000;
const mostUnread = 20;

export class DeskService {
  readonly surroundings: DeskSurroundings;
  readonly callers = new Callers();
  readonly signatures: SeenSignatures = new WeakMap();
  private readonly watching = new Set<(changed: Changed, exchange?: number) => void>();
  private readonly judged = new Map<string, { readonly version: number; readonly judged: Judged }>();

  constructor(surroundings: DeskSurroundings) {
    this.surroundings = surroundings;
  }

  all(): readonly EngagementRecord[] {
    return this.surroundings.state.all();
  }

  /** Calls `told` whenever something is new, with the number of the exchange if it is one; returns how to stop. */
  watch(told: (changed: Changed, exchange?: number) => void): () => void {
    this.watching.add(told);
    return () => this.watching.delete(told);
  }

  /** A connection that came to nothing concerns whoever waits for a request. */
  lose(why: string): void {
    this.callers.lose({ at: this.surroundings.now(), why });
    this.tell(undefined);
  }

  /** Throws DeskError `no-such-thing`. */
  find(id: string): EngagementRecord {
    const record = this.surroundings.state.find(id);
    if (record !== undefined) return record;
    throw new DeskError('no-such-thing', `no engagement has the id ${id}`, 'GET /desk/api/engagements lists them');
  }

  baseUrlOf({ engagement }: EngagementRecord): string {
    return `${this.surroundings.origin()}/${engagement.id}`;
  }

  /** The verdicts on what has come so far; remembered until something happens. */
  judge(record: EngagementRecord): Judged {
    const known = this.judged.get(record.engagement.id);
    if (known?.version === record.version) return known.judged;
    const judged = this.surroundings.judge(record);
    this.judged.set(record.engagement.id, { version: record.version, judged });
    return judged;
  }

  /** What is told of each engagement, in their order; whoever waits for something else is answered between two that have to be judged. */
  async judgeAll<Told>(tell: (record: EngagementRecord, judged: Judged) => Told): Promise<Told[]> {
    const told: Told[] = [];
    for (const record of this.all()) {
      if (this.judged.get(record.engagement.id)?.version !== record.version) {
        await new Promise<void>((done) => setImmediate(done));
      }
      told.push(tell(record, this.judge(record)));
    }
    return told;
  }

  /** Throws DeskError `too-many` or `bad-public-key`. */
  async create(asked: NewEngagement): Promise<EngagementRecord> {
    if (this.all().length >= mostEngagements) {
      const hint = 'start the desk with another --state';
      throw new DeskError('too-many', `the desk has ${mostEngagements} engagements, and no room for more`, hint);
    }
    const engagement = await issueEngagement(asked, this.surroundings.now());
    await this.record({ t: 'engagement', engagement });
    return this.find(engagement.id);
  }

  /** Throws DeskError `no-such-thing`. */
  async act(id: string, stepId: string, action: StepAction): Promise<void> {
    const { engagement } = this.find(id);
    const steps = stepsFor(engagement.operations).map((step) => step.id);
    if (!steps.includes(stepId)) {
      throw new DeskError('no-such-thing', `the plan has no step ${stepId}`, `its steps are ${steps.join(', ')}`);
    }
    await this.record({ t: 'step', engagement: id, step: stepId, at: this.surroundings.now(), action });
  }

  /** What has come so far no longer counts. */
  async restart(id: string): Promise<void> {
    this.find(id);
    await this.record({ t: 'restart', engagement: id, at: this.surroundings.now() });
  }

  /** The private key that the desk made, given once. Throws DeskError `already-given` or `no-such-thing`. */
  async givePrivateKey(id: string): Promise<string> {
    const { engagement, privateKeyGiven } = this.find(id);
    if (engagement.privateKeyPem === undefined) {
      const hint = 'the owner of the client gave the public key and has the private one';
      throw new DeskError('no-such-thing', 'the desk has no private key of this engagement', hint);
    }
    if (privateKeyGiven) {
      throw new DeskError('already-given', 'the private key was given already', 'make a new engagement');
    }
    // Before the first await, so that of two requests at once only one gets it.
    const event: DeskEvent = { t: 'private-key-given', engagement: id, at: this.surroundings.now() };
    this.surroundings.state.apply(event);
    await this.surroundings.log.append(event);
    return engagement.privateKeyPem;
  }

  /**
   * Records a request with the answer that it is about to get; resolves once both are on the disk.
   * Throws DeskError `too-many`, `state-full` or `state-unwritable`; then nothing was recorded.
   */
  async receive(
    record: EngagementRecord,
    request: SentRequest,
    about: { readonly startedAt: number; readonly connection: string },
  ): Promise<NonNullable<Exchange['response']>> {
    const { state, log, now } = this.surroundings;
    const { id } = record.engagement;
    if (record.exchanges.length >= mostExchanges) {
      const hint = 'make a new engagement; this one is unchanged';
      throw new DeskError('too-many', `the engagement holds ${mostExchanges} exchanges, and no room for more`, hint);
    }
    const { step, answer } = recognise(request, record);
    const response = responseOf(answer);
    const event: DeskEvent = {
      t: 'exchange',
      engagement: id,
      number: state.nextNumber(id),
      step: step?.id,
      baseUrl: this.baseUrlOf(record),
      exchange: { request, response, durationMs: now() - about.startedAt, ...about },
    };
    // Before the disk has it, so that a request which comes meanwhile gets the step after this one.
    state.apply(event);
    try {
      await log.append(event);
    } catch (cause) {
      state.withdraw(id, event.number);
      throw cause;
    }
    this.tell(id, event.number);
    return response;
  }

  /** Notes a request that could not be read to its end. */
  async noteUnread({ engagement, unread }: EngagementRecord, reason: string): Promise<void> {
    if (unread.length >= mostUnread) return;
    await this.record({ t: 'unread', engagement: engagement.id, at: this.surroundings.now(), reason });
  }

  private async record(event: DeskEvent): Promise<void> {
    await this.surroundings.log.append(event);
    this.surroundings.state.apply(event);
    this.tell('engagement' in event && typeof event.engagement === 'string' ? event.engagement : undefined);
  }

  /** After the answer is on its way: whoever watches may judge. */
  private tell(changed: Changed, exchange?: number): void {
    for (const told of this.watching) setImmediate(told, changed, exchange);
  }
}
