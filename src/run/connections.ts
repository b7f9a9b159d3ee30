/** Over which TCP connection a request went, from undici's diagnostics channels; undici's own answer does not tell. */
import { subscribe } from 'node:diagnostics_channel';

export interface Connections {
  /** Starts a request; once its head is sent, `connection` gives the number of its connection, counted from 1. */
  watch<T>(start: () => T): { readonly started: T; readonly connection: () => string | undefined };
}

/** The connections of one transport, numbered in the order of their first request. */
export function watchConnections(): Connections {
  const numbers = new WeakMap<object, string>();
  let count = 0;
  return {
    watch(start) {
      let number: string | undefined;
      beingStarted = (socket) => {
        number = numbers.get(socket) ?? String(++count);
        numbers.set(socket, number);
      };
      try {
        return { started: start(), connection: () => number };
      } finally {
        beingStarted = undefined;
      }
    },
  };
}

type Sent = (socket: object) => void;

/** undici builds its request object before its `request` returns, which is how the object is matched with its caller. */
let beingStarted: Sent | undefined;
const watched = new WeakMap<object, Sent>();

subscribe('undici:request:create', (message) => {
  if (beingStarted !== undefined) watched.set((message as { request: object }).request, beingStarted);
});
subscribe('undici:client:sendHeaders', (message) => {
  const { request, socket } = message as { request: object; socket: object };
  watched.get(request)?.(socket);
});
