/** The worst that a request can do if the target accepts it, read from the very bytes that would be sent. Pure. */
import { type Operation, operationAt, operations } from '../../../contracts/operations.ts';
import { headerValues, type SentRequest } from '../../record/exchange.ts';
import { mayBeSameEndpoint } from '../target/same-endpoint.ts';
import type { Site } from '../target/site.ts';
import { type Forbidden, worstBatch } from './read-batch.ts';

/** `unknown`: at the endpoint that the configuration names as one that does not exist; then nothing of it should happen. */
export type WorstEffect =
  | { readonly effect: 'closes-day'; readonly endpointId: string; readonly unknown?: true }
  | {
      readonly effect: 'starts-payments';
      readonly endpointId: string;
      readonly count: number;
      /** Sum of the payments. */
      readonly cents: number;
      readonly unknown?: true;
    };

export type WorstCase = { readonly effect: 'none' } | WorstEffect;

/**
 * `none` is what leads to neither operation. What cannot be read with certainty is forbidden: an effect that nobody can state
 * is one that nobody has allowed.
 *
 * @param request headers have no bearing but for one: whether it is signed, which counts as yes where that is not said
 */
export function worstCaseOf(
  request: Omit<SentRequest, 'headers'> & { readonly isSigned?: boolean },
  site: Site,
): WorstCase | Forbidden {
  if (request.scheme !== site.scheme || request.host !== site.host) return { forbidden: 'it leads to another host' };
  if (pathOf(request) === `${site.prefix}/` && request.method === 'GET') return { effect: 'none' };
  const place = placeOf(request, site);
  if (place === undefined) return { forbidden: 'it leads to another path than those of the two operations' };
  const { operation, endpointId } = place;
  const unknown = endpointId === site.unknownEndpointId;
  if (unknown && [...site.endpointIds].some((id) => mayBeSameEndpoint(id, endpointId))) {
    return { forbidden: `endpoint ${endpointId} may be one that exists, written in another way` };
  }
  if (!unknown && !site.endpointIds.has(endpointId)) {
    return { forbidden: `endpoint ${endpointId} is not in the configuration` };
  }
  // An id is only as unknown as the way in which the gateway reads ids: a signature that may be right goes to none.
  if (!site.integration && request.isSigned !== false) {
    return { forbidden: 'it is signed, and the environment is not one of integration' };
  }
  const marked = unknown ? ({ unknown } as const) : {};
  const { effect } = operations[operation];
  if (effect !== 'starts-payments') return { effect, endpointId, ...marked };
  const batch = worstBatch(request.body, site.profiles);
  return 'forbidden' in batch ? batch : { effect, endpointId, ...batch, ...marked };
}

/** Whether the request is signed, rightly or not, wherever the signature is (RFC 5849 3.5). */
export function isSigned({ headers, body, target }: Pick<SentRequest, 'headers' | 'body' | 'target'>): boolean {
  const elsewhere = [body, Buffer.from(target)].some((bytes) => /oauth_signature/i.test(unescaped(bytes)));
  return elsewhere || headerValues(headers, 'authorization').length > 0;
}

function unescaped(body: Uint8Array): string {
  const character = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  return Buffer.from(body)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, character);
}

function placeOf(
  request: Pick<SentRequest, 'scheme' | 'host' | 'target'>,
  { prefix, versions }: Site,
): { operation: Operation; endpointId: string } | undefined {
  // A payload in the query may be a batch beside that of the body: what it would charge is not known.
  const [, path, query = ''] = /^([^?]*)\??(.*)$/s.exec(pathOf(request))!;
  if (/payload/i.test(unescaped(Buffer.from(query)))) return undefined;
  const place = operationAt(path!.startsWith(prefix) ? path!.slice(prefix.length) : '', versions);
  // An endpoint id that is escaped, or followed by a fragment, may be read as that of another endpoint.
  return place === undefined || /[#%]/.test(place.endpointId) ? undefined : place;
}

function pathOf({ scheme, host, target }: Pick<SentRequest, 'scheme' | 'host' | 'target'>): string {
  return target.replace(`${scheme}://${host}`, '');
}
