/** Gateways whose close-day answers differ from sections 2.2, 3, 4.1 and 7. */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import { closingAlready, editBody } from '../mock/responses.ts';
import { type Breaks, because, breaking, closeDay, type GatewayDefect } from './defect.ts';

type Member = keyof typeof gateResultFields;
type MemberRow = Extract<Breaks<'gateway', 'close-day'>, `gate-${string}`>;

const date = breaking(closeDay, 'gate-close-date-shape');
const idType = breaking(closeDay, 'gate-id-type');
const perGate = breaking(closeDay, 'one-result-per-gate');
const status = breaking(closeDay, 'status-200');
const decodable = breaking(closeDay, 'body-decodable');
const code = breaking(closeDay, 'error-has-code');
const message = breaking(closeDay, 'error-has-message');

/** Answers whose gate results lack a member, or have it in another type or form. */
const gateMemberDefects: readonly GatewayDefect[] = [
  perGate('last-gate-left-out-at-times', 'In every third answer the last of several gates is left out', {
    writes: (reply, { gates = [], serial = 0 }) =>
      gates.length > 1 && serial % 3 === 0
        ? editBody(reply, (text) => text.replace(/,\{"gateId"[^}]*\}(?=\])/, ''))
        : reply,
  }),
  perGate('gate-ids-changing', 'In every second answer the gates have other ids', {
    writes: (reply, { gates = [], serial = 0 }) =>
      gates.length > 0 && serial % 2 === 0 ? editBody(reply, (text) => text.replace(/"gateId":(?=\d)/g, '$&7')) : reply,
  }),
  lacks('gate-without-gate-id', 'gateId', 'id'),
  lacks('gate-without-is-day-closing', 'isDayClosing', 'is-day-closing'),
  lacks('gate-without-close-date', 'gateCloseDate', 'close-date'),
  lacks('gate-without-epnt-id', 'epntId', 'epnt-id'),
  lacks('gate-without-sale-count', 'saleApprovedCount', 'sale-approved-count'),
  lacks('gate-without-sale-amount', 'saleAmount', 'sale-amount'),
  lacks('gate-without-reversal-count', 'reversalApprovedCount', 'reversal-approved-count'),
  lacks('gate-without-reversal-amount', 'reversalAmount', 'reversal-amount'),
  lacks('gate-without-code39', 'code39', 'code39'),
  lacks('gate-without-rrn', 'RRN', 'rrn'),

  inQuotes('gate-id-as-text', 'gateId', 'gate-id-type'),
  inQuotes('is-day-closing-as-text', 'isDayClosing', 'gate-is-day-closing-type'),
  closeDay('date-as-number', 'gateCloseDate comes as milliseconds', 'gate-close-date-type', {
    member: { gateCloseDate: () => '1793749200000' },
  }),
  inQuotes('epnt-id-as-text', 'epntId', 'gate-epnt-id-type'),
  asNumber('sale-count-as-number', 'saleApprovedCount', 'gate-sale-approved-count-type'),
  asNumber('sale-amount-as-number', 'saleAmount', 'gate-sale-amount-type'),
  asNumber('reversal-count-as-number', 'reversalApprovedCount', 'gate-reversal-approved-count-type'),
  asNumber('reversal-amount-as-number', 'reversalAmount', 'gate-reversal-amount-type'),
  asNumber('gate-code39-as-number', 'code39', 'gate-code39-type'),
  asNumber('gate-rrn-as-number', 'RRN', 'gate-rrn-type'),
  withOneDigit('sale-amount-without-cents', 'saleAmount', 'gate-sale-amount-form'),
  withOneDigit('reversal-amount-without-cents', 'reversalAmount', 'gate-reversal-amount-form'),
  date('date-in-iso-form', 'gateCloseDate comes as an ISO 8601 date', {
    member: { gateCloseDate: () => '"2026-11-03T23:59:59Z"' },
  }),
  date('date-of-digits', 'gateCloseDate has numbers in place of names, and no hour that there is', {
    member: { gateCloseDate: () => '"1 2 99 77:88:99 ? 0000"' },
  }),
  date('date-with-month-first', 'gateCloseDate has the month before the weekday', {
    member: { gateCloseDate: (json) => json.replace(/(\w+) (\w+)/, '$2 $1') },
  }),
  date('date-that-does-not-exist', 'gateCloseDate is the thirtieth of February', {
    member: { gateCloseDate: () => '"Mon Feb 30 23:59:59 UTC 2026"' },
  }),
  idType('gate-id-with-fraction', 'gateId comes with a fraction', { member: { gateId: (digits) => `${digits}.0` } }),
  idType('gate-id-with-exponent', 'gateId comes with an exponent', { member: { gateId: (digits) => `${digits}e0` } }),
];

