/** Requests that only a record shows: a name twice, a query, names beside the documented ones. */
import type { StoredRequest } from './defect.ts';

const id = ['day_close_request_id', 'a1b2c3d4e5f6'] as const;

/** One name with two values: as sent they are in another order than sorted, and encoded they sort differently than raw. */
export const repeatedName = closeDay(['sale_approved_sum', 'z'], ['sale_approved_sum', '\u00e9']);

/** By bytes 10 comes before 9. */
export const repeatedNumber = closeDay(['sale_approved_sum', '9'], ['sale_approved_sum', '10']);

/** As names a comes first; as joined texts a-b=1 does, since - comes before =. */
export const nameInsideName = closeDay(['a', '2'], ['a-b', '1']);

/** By bytes B comes first. */
export const capitalName = closeDay(['a', '1'], ['B', '2']);

export const withQuery: StoredRequest = { ...closeDay(), target: '/api/v2/close-day/1111?x=1' };

function closeDay(...further: StoredRequest['fields'][number][]): StoredRequest {
  return { operation: 'close-day', fields: [id, ...further] };
}
