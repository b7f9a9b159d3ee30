/** Clients that misread the answer to a batch (sections 2.4 and 4.2). */
import { decodeForm } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';

const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;

export const batchAnswerDefects: readonly ClientDefect[] = [
  {
    ...recurring,
    id: 'recurring/empty-answer-taken-for-error',
    summary: 'An empty body under HTTP 200 cannot be decoded',
    breaks: ['recurring/decodes-accepted'],
    alteration: {
      decoded: (decoded) =>
        decoded.kind === 'accepted' ? { kind: 'undecodable', reason: 'unexpected end of the body' } : decoded,
    },
  },
  {
    ...recurring,
    id: 'recurring/line-feeds-kept',
    summary: 'The line feed at the end of each parameter is taken for a part of its value',
    breaks: ['recurring/decodes-parameters'],
    alteration: {
      decoded: (decoded, { done }) =>
        decoded.kind === 'parameters'
          ? { ...decoded, params: decodeForm(done.response.body).filter(([name]) => name !== '\n') }
          : decoded,
    },
  },
];
