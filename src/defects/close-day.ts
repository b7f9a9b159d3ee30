/** Gateways whose close-day answers differ from sections 2.2, 3, 4.1 and 7. */
import type { Alteration, Decision } from '../mock/alteration.ts';
import { editBody, withHeader, withStatus } from '../mock/reply.ts';
import type { GatewayDefect } from './defect.ts';

const closeDay = { side: 'gateway', operation: 'close-day' } as const;

export const closeDayDefects: readonly GatewayDefect[] = [
  {
    ...closeDay,
    id: 'close-day/gate-without-is-day-closing',
    summary: 'A gate result lacks isDayClosing',
    breaks: ['close-day/gate-is-day-closing-present'],
    alteration: inBody('accepted', /"isDayClosing":(true|false),/g, ''),
  },
  {
    ...closeDay,
    id: 'close-day/gate-without-gate-id',
    summary: 'A gate result lacks gateId',
    breaks: ['close-day/gate-id-present'],
    alteration: inBody('accepted', /"gateId":\d+,/g, ''),
  },
  {
    ...closeDay,
    id: 'close-day/gate-id-as-text',
    summary: 'gateId comes in quotes',
    breaks: ['close-day/gate-id-type'],
    alteration: inBody('accepted', /"gateId":(\d+)/g, '"gateId":"$1"'),
  },
  {
    ...closeDay,
    id: 'close-day/is-day-closing-as-text',
    summary: 'isDayClosing comes in quotes',
    breaks: ['close-day/gate-is-day-closing-type'],
    alteration: inBody('accepted', /"isDayClosing":(true|false)/g, '"isDayClosing":"$1"'),
  },
  {
    ...closeDay,
    id: 'close-day/sale-count-as-number',
    summary: 'saleApprovedCount comes as a number',
    breaks: ['close-day/gate-sale-approved-count-type'],
    alteration: inBody('accepted', /"saleApprovedCount":"(\d+)"/g, '"saleApprovedCount":$1'),
  },
  {
    ...closeDay,
    id: 'close-day/sale-amount-without-cents',
    summary: 'saleAmount comes with one fractional digit',
    breaks: ['close-day/gate-sale-amount-form'],
    alteration: inBody('accepted', /"saleAmount":"(\d+\.\d)\d"/g, '"saleAmount":"$1"'),
  },
  {
    ...closeDay,
    id: 'close-day/date-in-iso-form',
    summary: 'gateCloseDate comes as an ISO 8601 date',
    breaks: ['close-day/gate-close-date-shape'],
    alteration: inBody('accepted', /"gateCloseDate":"[^"]*"/g, '"gateCloseDate":"2026-11-03T23:59:59Z"'),
  },
  {
    ...closeDay,
    id: 'close-day/finished-without-gates',
    summary: 'A finished answer has no gates',
    breaks: ['close-day/finished-has-gates'],
    alteration: inBody('accepted', /,"gates":\[.*\]/g, ''),
  },
  {
    ...closeDay,
    id: 'close-day/only-first-gate',
    summary: 'Only the first gate of the endpoint is reported',
    breaks: ['close-day/one-result-per-gate'],
    alteration: inBody('accepted', /(\{"gateId"[^}]*\})(,\{"gateId"[^}]*\})+/g, '$1'),
  },
  {
    ...closeDay,
    id: 'close-day/locked-gate-hidden',
    summary: 'A gate that stays locked is reported as free',
    breaks: ['close-day/locked-gate-reported'],
    alteration: inBody('accepted', /"isDayClosing":true/g, '"isDayClosing":false'),
  },
  {
    ...closeDay,
    id: 'close-day/content-type-json',
    summary: 'The body comes as application/json',
    breaks: ['close-day/content-type'],
    alteration: {
      writes: (reply, { operation }) =>
        operation === 'close-day' ? withHeader(reply, 'Content-Type', 'application/json') : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/failure-as-400',
    summary: 'Failures come with HTTP 400 in place of 200',
    breaks: ['close-day/status-200'],
    alteration: {
      writes: (reply, { operation, decision }) =>
        operation === 'close-day' && decision === 'refused' ? withStatus(reply, 400) : reply,
    },
  },
  {
    ...closeDay,
    id: 'close-day/serial-missing',
    summary: 'theRequestSerialNumber is missing',
    breaks: ['close-day/serial-present'],
    alteration: inBody(undefined, /,"theRequestSerialNumber":"[^"]*"/, ''),
  },
  {
    ...closeDay,
    id: 'close-day/serial-short',
    summary: 'theRequestSerialNumber comes without its leading groups',
    breaks: ['close-day/serial-shape'],
    alteration: inBody(undefined, /"theRequestSerialNumber":"[^"]*-([^"-]*)"/, '"theRequestSerialNumber":"$1"'),
  },
  {
    ...closeDay,
    id: 'close-day/error-without-message',
    summary: 'An error comes without errorMessage',
    breaks: ['close-day/error-has-message'],
    alteration: inBody(undefined, /,"errorMessage":"(?:[^"\\]|\\.)*"/, ''),
  },
  {
    ...closeDay,
    id: 'close-day/error-code-as-number',
    summary: 'errorCode comes as a number',
    breaks: ['close-day/error-code-type'],
    alteration: inBody(undefined, /"errorCode":"(\d+)"/, '"errorCode":$1'),
  },
  {
    ...closeDay,
    id: 'close-day/closing-gate-other-code',
    summary: 'A gate that is already closing is answered with errorCode 98',
    breaks: ['close-day/closing-gate-error'],
    alteration: inBody('closing', /"errorCode":"99"/, '"errorCode":"98"'),
  },
  {
    ...closeDay,
    id: 'close-day/closing-gate-other-message',
    summary: 'Error 99 comes with another message',
    breaks: ['close-day/closing-gate-message'],
    alteration: inBody('closing', /gate is closing already/, 'the gate is being closed'),
  },
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
    id: 'close-day/reversal-sum-refused',
    summary: 'A request that carries reversal_approved_sum is refused',
    breaks: ['close-day/accepts-reversal-approved-sum', 'close-day/generated-requests-accepted'],
    alteration: {
      refuses: ({ form }) => (form.some(([name]) => name === 'reversal_approved_sum') ? 'an unknown field' : undefined),
    },
  },
];

/** Changes the text of close-day answers: those of one decision, or all. */
function inBody(decision: Decision | undefined, pattern: RegExp, replacement: string): Alteration {
  return {
    writes: (reply, about) =>
      about.operation === 'close-day' && (decision === undefined || about.decision === decision)
        ? editBody(reply, (text) => text.replace(pattern, replacement))
        : reply,
  };
}
