/**
 * Over which TCP connection a request went, and the bytes that came back, from undici's diagnostics channels; undici's
 * own answer shows neither.
 */
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
        tap.begun = false;
        tap.held = Buffer.alloc(0);
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
  /** Whether the final answer has begun. */
  begun: boolean;
  /** What undici is not given yet; undefined once the head of the final answer has ended. */
  held: Buffer | undefined;
}

/** Longer ones go to undici, which has a limit for heads. */
const mostHeld = 64 * 1024;

/**
 * undici reads what was received with `read`; a listener of our own would take it away from undici. Its parser refuses two things
 * that HTTP allows: 100 Continue before an answer, and a tab after a length (RFC 9110 5.5). It is given neither.
 */
function tapped(socket: ReadsBytes): Tap {
  const tap: Tap = { chunks: [], left: 0, begun: false, held: undefined };
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const chunk = readablePart(tap, read(size));
    if (chunk !== null && tap.left > 0) {
      tap.chunks.push(chunk.subarray(0, tap.left));
      tap.left -= chunk.length;
    }
    return chunk;
  };
  return tap;
}

/** The final answer without the blanks after its header values; null where nothing of it can be passed on yet. */
function readablePart(tap: Tap, chunk: Buffer | null): Buffer | null {
  if (chunk === null || tap.held === undefined) return chunk;
  const all = Buffer.concat([tap.held, chunk]);
  const start = tap.begun || all.length > mostHeld ? 0 : startOfFinal(all);
  tap.begun = start !== undefined;
  tap.held = all;
  if (start === undefined) return null;
  const lastLine = all.indexOf('\r\n\r\n', start);
  const end = lastLine === -1 ? all.length : lastLine + 4;
  const head = all.toString('latin1', start, end);
  // A line may end, or the head, in what comes next.
  const open = lastLine === -1 && all.length <= mostHeld ? openEnd.exec(head)![0].length : 0;
  tap.held = lastLine === -1 ? all.subarray(all.length - open) : undefined;
  const passed = head.slice(0, head.length - open).replace(blanksAfterValue, '');
  return passed === '' ? null : Buffer.concat([Buffer.from(passed, 'latin1'), all.subarray(end)]);
}

/** The last character that is not blank, with what is behind it. */
const openEnd = /(?:[^ \t]|^)[ \t]*(?:\r(?:\n\r?)?)?$/;
const blanksAfterValue = /(?<=[^ \t\r\n])[ \t]+(?=\r\n)/g;

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
