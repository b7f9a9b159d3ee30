/** Gateways whose close-day answers differ from sections 2.2, 3, 4.1 and 7. */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import type { Decision } from '../mock/alteration.ts';
import { closingAlready, editBody, withBody, withHeader, withStatus } from '../mock/responses.ts';
import { type Breaks, because, closeDay, type GatewayDefect } from './defect.ts';

type Member = keyof typeof gateResultFields;

const presentRows = (Object.keys(gateResultFields) as Member[]).map((slug) => `gate-${slug}-present` as const);

/** Answers whose gate results lack a member, or have it in another type or form. */
const gateMemberDefects: readonly GatewayDefect[] = [
  closeDay(
    'last-gate-left-out-at-times',
    'In every third answer the last of several gates is left out',
    'one-result-per-gate',
    {
      writes: (reply, { gates = [], serial = 0 }) =>
        gates.length > 1 && serial % 3 === 0
          ? editBody(reply, (text) => text.replace(/,\{"gateId"[^}]*\}(?=\])/, ''))
          : reply,
    },
  ),
  closeDay('gate-ids-changing', 'In every second answer the gates have other ids', 'one-result-per-gate', {
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
  has(
    'date-as-number',
    'gateCloseDate comes as milliseconds',
    'gateCloseDate',
    'gate-close-date-type',
    () => '1793749200000',
  ),
  inQuotes('epnt-id-as-text', 'epntId', 'gate-epnt-id-type'),
  asNumber('sale-count-as-number', 'saleApprovedCount', 'gate-sale-approved-count-type'),
  asNumber('sale-amount-as-number', 'saleAmount', 'gate-sale-amount-type'),
  asNumber('reversal-count-as-number', 'reversalApprovedCount', 'gate-reversal-approved-count-type'),
  asNumber('reversal-amount-as-number', 'reversalAmount', 'gate-reversal-amount-type'),
  asNumber('gate-code39-as-number', 'code39', 'gate-code39-type'),
  asNumber('gate-rrn-as-number', 'RRN', 'gate-rrn-type'),
  withOneDigit('sale-amount-without-cents', 'saleAmount', 'gate-sale-amount-form'),
  withOneDigit('reversal-amount-without-cents', 'reversalAmount', 'gate-reversal-amount-form'),
  has(
    'date-in-iso-form',
    'gateCloseDate comes as an ISO 8601 date',
    'gateCloseDate',
    'gate-close-date-shape',
    () => '"2026-11-03T23:59:59Z"',
  ),
  has(
    'date-of-digits',
    'gateCloseDate has numbers in place of names, and no hour that there is',
    'gateCloseDate',
    'gate-close-date-shape',
    () => '"1 2 99 77:88:99 ? 0000"',
  ),
  has(
    'date-with-month-first',
    'gateCloseDate has the month before the weekday',
    'gateCloseDate',
    'gate-close-date-shape',
    (date) => date.replace(/(\w+) (\w+)/, '$2 $1'),
  ),
  has(
    'date-that-does-not-exist',
    'gateCloseDate is the thirtieth of February',
    'gateCloseDate',
    'gate-close-date-shape',
    () => '"Mon Feb 30 23:59:59 UTC 2026"',
  ),
  has('gate-id-with-fraction', 'gateId comes with a fraction', 'gateId', 'gate-id-type', (digits) => `${digits}.0`),
  has('gate-id-with-exponent', 'gateId comes with an exponent', 'gateId', 'gate-id-type', (digits) => `${digits}e0`),
];

export const closeDayDefects: readonly GatewayDefect[] = [
  ...gateMemberDefects,
  // The gate that the mock has locked.
  inBody(
    'accepted',
    'lock-not-removed',
    'A gate whose lock was removed is reported as locked',
    'lock-removal',
    (text) => text.replace(/("gateId":7103,"isDayClosing":)false/, '$1true'),
  ),
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
  inBody('accepted', 'finished-without-gates', 'A finished answer has no gates', 'finished-has-gates', (text) =>
    text.replace(/,"gates":\[.*\]/g, ''),
  ),
  inBody(
    'accepted',
    'only-first-gate',
    'Only the first gate of the endpoint is reported',
    'one-result-per-gate',
    (text) => text.replace(/(\{"gateId"[^}]*\})(,\{"gateId"[^}]*\})+/g, '$1'),
  ),
  inBody(
    'accepted',
    'locked-gate-hidden',
    'A gate that stays locked is reported as free',
    'locked-gate-reported',
    (text) => text.replace(/"isDayClosing":true/g, '"isDayClosing":false'),
  ),
  closeDay('content-type-json', 'The body comes as application/json', 'content-type', {
    writes: (reply) => withHeader(reply, 'Content-Type', 'application/json'),
  }),
  closeDay('body-said-to-be-packed', 'The body comes as it is, and Content-Encoding says gzip', 'body-decodable', {
    writes: (reply) => withHeader(reply, 'Content-Encoding', 'gzip'),
  }),
  closeDay('failure-as-400', 'Failures come with HTTP 400 in place of 200', 'status-200', {
    writes: (reply, { decision }) => (decision === 'refused' ? withStatus(reply, 400) : reply),
  }),
  closeDay(
    'id-fault-with-403',
    'A request without an id, or with a wrong one, is answered with HTTP 403 and a page',
    'status-200',
    {
      writes: (reply, { step }) =>
        step?.startsWith('request-id') === true ? withBody(withStatus(reply, 403), '<html>Forbidden</html>') : reply,
    },
  ),
  inBody('any', 'serial-missing', 'theRequestSerialNumber is missing', 'serial-present', (text) =>
    text.replace(/,"theRequestSerialNumber":"[^"]*"/, ''),
  ),
  inBody('any', 'serial-short', 'theRequestSerialNumber comes without its leading groups', 'serial-shape', (text) =>
    text.replace(/"theRequestSerialNumber":"[^"]*-([^"-]*)"/, '"theRequestSerialNumber":"$1"'),
  ),
  inBody('any', 'error-without-message', 'An error comes without errorMessage', 'error-has-message', (text) =>
    text.replace(/,"errorMessage":"(?:[^"\\]|\\.)*"/, ''),
  ),
  inBody('refused', 'error-code-empty', 'A refusal has an empty errorCode', 'error-has-code', (text) =>
    text.replace(/"errorCode":"[^"]*"/, '"errorCode":""'),
  ),
  inBody('refused', 'error-code-as-list', 'A refusal has its errorCode in a list', 'error-has-code', (text) =>
    text.replace(/"errorCode":("[^"]*")/, '"errorCode":[$1]'),
  ),
  inBody('refused', 'error-message-empty', 'A refusal has an empty errorMessage', 'error-has-message', (text) =>
    text.replace(/"errorMessage":"(?:[^"\\]|\\.)*"/, '"errorMessage":""'),
  ),
  inBody('refused', 'error-message-twice', 'A refusal has errorMessage twice', 'body-decodable', (text) =>
    text.replace('"errorMessage":', '"errorMessage":"no","errorMessage":'),
  ),
  because(
    'a number is not an object, has no member and names no gate',
    inBody(
      'accepted',
      'gate-as-number',
      'The list of gate results ends with a number',
      ['finished-has-gates', ...presentRows, 'one-result-per-gate'],
      (text) => text.replace(/\](?=\})/, ',1]'),
    ),
  ),
  closeDay('refused-with-302', 'A refused request is redirected to a page', 'status-200', {
    writes: (reply, { decision }) =>
      decision === 'refused' ? withHeader(withBody(withStatus(reply, 302), ''), 'Location', '/error') : reply,
  }),
  closeDay(
    'field-fault-with-403',
    'A request whose fields are at fault is answered with HTTP 403 and nothing else',
    'status-200',
    {
      writes: (reply, { decision, step }) =>
        decision === 'refused' && step?.startsWith('request-id') ? withBody(withStatus(reply, 403), '') : reply,
    },
  ),
  inBody(
    'closing',
    'closing-gate-other-code',
    'A gate that is already closing is answered with errorCode 98',
    'closing-gate-error',
    (text) => text.replace(/"errorCode":"99"/, '"errorCode":"98"'),
  ),
  inBody(
    'closing',
    'closing-gate-other-message',
    'Error 99 comes with another message',
    'closing-gate-message',
    (text) => text.replace(/gate is closing already/, 'the gate is being closed'),
  ),
  inBody('accepted', 'gate-twice', 'The first gate of the endpoint is reported twice', 'one-result-per-gate', (text) =>
    text.replace(/"gates":\[(\{[^}]*\})/, '"gates":[$1,$1'),
  ),
  inBody(
    'accepted',
    'free-gate-as-locked',
    'Every gate is reported as one that stays locked',
    ['open-gate-reported', 'lock-removal'],
    (text) => text.replaceAll('"isDayClosing":false', '"isDayClosing":true'),
  ),

  inBody('refused', 'error-cut-off', 'The body of a refusal ends before its last brace', 'body-decodable', (text) =>
    text.slice(0, -1),
  ),
  inBody(
    'refused',
    'error-without-response',
    'The body of a refusal has result in place of response',
    'response-member',
    (text) => text.replace('"response":', '"result":'),
  ),
  inBody(
    'refused',
    'error-without-status',
    'A refusal has a code and a message, and no status',
    'status-present',
    (text) => text.replace('"status":"error",', ''),
  ),
  inBody('refused', 'error-as-failed', 'A refusal has the status failed', 'status-value', (text) =>
    text.replace('"status":"error"', '"status":"failed"'),
  ),
  inBody('refused', 'error-without-code', 'A refusal comes without errorCode', 'error-has-code', (text) =>
    text.replace(/"errorCode":"[^"]*",/, ''),
  ),
  inBody('any', 'serial-as-number', 'theRequestSerialNumber comes as a number', 'serial-type', (text) =>
    text.replace(/"theRequestSerialNumber":"[^"]*"/, '"theRequestSerialNumber":47884842'),
  ),
];

