/**
 * Edited exchanges in memory of their own: an edited text is made of pieces of others, and a small buffer is a piece of a larger
 * one, so that each would keep all that it was made from. What is equal is one, as in a recording that was read.
 */
import { createHash } from 'node:crypto';
import { equalParts } from '../exchange/equal-parts.ts';
import type { Exchange, ReceivedResponse, SentRequest } from '../exchange/exchange.ts';
import { ownText } from '../exchange/own-text.ts';
import { longBody } from '../exchange/stored-body.ts';

/** Each gives what is equal to it. */
export interface KeptParts {
  exchange(exchange: Exchange): Exchange;
  response(response: ReceivedResponse): ReceivedResponse;
}

export function newKeptParts(): KeptParts {
  const shared = equalParts();
  const long = new Map<string, Uint8Array>();
  const keptBody = (body: Uint8Array): Uint8Array => {
    if (body.length < longBody) return shared.bytes(body);
    const digest = createHash('sha256').update(body).digest('hex');
    const kept = long.get(digest) ?? new Uint8Array(body);
    long.set(digest, kept);
    return kept;
  };
  const keptHeaders = (headers: SentRequest['headers']) =>
    shared.lines(headers.map(([name, value]) => shared.line(name, ownText(value))));
  const keptRequest = ({ method, scheme, host, target, headers, body }: SentRequest): SentRequest => ({
    method: shared.text(method),
    scheme,
    host: shared.text(host),
    target: shared.text(target),
    headers: keptHeaders(headers),
    body: keptBody(body),
  });
  const keptResponse = ({ status, reason, headers, body }: ReceivedResponse): ReceivedResponse => ({
    status,
    reason: shared.text(reason),
    headers: keptHeaders(headers),
    body: keptBody(body),
  });
  const keptExchange = ({
    request,
    response,
    failure,
    startedAt,
    durationMs,
    connection,
    silence,
  }: Exchange): Exchange => ({
    request: keptRequest(request),
    response: response && keptResponse(response),
    failure,
    startedAt,
    durationMs,
    connection,
    silence,
  });
  return { exchange: keptExchange, response: keptResponse };
}
