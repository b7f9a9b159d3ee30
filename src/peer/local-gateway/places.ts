/** The places of the local gateway. A place is a base URL with a scripted answer. It records the requests that arrive there. */
import { EventEmitter, once } from 'node:events';
import type { LocalAnswer } from '../../plan/scenario.ts';
import type { ServerKind } from '../../record/case.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../../record/exchange.ts';

type Failure = NonNullable<Exchange['failure']>;

/** The outcome of one request. */
export type Sent =
  | { readonly response: ReceivedResponse; readonly failure?: undefined }
  | { readonly response?: undefined; readonly failure: Failure };

/** A request whose answer is being sent. Only the first call of `end` counts. */
export interface Entry {
  readonly answer: LocalAnswer;
  end(outcome: Sent): void;
  /** Sets the function that stops the answer if the place closes too early. */
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
/** Maximum requests that a place records. A correct client sends one request, and perhaps some retries. */
export const maxOfPlace = 200;
/** Maximum bytes of all bodies that a place records. This is 15 times the longest body of a correct client. */
export const maxBytesOfPlace = 256 * 1024;
/** If this many places in a row are full, the client is given up. */
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
  /** The requests that are not recorded; undefined if all are recorded. */
  incomplete: string | undefined;
  /** Whether a limit was exceeded. A full place accepts no further request. */
  isFull = false;
  /** The number of requests, including those that were not recorded. */
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

  /** The requests with their answers, in order. If an answer is not finished, the exchange has the failure `timeout`. */
  exchanges(): readonly Exchange[] {
    return [...this.#kept];
  }

  /** Waits until all answers are finished, but at most `limitMs`. */
  async settled(limitMs = 2_000): Promise<void> {
    if (this.#running.size === 0) return;
    await once(this.#events, 'settled', { signal: AbortSignal.timeout(limitMs) }).catch(() => {});
  }

  /** Closes the place and stops unfinished answers. Later requests get 404. */
  close(): void {
    this.#forget(this);
    for (const stop of [...this.#running.values()]) stop();
  }

  /** Remembers that a request cannot be recorded as an exchange. */
  leaveOut(what: string): void {
    this.incomplete ??= what;
  }

  /** Like `leaveOut`, and marks the place as full. */
  fill(what: string): void {
    if (!this.isFull) this.incomplete = what;
    this.isFull = true;
  }

  /** Counts the bytes of a body. Returns whether the place accepts the body. */
  takes(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes <= maxBytesOfPlace || this.isFull) return !this.isFull;
    // Judging needs several times the memory of the requests. Keep only two: they show that the client repeats requests.
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
  /** The number of requests that matched no open place. */
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

  /** Finds the place by the segment in the target. A target without a segment belongs to the only open place that claims strays. */
  find(target: string): Place | undefined {
    const segment = /\/(x[0-9a-f]{16})(?![0-9a-f])/i.exec(target)?.[1];
    if (segment !== undefined) return this.#open.get(segment.toLowerCase());
    const only = this.#only();
    return only?.claimsStrays ? only : undefined;
  }

  /** Finds the place of an unreadable request: by the segment in its first line, else the only open place. */
  findJunk(line: string): Place | undefined {
    return this.find(line) ?? this.#only();
  }

  record(request: SentRequest, place: Place | undefined, connection?: string): Entry {
    if (place !== undefined) return place.record(request, connection);
    this.strays += 1;
    return { answer: notFound, end: () => {}, onClose: () => {} };
  }

  /** An error if the client has flooded the gateway too often, else undefined. */
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
