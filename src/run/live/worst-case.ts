/** The worst that a request can do if the target accepts it, read from the very bytes that would be sent. Pure. */
import type { Operation } from '../../../contracts/requirements/requirement.ts';
import type { SentRequest } from '../../exchange/exchange.ts';
import { worstBatch } from './read-batch.ts';
import type { Site } from './site.ts';

export type WorstCase =
  | { readonly effect: 'none' }
  | { readonly effect: 'closes-day'; readonly endpointId: string }
  | {
      readonly effect: 'starts-payments';
      readonly endpointId: string;
      readonly count: number;
      /** Sum of the payments. */
      readonly cents: number;
    };

/** A request that may not be sent to this target, whatever is allowed. */
export interface Forbidden {
  readonly forbidden: string;
}

/**
 * `none` is what leads to neither operation, or to the endpoint that the configuration names as unknown. What cannot be
 * read with certainty is forbidden: an effect that nobody can state is one that nobody has allowed.
 */
export function worstCaseOf(request: Omit<SentRequest, 'headers'>, site: Site): WorstCase | Forbidden {
  if (request.scheme !== site.scheme || request.host !== site.host) return { forbidden: 'it leads to another host' };
  if (pathOf(request) === `${site.prefix}/` && request.method === 'GET') return { effect: 'none' };
  const place = placeOf(request, site);
  if (place === undefined) return { forbidden: 'it leads to another path than those of the two operations' };
  const { operation, endpointId } = place;
  if (endpointId === site.unknownEndpointId) return { effect: 'none' };
  if (!site.endpointIds.has(endpointId)) return { forbidden: `endpoint ${endpointId} is not in the configuration` };
  if (operation === 'close-day') return { effect: 'closes-day', endpointId };
  const batch = worstBatch(request.body, site.profiles);
  return 'forbidden' in batch ? batch : { effect: 'starts-payments', endpointId, ...batch };
}

/** The operation that is asked of the endpoint named as unknown; undefined for whatever leads elsewhere. */
export function askedOfUnknown(request: Pick<SentRequest, RequestLine>, site: Site): Operation | undefined {
  const place = placeOf(request, site);
  return place !== undefined && place.endpointId === site.unknownEndpointId ? place.operation : undefined;
}

type RequestLine = 'scheme' | 'host' | 'target';

function placeOf(
  request: Pick<SentRequest, RequestLine>,
  { prefix }: Site,
): { operation: Operation; endpointId: string } | undefined {
  const path = pathOf(request);
  const place = /^\/api\/(?:v2\/(close-day)|v4\/(process-recurring-payments))\/([^/?#%]+)$/.exec(
    path.startsWith(prefix) ? path.slice(prefix.length) : '',
  );
  if (place === null) return undefined;
  return { operation: place[1] === undefined ? 'process-recurring-payments' : 'close-day', endpointId: place[3]! };
}

function pathOf({ scheme, host, target }: Pick<SentRequest, RequestLine>): string {
  return target.replace(`${scheme}://${host}`, '');
}
