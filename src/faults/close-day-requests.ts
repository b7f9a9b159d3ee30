/** Gateways that take more close-day requests than sections 2.1 and 8 allow, or fewer. */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { firstValue } from '../mock/received.ts';
import { newReply } from '../mock/reply.ts';
import { headerValues } from '../record/exchange.ts';
import type { GatewayDefect } from './defect.ts';
import { readsAnyType, readsJson } from './reads-any-type.ts';

const closeDay = { side: 'gateway', operation: 'close-day' } as const;

export const closeDayRequestDefects: readonly GatewayDefect[] = [
  {
    ...closeDay,
    id: 'close-day/request-id-length-not-checked',
    summary: 'Ids shorter than 8 and longer than 32 characters are taken',
    breaks: ['close-day/request-id-length-enforced'],
    alteration: { skips: ['request-id-length'] },
  },
  {
    ...closeDay,
    id: 'close-day/request-id-not-needed',
    summary: 'A request without day_close_request_id is taken',
    breaks: ['close-day/missing-request-id-refused'],
    alteration: { skips: ['request-id'] },
  },
  {
    ...closeDay,
    id: 'close-day/request-id-characters-not-checked',
    summary: 'Ids may have any characters',
    breaks: ['close-day/request-id-alphabet-enforced'],
    alteration: { skips: ['request-id-characters'] },
  },
  {
    ...closeDay,
    id: 'close-day/request-id-not-needed-beside-totals',
    summary: 'A request without day_close_request_id is taken where it has totals',
    breaks: ['close-day/missing-request-id-refused'],
    alteration: {
      skips: ['request-id'],
      refuses: ({ operation, form }) =>
        operation === 'close-day' && form.length === 0 ? 'day_close_request_id is missing' : undefined,
    },
  },
  {
    ...closeDay,
    id: 'close-day/empty-request-id-taken-beside-totals',
    summary: 'An empty day_close_request_id is taken where there are totals',
    breaks: ['close-day/missing-request-id-refused'],
    alteration: {
      skips: ['request-id', 'request-id-length'],
      refuses: ({ operation, form }) => {
        const id = firstValue(form, 'day_close_request_id');
        const isTaken = id === '' ? form.length > 1 : id !== undefined && /^.{8,32}$/s.test(id);
        return operation === 'close-day' && !isTaken ? 'day_close_request_id has no length from 8 to 32' : undefined;
      },
    },
  },
  {
    ...closeDay,
    id: 'close-day/one-character-repeated-refused',
    summary: 'An id that is one character again and again is taken for a filler and refused',
    breaks: ['close-day/generated-requests-accepted'],
    alteration: {
      refuses: ({ operation, form }) =>
        operation === 'close-day' && /^(.)\1+$/.test(firstValue(form, 'day_close_request_id') ?? '')
          ? 'day_close_request_id is a filler'
          : undefined,
    },
  },
  {
    ...closeDay,
    id: 'close-day/id-needs-a-digit',
    summary: 'An id of letters alone is refused',
    breaks: ['close-day/generated-requests-accepted'],
    alteration: {
      refuses: ({ operation, form }) =>
        operation === 'close-day' && /^[a-z]+$/i.test(firstValue(form, 'day_close_request_id') ?? '')
          ? 'day_close_request_id has no digit'
          : undefined,
    },
  },
  {
    ...closeDay,
    id: 'close-day/line-feed-behind-the-id-taken',
    summary: 'An id may end with a line feed, as a pattern that ends with $ lets it',
    breaks: ['close-day/request-id-alphabet-enforced'],
    alteration: {
      skips: ['request-id-characters'],
      refuses: ({ operation, form }) =>
        operation === 'close-day' && !/^[A-Za-z0-9]*\n?$/.test(firstValue(form, 'day_close_request_id') ?? '')
          ? 'day_close_request_id has other characters than letters and digits'
          : undefined,
    },
  },
  {
    ...closeDay,
    id: 'close-day/short-id-has-to-be-hexadecimal',
    summary: 'An id of 8 characters is refused unless it is hexadecimal',
    breaks: ['close-day/request-id-bounds-accepted', 'close-day/generated-requests-accepted'],
    alteration: {
      refuses: ({ operation, form }) =>
        operation === 'close-day' && /^(?=.*[g-z]).{8}$/i.test(firstValue(form, 'day_close_request_id') ?? '')
          ? 'day_close_request_id is not hexadecimal'
          : undefined,
    },
  },
  {
    ...closeDay,
    id: 'close-day/content-type-not-checked',
    summary: 'The body of close-day is read as a form whatever its content type',
    breaks: ['close-day/content-type-enforced'],
    alteration: readsAnyType('close-day'),
  },
  {
    id: 'close-day/content-type-looked-for-anywhere',
    side: 'gateway',
    operation: 'both',
    summary: 'A body is read as a form wherever in Content-Type that is named',
    breaks: ['close-day/content-type-enforced', 'recurring/content-type-enforced'],
    alteration: {
      skips: ['content-type'],
      refuses: ({ original: { headers } }) =>
        headerValues(headers, 'content-type').some((value) => /application\/x-www-form-urlencoded/i.test(value))
          ? undefined
          : 'the content type is not application/x-www-form-urlencoded',
    },
  },
  {
    id: 'close-day/json-bodies-taken',
    side: 'gateway',
    operation: 'both',
    summary: 'A body of JSON is read as if its members were the fields, and no signature covers it',
    breaks: ['close-day/content-type-enforced', 'recurring/content-type-enforced'],
    alteration: readsJson,
  },
  {
    ...closeDay,
    id: 'close-day/other-types-answered-with-415',
    summary: 'A body of another type is answered by the framework, with HTTP 415 and a page',
    breaks: ['close-day/status-200'],
    alteration: {
      writes: (reply, { step, operation }) =>
        operation === 'close-day' && step === 'content-type'
          ? newReply(415, [['Content-Type', 'text/html']], '<h1>Unsupported Media Type</h1>')
          : reply,
    },
  },
  refusesField('sale-count-refused', 'sale_approved_count', 'close-day/accepts-sale-approved-count'),
  refusesField('sale-sum-refused', 'sale_approved_sum', 'close-day/accepts-sale-approved-sum'),
  refusesField('reversal-count-refused', 'reversal_approved_count', 'close-day/accepts-reversal-approved-count'),
  refusesField('reversal-sum-refused', 'reversal_approved_sum', 'close-day/accepts-reversal-approved-sum'),
  {
    ...closeDay,
    id: 'close-day/four-totals-refused',
    summary: 'A request that carries all four totals is refused',
    breaks: [
      'close-day/accepts-sale-approved-count',
      'close-day/accepts-sale-approved-sum',
      'close-day/accepts-reversal-approved-count',
      'close-day/accepts-reversal-approved-sum',
    ],
    alteration: { refuses: ({ form }) => (form.length > 4 ? 'too many fields' : undefined) },
  },
];

function refusesField(what: string, field: string, breaks: TestableId<'gateway'>): GatewayDefect {
  return {
    ...closeDay,
    id: `close-day/${what}`,
    summary: `A request that carries ${field} is refused`,
    breaks: [breaks],
    alteration: {
      refuses: ({ form }) => (form.some(([name]) => name === field) ? 'an unknown field' : undefined),
    },
  };
}
