/** Gateways whose gate results lack a member, or have it in another type or form (section 2.2). */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { editBody } from '../mock/reply.ts';
import type { GatewayDefect } from './defect.ts';
import { inBody } from './in-body.ts';

export const gateMemberDefects: readonly GatewayDefect[] = [
  {
    id: 'close-day/last-gate-left-out-at-times',
    side: 'gateway',
    operation: 'close-day',
    summary: 'In every third answer the last of several gates is left out',
    breaks: ['close-day/one-result-per-gate'],
    alteration: {
      writes: (reply, { gates = [], serial = 0 }) =>
        gates.length > 1 && serial % 3 === 0
          ? editBody(reply, (text) => text.replace(/,\{"gateId"[^}]*\}(?=\])/, ''))
          : reply,
    },
  },
  {
    id: 'close-day/gate-ids-changing',
    side: 'gateway',
    operation: 'close-day',
    summary: 'In every second answer the gates have other ids',
    breaks: ['close-day/one-result-per-gate'],
    alteration: {
      writes: (reply, { gates = [], serial = 0 }) =>
        gates.length > 0 && serial % 2 === 0
          ? editBody(reply, (text) => text.replace(/"gateId":(?=\d)/g, '$&7'))
          : reply,
    },
  },
  lacks('gate-without-gate-id', 'gateId', 'close-day/gate-id-present'),
  lacks('gate-without-is-day-closing', 'isDayClosing', 'close-day/gate-is-day-closing-present'),
  lacks('gate-without-close-date', 'gateCloseDate', 'close-day/gate-close-date-present'),
  lacks('gate-without-epnt-id', 'epntId', 'close-day/gate-epnt-id-present'),
  lacks('gate-without-sale-count', 'saleApprovedCount', 'close-day/gate-sale-approved-count-present'),
  lacks('gate-without-sale-amount', 'saleAmount', 'close-day/gate-sale-amount-present'),
  lacks('gate-without-reversal-count', 'reversalApprovedCount', 'close-day/gate-reversal-approved-count-present'),
  lacks('gate-without-reversal-amount', 'reversalAmount', 'close-day/gate-reversal-amount-present'),
  lacks('gate-without-code39', 'code39', 'close-day/gate-code39-present'),
  lacks('gate-without-rrn', 'RRN', 'close-day/gate-rrn-present'),

  has('gate-id-as-text', 'gateId comes in quotes', 'gateId', (digits) => `"${digits}"`, 'close-day/gate-id-type'),
  has(
    'is-day-closing-as-text',
    'isDayClosing comes in quotes',
    'isDayClosing',
    (value) => `"${value}"`,
    'close-day/gate-is-day-closing-type',
  ),
  has(
    'date-as-number',
    'gateCloseDate comes as milliseconds',
    'gateCloseDate',
    () => '1793749200000',
    'close-day/gate-close-date-type',
  ),
  has('epnt-id-as-text', 'epntId comes in quotes', 'epntId', (digits) => `"${digits}"`, 'close-day/gate-epnt-id-type'),
  has(
    'sale-count-as-number',
    'saleApprovedCount comes as a number',
    'saleApprovedCount',
    number,
    'close-day/gate-sale-approved-count-type',
  ),
  has('sale-amount-as-number', 'saleAmount comes as a number', 'saleAmount', number, 'close-day/gate-sale-amount-type'),
  has(
    'reversal-count-as-number',
    'reversalApprovedCount comes as a number',
    'reversalApprovedCount',
    number,
    'close-day/gate-reversal-approved-count-type',
  ),
  has(
    'reversal-amount-as-number',
    'reversalAmount comes as a number',
    'reversalAmount',
    number,
    'close-day/gate-reversal-amount-type',
  ),
  has('gate-code39-as-number', 'code39 comes as a number', 'code39', number, 'close-day/gate-code39-type'),
  has('gate-rrn-as-number', 'RRN comes as a number', 'RRN', number, 'close-day/gate-rrn-type'),

  has(
    'sale-amount-without-cents',
    'saleAmount comes with one fractional digit',
    'saleAmount',
    shorter,
    'close-day/gate-sale-amount-form',
  ),
  has(
    'reversal-amount-without-cents',
    'reversalAmount comes with one fractional digit',
    'reversalAmount',
    shorter,
    'close-day/gate-reversal-amount-form',
  ),
  has(
    'date-in-iso-form',
    'gateCloseDate comes as an ISO 8601 date',
    'gateCloseDate',
    () => '"2026-11-03T23:59:59Z"',
    'close-day/gate-close-date-shape',
  ),
  has(
    'date-of-digits',
    'gateCloseDate has numbers in place of names, and no hour that there is',
    'gateCloseDate',
    () => '"1 2 99 77:88:99 ? 0000"',
    'close-day/gate-close-date-shape',
  ),
  has(
    'date-with-month-first',
    'gateCloseDate has the month before the weekday',
    'gateCloseDate',
    (date) => date.replace(/(\w+) (\w+)/, '$2 $1'),
    'close-day/gate-close-date-shape',
  ),
  has(
    'date-that-does-not-exist',
    'gateCloseDate is the thirtieth of February',
    'gateCloseDate',
    () => '"Mon Feb 30 23:59:59 UTC 2026"',
    'close-day/gate-close-date-shape',
  ),
  has(
    'gate-id-with-fraction',
    'gateId comes with a fraction',
    'gateId',
    (digits) => `${digits}.0`,
    'close-day/gate-id-type',
  ),
  has(
    'gate-id-with-exponent',
    'gateId comes with an exponent',
    'gateId',
    (digits) => `${digits}e0`,
    'close-day/gate-id-type',
  ),
];

function lacks(what: string, member: string, breaks: TestableId<'gateway'>): GatewayDefect {
  // A comma goes with it: the one behind, or that before the last member.
  const pattern = new RegExp(`"${member}":(?:"[^"]*"|[^,}]*),|,"${member}":(?:"[^"]*"|[^,}]*)(?=\\})`, 'g');
  return defect(what, `A gate result lacks ${member}`, breaks, pattern, () => '');
}

function has(
  what: string,
  summary: string,
  member: string,
  value: (json: string) => string,
  breaks: TestableId<'gateway'>,
): GatewayDefect {
  const pattern = new RegExp(`("${member}":)("[^"]*"|[^,}]*)`, 'g');
  return defect(what, summary, breaks, pattern, (_, name, json) => `${name}${value(json!)}`);
}

function defect(
  what: string,
  summary: string,
  breaks: TestableId<'gateway'>,
  pattern: RegExp,
  replace: (match: string, ...groups: string[]) => string,
): GatewayDefect {
  return {
    id: `close-day/${what}`,
    side: 'gateway',
    operation: 'close-day',
    summary,
    breaks: [breaks],
    alteration: inBody('accepted', (text) => text.replace(pattern, replace)),
  };
}

/** The digits of a JSON string as a JSON number, which has no leading zeros (RFC 8259 section 6). */
function number(json: string): string {
  return json.slice(1, -1).replace(/^0+(?=\d)/, '');
}

/** A decimal in quotes without its last digit. */
function shorter(json: string): string {
  return json.replace(/(\.\d)\d"$/, '$1"');
}
