/** Clients that take a batch for accepted which is not (sections 2.4, 4.2 and 7). */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import { type Pair, textKeepingBytes } from '../../protocol/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;

export const batchSuccessDefects: readonly ClientDefect[] = [
  {
    ...recurring,
    id: 'recurring/refusal-taken-for-acceptance',
    summary: 'An empty HTTP 403 is taken for success',
    breaks: ['recurring/decodes-refused'],
    alteration: reads((decoded, { done }) =>
      decoded.kind === 'refused' && decoded.http_status === 403 && done.response.body.length === 0
        ? { kind: 'accepted' }
        : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/any-2xx-taken-for-acceptance',
    summary: 'An empty body is success under each HTTP status from 200 to 299',
    breaks: ['recurring/broken-body-not-success'],
    alteration: reads((decoded, { done: { response } }) =>
      response.status > 200 && response.status < 300 && response.body.length === 0 ? { kind: 'accepted' } : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/no-content-taken-for-acceptance',
    summary: 'HTTP 204 is taken for success',
    breaks: ['recurring/broken-body-not-success'],
    alteration: reads((decoded, { done: { response } }) => (response.status === 204 ? { kind: 'accepted' } : decoded)),
  },
  {
    ...recurring,
    id: 'recurring/redirect-taken-for-acceptance',
    summary: 'An empty body is success under each HTTP status from 300 to 399',
    breaks: ['recurring/broken-body-not-success'],
    alteration: reads((decoded, { done: { response } }) =>
      response.status >= 300 && response.status < 400 && response.body.length === 0 ? { kind: 'accepted' } : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/unavailable-taken-for-acceptance',
    summary: 'An empty HTTP 503 is taken for success',
    breaks: ['recurring/broken-body-not-success'],
    alteration: reads((decoded, { done: { response } }) =>
      response.status === 503 && response.body.length === 0 ? { kind: 'accepted' } : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/blank-body-taken-for-acceptance',
    summary: 'A body of white space is as good as an empty one',
    breaks: ['recurring/broken-body-not-success'],
    alteration: reads((decoded, { done: { response } }) =>
      response.status === 200 && response.body.length > 0 && textKeepingBytes(response.body).trim() === ''
        ? { kind: 'accepted' }
        : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/validation-error-taken-for-success',
    summary: 'HTTP 200 with type validation-error is taken for success',
    breaks: ['recurring/decodes-validation-error'],
    alteration: readsAsSuccess('validation-error', () => true),
  },
  {
    ...recurring,
    id: 'recurring/error-taken-for-success',
    summary: 'HTTP 200 with type error is taken for success',
    breaks: ['recurring/decodes-error'],
    alteration: readsAsSuccess('error', () => true),
  },
  {
    ...recurring,
    id: 'recurring/error-code-200-taken-for-success',
    summary: 'Type error with error-code 200 is taken for success',
    breaks: ['recurring/decodes-error'],
    alteration: readsAsSuccess('error', (params) =>
      params.some(([name, code]) => name === 'error-code' && code === '200'),
    ),
  },
  {
    ...recurring,
    id: 'recurring/status-taken-for-success',
    summary: 'The status processing is taken for success, that of an error too',
    breaks: ['recurring/decodes-validation-error', 'recurring/decodes-error', 'recurring/broken-body-not-success'],
    alteration: reads((decoded) =>
      decoded.kind === 'parameters' &&
      decoded.params.some(([name, value]) => name === 'status' && value === 'processing')
        ? { kind: 'accepted' }
        : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/type-of-the-operation-taken-for-success',
    summary: 'The type process-recurring-payments-response is taken for success, as the operation is called',
    breaks: ['recurring/broken-body-not-success'],
    alteration: readsTypeAsSuccess(/^process-recurring-payments-response$/),
  },
  {
    ...recurring,
    id: 'recurring/type-in-other-case-taken-for-success',
    summary: 'The type is compared without regard to case',
    breaks: ['recurring/broken-body-not-success'],
    alteration: readsTypeAsSuccess(/^process-recurring-payment-response$/i),
  },
  {
    ...recurring,
    id: 'recurring/any-body-taken-for-success',
    summary: 'Every body under HTTP 200 that has no type is taken for success',
    breaks: ['recurring/broken-body-not-success'],
    alteration: reads((decoded, { done }) =>
      decoded.kind === 'undecodable' && done.response.status === 200 ? { kind: 'accepted' } : decoded,
    ),
  },
];

function reads(read: (decoded: Decoded, context: Context) => Decoded): ClientAlteration {
  return only('process-recurring-payments', { decoded: (decoded, context) => read(decoded, context) });
}

/** Under HTTP 200 alone: other failures are reported by their status. */
function readsAsSuccess(type: string, where: (params: readonly Pair[]) => boolean): ClientAlteration {
  return reads((decoded, { done }) =>
    decoded.kind === 'parameters' &&
    answeredType(decoded) === type &&
    done.response.status === 200 &&
    where(decoded.params)
      ? { kind: 'accepted' }
      : decoded,
  );
}

function readsTypeAsSuccess(type: RegExp): ClientAlteration {
  return reads((decoded) => (type.test(answeredType(decoded) ?? '') ? { kind: 'accepted' } : decoded));
}

export function answeredType(decoded: Decoded): string | undefined {
  return decoded.kind === 'parameters' ? decoded.params.find(([name]) => name === 'type')?.[1] : undefined;
}
