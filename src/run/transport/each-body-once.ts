/** What a run keeps of bodies: each once, by its digest, and the long ones in the engine's folder. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientReply } from '../../record/client-case.ts';
import { makeFolders } from '../../record/disk/files.ts';
import type { Exchange } from '../../record/exchange.ts';
import {
  longBody,
  type StoredBody,
  storedBodyOf,
  storedMessage,
  storedReply,
  type WithBody,
} from '../../record/stored-body.ts';
import type { Transport } from './transport.ts';

/** A subject may give an answer of megabytes to every request, or make every call with one, the same or each time another. */
export interface KeptBodies {
  /** The kept body that equals this one. */
  same(body: Buffer): Buffer;
  /** The exchange with what is kept of the bodies of its messages. */
  keep(exchange: Exchange): Exchange;
  /** The request or response with what is kept of its body. */
  message<T extends WithBody>(message: T): T;
  /** The reply with what is kept of its stages: a client may report a quarter of a megabyte in each call. */
  reply(reply: ClientReply): ClientReply;
  /** A long body that this process or another one of the run has kept. */
  stored(digest: string, length: number): StoredBody;
}

/** Without a folder, or where that has no room, all bodies stay in memory. */
export function eachBodyOnce(folder?: string): KeptBodies {
  const inMemory = new Map<string, Buffer>();
  const inFolder = new Map<string, StoredBody>();
  // Who asks for a body asks for it several times in a row.
  let last: { readonly digest: string; readonly bytes: Buffer } | undefined;
  const stored = (digest: string, length: number): StoredBody => {
    const known = inFolder.get(digest);
    if (known !== undefined) return known;
    const read = () => {
      if (last?.digest !== digest) last = { digest, bytes: readFileSync(join(bodiesIn(folder!), digest)) };
      return last.bytes;
    };
    inFolder.set(digest, { digest, length, read });
    return inFolder.get(digest)!;
  };
  const same = (body: Buffer, digest = digestOf(body)): Buffer => {
    const known = inMemory.get(digest);
    if (known === undefined) inMemory.set(digest, body);
    return known ?? body;
  };
  const message = <T extends WithBody>(given: T): T => {
    const { body, ...head } = given;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const digest = digestOf(bytes);
    const isLong = folder !== undefined && bytes.length >= longBody;
    if (isLong && (inFolder.has(digest) || isWritten(folder, digest, bytes))) {
      return storedMessage<T>(head, stored(digest, bytes.length));
    }
    const known = same(bytes, digest);
    return known === body ? given : { ...given, body: known };
  };
  const keep = ({ request, response, ...rest }: Exchange): Exchange => ({
    request: message(request),
    response: response && message(response),
    ...rest,
  });
  const reply = (given: ClientReply): ClientReply => {
    const { stages, ...head } = given;
    const bytes = Buffer.from(JSON.stringify(stages ?? {}));
    const kept = bytes.length < longBody ? undefined : storedBodyOf(message({ body: bytes }));
    return kept === undefined ? given : storedReply(head, kept);
  };
  return { same, keep, message, reply, stored };
}

/** A transport behind which only what is kept of a body is in memory. */
export function keepingTransport(transport: Transport, { keep }: KeptBodies): Transport {
  return {
    send: async (request) => keep(await transport.send(request)),
    sendFramed: async (request, framing) => keep(await transport.sendFramed(request, framing)),
    close: () => transport.close(),
  };
}

function digestOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

function bodiesIn(folder: string): string {
  return join(folder, 'bodies');
}

/** Several workers may write the same one at once: each renames its own into place. */
function isWritten(folder: string, digest: string, bytes: Buffer): boolean {
  const place = join(bodiesIn(folder), digest);
  const own = `${place}.${process.pid}`;
  try {
    makeFolders(bodiesIn(folder), 0o700);
    writeFileSync(own, bytes, { mode: 0o600 });
    renameSync(own, place);
    return true;
  } catch {
    if (existsSync(own)) rmSync(own);
    return false;
  }
}
