/** Over which TCP connection a request went, and the bytes that came back, from undici's diagnostics channels; undici's own answer shows neither. */
import { subscribe } from 'node:diagnostics_channel';

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
}

/** undici reads what was received with `read`; a listener of our own would take it away from undici. */
function tapped(socket: ReadsBytes): Tap {
  const tap: Tap = { chunks: [], left: 0 };
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const chunk = read(size);
    if (chunk !== null && tap.left > 0) {
      tap.chunks.push(chunk.subarray(0, tap.left));
      tap.left -= chunk.length;
    }
    return chunk;
  };
  return tap;
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
