/**
 * Exchanges as JSON and back, byte-exact: bytes travel as base64, and long ones that are in several places once. A body that
 * is not in memory travels by its digest, and so do the stages of a reply.
 */
import { type StoredBody, storedBodyOf, storedMessage, storedReply } from './stored-body.ts';

/** Bytes; a run may get the same answer of megabytes a hundred times, and its text has a greatest length. */
const long = 4096;

/** One JSON text for any value that holds exchanges; `fromJson` is its inverse. */
export function toJson(value: unknown): string {
  return JSON.stringify(withoutBytes(value, new Map()));
}

/** JSON.stringify asks a Buffer for its bytes as a list of numbers, eight times its size, before any replacer sees it. */
function withoutBytes(value: unknown, written: Map<Uint8Array, number>): unknown {
  if (value instanceof Uint8Array) return inBase64(value, written);
  if (Array.isArray(value)) return value.map((member) => withoutBytes(member, written));
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const stored = storedBodyOf(value);
  return Object.fromEntries(
    Object.keys(value).map((name) => [
      name,
      stored !== undefined && (name === 'body' || name === 'stages')
        ? { digest: stored.digest, length: stored.length }
        : withoutBytes((value as Record<string, unknown>)[name], written),
    ]),
  );
}

/** Long bytes that were written before, by their place among all long ones. */
function inBase64(bytes: Uint8Array, written: Map<Uint8Array, number>): { base64: string } | { same: number } {
  const same = written.get(bytes);
  if (same !== undefined) return { same };
  if (bytes.length >= long) written.set(bytes, written.size);
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64') };
}

/** Where the bodies are that the text does not hold, and what is kept of one that it holds: an equal one. */
interface Bodies {
  same(body: Buffer): Buffer;
  stored(digest: string, length: number): StoredBody;
}

/** The value that `toJson` wrote. Throws SyntaxError for text that is not JSON. */
export function fromJson<T>(text: string, bodies?: Bodies): T {
  const read: Buffer[] = [];
  // Only a body is bytes; foreign data under that name, such as a stage of a client, are texts.
  return JSON.parse(text, (key, member) => {
    if ((key === 'response' || key === 'request') && bodies !== undefined && typeof member?.body?.digest === 'string') {
      const { body, ...head } = member;
      return storedMessage(head, bodies.stored(body.digest, body.length));
    }
    // Stages that were written themselves are texts, also under such a name.
    if (key === 'reply' && bodies !== undefined && typeof member?.stages?.length === 'number') {
      const { stages, ...head } = member;
      return storedReply(head, bodies.stored(stages.digest, stages.length));
    }
    if (key !== 'body') return member;
    if (typeof member?.same === 'number') return read[member.same];
    if (typeof member?.base64 !== 'string') return member;
    const bytes = Buffer.from(member.base64, 'base64');
    const body = bodies?.same(bytes) ?? bytes;
    if (body.length >= long) read.push(body);
    return body;
  });
}
