/** Clients that send other fields than section 2.1 says, or other values than their caller gave. */
import { closeDayFieldNames, type Pair } from '../../protocol/index.ts';
import type { Breaks } from '../defect.ts';
import { type ClientDefect, closeDay, despite } from './defect.ts';

type Rows = Breaks<'client', 'close-day'>;

export const closeDayFieldDefects: readonly ClientDefect[] = [
  closeDay('id-left-out', 'day_close_request_id is not sent', 'request-id-present', {
    fields: (pairs) => pairs.filter(([name]) => name !== 'day_close_request_id'),
  }),
  id(
    'id-as-uuid',
    'An id of 32 hexadecimal digits is sent as a UUID with dashes, 36 characters',
    ['request-id-alphabet', 'request-id-length'],
    (text) => text.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i, '$1-$2-$3-$4-$5'),
  ),
  id(
    'id-signs-replaced',
    'Characters that are neither letters nor digits are sent as zeros',
    'request-id-alphabet',
    (text) => text.replace(/[^A-Za-z0-9]/g, '0'),
    /has characters other/,
  ),
  id(
    'id-cut',
    'An id of more than 32 characters is cut',
    'request-id-length',
    (text) => text.slice(0, 32),
    /has (?:3[3-9]|[4-9]\d|\d{3,}) characters/,
  ),
  id(
    'id-padded',
    'An id of fewer than 8 characters gets zeros in front',
    'request-id-length',
    (text) => (text === '' ? text : text.padStart(8, '0')),
    /has [1-7] characters/,
  ),
  id('id-as-number', 'An id of digits loses its leading zeros', 'request-id-length', (text) =>
    /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text,
  ),

  fields('endpoint-in-body', 'The body has the endpoint id too', 'body-is-form', (pairs, endpointId) => [
    ...pairs,
    ['endpoint_id', endpointId],
  ]),
  fields('names-in-camel-case', 'Fields have names such as saleApprovedSum', 'body-is-form', (pairs) =>
    pairs.map(([name, value]): Pair => [name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), value]),
  ),
  fields('sale-count-through-a-double', 'sale_approved_count passes through a double', 'sale-approved-count', (pairs) =>
    pairs.map(
      ([name, text]): Pair => [name, name === 'sale_approved_count' && isNumber(text) ? String(Number(text)) : text],
    ),
  ),
  fields(
    'reversal-count-made-up',
    'A reversal_approved_count that was not given is sent as 0',
    'reversal-approved-count',
    (pairs) =>
      pairs.some(([name]) => name === 'reversal_approved_count') ? pairs : [...pairs, ['reversal_approved_count', '0']],
  ),
  fields('reversal-sum-left-out', 'reversal_approved_sum is not sent', 'reversal-approved-sum', (pairs) =>
    pairs.filter(([name]) => name !== 'reversal_approved_sum'),
  ),
  fields(
    'absent-totals-as-null',
    'A total that was not given is sent as the text null',
    ['sale-approved-count', 'sale-approved-sum', 'reversal-approved-count', 'reversal-approved-sum'],
    (pairs) => [
      ...pairs,
      ...totals.filter((total) => !pairs.some(([name]) => name === total)).map((total): Pair => [total, 'null']),
    ],
  ),
  fields(
    'sums-swapped',
    'The sums of sales and of reversals are sent in the place of each other',
    ['sale-approved-sum', 'reversal-approved-sum'],
    (pairs) =>
      pairs.map(([name, text]): Pair => {
        const other = { sale_approved_sum: 'reversal_approved_sum', reversal_approved_sum: 'sale_approved_sum' };
        return [other[name as keyof typeof other] ?? name, text];
      }),
  ),
  closeDay(
    'line-ends-rewritten-after-signing',
    'CRLF of a value becomes LF in the body after the signature was made',
    // The one input with a line end gives it in that field; what was signed is the value that was given.
    'sale-approved-sum',
    { form: (form) => form.replaceAll('%0D%0A', '%0A') },
  ),
];

const totals: readonly string[] = closeDayFieldNames.slice(1);

/** Sends another id; what the reference client refuses for the reason `refused` is sent too. */
function id(
  what: string,
  summary: string,
  breaks: Rows,
  change: (text: string) => string,
  refused?: RegExp,
): ClientDefect {
  return closeDay(what, summary, breaks, {
    ...despite(refused),
    fields: (pairs) => pairs.map((pair) => (pair[0] === 'day_close_request_id' ? [pair[0], change(pair[1])] : pair)),
  });
}

function fields(
  what: string,
  summary: string,
  breaks: Rows,
  change: (pairs: readonly Pair[], endpointId: string) => readonly Pair[],
): ClientDefect {
  return closeDay(what, summary, breaks, { fields: (pairs, { endpointId }) => change(pairs, endpointId) });
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
