/** Gateways that violate close-day in sections 2.2, 3, 4.1 and 7, or accept more or less than 2.1 and 8 allow. */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import type { Alteration } from '../mock/alteration.ts';
import { firstValue } from '../mock/received.ts';
import { closingAlready, editBody } from '../mock/responses.ts';
import { decodeForm, encodeForm } from '../protocol/index.ts';
import { headerValues, type SentRequest } from '../record/exchange.ts';
import { type Row, row } from '../record/row.ts';
import { because, breaking, closeDay, type GatewayDefect, recurring } from './defect.ts';
import type { GatewayEdit } from './edit.ts';
import { readsAnyType, readsJson } from './edit.ts';

type Slug = keyof typeof gateResultFields;

const slugs = Object.keys(gateResultFields) as Slug[];
const members = slugs.map((slug) => [slug, gateResultFields[slug]] as const);

const date = breaking(closeDay, 'gate-close-date-shape');
const idType = breaking(closeDay, 'gate-id-type');
const perGate = breaking(closeDay, 'one-result-per-gate');
const status = breaking(closeDay, 'status-200');
const decodable = breaking(closeDay, 'body-decodable');
const code = breaking(closeDay, 'error-has-code');
const message = breaking(closeDay, 'error-has-message');

const gateMemberDefects: readonly GatewayDefect[] = [
  perGate('last-gate-left-out-at-times', {
    writes: (reply, { gates = [], serial = 0 }) =>
      gates.length > 1 && serial % 3 === 0
        ? editBody(reply, (text) => text.replace(/,\{"gateId"[^}]*\}(?=\])/, ''))
        : reply,
  })`In every third answer the last of several gates is left out`,
  perGate('gate-ids-changing', {
    writes: (reply, { gates = [], serial = 0 }) =>
      gates.length > 0 && serial % 2 === 0 ? editBody(reply, (text) => text.replace(/"gateId":(?=\d)/g, '$&7')) : reply,
  })`In every second answer the gates have other ids`,
  ...members.map(
    ([slug, { member }]) =>
      closeDay(`gate-without-${shortened(slug)}`, `gate-${slug}-present`, { member: { [member]: () => undefined } })`
    A gate result lacks ${member}`,
  ),
  ...members.map(([slug, { member, type }]) => ofOtherType(slug, member, type)),
  withOneDigit('sale-amount-without-cents', 'saleAmount', 'gate-sale-amount-form'),
  withOneDigit('reversal-amount-without-cents', 'reversalAmount', 'gate-reversal-amount-form'),
  date('date-in-iso-form', { member: { gateCloseDate: () => '"2026-11-03T23:59:59Z"' } })`
    gateCloseDate comes as an ISO 8601 date`,
  date('date-of-digits', { member: { gateCloseDate: () => '"1 2 99 77:88:99 ? 0000"' } })`
    gateCloseDate has numbers in place of names, and no hour that there is`,
  date('date-with-month-first', { member: { gateCloseDate: (json) => json.replace(/(\w+) (\w+)/, '$2 $1') } })`
    gateCloseDate has the month before the weekday`,
  date('date-that-does-not-exist', { member: { gateCloseDate: () => '"Mon Feb 30 23:59:59 UTC 2026"' } })`
    gateCloseDate is the thirtieth of February`,
  idType('gate-id-with-fraction', { member: { gateId: (digits) => `${digits}.0` } })`gateId comes with a fraction`,
  idType('gate-id-with-exponent', { member: { gateId: (digits) => `${digits}e0` } })`gateId comes with an exponent`,
];

