/** Deviations in the order of the parameters (RFC 5849 section 3.4.1.3.2). */
import type { Deviation } from '../deviation.ts';
import type { Order } from '../signer/recipe.ts';

const fix = 'Encode first, then sort by the bytes of the encoded name, and equal names by the encoded value.';

function order<Id extends string>(
  id: Id,
  change: Order,
  summary: string,
  developer: string,
): Deviation & { readonly id: Id } {
  return { id, stage: 'sort', snippet: 'sort', change: { order: change }, summary, developer, fix };
}

const unsorted = 'The client signs the fields in another order than the standard demands.';

export const sorting = [
  order('not-sorted', 'header-first', unsorted, 'Parameters are not sorted: header, then query, then body.'),
  order('not-sorted-body-first', 'body-first', unsorted, 'Parameters are not sorted: body, then query, then header.'),
  order('not-sorted-query-first', 'query-first', unsorted, 'Parameters are not sorted: query, then header, then body.'),
  order(
    'sources-sorted-apart',
    'each-source',
    unsorted,
    'Header and body are each sorted, and then put one behind the other.',
  ),
  order(
    'sources-sorted-apart-body-first',
    'each-source-body-first',
    unsorted,
    'Body and header are each sorted, and then put one behind the other.',
  ),
  order(
    'sorted-before-encoding',
    'before-encoding',
    unsorted,
    'Parameters are sorted as plain text and encoded after that.',
  ),
  order('sorted-as-joined', 'as-joined', unsorted, 'name=value is sorted as one text, so that "=" takes part in it.'),
  order(
    'sorted-by-key-only',
    'name-only',
    unsorted,
    'Parameters are sorted by name alone; equal names keep their order.',
  ),
  order('sorted-case-insensitively', 'case-insensitive', unsorted, 'Capitals and small letters are taken for equal.'),
  order('natural-order', 'natural', unsorted, 'Numbers in names and values are compared by value, 9 before 10.'),
  order(
    'sorted-by-locale',
    'locale',
    unsorted,
    'Text is compared by the rules of a language (localeCompare, strcoll).',
  ),
  order('sorted-descending', 'descending', unsorted, 'Parameters are sorted downwards.'),
] as const satisfies readonly Deviation[];
