/** Gateways that take a required field or column under another name, as frameworks and careless readers do. */

import type { Alteration } from '../mock/alteration.ts';
import { decodeForm, encodeForm } from '../protocol/form.ts';
import type { SentRequest } from '../record/exchange.ts';
import type { GatewayDefect } from './defect.ts';
import { readsPayload } from './reads-payload.ts';

const paymentHeader = '"client-orderid";"recurring-payment-id";"amount"';

export const fieldNameDefects: readonly GatewayDefect[] = [
  ...(
    [
      ['in-any-case', 'may be in capitals', 'DAY_CLOSE_REQUEST_ID'],
      ['in-a-list', 'may have brackets behind it', 'day_close_request_id[]'],
      ['with-points', 'may have points for underscores', 'day.close.request.id'],
    ] as const
  ).map(
    ([what, says, name]): GatewayDefect => ({
      side: 'gateway',
      operation: 'close-day',
      id: `close-day/day-close-request-id-${what}`,
      summary: `The name day_close_request_id ${says}`,
      breaks: ['close-day/missing-request-id-refused'],
      alteration: takesName(name, 'day_close_request_id'),
    }),
  ),
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'recurring/payload-in-a-list',
    summary: 'The name payload may have brackets behind it',
    breaks: ['recurring/missing-payload-refused'],
    alteration: takesName('payload[]', 'payload'),
  },
  {
    side: 'gateway',
    operation: 'process-recurring-payments',
    id: 'recurring/columns-read-by-place',
    summary: 'The three columns of a CSV may have any names: which one a cell is of is told by its place',
    breaks: [
      'recurring/missing-client-orderid-refused',
      'recurring/missing-recurring-payment-id-refused',
      'recurring/missing-amount-refused',
    ],
    alteration: readsPayload((csv) => csv.replace(/^"[^";]*";"[^";]*";"[^";]*"(?=[\r\n])/, paymentHeader)),
  },
];

/** Takes the first field under another name for the right one; signed is what was sent. */
function takesName(other: string, right: string): Alteration {
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
