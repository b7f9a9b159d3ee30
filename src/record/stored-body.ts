/** Long bodies that are not in memory: a message reads its own on each access. So does a reply its stages. */
import { createHash } from 'node:crypto';
import type { ClientReply } from './client-case.ts';

/** A request or a response. */
export interface WithBody {
  readonly body: Uint8Array;
}

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

/** The message with a body that is read when asked for. A copy of it, made with `...`, has the bytes themselves. */
export function storedMessage<T extends WithBody>(head: Omit<T, 'body'>, body: StoredBody): T {
  const message = Object.defineProperty({ ...head }, 'body', { enumerable: true, get: () => body.read() });
  stored.set(message, body);
  return message as unknown as T;
}

/** The reply with stages that are read when asked for; the body is their JSON. */
export function storedReply(head: Omit<ClientReply, 'stages'>, body: StoredBody): ClientReply {
  const get = () => JSON.parse(Buffer.from(body.read()).toString('utf8'));
  const reply = Object.defineProperty({ ...head }, 'stages', { enumerable: true, get });
  stored.set(reply, body);
  return reply;
}

/** Undefined where the bytes are in memory. */
export function storedBodyOf(message: object): StoredBody | undefined {
  return stored.get(message);
}

/** The same object for each message with that body: under it stays what was once made of the bytes. */
export function bodyKey(message: WithBody): object {
  return stored.get(message) ?? message.body;
}

/** Bytes of the body, without reading it. */
export function bodyLength(message: WithBody): number {
  return (stored.get(message) ?? message.body).length;
}

/** SHA-256 of the body in hexadecimal digits. */
export function bodyDigest(message: WithBody): string {
  return stored.get(message)?.digest ?? createHash('sha256').update(message.body).digest('hex');
}

const stored = new WeakMap<object, StoredBody>();
