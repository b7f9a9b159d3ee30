/** Faults of a close-day request, each with the rows that it breaks. */
import { type Fault, fields, replaced, sent } from './sample-requests.ts';

export const closeDayFaults: readonly Fault[] = [
  ['another path', { target: '/p1/api/v2/close-day' }, 'path'],
  ['the prefix left out', { target: '/api/v2/close-day/1111' }, 'path'],
  ['a slash that is escaped', { target: '/p1%2Fapi/v2/close-day/1111' }, 'path'],
  ['a doubled slash', { target: '/p1//api/v2/close-day/1111' }, 'path'],
  [
    'a query of its own',
    { target: '/p1/api/v2/close-day/1111?x=1', uri: (uri) => uri },
    'path',
    'authentication/signature-verifies',
  ],
  ['PUT', { method: 'PUT' }, 'method'],
  ['no content type', { contentType: null }, 'content-type-sent'],
  ['the content type of JSON', { contentType: 'application/json' }, 'content-type-sent'],
  ['a body of JSON', { body: JSON.stringify(fields) }, 'body-is-form'],
  ['an empty body', { body: '' }, 'body-is-form'],
  ['a line break after the body', { body: (body) => `${body}\r\n` }, 'body-is-form'],
  ['a further parameter', sent((pairs) => [...pairs, ['x', '1']]), 'body-is-form'],
  ['a field twice', sent((pairs) => [...pairs, pairs[1]!]), 'body-is-form'],
  ['a misspelled field', sent((pairs) => pairs.map(([name, v]) => [name.replaceAll('_', '-'), v])), 'body-is-form'],
  ['no request id', sent((pairs) => pairs.slice(1)), 'request-id-present'],
  ['an empty request id', sent(replaced('day_close_request_id', '')), 'request-id-present'],
  ['a request id in lower case', sent(replaced('day_close_request_id', '902b4ff5a1')), 'request-id-alphabet'],
  ['a request id that is cut', sent(replaced('day_close_request_id', '902B4FF5')), 'request-id-length'],
  ['a sum with a comma', sent(replaced('sale_approved_sum', '100,00')), 'sale-approved-sum'],
  [
    'a count that is left out',
    sent((pairs) => pairs.filter(([name]) => name !== 'sale_approved_count')),
    'sale-approved-count',
  ],
  [
    'a count that nobody gave',
    sent((pairs) => [...pairs, ['reversal_approved_count', '0']]),
    'reversal-approved-count',
  ],
  ['a changed sum of reversals', sent(replaced('reversal_approved_sum', '0.95')), 'reversal-approved-sum'],
  ['a sum that is changed after it was signed', { body: (body) => body.replace('100.00', '101') }, 'sale-approved-sum'],
  [
    'a sum that is written otherwise after it was signed',
    { body: (body) => body.replace('100.00', '100.0') },
    'authentication/signature-verifies',
  ],
  [
    'an empty total that is added after the rest was signed',
    { body: (body) => `${body}&reversal_approved_count=` },
    'authentication/signature-verifies',
  ],
  [
    'an empty total that is signed and not sent',
    {
      input: { ...fields, reversal_approved_count: '' },
      body: (body) => body.replace('&reversal_approved_count=', ''),
    },
    'authentication/signature-verifies',
  ],
];
