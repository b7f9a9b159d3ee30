/** Gateways whose answers to close-day violate section 2.2, 3, 4.1 or 7. */
import { gateResultFields } from '../../contracts/requirements/close-day-response.ts';
import { closingError, editBody } from '../mock/responses.ts';
import { breaking, closeDay, type GatewayDefect } from './defect.ts';

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
  })`Every third answer lacks the last of several gates`,
  perGate('gate-ids-changing', {
    writes: (reply, { gates = [], serial = 0 }) =>
      gates.length > 0 && serial % 2 === 0 ? editBody(reply, (text) => text.replace(/"gateId":(?=\d)/g, '$&7')) : reply,
  })`The gates have other ids in every second answer`,
  ...members.map(
    ([slug, { member }]) =>
      closeDay(`gate-without-${shortName(slug)}`, `gate-${slug}-present`, { member: { [member]: () => undefined } })`
    A gate result lacks ${member}`,
  ),
  ...members.map(([slug, { member, type }]) => wrongType(slug, member, type)),
  withOneDigit('sale-amount-without-cents', 'saleAmount', 'gate-sale-amount-form'),
  withOneDigit('reversal-amount-without-cents', 'reversalAmount', 'gate-reversal-amount-form'),
  date('date-in-iso-form', { member: { gateCloseDate: () => '"2026-11-03T23:59:59Z"' } })`
    gateCloseDate is an ISO 8601 date`,
  date('date-of-digits', { member: { gateCloseDate: () => '"1 2 99 77:88:99 ? 0000"' } })`
    gateCloseDate has numbers instead of the names of day and month, and an hour that does not exist`,
  date('date-with-month-first', { member: { gateCloseDate: (json) => json.replace(/(\w+) (\w+)/, '$2 $1') } })`
    gateCloseDate has the month before the weekday`,
  date('date-that-does-not-exist', { member: { gateCloseDate: () => '"Mon Feb 30 23:59:59 UTC 2026"' } })`
    gateCloseDate is 30 February`,
  idType('gate-id-with-fraction', { member: { gateId: (digits) => `${digits}.0` } })`gateId has a fraction`,
  idType('gate-id-with-exponent', { member: { gateId: (digits) => `${digits}e0` } })`gateId has an exponent`,
];

