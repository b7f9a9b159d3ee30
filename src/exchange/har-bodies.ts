/** The long bodies of a HAR file: each is in the file once, and is read from there unless the whole file is in memory anyway. */
import { createHash } from 'node:crypto';
import type { ByteSource } from './har-parts.ts';
import { longBody, type StoredBody, storedMessage, type WithBody } from './stored-body.ts';

/** A request or response in the form that an entry has. */
export interface WrittenMessage<T> {
  readonly message: T;
  /** SHA-256 of the body where the entry says it: then an earlier entry may have the bytes. */
  readonly digest: string | undefined;
  /** Reads the bytes from the entry once more. */
  readonly again: () => Uint8Array;
}

/**
 * Gives what is kept of one message after the other, in the order of the file. Throws Error where the bytes are in no entry
 * before.
 */
export function keptBodies({ isWhole }: ByteSource): <T extends WithBody>(written: WrittenMessage<T>) => T {
  const known = new Map<string, Uint8Array | StoredBody>();
  // Who asks for a body asks for it several times in a row.
  let last: { readonly digest: string; readonly bytes: Uint8Array } | undefined;
  const keep = (digest: string, body: Uint8Array, again: () => Uint8Array) => {
    const read = () => {
      if (last?.digest !== digest) last = { digest, bytes: again() };
      return last.bytes;
    };
    known.set(digest, isWhole ? body : { digest, length: body.length, read });
  };
  return <T extends WithBody>({ message, digest: said, again }: WrittenMessage<T>): T => {
    const { body, ...head } = message;
    if (body.length < longBody && (said === undefined || body.length > 0)) return message;
    const digest = body.length === 0 ? said! : createHash('sha256').update(body).digest('hex');
    if (!known.has(digest) && body.length > 0) keep(digest, body, again);
    const found = known.get(digest);
    if (found === undefined) throw new Error('its body is in another entry, which is not before it');
    return found instanceof Uint8Array ? { ...message, body: found } : storedMessage<T>(head, found);
  };
}
