/** What a run keeps of the bodies that came. */
import { createHash } from 'node:crypto';
import type { Exchange } from '../exchange/exchange.ts';

/** Keeps each body once, by its digest: a subject may give the same answer, of megabytes, to every request. */
export function eachBodyOnce(): (body: Buffer) => Buffer {
  const kept = new Map<string, Buffer>();
  return (body) => {
    const digest = createHash('sha256').update(body).digest('base64');
    const known = kept.get(digest);
    if (known === undefined) kept.set(digest, body);
    return known ?? body;
  };
}

/** The exchange with the kept body of its response; `same` is of `eachBodyOnce`. */
export function withKeptBody(exchange: Exchange, same: (body: Buffer) => Buffer): Exchange {
  const { response } = exchange;
  if (response === undefined) return exchange;
  const { buffer, byteOffset, byteLength } = response.body;
  return { ...exchange, response: { ...response, body: same(Buffer.from(buffer, byteOffset, byteLength)) } };
}