export const closeDayAnswerDefects: readonly GatewayDefect[] = [
  ...gateMemberDefects,
  // The locked gate of the mock has the id 7103.
  closeDay('lock-not-removed', 'lock-removal', {
    on: 'accepted',
    text: (body) => body.replace(/("gateId":7103,"isDayClosing":)false/, '$1true'),
  })`A gate whose lock was removed is reported as locked`,
  // Endpoint 1112 of the mock has a closing gate.
  closeDay('manual-close-without-effect', 'manual-close', {
    writes: (reply, { decision, request, serial }) =>
      decision === 'accepted' && request.target.endsWith('/1112') ? closingError(serial!) : reply,
  })`A close-day still gets error 99 after the day was closed by hand`,
  closeDay('finished-without-gates', 'finished-has-gates', { text: (body) => body.replace(/,"gates":\[.*\]/g, '') })`
    A finished answer has no gates`,
  perGate('only-first-gate', { text: (body) => body.replace(/(\{"gateId"[^}]*\})(,\{"gateId"[^}]*\})+/g, '$1') })`
    Only the first gate of the endpoint is reported`,
  closeDay('locked-gate-hidden', 'locked-gate-reported', { member: { isDayClosing: () => 'false' } })`
    A locked gate is reported as free`,
  closeDay('content-type-json', 'content-type', { header: { 'Content-Type': 'application/json' } })`
    The content type is application/json`,
  decodable('body-said-to-be-packed', { header: { 'Content-Encoding': 'gzip' } })`
    Content-Encoding says gzip, but the body is not compressed`,
  status('failure-as-400', { on: 'refused', status: 400 })`Failures have HTTP 400 instead of 200`,
  status('id-fault-with-403', { at: /^request-id/, status: 403, body: '<html>Forbidden</html>' })`
    A request with a missing or wrong id is answered with HTTP 403 and an HTML page`,
  closeDay('serial-missing', 'serial-present', { member: { theRequestSerialNumber: () => undefined } })`
    theRequestSerialNumber is missing`,
  closeDay('serial-short', 'serial-shape', {
    member: { theRequestSerialNumber: (json) => json.replace(/^".*-/, '"') },
  })`theRequestSerialNumber lacks its leading groups`,
  message('error-without-message', { member: { errorMessage: () => undefined } })`An error has no errorMessage`,
  code('error-code-empty', { on: 'refused', member: { errorCode: () => '""' } })`A refusal has an empty errorCode`,
  code('error-code-as-list', { on: 'refused', member: { errorCode: (json) => `[${json}]` } })`
    A refusal has its errorCode in a list`,
  message('error-message-empty', { on: 'refused', member: { errorMessage: () => '""' } })`
    A refusal has an empty errorMessage`,
  decodable('error-message-twice', {
    on: 'refused',
    member: { errorMessage: (json) => `"no","errorMessage":${json}` },
  })`A refusal has two errorMessage members`,
  // A number has no members. So each requirement that demands a member of a gate result fails.
  closeDay(
    'gate-as-number',
    ['finished-has-gates', ...slugs.map((slug) => `gate-${slug}-present` as const), 'one-result-per-gate'],
    { on: 'accepted', text: (body) => body.replace(/\](?=\})/, ',1]') },
  )`The list of gate results ends with a number`,
  status('refused-with-302', { on: 'refused', status: 302, body: '', header: { Location: '/error' } })`
    A refused request is redirected to a page`,
  status('field-fault-with-403', { at: /^request-id/, status: 403, body: '' })`
    A request with faulty fields is answered with an empty HTTP 403`,
  closeDay('closing-gate-other-code', 'closing-gate-error', { on: 'closing', member: { errorCode: () => '"98"' } })`
    A gate that is already closing is answered with errorCode 98`,
  closeDay('closing-gate-other-message', 'closing-gate-message', {
    on: 'closing',
    member: { errorMessage: () => '"the gate is being closed"' },
  })`Error 99 has another message`,
  perGate('gate-twice', { text: (body) => body.replace(/"gates":\[(\{[^}]*\})/, '"gates":[$1,$1') })`
    The first gate of the endpoint is reported twice`,
  closeDay('free-gate-as-locked', ['open-gate-reported', 'lock-removal'], { member: { isDayClosing: () => 'true' } })`
    Every gate is reported as locked`,

  decodable('error-cut-off', { on: 'refused', text: (body) => body.slice(0, -1) })`
    The body of a refusal ends before its last brace`,
  closeDay('error-without-response', 'response-member', {
    on: 'refused',
    text: (body) => body.replace('"response":', '"result":'),
  })`The body of a refusal has the member result instead of response`,
  closeDay('error-without-status', 'status-present', { on: 'refused', member: { status: () => undefined } })`
    A refusal has a code and a message, but no status`,
  closeDay('error-as-failed', 'status-value', { on: 'refused', member: { status: () => '"failed"' } })`
    A refusal has the status failed`,
  code('error-without-code', { on: 'refused', member: { errorCode: () => undefined } })`
    A refusal has no errorCode`,
  closeDay('serial-as-number', 'serial-type', { member: { theRequestSerialNumber: () => '47884842' } })`
    theRequestSerialNumber is a number`,
];

function wrongType(slug: Slug, member: string, type: string): GatewayDefect {
  const name = shortName(slug);
  const id = name.includes('-') ? name : `gate-${name}`;
  const breaks = `gate-${slug}-type` as const;
  if (slug === 'close-date') {
    return closeDay('date-as-number', breaks, { member: { [member]: () => '1793749200000' } })`
      ${member} is a number of milliseconds`;
  }
  if (type === 'string') {
    return closeDay(`${id}-as-number`, breaks, { member: { [member]: asNumber } })`${member} is a number`;
  }
  return closeDay(`${id}-as-text`, breaks, { member: { [member]: (json) => `"${json}"` } })`${member} is in quotes`;
}

function shortName(slug: Slug): string {
  return slug === 'id' ? 'gate-id' : slug.replace('-approved', '');
}

/** Drops leading zeros, which a JSON number may not have (RFC 8259 section 6). */
function asNumber(json: string): string {
  return json.slice(1, -1).replace(/^0+(?=\d)/, '');
}

function withOneDigit(what: string, member: string, breaks: Parameters<typeof closeDay>[1]): GatewayDefect {
  const edit = (json: string) => json.replace(/(\.\d)\d"$/, '$1"');
  return closeDay(what, breaks, { member: { [member]: edit } })`${member} has one fractional digit`;
}
