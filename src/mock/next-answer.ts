/** Scripted answers to batches that would have been accepted: the answers of 2.4 and 7 that no request can bring about. */
import type { Reply } from './reply.ts';
import { parameterReply, recurringAccepted, recurringRefused, serialNumber } from './responses.ts';

/** `empty-200` is what comes anyway; it is there so that a queue can hold ordinary answers between others. */
export type NextAnswer =
  | { readonly kind: 'empty-200' }
  | { readonly kind: 'empty-403' }
  | ({ readonly kind: 'parameters' } & ParameterAnswer);

/** A body with the parameters of 2.4. */
export interface ParameterAnswer {
  readonly type: 'process-recurring-payment-response' | 'validation-error' | 'error';
  /** `error-code` of the two error types; 403 for `validation-error` and 500 for `error` by default. */
  readonly code?: '200' | '403' | '500';
  /** Default 200: which status comes with such a body is an open point (A17). */
  readonly httpStatus?: number;
  /** Name of the further parameter that comes with code 500 (section 7 does not show it); default `error-id`. */
  readonly errorIdName?: string;
  /** How the 0x0A that ends each value is written (A18); default raw. */
  readonly lineFeed?: 'raw' | '%0A';
}

/** Whether a batch that gets this answer starts its payments: the type decides, not the HTTP status. */
export function isAcceptance(answer: NextAnswer): boolean {
  if (answer.kind === 'parameters') return answer.type === 'process-recurring-payment-response';
  return answer.kind === 'empty-200';
}

/** The answer as it goes out; `serial` becomes its serial-number. */
export function scriptedReply(answer: NextAnswer, serial: number): Reply {
  if (answer.kind === 'empty-200') return recurringAccepted();
  if (answer.kind === 'empty-403') return recurringRefused();
  const { type, httpStatus = 200, lineFeed = 'raw' } = answer;
  return parameterReply(
    [['type', type], ['serial-number', serialNumber(serial)], ...details(answer, serial)],
    httpStatus,
    lineFeed === 'raw' ? '\n' : '%0A',
  );
}

type Parameters = readonly (readonly [name: string, value: string])[];

function details(answer: ParameterAnswer, serial: number): Parameters {
  const { type, errorIdName = 'error-id' } = answer;
  if (type === 'process-recurring-payment-response') return [['status', 'processing']];
  const code = answer.code ?? (type === 'validation-error' ? '403' : '500');
  const message = type === 'validation-error' ? 'the batch is not valid' : 'the batch cannot be processed';
  const errorId: Parameters = code === '500' ? [[errorIdName, `E${serial}`]] : [];
  return [['error-message', message], ['error-code', code], ...errorId];
}
