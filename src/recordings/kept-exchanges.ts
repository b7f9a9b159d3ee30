/**
 * Edited exchanges in memory of their own: an edited text is made of pieces of others, and a small buffer is a piece of a larger
 * one, so that each would keep all that it was made from. Equal long bodies are one.
 */
import { createHash } from 'node:crypto';
import type { Exchange } from '../exchange/exchange.ts';
import { longBody } from '../exchange/stored-body.ts';

/** Gives an equal exchange for each. */
export function newKeptExchanges(): (exchange: Exchange) => Exchange {
  const long = new Map<string, Uint8Array>();
  const keptBody = (body: Uint8Array): Uint8Array => {
    if (body.length < longBody) return new Uint8Array(body);
    const digest = createHash('sha256').update(body).digest('hex');
    const kept = long.get(digest) ?? new Uint8Array(body);
    long.set(digest, kept);
    return kept;
  };
  const keptMessage = <Message extends { readonly body: Uint8Array }>({ body, ...head }: Message): Message =>
    ({ ...JSON.parse(JSON.stringify(head)), body: keptBody(body) }) as Message;
  return ({ request, response, ...rest }) => ({
    ...rest,
    request: keptMessage(request),
    ...(response === undefined ? {} : { response: keptMessage(response) }),
  });
}
