/** The places of the local gateway. A place is a base URL with one answer, and keeps the requests that arrive there. */
import { EventEmitter, once } from 'node:events';
import type { LocalAnswer } from '../../plan/scenario.ts';
import type { ServerKind } from '../../record/case.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../../record/exchange.ts';

type Failure = NonNullable<Exchange['failure']>;

/** The outcome of one request. */
export type Sent =
  | { readonly response: ReceivedResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: Failure };

/** A request while its answer is sent. Only the first `end` counts. */
export interface Entry {
  readonly answer: LocalAnswer;
  end(outcome: Sent): void;
  /** Called if the place closes before the answer has ended. */
  onClose(stop: () => void): void;
}

interface NewPlace {
  /** The name of the place in the path: `x` and 16 hexadecimal digits. */
  readonly segment: string;
  /** The base URL, without a slash at the end. */
  readonly baseUrl: string;
  readonly kind: ServerKind;
  readonly claimsStrays: boolean;
  readonly answer: LocalAnswer;
}

const notFound: LocalAnswer = { kind: 'reply', status: 404, headers: [], body: new Uint8Array() };
const underWay: Failure = { kind: 'timeout', message: 'the answer was under way' };
/** Maximum requests of a place. A client needs one, and may retry. */
export const maxOfPlace = 200;
/** Maximum bytes of all bodies of a place, 15 times the longest body that a client needs. */
export const maxBytesOfPlace = 256 * 1024;
/** Number of full places in a row after which the client is given up. */
const maxFloods = 5;

export class Place {
  readonly baseUrl: string;
  readonly kind: ServerKind;
  readonly claimsStrays: boolean;
  readonly #answer: LocalAnswer;
  readonly #now: () => number;
  readonly #forget: (place: Place) => void;
  readonly #kept: Exchange[] = [];
  readonly #running = new Map<Exchange, () => void>();
  readonly #events = new EventEmitter();
  /** What the record lacks; undefined if it is complete. */
  incomplete: string | undefined;
  /** Whether a limit was exceeded. A full place accepts nothing more. */
  isFull = false;
  /** The number of requests, including those that are not kept. */
  arrived = 0;
  #bytes = 0;

  constructor({ baseUrl, kind, claimsStrays, answer }: NewPlace, now: () => number, forget: (place: Place) => void) {
    this.baseUrl = baseUrl;
    this.kind = kind;
    this.claimsStrays = claimsStrays;
    this.#answer = answer;
    this.#now = now;
    this.#forget = forget;
  }

  /** The requests in order. A request without a finished answer has the failure `timeout`. */
  exchanges(): readonly Exchange[] {
    return [...this.#kept];
  }

  /** Waits at most `limitMs` until all answers are finished. */
  async settled(limitMs = 2_000): Promise<void> {
    if (this.#running.size === 0) return;
    await once(this.#events, 'settled', { signal: AbortSignal.timeout(limitMs) }).catch(() => {});
  }

  /** Ends open answers. Later requests get 404. */
  close(): void {
    this.#forget(this);
    for (const stop of [...this.#running.values()]) stop();
  }

  /** Notes a request that cannot be recorded as an exchange. */
  leaveOut(what: string): void {
    this.incomplete ??= what;
  }

  /** Like `leaveOut`, and accepts nothing more. */
  fill(what: string): void {
    if (!this.isFull) this.incomplete = what;
    this.isFull = true;
  }

  /** Counts the bytes of a body, and returns whether the place accepts them. */
  takes(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes <= maxBytesOfPlace || this.isFull) return !this.isFull;
    // Judging needs several times the memory of the requests. Two of them show that the client repeats.
    this.#kept.length = Math.min(this.#kept.length, 2);
    this.fill(`all requests after the first two, with more than ${maxBytesOfPlace / 1024} KB of bodies`);
    return false;
  }

  record(request: SentRequest, connection: string | undefined): Entry {
    const startedAt = this.#now();
    const started: Exchange = { request, failure: underWay, startedAt, durationMs: 0, connection };
    this.arrived += 1;
    this.#running.set(started, () => {});
    if (this.#kept.length < maxOfPlace) this.#kept.push(started);
    else this.fill(`what arrived after ${maxOfPlace} requests`);
    return {
      answer: this.#answer,
      end: (outcome) => {
        const at = this.#kept.lastIndexOf(started);
        const durationMs = this.#now() - startedAt;
        if (at !== -1) this.#kept[at] = { request, ...outcome, startedAt, durationMs, connection };
        if (this.#running.delete(started) && this.#running.size === 0) this.#events.emit('settled');
      },
      onClose: (stop) => {
        if (this.#running.has(started)) this.#running.set(started, stop);
      },
    };
  }
}

export class Places {
  readonly #now: () => number;
  readonly #open = new Map<string, Place>();
  #floods = 0;
  #flood: string | undefined;
  /** The number of requests for no open place. */
  strays = 0;

  /** `now`: milliseconds since the Unix epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  open(options: NewPlace): Place {
    const place = new Place(options, this.#now, () => {
      if (!this.#open.delete(options.segment)) return;
      this.#floods = place.isFull ? this.#floods + 1 : 0;
      if (this.#floods >= maxFloods) this.#flood ??= place.incomplete;
    });
    this.#open.set(options.segment, place);
    return place;
  }

  /** The place whose segment is in the target. Without a segment, the only open place, if it claims such requests. */
  find(target: string): Place | undefined {
    const segment = /\/(x[0-9a-f]{16})(?![0-9a-f])/i.exec(target)?.[1];
    if (segment !== undefined) return this.#open.get(segment.toLowerCase());
    const only = this.#only();
    return only?.claimsStrays ? only : undefined;
  }

  /** The place of an unreadable request: by the segment in its first line, or the only open one. */
  findJunk(line: string): Place | undefined {
    return this.find(line) ?? this.#only();
  }

  record(request: SentRequest, place: Place | undefined, connection?: string): Entry {
    if (place !== undefined) return place.record(request, connection);
    this.strays += 1;
    return { answer: notFound, end: () => {}, onClose: () => {} };
  }

  /** Why the client was given up, if it flooded the gateway. */
  flood(): string | undefined {
    return (
      this.#flood &&
      `The client was given up after ${maxFloods} calls in a row that flooded the gateway. The last record lacks ${this.#flood}. ` +
        'Let each call send one request, and end when its answer arrives.'
    );
  }

  closeAll(): void {
    for (const place of [...this.#open.values()]) place.close();
  }

  #only(): Place | undefined {
    return this.#open.size === 1 ? [...this.#open.values()][0] : undefined;
  }
}
