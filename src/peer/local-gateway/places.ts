/** The open places by path segment: which requests belong to each, and their outcomes. */
import type { LocalAnswer } from '../../plan/scenario.ts';
import type { ServerKind } from '../../record/case.ts';
import type { Exchange, FailureKind, ReceivedResponse, SentRequest } from '../../record/exchange.ts';

export interface Place {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Requests for this place, in order. While its answer is not finished, a request has the failure `timeout`. */
  exchanges(): readonly Exchange[];
  arrived(): number;
  incomplete(): string | undefined;
  /** Whether a limit was exceeded: a full place accepts nothing more. */
  isFull(): boolean;
  /** Waits at most `limitMs` (2 s) until all answers are finished. */
  settled(limitMs?: number): Promise<void>;
  /** Ends open answers. Later requests are unclaimed; the record stays readable. */
  close(): void;
}

export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
}

export interface Entry {
  /** Absent if the request was for no place. */
  readonly place?: OpenPlace;
  readonly answer: LocalAnswer;
  end(outcome: { readonly response: ReceivedResponse } | { readonly failure: Failure }): void;
  /** Called if the place closes before the answer has ended. */
  onClose(stop: () => void): void;
}

interface OpenPlace extends Place {
  readonly kind: ServerKind;
  readonly claimsStrays: boolean;
  /** Notes a request that cannot be recorded as an exchange. */
  leaveOut(what: string): void;
  /** Like `leaveOut`, and accepts nothing more: flood protection. */
  fill(what: string): void;
  /** Whether that many more bytes are accepted. */
  takes(bytes: number): boolean;
}

export interface Places {
  open(place: NewPlace): OpenPlace;
  /** The place whose segment is in the target; without a segment the only open one, if it claims strays. */
  find(target: string): OpenPlace | undefined;
  /** The place whose segment is in the first line of an unreadable request, or the only open one. */
  findJunk(line: string): OpenPlace | undefined;
  record(request: SentRequest, place: OpenPlace | undefined, connection: string | undefined): Entry;
  unclaimed(): readonly Exchange[];
  /** Counts a connection for the open places. Returns whether it may stay. */
  admits(): boolean;
  flood(): string | undefined;
  closeAll(): void;
}

interface NewPlace {
  /** `x` and 16 hexadecimal digits. */
  readonly segment: string;
  readonly baseUrl: string;
  readonly kind: ServerKind;
  readonly claimsStrays: boolean;
  readonly answer: LocalAnswer;
}

const notFound: LocalAnswer = { kind: 'reply', status: 404, headers: [], body: new Uint8Array() };
const underWay: Failure = { kind: 'timeout', message: 'the answer was under way' };
/** Maximum exchanges kept without a place, against clients in a loop. */
const maxStray = 1_000;
/** Maximum requests and connections of a place. A client needs one of each, and may retry. */
export const maxOfPlace = 200;
/** Maximum bytes of bodies of a place, 15 times the longest needed. Judging more in each call would take an hour. */
export const maxBytesOfPlace = 256 * 1024;
/** Number of full places in a row after which the client is given up. */
const maxFloods = 5;