export const closeDayDefects: readonly GatewayDefect[] = [
  ...gateMemberDefects,
  // The gate that the mock has locked.
  closeDay('lock-not-removed', 'A gate whose lock was removed is reported as locked', 'lock-removal', {
    on: 'accepted',
    text: (body) => body.replace(/("gateId":7103,"isDayClosing":)false/, '$1true'),
  }),
  closeDay(
    'manual-close-without-effect',
    'A gate that was closing is answered with error 99 after the day was closed by hand too',
    'manual-close',
    // The endpoint whose gate the mock has closing.
    {
      writes: (reply, { decision, request, serial }) =>
        decision === 'accepted' && request.target.endsWith('/1112') ? closingAlready(serial!) : reply,
    },
  ),
  closeDay('finished-without-gates', 'A finished answer has no gates', 'finished-has-gates', {
    text: (body) => body.replace(/,"gates":\[.*\]/g, ''),
  }),
  perGate('only-first-gate', 'Only the first gate of the endpoint is reported', {
    text: (body) => body.replace(/(\{"gateId"[^}]*\})(,\{"gateId"[^}]*\})+/g, '$1'),
  }),
  closeDay('locked-gate-hidden', 'A gate that stays locked is reported as free', 'locked-gate-reported', {
    member: { isDayClosing: () => 'false' },
  }),
  closeDay('content-type-json', 'The body comes as application/json', 'content-type', {
    header: { 'Content-Type': 'application/json' },
  }),
  decodable('body-said-to-be-packed', 'The body comes as it is, and Content-Encoding says gzip', {
    header: { 'Content-Encoding': 'gzip' },
  }),
  status('failure-as-400', 'Failures come with HTTP 400 in place of 200', { on: 'refused', status: 400 }),
  status('id-fault-with-403', 'A request without an id, or with a wrong one, is answered with HTTP 403 and a page', {
    at: /^request-id/,
    status: 403,
    body: '<html>Forbidden</html>',
  }),
  closeDay('serial-missing', 'theRequestSerialNumber is missing', 'serial-present', {
    member: { theRequestSerialNumber: () => undefined },
  }),
  closeDay('serial-short', 'theRequestSerialNumber comes without its leading groups', 'serial-shape', {
    member: { theRequestSerialNumber: (json) => json.replace(/^".*-/, '"') },
  }),
  message('error-without-message', 'An error comes without errorMessage', {
    member: { errorMessage: () => undefined },
  }),
  code('error-code-empty', 'A refusal has an empty errorCode', { on: 'refused', member: { errorCode: () => '""' } }),
  code('error-code-as-list', 'A refusal has its errorCode in a list', {
    on: 'refused',
    member: { errorCode: (json) => `[${json}]` },
  }),
  message('error-message-empty', 'A refusal has an empty errorMessage', {
    on: 'refused',
    member: { errorMessage: () => '""' },
  }),
  decodable('error-message-twice', 'A refusal has errorMessage twice', {
    on: 'refused',
    member: { errorMessage: (json) => `"no","errorMessage":${json}` },
  }),
  because(
    'a number is not an object, has no member and names no gate',
    closeDay(
      'gate-as-number',
      'The list of gate results ends with a number',
      [
        'finished-has-gates',
        ...(Object.keys(gateResultFields) as Member[]).map((slug) => `gate-${slug}-present` as const),
        'one-result-per-gate',
      ],
      { on: 'accepted', text: (body) => body.replace(/\](?=\})/, ',1]') },
    ),
  ),
  status('refused-with-302', 'A refused request is redirected to a page', {
    on: 'refused',
    status: 302,
    body: '',
    header: { Location: '/error' },
  }),
  status('field-fault-with-403', 'A request whose fields are at fault is answered with HTTP 403 and nothing else', {
    at: /^request-id/,
    status: 403,
    body: '',
  }),
  closeDay(
    'closing-gate-other-code',
    'A gate that is already closing is answered with errorCode 98',
    'closing-gate-error',
    { on: 'closing', member: { errorCode: () => '"98"' } },
  ),
  closeDay('closing-gate-other-message', 'Error 99 comes with another message', 'closing-gate-message', {
    on: 'closing',
    member: { errorMessage: () => '"the gate is being closed"' },
  }),
  perGate('gate-twice', 'The first gate of the endpoint is reported twice', {
    text: (body) => body.replace(/"gates":\[(\{[^}]*\})/, '"gates":[$1,$1'),
  }),
  closeDay(
    'free-gate-as-locked',
    'Every gate is reported as one that stays locked',
    ['open-gate-reported', 'lock-removal'],
    { member: { isDayClosing: () => 'true' } },
  ),

  decodable('error-cut-off', 'The body of a refusal ends before its last brace', {
    on: 'refused',
    text: (body) => body.slice(0, -1),
  }),
  closeDay('error-without-response', 'The body of a refusal has result in place of response', 'response-member', {
    on: 'refused',
    text: (body) => body.replace('"response":', '"result":'),
  }),
  closeDay('error-without-status', 'A refusal has a code and a message, and no status', 'status-present', {
    on: 'refused',
    member: { status: () => undefined },
  }),
  closeDay('error-as-failed', 'A refusal has the status failed', 'status-value', {
    on: 'refused',
    member: { status: () => '"failed"' },
  }),
  code('error-without-code', 'A refusal comes without errorCode', {
    on: 'refused',
    member: { errorCode: () => undefined },
  }),
  closeDay('serial-as-number', 'theRequestSerialNumber comes as a number', 'serial-type', {
    member: { theRequestSerialNumber: () => '47884842' },
  }),
];

function lacks(what: string, member: string, slug: Member): GatewayDefect {
  return closeDay(what, `A gate result lacks ${member}`, `gate-${slug}-present`, {
    member: { [member]: () => undefined },
  });
}

function inQuotes(what: string, member: string, row: MemberRow): GatewayDefect {
  return closeDay(what, `${member} comes in quotes`, row, { member: { [member]: (json) => `"${json}"` } });
}

/** The digits of a JSON string as a JSON number, which has no leading zeros (RFC 8259 section 6). */
function asNumber(what: string, member: string, row: MemberRow): GatewayDefect {
  const edit = (json: string) => json.slice(1, -1).replace(/^0+(?=\d)/, '');
  return closeDay(what, `${member} comes as a number`, row, { member: { [member]: edit } });
}

/** A decimal in quotes without its last digit. */
function withOneDigit(what: string, member: string, row: MemberRow): GatewayDefect {
  const edit = (json: string) => json.replace(/(\.\d)\d"$/, '$1"');
  return closeDay(what, `${member} comes with one fractional digit`, row, { member: { [member]: edit } });
}
