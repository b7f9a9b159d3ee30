/** Gateways whose close-day errors, or serial numbers, lack what sections 2.2 and 4.1 ask for. Behind close-day.ts: the order is that of the kill matrix. */
import type { GatewayDefect } from './defect.ts';
import { inBody } from './in-body.ts';

const closeDay = { side: 'gateway', operation: 'close-day' } as const;

export const closeDayErrorDefects: readonly GatewayDefect[] = [
  {
    ...closeDay,
    id: 'close-day/error-cut-off',
    summary: 'The body of a refusal ends before its last brace',
    breaks: ['close-day/body-decodable'],
    alteration: inBody('refused', (text) => text.slice(0, -1)),
  },
  {
    ...closeDay,
    id: 'close-day/error-without-response',
    summary: 'The body of a refusal has result in place of response',
    breaks: ['close-day/response-member'],
    alteration: inBody('refused', (text) => text.replace('"response":', '"result":')),
  },
  {
    ...closeDay,
    id: 'close-day/error-without-status',
    summary: 'A refusal has a code and a message, and no status',
    breaks: ['close-day/status-present'],
    alteration: inBody('refused', (text) => text.replace('"status":"error",', '')),
  },
  {
    ...closeDay,
    id: 'close-day/error-as-failed',
    summary: 'A refusal has the status failed',
    breaks: ['close-day/status-value'],
    alteration: inBody('refused', (text) => text.replace('"status":"error"', '"status":"failed"')),
  },
  {
    ...closeDay,
    id: 'close-day/error-without-code',
    summary: 'A refusal comes without errorCode',
    breaks: ['close-day/error-has-code'],
    alteration: inBody('refused', (text) => text.replace(/"errorCode":"[^"]*",/, '')),
  },
  {
    ...closeDay,
    id: 'close-day/serial-as-number',
    summary: 'theRequestSerialNumber comes as a number',
    breaks: ['close-day/serial-type'],
    alteration: inBody(undefined, (text) =>
      text.replace(/"theRequestSerialNumber":"[^"]*"/, '"theRequestSerialNumber":47884842'),
    ),
  },
];
