/** Requests without a signature that the target accepted before the first case: the run need not send them again to judge them. */
import type { Operation } from '../../../contracts/requirements/requirement.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Asked } from '../doctor/path.ts';
import type { LiveRun } from './live-run.ts';

/** An exchange as JSON: bodies are base64. */
export interface StoredAcceptance {
  readonly operation: Operation;
  readonly exchange: Omit<Exchange, 'request' | 'response'> & {
    readonly request: Omit<Exchange['request'], 'body'> & { readonly body: string };
    readonly response: Omit<NonNullable<Exchange['response']>, 'body'> & { readonly body: string };
  };
}

/** The engine gets its options in one variable of its environment: an answer of megabytes does not fit. */
const mostBytes = 16 * 1024;

/** Those that can be handed to another process; the notes of the run tell of the others. */
export function storeAccepted(accepted: readonly Asked[]): StoredAcceptance[] {
  return accepted.flatMap(({ operation, exchange: { request, response, ...rest } }) =>
    response === undefined || JSON.stringify(response.headers).length + response.body.length > mostBytes
      ? []
      : [
          {
            operation,
            exchange: {
              ...rest,
              request: { ...request, body: Buffer.from(request.body).toString('base64') },
              response: { ...response, body: Buffer.from(response.body).toString('base64') },
            },
          },
        ],
  );
}

/** The exchange in which the operation was asked for without a signature, and accepted. */
export function acceptedUnsigned({ accepted = [] }: LiveRun, operation: Operation): Exchange | undefined {
  const found = accepted.find((one) => one.operation === operation)?.exchange;
  if (found === undefined) return undefined;
  const { request, response, ...rest } = found;
  return {
    ...rest,
    request: { ...request, body: Buffer.from(request.body, 'base64') },
    response: { ...response, body: Buffer.from(response.body, 'base64') },
  };
}
