/** Clients that send other fields than section 2.1 says, or other values than their caller gave. */
import { closeDayFieldNames, type Pair } from '../../protocol/index.ts';
import { breaking } from '../defect.ts';
import { type ClientDefect, closeDay } from './defect.ts';

const idLength = breaking(closeDay, 'request-id-length');
const form = breaking(closeDay, 'body-is-form');

export const closeDayFieldDefects: readonly ClientDefect[] = [
  closeDay('id-left-out', 'request-id-present', { fields: (pairs) => without(pairs, 'day_close_request_id') })`
    day_close_request_id is not sent`,
  closeDay('id-as-uuid', ['request-id-alphabet', 'request-id-length'], {
    field: {
      day_close_request_id: (id) =>
        id.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i, '$1-$2-$3-$4-$5'),
    },
  })`An id of 32 hexadecimal digits is sent as a UUID with dashes, 36 characters`,
  closeDay('id-signs-replaced', 'request-id-alphabet', {
    field: { day_close_request_id: (id) => id.replace(/[^A-Za-z0-9]/g, '0') },
    despite: /has characters other/,
  })`Characters that are neither letters nor digits are sent as zeros`,
  idLength('id-cut', {
    field: { day_close_request_id: (id) => id.slice(0, 32) },
    despite: /has (?:3[3-9]|[4-9]\d|\d{3,}) characters/,
  })`An id of more than 32 characters is cut`,
  idLength('id-padded', {
    field: { day_close_request_id: (id) => (id === '' ? '' : id.padStart(8, '0')) },
    despite: /has [1-7] characters/,
  })`An id of fewer than 8 characters gets zeros in front`,
  idLength('id-as-number', { field: { day_close_request_id: (id) => id.replace(/^0+(?=\d+$)/, '') } })`
    An id of digits loses its leading zeros`,

  form('endpoint-in-body', { fields: (pairs, { endpointId }) => [...pairs, ['endpoint_id', endpointId]] })`
    The body has the endpoint id too`,
  form('names-in-camel-case', {
    fields: renamed((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())),
  })`Fields have names such as saleApprovedSum`,
  closeDay('sale-count-through-a-double', 'sale-approved-count', {
    field: { sale_approved_count: (text) => (isNumber(text) ? String(Number(text)) : text) },
  })`sale_approved_count passes through a double`,
  closeDay('reversal-count-made-up', 'reversal-approved-count', { fields: adding('0', 'reversal_approved_count') })`
    A reversal_approved_count that was not given is sent as 0`,
  closeDay('reversal-sum-left-out', 'reversal-approved-sum', {
    fields: (pairs) => without(pairs, 'reversal_approved_sum'),
  })`reversal_approved_sum is not sent`,
  closeDay(
    'absent-totals-as-null',
    ['sale-approved-count', 'sale-approved-sum', 'reversal-approved-count', 'reversal-approved-sum'],
    { fields: adding('null', ...closeDayFieldNames.slice(1)) },
  )`A total that was not given is sent as the text null`,
  closeDay('sums-swapped', ['sale-approved-sum', 'reversal-approved-sum'], {
    fields: renamed((name) => name.replace(/(sale|reversal)(?=_approved_sum)/, (one) => swapped[one]!)),
  })`The sums of sales and of reversals are sent in the place of each other`,
  // The one input with a line end gives it in that field; what was signed is the value that was given.
  closeDay('line-ends-rewritten-after-signing', 'sale-approved-sum', {
    form: (form) => form.replaceAll('%0D%0A', '%0A'),
  })`CRLF of a value becomes LF in the body after the signature was made`,
];

const swapped: Readonly<Record<string, string>> = { sale: 'reversal', reversal: 'sale' };

function without(pairs: readonly Pair[], name: string): readonly Pair[] {
  return pairs.filter(([one]) => one !== name);
}

function renamed(change: (name: string) => string): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => pairs.map(([name, value]) => [change(name), value]);
}

/** Each of these that is not there, with this value. */
function adding(value: string, ...names: readonly string[]): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => [
    ...pairs,
    ...names.filter((name) => pairs.every(([one]) => one !== name)).map((name): Pair => [name, value]),
  ];
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
