/** Gateways that find a field under another name than sections 2.1 and 4.2 give it. */
import type { Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { SentRequest } from '../exchange/exchange.ts';
import { decodeForm } from '../protocol/form.ts';
import type { GatewayDefect } from './defect.ts';

export const fieldNameDefects: readonly GatewayDefect[] = [
  inAnyCase('close-day', 'day_close_request_id', 'close-day/missing-request-id-refused'),
  inAnyCase('process-recurring-payments', 'payload', 'recurring/missing-payload-refused'),
];

function inAnyCase(operation: Operation, field: string, row: TestableId<'gateway'>): GatewayDefect {
  const written = `${field.toUpperCase()}=`;
  const isOne = ({ body }: SentRequest) => Buffer.from(body).toString('latin1').startsWith(written);
  return {
    side: 'gateway',
    operation,
    id: `${row.split('/')[0]}/${field.replaceAll('_', '-')}-in-any-case`,
    summary: `The name ${field} may be in capitals`,
    breaks: [row],
    alteration: {
      reads: (request) =>
        isOne(request)
          ? { ...request, body: Buffer.concat([Buffer.from(`${field}=`), request.body.subarray(written.length)]) }
          : request,
      signs: (material, original) => (isOne(original) ? { ...material, body: decodeForm(original.body) } : material),
    },
  };
}
