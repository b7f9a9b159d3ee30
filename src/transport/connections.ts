/** Over which TCP connection a request went, and the bytes that came back, from undici's diagnostics channels; undici's own answer shows neither. */
import { subscribe } from 'node:diagnostics_channel';
import { startOfFinal } from './read-response.ts';

export interface Connections {
  /** Starts a request. */
  watch<T>(start: () => T): Watched<T>;
}

export interface Watched<T> {
  readonly started: T;
  /** Number of its connection, counted from 1, once its head is sent. */
  readonly connection: () => string | undefined;
  /** What has come over that connection since then, up to the given number of bytes. */
  readonly received: () => Buffer;
}

/** The connections of one transport, numbered in the order of their first request. */
export function watchConnections(mostBytes: number): Connections {
  const numbers = new WeakMap<object, string>();
  const taps = new WeakMap<object, Tap>();
  let count = 0;
  return {
    watch(start) {
      let number: string | undefined;
      let tap: Tap | undefined;
      beingStarted = (socket) => {
        number = numbers.get(socket) ?? String(++count);
        numbers.set(socket, number);
        tap = taps.get(socket) ?? tapped(socket);
        taps.set(socket, tap);
        tap.chunks = [];
        tap.left = mostBytes;
        tap.before = Buffer.alloc(0);
      };
      try {
        return { started: start(), connection: () => number, received: () => Buffer.concat(tap?.chunks ?? []) };
      } finally {
        beingStarted = undefined;
      }
    },
  };
}

interface Tap {
  chunks: Buffer[];
  /** Bytes that are still kept. */
  left: number;
  /** What has come as long as none of it is the final answer. */
  before: Buffer | undefined;
}

/** Longer ones go to undici, which has a limit for heads. */
const mostBefore = 64 * 1024;

/**
 * undici reads what was received with `read`; a listener of our own would take it away from undici. It gives up where an answer
 * is announced by 100 Continue, which any gateway may send, and so it is not given what precedes the final answer.
 */
function tapped(socket: ReadsBytes): Tap {
  const tap: Tap = { chunks: [], left: 0, before: undefined };
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const chunk = finalPart(tap, read(size));
    if (chunk !== null && tap.left > 0) {
      tap.chunks.push(chunk.subarray(0, tap.left));
      tap.left -= chunk.length;
    }
    return chunk;
  };
  return tap;
}

/** Null where the final answer has not begun. */
function finalPart(tap: Tap, chunk: Buffer | null): Buffer | null {
  if (chunk === null || tap.before === undefined) return chunk;
  const all = Buffer.concat([tap.before, chunk]);
  const start = startOfFinal(all) ?? (all.length > mostBefore ? 0 : undefined);
  tap.before = start === undefined ? all : undefined;
  return start === undefined ? null : all.subarray(start);
}

interface ReadsBytes {
  read(size?: number): Buffer | null;
}

type Sent = (socket: ReadsBytes) => void;

/** undici builds its request object before its `request` returns, which is how the object is matched with its caller. */
let beingStarted: Sent | undefined;
const watched = new WeakMap<object, Sent>();

subscribe('undici:request:create', (message) => {
  if (beingStarted !== undefined) watched.set((message as { request: object }).request, beingStarted);
});
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: object; socket: ReadsBytes };
  watched.get(request)?.(socket);
});
