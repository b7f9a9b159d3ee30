/** Clients that misread an answer to close-day that comes in chunks (section 2.2; RFC 9112 section 7.1). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import { headerValues } from '../../record/exchange.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;

export const closeDayChunkDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/chunks-not-read',
    summary: 'An answer that comes in chunks, without its length, is not read',
    breaks: ['close-day/decodes-finished', 'close-day/decodes-error'],
    alteration: readsChunked(() => ({ kind: 'undecodable', reason: 'no length' })),
  },
  {
    ...closeDay,
    id: 'close-day/chunks-decoded-one-by-one',
    summary: 'Each chunk of an answer is decoded by itself, and a character that two of them share is lost',
    breaks: ['close-day/decodes-error'],
    alteration: readsChunked((decoded) =>
      decoded.kind === 'error'
        ? { ...decoded, errorMessage: decoded.errorMessage?.replace(/[^\x00-\x7f]/gu, '\ufffd\ufffd') }
        : decoded,
    ),
  },
];

function readsChunked(read: (decoded: Decoded) => Decoded): ClientAlteration {
  return only('close-day', {
    decoded: (decoded, { done }) =>
      headerValues(done.response.headers, 'transfer-encoding').length > 0 ? read(decoded) : decoded,
  });
}
