/** Long bodies that are not in memory: a response reads its own on each access. */
import type { ReceivedResponse } from './exchange.ts';

/** Stands for a long body; in one run or recording there is one for all equal bodies. */
export interface StoredBody {
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly length: number;
  /** Throws where they are no longer there. */
  read(): Uint8Array;
}

/** Bytes from which on a body is long. */
export const longBody = 64 * 1024;

/** The response with a body that is read when asked for. A copy of it, made with `...`, has the bytes themselves. */
export function storedResponse(head: Omit<ReceivedResponse, 'body'>, body: StoredBody): ReceivedResponse {
  const response = Object.defineProperty({ ...head }, 'body', { enumerable: true, get: () => body.read() });
  stored.set(response, body);
  return response as ReceivedResponse;
}

/** Undefined where the bytes are in memory. */
export function storedBodyOf(response: object): StoredBody | undefined {
  return stored.get(response);
}

/** The same object for each response with that body: under it stays what was once made of the bytes. */
export function bodyKey(response: ReceivedResponse): object {
  return stored.get(response) ?? response.body;
}

/** Bytes of the body, without reading it. */
export function bodyLength(response: ReceivedResponse): number {
  return (stored.get(response) ?? response.body).length;
}

const stored = new WeakMap<object, StoredBody>();
