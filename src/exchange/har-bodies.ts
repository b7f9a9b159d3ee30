/** The long bodies of a HAR file: each is in the file once, and is read from there unless the whole file is in memory anyway. */
import { createHash } from 'node:crypto';
import type { ReceivedResponse } from './exchange.ts';
import type { ByteSource } from './har-parts.ts';
import { longBody, type StoredBody, storedResponse } from './stored-body.ts';

/** A response in the form that an entry has. */
export interface WrittenResponse {
  readonly response: ReceivedResponse;
  /** SHA-256 of the body where the entry says it: then an earlier entry may have the bytes. */
  readonly digest: string | undefined;
  /** Reads the bytes from the entry once more. */
  readonly again: () => Uint8Array;
}

/**
 * Gives what is kept of one response after the other, in the order of the file. Throws Error where the bytes are in no entry
 * before.
 */
export function keptBodies({ isWhole }: ByteSource): (written: WrittenResponse) => ReceivedResponse {
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
  return ({ response, digest: said, again }) => {
    const { body, ...head } = response;
    if (body.length < longBody && (said === undefined || body.length > 0)) return response;
    const digest = body.length === 0 ? said! : createHash('sha256').update(body).digest('hex');
    if (!known.has(digest) && body.length > 0) keep(digest, body, again);
    const found = known.get(digest);
    if (found === undefined) throw new Error('its body is in another entry, which is not before it');
    return found instanceof Uint8Array ? { ...head, body: found } : storedResponse(head, found);
  };
}