/** @param now milliseconds since the Unix epoch */
export function newPlaces(now: () => number): Places {
  const open = new Map<string, OpenRecord>();
  const stray: Exchange[] = [];
  let floods = 0;
  let flood: string | undefined;
  const forget = (place: OpenRecord, segment: string): void => {
    if (!open.delete(segment)) return;
    floods = place.isFull() ? floods + 1 : 0;
    if (floods >= maxFloods) flood ??= place.incomplete();
  };

  const find = (target: string): OpenRecord | undefined => {
    const segment = /\/(x[0-9a-f]{16})(?![0-9a-f])/i.exec(target)?.[1];
    if (segment !== undefined) return open.get(segment.toLowerCase());
    const [only] = open.values();
    return open.size === 1 && only?.claimsStrays ? only : undefined;
  };

  return {
    findJunk: (line) => find(line) ?? (open.size === 1 ? [...open.values()][0] : undefined),
    open: (place) => {
      const record = newRecord(place, () => forget(record, place.segment));
      open.set(place.segment, record);
      return record;
    },
    find,
    record: (request, place, connection) => {
      const record = place as OpenRecord | undefined;
      const started = now();
      const exchange: Exchange = { request, failure: underWay, startedAt: started, durationMs: 0, connection };
      const kept = record?.kept ?? stray;
      kept.push(exchange);
      if (record === undefined && kept.length > maxStray) kept.shift();
      if (record !== undefined && kept.length > maxOfPlace) {
        kept.pop();
        record.fill(`what arrived beyond ${maxOfPlace} requests`);
      }
      record?.begin(exchange);
      return {
        place,
        answer: record?.answer ?? notFound,
        end: (outcome) => {
          const ended = { request, ...outcome, startedAt: started, durationMs: now() - started, connection };
          const at = kept.lastIndexOf(exchange);
          if (at !== -1) kept[at] = ended;
          record?.ended(exchange);
        },
        onClose: (stop) => record?.onClose(exchange, stop),
      };
    },
    unclaimed: () => [...stray],
    admits: () => {
      const all = [...open.values()];
      // Before its first request the place of a connection is unknown, so all open places share it.
      for (const place of all) place.connected(1 / all.length);
      return all.length === 0 || all.some((place) => !place.isFull());
    },
    flood: () =>
      flood &&
      `The client was given up after ${maxFloods} calls in a row that flooded the gateway: of the last one the record lacks ${flood}. ` +
        'Its adapter has to make the one request of a call, and to end with its answer.',
    closeAll: () => {
      for (const place of [...open.values()]) place.close();
    },
  };
}

/** A place with the members that only `newPlaces` uses. */
interface OpenRecord extends OpenPlace {
  readonly answer: LocalAnswer;
  readonly kept: Exchange[];
  connected(share: number): void;
  begin(exchange: Exchange): void;
  ended(exchange: Exchange): void;
  onClose(exchange: Exchange, stop: () => void): void;
}

function newRecord(place: NewPlace, forget: () => void): OpenRecord {
  const kept: Exchange[] = [];
  const running = new Map<Exchange, () => void>();
  const waiting = new Set<() => void>();
  let leftOut: string | undefined;
  let isFull = false;
  let [opened, bytes, arrived] = [0, 0, 0];
  const fill = (what: string): void => {
    if (!isFull) leftOut = what;
    isFull = true;
  };
  return {
    ...place,
    kept,
    begin: (exchange) => {
      arrived += 1;
      running.set(exchange, () => {});
    },
    ended: (exchange) => {
      running.delete(exchange);
      if (running.size > 0) return;
      for (const done of waiting) done();
    },
    onClose: (exchange, stop) => {
      if (running.has(exchange)) running.set(exchange, stop);
    },
    leaveOut: (what) => {
      leftOut ??= what;
    },
    fill,
    takes: (more) => {
      bytes += more;
      if (bytes <= maxBytesOfPlace || isFull) return !isFull;
      // Judging all of them needs several times their size, and two show that the client repeats.
      kept.length = Math.min(kept.length, 2);
      fill(`all requests behind the first two, with more than ${maxBytesOfPlace / 1024} KB of bodies`);
      return false;
    },
    isFull: () => isFull,
    arrived: () => arrived,
    connected: (share) => {
      opened += share;
      if (opened > maxOfPlace) fill(`what came over more than ${maxOfPlace} connections`);
    },
    exchanges: () => [...kept],
    incomplete: () => leftOut,
    settled: (limitMs = 2_000) => (running.size === 0 ? Promise.resolve() : waitForEnd(waiting, limitMs)),
    close: () => {
      forget();
      for (const stop of [...running.values()]) stop();
    },
  };
}

function waitForEnd(waiting: Set<() => void>, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      waiting.delete(done);
      resolve();
    };
    const timer = setTimeout(done, limitMs);
    waiting.add(done);
  });
}
