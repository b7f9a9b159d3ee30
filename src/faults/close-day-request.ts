/** Defects of close-day requests (sections 2.1, 4.1, 8): gateways that read them wrongly, clients with wrong fields. */
import type { Operation } from '../../contracts/operations.ts';
import { firstValue, type Received } from '../mock/decode-request.ts';
import type { Alteration } from '../mock/gateway.ts';
import { closeDayFieldNames, decodeForm, encodeForm, type Pair } from '../protocol/index.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import * as client from './client/defect.ts';
import { bothOperations, breaking, closeDay, type GatewayDefect, type GatewayEdit, recurring } from './defect.ts';

/** Reads a JSON body as a form. The signature does not cover it, as it is no form (RFC 5849 section 3.4.1.3.1). */
const readsJson: Alteration = {
  reads: (request) => {
    const members = jsonMembers(request);
    return members === undefined
      ? request
      : { ...asForm(request), body: Buffer.from(encodeForm(Object.entries(members))) };
  },
  signs: (material, original) => (jsonMembers(original) === undefined ? material : { ...material, body: [] }),
};

const generated = breaking(closeDay, 'generated-requests-accepted');
const noId = breaking(closeDay, 'missing-request-id-refused');
const alphabet = breaking(closeDay, 'request-id-alphabet-enforced');
const anyType = breaking(bothOperations, ['content-type-enforced', 'recurring/content-type-enforced']);

export const closeDayRequestDefects: readonly GatewayDefect[] = [
  closeDay('request-id-length-not-checked', 'request-id-length-enforced', { skips: ['request-id-length'] })`
    Ids shorter than 8 or longer than 32 characters are accepted`,
  noId('request-id-not-needed', { skips: ['request-id'] })`A request without day_close_request_id is accepted`,
  alphabet('request-id-characters-not-checked', { skips: ['request-id-characters'] })`Ids may have any characters`,
  noId('request-id-not-needed-beside-totals', { skips: ['request-id'], refusesIf: ({ form }) => form.length === 0 })`
    A request without day_close_request_id is accepted if it has totals`,
  noId('empty-request-id-taken-beside-totals', {
    skips: ['request-id', 'request-id-length'],
    refusesIf: ({ form }) => {
      const id = firstValue(form, 'day_close_request_id');
      return id === '' ? form.length === 1 : id === undefined || !/^.{8,32}$/s.test(id);
    },
  })`An empty day_close_request_id is accepted if there are totals`,
  generated('one-character-repeated-refused', { refusesId: (id) => /^(.)\1+$/.test(id) })`
    An id that repeats one character is refused`,
  generated('id-needs-a-digit', { refusesId: (id) => /^[a-z]+$/i.test(id) })`An id with only letters is refused`,
  alphabet('line-feed-behind-the-id-taken', {
    skips: ['request-id-characters'],
    refusesId: (id) => !/^[A-Za-z0-9]*\n?$/.test(id),
  })`An id that ends with a line feed is accepted, because $ in a pattern also matches before a last line feed`,
  closeDay('short-id-has-to-be-hexadecimal', ['request-id-bounds-accepted', 'generated-requests-accepted'], {
    refusesId: (id) => /^(?=.*[g-z]).{8}$/i.test(id),
  })`An id of 8 characters is refused unless it is hexadecimal`,
  closeDay('content-type-not-checked', 'content-type-enforced', readsAnyType('close-day'))`
    The body of close-day is read as a form, whatever its content type is`,
  anyType('content-type-looked-for-anywhere', {
    skips: ['content-type'],
    refuses: ({ original: { headers } }) =>
      headerValues(headers, 'content-type').some((value) => /application\/x-www-form-urlencoded/i.test(value))
        ? undefined
        : 'the content type is not application/x-www-form-urlencoded',
  })`A body is read as a form if its Content-Type contains application/x-www-form-urlencoded anywhere`,
  anyType('json-bodies-taken', readsJson)`
    A JSON body is accepted: its members count as fields and need not be signed`,
  closeDay('other-types-answered-with-415', 'status-200', {
    at: /^content-type$/,
    status: 415,
    header: { 'Content-Type': 'text/html' },
    body: '<h1>Unsupported Media Type</h1>',
  })`Another content type is answered with HTTP 415 and an HTML page`,
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

  // The next gateways also accept a required field or column under another name, as some frameworks do.
  acceptsIdName('in-any-case', 'may be in upper case', 'DAY_CLOSE_REQUEST_ID'),
  acceptsIdName('in-a-list', 'may have brackets at its end', 'day_close_request_id[]'),
  acceptsIdName('with-points', 'may have dots instead of underscores', 'day.close.request.id'),
  recurring('payload-in-a-list', 'missing-payload-refused', acceptsName('payload[]', 'payload'))`
    The name payload may have brackets at its end`,
  recurring(
    'columns-read-by-place',
    ['missing-client-orderid-refused', 'missing-recurring-payment-id-refused', 'missing-amount-refused'],
    {
      csv: (csv) =>
        csv.replace(/^"[^";]*";"[^";]*";"[^";]*"(?=[\r\n])/, '"client-orderid";"recurring-payment-id";"amount"'),
    },
  )`The three columns of a CSV may have any names: the gateway reads them by position`,
];

export function readsAnyType(operation: Operation): Alteration {
  return { reads: (request) => (request.target.includes(`/${operation}/`) ? asForm(request) : request) };
}

