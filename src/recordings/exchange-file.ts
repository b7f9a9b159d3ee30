/** A file that edited exchanges and long calls are put into one by one and read from again: a long record and its copy are more than the memory has. */
import { createHash } from 'node:crypto';
import { readSync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unwritable } from '../disk/disk-error.ts';
import type { ClientCall } from '../exchange/case.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../exchange/exchange.ts';
import { lastRead, laterCall, laterExchange } from '../exchange/later-parts.ts';
import { longBody, type StoredBody, storedMessage, type WithBody } from '../exchange/stored-body.ts';

/** Gives what is put into it back as what is read from the file, as long as that is open. Throws DiskError. */
export interface ExchangeFile {
  keep(exchange: Exchange): Exchange;
  /** What a long call was given, such as a table of a million cells. A short one stays in memory. */
  keepCall<T extends ClientCall>(call: T): T;
  close(): Promise<void>;
}

/** Closes the file in that folder when `use` ends. Throws DiskError. */
export async function withExchangeFile<T>(
  folder: string,
  use: (file: Omit<ExchangeFile, 'close'>) => Promise<T>,
): Promise<T> {
  const file = await newExchangeFile(folder);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** The file is new, for this user alone, and has no name any more where the system lets an open one have none. Throws DiskError. */
export async function newExchangeFile(folder: string): Promise<ExchangeFile> {
  const path = join(folder, '.exchanges.partial');
  const hint = 'Nothing is kept: make room there, or name another folder with --out, and start again.';
  const failed = (cause: unknown) => unwritable('report-folder', `the copy in ${folder}`, hint, cause);
  const file = await open(path, 'wx+', 0o600).catch((cause) => {
    throw failed(cause);
  });
  const remove = () => rm(path, { force: true }).catch(() => {});
  await remove();
  const pieces = piecesOf(file, failed);
  const places: Piece[] = [];
  const bodies = new Map<string, StoredBody>();
  const stored = (body: Uint8Array): StoredBody => {
    const digest = createHash('sha256').update(body).digest('hex');
    let known = bodies.get(digest);
    if (known === undefined) {
      const place = pieces.add(body);
      known = { digest, length: body.length, read: () => pieces.read(place) };
      bodies.set(digest, known);
    }
    return known;
  };
  const read = lastRead((place) => {
    const { request, response } = JSON.parse(pieces.read(places[place]!).toString('utf8')) as Written;
    return { exchange: { request: withBody(request, bodies), response: response && withBody(response, bodies) } };
  });
  const callIn = lastRead((place) => ({
    call: JSON.parse(pieces.read(places[place]!).toString('utf8')) as ClientCall,
  }));
  return {
    keepCall: (call) => {
      const written = JSON.stringify(call);
      if (written.length < longCall) return call;
      places.push(pieces.add(Buffer.from(written)));
      return laterCall(call, callIn, places.length - 1);
    },
    keep: (exchange) => {
      const { request, response } = exchange;
      const written: Written = {
        request: withoutBody(request, stored),
        response: response && withoutBody(response, stored),
      };
      places.push(pieces.add(Buffer.from(JSON.stringify(written))));
      return laterExchange(exchange, read, places.length - 1);
    },
    close: async () => {
      await file.close();
      await remove();
    },
  };
}

/** Characters of its JSON. */
const longCall = 8 * 1024;

/** A text is the bytes in base64; a long body is in the file by itself, and named by its digest. */
interface Written {
  readonly request: WithoutBytes<SentRequest>;
  readonly response?: WithoutBytes<ReceivedResponse>;
}

type WithoutBytes<T> = Omit<T, 'body'> & { readonly body: string | { readonly digest: string } };

function withoutBody<T extends WithBody>(message: T, stored: (body: Uint8Array) => StoredBody): WithoutBytes<T> {
  const { body, ...head } = message;
  return { ...head, body: body.length < longBody ? inBase64(body) : { digest: stored(body).digest } };
}

function withBody<T extends WithBody>(written: WithoutBytes<T>, bodies: ReadonlyMap<string, StoredBody>): T {
  const { body, ...head } = written;
  return typeof body === 'string'
    ? ({ ...head, body: Buffer.from(body, 'base64') } as unknown as T)
    : storedMessage<T>(head as unknown as Omit<T, 'body'>, bodies.get(body.digest)!);
}

function inBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

interface Piece {
  readonly start: number;
  readonly length: number;
}

/** Pieces of the file, one behind the other. */
function piecesOf({ fd }: FileHandle, failed: (cause: unknown) => Error) {
  let end = 0;
  return {
    add: (bytes: Uint8Array): Piece => {
      const piece = { start: end, length: bytes.length };
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, end + done);
      } catch (cause) {
        throw failed(cause);
      }
      end += bytes.length;
      return piece;
    },
    read: ({ start, length }: Piece): Buffer => {
      const bytes = Buffer.allocUnsafeSlow(length);
      for (let done = 0; done < length; ) done += readSync(fd, bytes, done, length - done, start + done);
      return bytes;
    },
  };
}
