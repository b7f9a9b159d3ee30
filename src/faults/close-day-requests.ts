/** Gateways that take more requests than sections 2.1 and 8 allow, or fewer; and those that take a name for another one. */
import type { Alteration } from '../mock/alteration.ts';
import { firstValue } from '../mock/received.ts';
import { newReply } from '../mock/responses.ts';
import { decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import { type Breaks, closeDay, type GatewayDefect, recurring } from './defect.ts';
import { readsAnyType, readsJson, readsPayload } from './readings.ts';

const paymentHeader = '"client-orderid";"recurring-payment-id";"amount"';

export const closeDayRequestDefects: readonly GatewayDefect[] = [
  closeDay(
    'request-id-length-not-checked',
    'Ids shorter than 8 and longer than 32 characters are taken',
    'request-id-length-enforced',
    { skips: ['request-id-length'] },
  ),
  closeDay('request-id-not-needed', 'A request without day_close_request_id is taken', 'missing-request-id-refused', {
    skips: ['request-id'],
  }),
  closeDay('request-id-characters-not-checked', 'Ids may have any characters', 'request-id-alphabet-enforced', {
    skips: ['request-id-characters'],
  }),
  closeDay(
    'request-id-not-needed-beside-totals',
    'A request without day_close_request_id is taken where it has totals',
    'missing-request-id-refused',
    {
      skips: ['request-id'],
      refuses: ({ form }) => (form.length === 0 ? 'day_close_request_id is missing' : undefined),
    },
  ),
  closeDay(
    'empty-request-id-taken-beside-totals',
    'An empty day_close_request_id is taken where there are totals',
    'missing-request-id-refused',
    {
      skips: ['request-id', 'request-id-length'],
      refuses: ({ form }) => {
        const id = firstValue(form, 'day_close_request_id');
        const isTaken = id === '' ? form.length > 1 : id !== undefined && /^.{8,32}$/s.test(id);
        return !isTaken ? 'day_close_request_id has no length from 8 to 32' : undefined;
      },
    },
  ),
  closeDay(
    'one-character-repeated-refused',
    'An id that is one character again and again is taken for a filler and refused',
    'generated-requests-accepted',
    { refuses: ({ form }) => (/^(.)\1+$/.test(idOf(form)) ? 'day_close_request_id is a filler' : undefined) },
  ),
  closeDay('id-needs-a-digit', 'An id of letters alone is refused', 'generated-requests-accepted', {
    refuses: ({ form }) => (/^[a-z]+$/i.test(idOf(form)) ? 'day_close_request_id has no digit' : undefined),
  }),
  closeDay(
    'line-feed-behind-the-id-taken',
    'An id may end with a line feed, as a pattern that ends with $ lets it',
    'request-id-alphabet-enforced',
    {
      skips: ['request-id-characters'],
      refuses: ({ form }) =>
        !/^[A-Za-z0-9]*\n?$/.test(idOf(form))
          ? 'day_close_request_id has other characters than letters and digits'
          : undefined,
    },
  ),
  closeDay(
    'short-id-has-to-be-hexadecimal',
    'An id of 8 characters is refused unless it is hexadecimal',
    ['request-id-bounds-accepted', 'generated-requests-accepted'],
    {
      refuses: ({ form }) =>
        /^(?=.*[g-z]).{8}$/i.test(idOf(form)) ? 'day_close_request_id is not hexadecimal' : undefined,
    },
  ),
  closeDay(
    'content-type-not-checked',
    'The body of close-day is read as a form whatever its content type',
    'content-type-enforced',
    readsAnyType('close-day'),
  ),
  ofBoth('content-type-looked-for-anywhere', 'A body is read as a form wherever in Content-Type that is named', {
    skips: ['content-type'],
    refuses: ({ original: { headers } }) =>
      headerValues(headers, 'content-type').some((value) => /application\/x-www-form-urlencoded/i.test(value))
        ? undefined
        : 'the content type is not application/x-www-form-urlencoded',
  }),
  ofBoth(
    'json-bodies-taken',
    'A body of JSON is read as if its members were the fields, and no signature covers it',
    readsJson,
  ),
  closeDay(
    'other-types-answered-with-415',
    'A body of another type is answered by the framework, with HTTP 415 and a page',
    'status-200',
    {
      writes: (reply, { step }) =>
        step === 'content-type'
          ? newReply(415, [['Content-Type', 'text/html']], '<h1>Unsupported Media Type</h1>')
          : reply,
    },
  ),
  refusesField('sale-count-refused', 'sale_approved_count', 'accepts-sale-approved-count'),
  refusesField('sale-sum-refused', 'sale_approved_sum', 'accepts-sale-approved-sum'),
  refusesField('reversal-count-refused', 'reversal_approved_count', 'accepts-reversal-approved-count'),
  refusesField('reversal-sum-refused', 'reversal_approved_sum', 'accepts-reversal-approved-sum'),
  closeDay(
    'four-totals-refused',
    'A request that carries all four totals is refused',
    [
      'accepts-sale-approved-count',
      'accepts-sale-approved-sum',
      'accepts-reversal-approved-count',
      'accepts-reversal-approved-sum',
    ],
    { refuses: ({ form }) => (form.length > 4 ? 'too many fields' : undefined) },
  ),
];

/** Required fields and columns that are taken under another name, as frameworks and careless readers do. */
export const fieldNameDefects: readonly GatewayDefect[] = [
  ...(
    [
      ['in-any-case', 'may be in capitals', 'DAY_CLOSE_REQUEST_ID'],
      ['in-a-list', 'may have brackets behind it', 'day_close_request_id[]'],
      ['with-points', 'may have points for underscores', 'day.close.request.id'],
    ] as const
  ).map(([what, says, name]) =>
    closeDay(
      `day-close-request-id-${what}`,
      `The name day_close_request_id ${says}`,
      'missing-request-id-refused',
      takesName(name, 'day_close_request_id'),
    ),
  ),
  recurring(
    'payload-in-a-list',
    'The name payload may have brackets behind it',
    'missing-payload-refused',
    takesName('payload[]', 'payload'),
  ),
  recurring(
    'columns-read-by-place',
    'The three columns of a CSV may have any names: which one a cell is of is told by its place',
    ['missing-client-orderid-refused', 'missing-recurring-payment-id-refused', 'missing-amount-refused'],
    readsPayload((csv) => csv.replace(/^"[^";]*";"[^";]*";"[^";]*"(?=[\r\n])/, paymentHeader)),
  ),
];

/** A defect of both operations, as to the content type. */
function ofBoth(what: string, summary: string, alteration: Alteration): GatewayDefect {
  const breaks = ['close-day/content-type-enforced', 'recurring/content-type-enforced'] as const;
  return { id: `close-day/${what}`, side: 'gateway', operation: 'both', summary, breaks, alteration };
}

function idOf(form: readonly Pair[]): string {
  return firstValue(form, 'day_close_request_id') ?? '';
}

function refusesField(what: string, field: string, breaks: Breaks<'gateway', 'close-day'>): GatewayDefect {
  return closeDay(what, `A request that carries ${field} is refused`, breaks, {
    refuses: ({ form }) => (form.some(([name]) => name === field) ? 'an unknown field' : undefined),
  });
}

/** Takes the first field under another name for the right one; signed is what was sent. */
function takesName(other: string, right: string): Alteration {
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
