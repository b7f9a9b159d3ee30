/** Clients that send other fields than section 2.1 says, or other values than their caller gave. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { closeDayFieldNames, type Pair } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;

const totals: readonly string[] = closeDayFieldNames.slice(1);

export const closeDayFieldDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/endpoint-in-body',
    summary: 'The body has the endpoint id too',
    breaks: ['close-day/body-is-form'],
    alteration: fields((pairs, endpointId) => [...pairs, ['endpoint_id', endpointId]]),
  },
  {
    ...closeDay,
    id: 'close-day/names-in-camel-case',
    summary: 'Fields have names such as saleApprovedSum',
    breaks: ['close-day/body-is-form'],
    alteration: fields((pairs) =>
      pairs.map(([name, value]): Pair => [name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), value]),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/sale-count-through-a-double',
    summary: 'sale_approved_count passes through a double',
    breaks: ['close-day/sale-approved-count'],
    alteration: value('sale_approved_count', (text) => (isNumber(text) ? String(Number(text)) : text)),
  },
  {
    ...closeDay,
    id: 'close-day/reversal-count-made-up',
    summary: 'A reversal_approved_count that was not given is sent as 0',
    breaks: ['close-day/reversal-approved-count'],
    alteration: fields((pairs) =>
      pairs.some(([name]) => name === 'reversal_approved_count') ? pairs : [...pairs, ['reversal_approved_count', '0']],
    ),
  },
  {
    ...closeDay,
    id: 'close-day/reversal-sum-left-out',
    summary: 'reversal_approved_sum is not sent',
    breaks: ['close-day/reversal-approved-sum'],
    alteration: fields((pairs) => pairs.filter(([name]) => name !== 'reversal_approved_sum')),
  },
  {
    ...closeDay,
    id: 'close-day/absent-totals-as-null',
    summary: 'A total that was not given is sent as the text null',
    breaks: [
      'close-day/sale-approved-count',
      'close-day/sale-approved-sum',
      'close-day/reversal-approved-count',
      'close-day/reversal-approved-sum',
    ],
    alteration: fields((pairs) => [
      ...pairs,
      ...totals.filter((total) => !pairs.some(([name]) => name === total)).map((total): Pair => [total, 'null']),
    ]),
  },
  {
    ...closeDay,
    id: 'close-day/sums-swapped',
    summary: 'The sums of sales and of reversals are sent in the place of each other',
    breaks: ['close-day/sale-approved-sum', 'close-day/reversal-approved-sum'],
    alteration: fields((pairs) =>
      pairs.map(([name, text]): Pair => {
        const other = { sale_approved_sum: 'reversal_approved_sum', reversal_approved_sum: 'sale_approved_sum' };
        return [other[name as keyof typeof other] ?? name, text];
      }),
    ),
  },
  {
    ...closeDay,
    id: 'close-day/line-ends-rewritten-after-signing',
    summary: 'CRLF of a value becomes LF in the body after the signature was made',
    // The one input with a line end gives it in that field; what was signed is the value that was given.
    breaks: ['close-day/sale-approved-sum'],
    alteration: only('close-day', { form: (form) => form.replaceAll('%0D%0A', '%0A') }),
  },
];

function fields(change: (pairs: readonly Pair[], endpointId: string) => readonly Pair[]): ClientAlteration {
  return only('close-day', { fields: (pairs, { endpointId }) => change(pairs, endpointId) });
}

function value(name: string, change: (text: string) => string): ClientAlteration {
  return fields((pairs) => pairs.map((pair): Pair => (pair[0] === name ? [name, change(pair[1])] : pair)));
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
