/** Gateways that take more requests than sections 2.1 and 8 allow, or fewer; and those that take a name for another one. */
import type { Alteration } from '../mock/alteration.ts';
import { firstValue } from '../mock/received.ts';
import { decodeForm, encodeForm } from '../protocol/index.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import { type Row, row } from '../record/row.ts';
import { breaking, closeDay, type GatewayDefect, recurring } from './defect.ts';
import type { GatewayEdit } from './edit.ts';
import { readsAnyType, readsJson } from './readings.ts';

const right = breaking(closeDay, 'generated-requests-accepted');
const noId = breaking(closeDay, 'missing-request-id-refused');
const alphabet = breaking(closeDay, 'request-id-alphabet-enforced');

export const closeDayRequestDefects: readonly GatewayDefect[] = [
  closeDay('request-id-length-not-checked', 'request-id-length-enforced', { skips: ['request-id-length'] })`
    Ids shorter than 8 and longer than 32 characters are taken`,
  noId('request-id-not-needed', { skips: ['request-id'] })`A request without day_close_request_id is taken`,
  alphabet('request-id-characters-not-checked', { skips: ['request-id-characters'] })`Ids may have any characters`,
  noId('request-id-not-needed-beside-totals', { skips: ['request-id'], refusesIf: ({ form }) => form.length === 0 })`
    A request without day_close_request_id is taken where it has totals`,
  noId('empty-request-id-taken-beside-totals', {
    skips: ['request-id', 'request-id-length'],
    refusesIf: ({ form }) => {
      const id = firstValue(form, 'day_close_request_id');
      return id === '' ? form.length === 1 : id === undefined || !/^.{8,32}$/s.test(id);
    },
  })`An empty day_close_request_id is taken where there are totals`,
  right('one-character-repeated-refused', { refusesId: (id) => /^(.)\1+$/.test(id) })`
    An id that is one character again and again is taken for a filler and refused`,
  right('id-needs-a-digit', { refusesId: (id) => /^[a-z]+$/i.test(id) })`An id of letters alone is refused`,
  alphabet('line-feed-behind-the-id-taken', {
    skips: ['request-id-characters'],
    refusesId: (id) => !/^[A-Za-z0-9]*\n?$/.test(id),
  })`An id may end with a line feed, as a pattern that ends with $ lets it`,
  closeDay('short-id-has-to-be-hexadecimal', ['request-id-bounds-accepted', 'generated-requests-accepted'], {
    refusesId: (id) => /^(?=.*[g-z]).{8}$/i.test(id),
  })`An id of 8 characters is refused unless it is hexadecimal`,
  closeDay('content-type-not-checked', 'content-type-enforced', readsAnyType('close-day'))`
    The body of close-day is read as a form whatever its content type`,
  ofBoth('content-type-looked-for-anywhere', {
    skips: ['content-type'],
    refuses: ({ original: { headers } }) =>
      headerValues(headers, 'content-type').some((value) => /application\/x-www-form-urlencoded/i.test(value))
        ? undefined
        : 'the content type is not application/x-www-form-urlencoded',
  })`A body is read as a form wherever in Content-Type that is named`,
  ofBoth('json-bodies-taken', readsJson)`
    A body of JSON is read as if its members were the fields, and no signature covers it`,
  closeDay('other-types-answered-with-415', 'status-200', {
    at: /^content-type$/,
    status: 415,
    header: { 'Content-Type': 'text/html' },
    body: '<h1>Unsupported Media Type</h1>',
  })`A body of another type is answered by the framework, with HTTP 415 and a page`,
  refusesField('sale-count-refused', 'sale_approved_count', 'accepts-sale-approved-count'),
  refusesField('sale-sum-refused', 'sale_approved_sum', 'accepts-sale-approved-sum'),
  refusesField('reversal-count-refused', 'reversal_approved_count', 'accepts-reversal-approved-count'),
  refusesField('reversal-sum-refused', 'reversal_approved_sum', 'accepts-reversal-approved-sum'),
  closeDay(
    'four-totals-refused',
    [
      'accepts-sale-approved-count',
      'accepts-sale-approved-sum',
      'accepts-reversal-approved-count',
      'accepts-reversal-approved-sum',
    ],
    { refusesIf: ({ form }) => form.length > 4 },
  )`A request that carries all four totals is refused`,
];

/** Required fields and columns that are taken under another name, as frameworks and careless readers do. */
export const fieldNameDefects: readonly GatewayDefect[] = [
  takesId('in-any-case', 'may be in capitals', 'DAY_CLOSE_REQUEST_ID'),
  takesId('in-a-list', 'may have brackets behind it', 'day_close_request_id[]'),
  takesId('with-points', 'may have points for underscores', 'day.close.request.id'),
  recurring('payload-in-a-list', 'missing-payload-refused', takesName('payload[]', 'payload'))`
    The name payload may have brackets behind it`,
  recurring(
    'columns-read-by-place',
    ['missing-client-orderid-refused', 'missing-recurring-payment-id-refused', 'missing-amount-refused'],
    {
      csv: (csv) =>
        csv.replace(/^"[^";]*";"[^";]*";"[^";]*"(?=[\r\n])/, '"client-orderid";"recurring-payment-id";"amount"'),
    },
  )`The three columns of a CSV may have any names: which one a cell is of is told by its place`,
];

/** A defect of both operations, as to the content type. */
function ofBoth(what: string, alteration: Alteration): Row<GatewayDefect> {
  const breaks = ['close-day/content-type-enforced', 'recurring/content-type-enforced'] as const;
  return row((summary) => ({
    id: `close-day/${what}`,
    side: 'gateway',
    operation: 'both',
    summary,
    breaks,
    alteration,
  }));
}

function refusesField(what: string, field: string, breaks: Parameters<typeof closeDay>[1]): GatewayDefect {
  return closeDay(what, breaks, { refusesName: field })`A request that carries ${field} is refused`;
}

function takesId(what: string, how: string, name: string): GatewayDefect {
  return noId(
    `day-close-request-id-${what}`,

    takesName(name, 'day_close_request_id'),
  )`The name day_close_request_id ${how}`;
}

/** Takes the first field under another name for the right one; signed is what was sent. */
function takesName(other: string, right: string): GatewayEdit {
  const sent = encodeForm([[other, '']]);
  const isSo = ({ body }: SentRequest) => Buffer.from(body).toString('latin1').startsWith(sent);
  return {
    reads: (request) =>
      isSo(request)
        ? { ...request, body: Buffer.concat([Buffer.from(`${right}=`), request.body.subarray(sent.length)]) }
        : request,
    signs: (material, original) => (isSo(original) ? { ...material, body: decodeForm(original.body) } : material),
  };
}