const answerDefects: readonly GatewayDefect[] = [
  ...gateMemberDefects,
  // The mock's locked gate.
  closeDay('lock-not-removed', 'lock-removal', {
    on: 'accepted',
    text: (body) => body.replace(/("gateId":7103,"isDayClosing":)false/, '$1true'),
  })`A gate whose lock was removed is reported as locked`,
  // The mock's endpoint with a closing gate.
  closeDay('manual-close-without-effect', 'manual-close', {
    writes: (reply, { decision, request, serial }) =>
      decision === 'accepted' && request.target.endsWith('/1112') ? closingAlready(serial!) : reply,
  })`A gate that was closing is answered with error 99 after the day was closed by hand too`,
  closeDay('finished-without-gates', 'finished-has-gates', { text: (body) => body.replace(/,"gates":\[.*\]/g, '') })`
    A finished answer has no gates`,
  perGate('only-first-gate', { text: (body) => body.replace(/(\{"gateId"[^}]*\})(,\{"gateId"[^}]*\})+/g, '$1') })`
    Only the first gate of the endpoint is reported`,
  closeDay('locked-gate-hidden', 'locked-gate-reported', { member: { isDayClosing: () => 'false' } })`
    A gate that stays locked is reported as free`,
  closeDay('content-type-json', 'content-type', { header: { 'Content-Type': 'application/json' } })`
    The body comes as application/json`,
  decodable('body-said-to-be-packed', { header: { 'Content-Encoding': 'gzip' } })`
    The body comes as it is, and Content-Encoding says gzip`,
  status('failure-as-400', { on: 'refused', status: 400 })`Failures come with HTTP 400 in place of 200`,
  status('id-fault-with-403', { at: /^request-id/, status: 403, body: '<html>Forbidden</html>' })`
    A request without an id, or with a wrong one, is answered with HTTP 403 and a page`,
  closeDay('serial-missing', 'serial-present', { member: { theRequestSerialNumber: () => undefined } })`
    theRequestSerialNumber is missing`,
  closeDay('serial-short', 'serial-shape', {
    member: { theRequestSerialNumber: (json) => json.replace(/^".*-/, '"') },
  })`theRequestSerialNumber comes without its leading groups`,
  message('error-without-message', { member: { errorMessage: () => undefined } })`An error comes without errorMessage`,
  code('error-code-empty', { on: 'refused', member: { errorCode: () => '""' } })`A refusal has an empty errorCode`,
  code('error-code-as-list', { on: 'refused', member: { errorCode: (json) => `[${json}]` } })`
    A refusal has its errorCode in a list`,
  message('error-message-empty', { on: 'refused', member: { errorMessage: () => '""' } })`
    A refusal has an empty errorMessage`,
  decodable('error-message-twice', {
    on: 'refused',
    member: { errorMessage: (json) => `"no","errorMessage":${json}` },
  })`A refusal has errorMessage twice`,
  because(
    'a number is not an object, has no member and names no gate',
    closeDay(
      'gate-as-number',
      ['finished-has-gates', ...slugs.map((slug) => `gate-${slug}-present` as const), 'one-result-per-gate'],
      { on: 'accepted', text: (body) => body.replace(/\](?=\})/, ',1]') },
    )`The list of gate results ends with a number`,
  ),
  status('refused-with-302', { on: 'refused', status: 302, body: '', header: { Location: '/error' } })`
    A refused request is redirected to a page`,
  status('field-fault-with-403', { at: /^request-id/, status: 403, body: '' })`
    A request whose fields are at fault is answered with HTTP 403 and nothing else`,
  closeDay('closing-gate-other-code', 'closing-gate-error', { on: 'closing', member: { errorCode: () => '"98"' } })`
    A gate that is already closing is answered with errorCode 98`,
  closeDay('closing-gate-other-message', 'closing-gate-message', {
    on: 'closing',
    member: { errorMessage: () => '"the gate is being closed"' },
  })`Error 99 comes with another message`,
  perGate('gate-twice', { text: (body) => body.replace(/"gates":\[(\{[^}]*\})/, '"gates":[$1,$1') })`
    The first gate of the endpoint is reported twice`,
  closeDay('free-gate-as-locked', ['open-gate-reported', 'lock-removal'], { member: { isDayClosing: () => 'true' } })`
    Every gate is reported as one that stays locked`,

  decodable('error-cut-off', { on: 'refused', text: (body) => body.slice(0, -1) })`
    The body of a refusal ends before its last brace`,
  closeDay('error-without-response', 'response-member', {
    on: 'refused',
    text: (body) => body.replace('"response":', '"result":'),
  })`The body of a refusal has result in place of response`,
  closeDay('error-without-status', 'status-present', { on: 'refused', member: { status: () => undefined } })`
    A refusal has a code and a message, and no status`,
  closeDay('error-as-failed', 'status-value', { on: 'refused', member: { status: () => '"failed"' } })`
    A refusal has the status failed`,
  code('error-without-code', { on: 'refused', member: { errorCode: () => undefined } })`
    A refusal comes without errorCode`,
  closeDay('serial-as-number', 'serial-type', { member: { theRequestSerialNumber: () => '47884842' } })`
    theRequestSerialNumber comes as a number`,
];

function ofOtherType(slug: Slug, member: string, type: string): GatewayDefect {
  const name = shortened(slug);
  const id = name.includes('-') ? name : `gate-${name}`;
  const row = `gate-${slug}-type` as const;
  if (slug === 'close-date') {
    return closeDay('date-as-number', row, { member: { [member]: () => '1793749200000' } })`
      ${member} comes as milliseconds`;
  }
  if (type === 'string') {
    return closeDay(`${id}-as-number`, row, { member: { [member]: asNumber } })`${member} comes as a number`;
  }
  return closeDay(`${id}-as-text`, row, { member: { [member]: (json) => `"${json}"` } })`${member} comes in quotes`;
}

function shortened(slug: Slug): string {
  return slug === 'id' ? 'gate-id' : slug.replace('-approved', '');
}

/** Drops the leading zeros, which JSON numbers do not allow (RFC 8259 section 6). */
function asNumber(json: string): string {
  return json.slice(1, -1).replace(/^0+(?=\d)/, '');
}

function withOneDigit(what: string, member: string, row: Parameters<typeof closeDay>[1]): GatewayDefect {
  const edit = (json: string) => json.replace(/(\.\d)\d"$/, '$1"');
  return closeDay(what, row, { member: { [member]: edit } })`${member} comes with one fractional digit`;
}

const right = breaking(closeDay, 'generated-requests-accepted');
const noId = breaking(closeDay, 'missing-request-id-refused');
const alphabet = breaking(closeDay, 'request-id-alphabet-enforced');

const requestDefects: readonly GatewayDefect[] = [
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

  // Required fields and columns accepted under another name, as frameworks and lenient readers do.
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

export const closeDayDefects: readonly GatewayDefect[] = [...answerDefects, ...requestDefects];