/** Changes the answers of one decision, or all that have a body. */
function inBody(
  decision: Decision | 'any',
  what: string,
  summary: string,
  breaks: Breaks<'gateway', 'close-day'>,
  edit: (text: string) => string,
): GatewayDefect {
  return closeDay(what, summary, breaks, {
    writes: (reply, about) => (decision === 'any' || about.decision === decision ? editBody(reply, edit) : reply),
  });
}

function lacks(what: string, member: string, slug: Member): GatewayDefect {
  // A comma goes with it: the one behind, or that before the last member.
  const pattern = new RegExp(`"${member}":(?:"[^"]*"|[^,}]*),|,"${member}":(?:"[^"]*"|[^,}]*)(?=\\})`, 'g');
  return inBody('accepted', what, `A gate result lacks ${member}`, `gate-${slug}-present`, (text) =>
    text.replace(pattern, ''),
  );
}

type MemberRow = Extract<Breaks<'gateway', 'close-day'>, `gate-${string}`>;

function has(
  what: string,
  summary: string,
  member: string,
  row: MemberRow,
  value: (json: string) => string,
): GatewayDefect {
  const pattern = new RegExp(`("${member}":)("[^"]*"|[^,}]*)`, 'g');
  return inBody('accepted', what, summary, row, (text) =>
    text.replace(pattern, (_, name, json) => `${name}${value(json)}`),
  );
}

function inQuotes(what: string, member: string, row: MemberRow): GatewayDefect {
  return has(what, `${member} comes in quotes`, member, row, (json) => `"${json}"`);
}

/** The digits of a JSON string as a JSON number, which has no leading zeros (RFC 8259 section 6). */
function asNumber(what: string, member: string, row: MemberRow): GatewayDefect {
  return has(what, `${member} comes as a number`, member, row, (json) => json.slice(1, -1).replace(/^0+(?=\d)/, ''));
}

/** A decimal in quotes without its last digit. */
function withOneDigit(what: string, member: string, row: MemberRow): GatewayDefect {
  return has(what, `${member} comes with one fractional digit`, member, row, (json) =>
    json.replace(/(\.\d)\d"$/, '$1"'),
  );
}