function asForm(request: Received): Received {
  const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  return { ...request, headers: [...others, ['Content-Type', 'application/x-www-form-urlencoded']] };
}

function jsonMembers({ headers, body }: Received): Readonly<Record<string, string>> | undefined {
  if (!headerValues(headers, 'content-type').includes('application/json')) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function refusesField(what: string, field: string, breaks: Parameters<typeof closeDay>[1]): GatewayDefect {
  return closeDay(what, breaks, { refusesName: field })`A request that carries ${field} is refused`;
}

function acceptsIdName(what: string, how: string, name: string): GatewayDefect {
  return noId(`day-close-request-id-${what}`, acceptsName(name, 'day_close_request_id'))`
    The name day_close_request_id ${how}`;
}

function acceptsName(alias: string, name: string): GatewayEdit {
  const prefix = encodeForm([[alias, '']]);
  const hasAlias = ({ body }: SentRequest) => Buffer.from(body).toString('latin1').startsWith(prefix);
  return {
    reads: (request) =>
      hasAlias(request)
        ? { ...request, body: Buffer.concat([Buffer.from(`${name}=`), request.body.subarray(prefix.length)]) }
        : request,
    signs: (material, original) => (hasAlias(original) ? { ...material, body: decodeForm(original.body) } : material),
  };
}

const idLength = breaking(client.closeDay, 'request-id-length');
const form = breaking(client.closeDay, 'body-is-form');

export const closeDayFieldDefects: readonly client.ClientDefect[] = [
  client.closeDay('id-left-out', 'request-id-present', { fields: (pairs) => without(pairs, 'day_close_request_id') })`
    day_close_request_id is not sent`,
  client.closeDay('id-as-uuid', ['request-id-alphabet', 'request-id-length'], {
    field: {
      day_close_request_id: (id) =>
        id.replace(/^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i, '$1-$2-$3-$4-$5'),
    },
  })`An id of 32 hexadecimal digits is sent as a UUID with dashes, so it has 36 characters`,
  client.closeDay('id-signs-replaced', 'request-id-alphabet', {
    field: { day_close_request_id: (id) => id.replace(/[^A-Za-z0-9]/g, '0') },
    ignoredRefusal: /has characters other/,
  })`Characters of an id other than letters and digits are replaced by zeros`,
  idLength('id-cut', {
    field: { day_close_request_id: (id) => id.slice(0, 32) },
    ignoredRefusal: /has (?:3[3-9]|[4-9]\d|\d{3,}) characters/,
  })`An id of more than 32 characters is cut`,
  idLength('id-padded', {
    field: { day_close_request_id: (id) => (id === '' ? '' : id.padStart(8, '0')) },
    ignoredRefusal: /has [1-7] characters/,
  })`An id of fewer than 8 characters is padded with leading zeros`,
  idLength('id-as-number', { field: { day_close_request_id: (id) => id.replace(/^0+(?=\d+$)/, '') } })`
    An id of digits loses its leading zeros`,

  form('endpoint-in-body', { fields: (pairs, { endpointId }) => [...pairs, ['endpoint_id', endpointId]] })`
    The body also has the endpoint id`,
  form('names-in-camel-case', {
    fields: renameFields((name) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())),
  })`Field names are in camel case, such as saleApprovedSum`,
  client.closeDay('sale-count-through-a-double', 'sale-approved-count', {
    field: { sale_approved_count: (text) => (isNumber(text) ? String(Number(text)) : text) },
  })`sale_approved_count is converted to a double`,
  client.closeDay('reversal-count-made-up', 'reversal-approved-count', {
    fields: addMissing('0', 'reversal_approved_count'),
  })`A missing reversal_approved_count is sent as 0`,
  client.closeDay('reversal-sum-left-out', 'reversal-approved-sum', {
    fields: (pairs) => without(pairs, 'reversal_approved_sum'),
  })`reversal_approved_sum is not sent`,
  client.closeDay(
    'absent-totals-as-null',
    ['sale-approved-count', 'sale-approved-sum', 'reversal-approved-count', 'reversal-approved-sum'],
    { fields: addMissing('null', ...closeDayFieldNames.slice(1)) },
  )`A missing total is sent as the text null`,
  client.closeDay('sums-swapped', ['sale-approved-sum', 'reversal-approved-sum'], {
    fields: renameFields((name) => name.replace(/(sale|reversal)(?=_approved_sum)/, (one) => opposite[one]!)),
  })`The sums of sales and reversals are swapped`,
  // Only one input has a line end, in sale_approved_sum. So only the requirement on sale_approved_sum fails.
  client.closeDay('line-ends-rewritten-after-signing', 'sale-approved-sum', {
    form: (form) => form.replaceAll('%0D%0A', '%0A'),
  })`CRLF in a value becomes LF after signing`,
];

const opposite: Readonly<Record<string, string>> = { sale: 'reversal', reversal: 'sale' };

function without(pairs: readonly Pair[], name: string): readonly Pair[] {
  return pairs.filter(([one]) => one !== name);
}

function renameFields(change: (name: string) => string): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => pairs.map(([name, value]) => [change(name), value]);
}

function addMissing(value: string, ...names: readonly string[]): (pairs: readonly Pair[]) => readonly Pair[] {
  return (pairs) => [
    ...pairs,
    ...names.filter((name) => pairs.every(([one]) => one !== name)).map((name): Pair => [name, value]),
  ];
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}
