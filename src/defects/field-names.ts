/** Gateways that find a field under another name than section 2.1 gives it. */
import type { SentRequest } from '../exchange/exchange.ts';
import { decodeForm } from '../protocol/form.ts';
import type { GatewayDefect } from './defect.ts';

const field = 'day_close_request_id=';
const inCapitals = field.toUpperCase();

export const fieldNameDefects: readonly GatewayDefect[] = [
  {
    side: 'gateway',
    operation: 'close-day',
    id: 'close-day/day-close-request-id-in-any-case',
    summary: 'The name day_close_request_id may be in capitals',
    breaks: ['close-day/missing-request-id-refused'],
    alteration: {
      reads: (request) =>
        isOne(request)
          ? { ...request, body: Buffer.concat([Buffer.from(field), request.body.subarray(field.length)]) }
          : request,
      signs: (material, original) => (isOne(original) ? { ...material, body: decodeForm(original.body) } : material),
    },
  },
];

function isOne({ body }: SentRequest): boolean {
  return Buffer.from(body).toString('latin1').startsWith(inCapitals);
}
