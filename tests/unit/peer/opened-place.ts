/** A place at a local gateway, for one call. */
import type { LocalGateway, PlaceOptions } from '../../../src/peer/local-gateway/local-gateway.ts';
import type { Place } from '../../../src/peer/local-gateway/places.ts';
import type { LocalAnswer } from '../../../src/plan/scenario.ts';

/** Answers with 200 and an empty body. */
export const empty: LocalAnswer = { kind: 'reply', status: 200, headers: [], body: new Uint8Array() };

export async function placeAt(gateway: LocalGateway, answer = empty, options?: PlaceOptions): Promise<Place> {
  const place = await gateway.open(answer, options);
  if ('unavailable' in place) throw new Error(place.unavailable);
  return place;
}

export const slow = (afterMs: number, then = empty) => ({ kind: 'slow', afterMs, then }) as const;
