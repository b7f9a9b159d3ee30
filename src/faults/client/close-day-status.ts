/** Clients that take for a closed day what says nothing of the kind (sections 2.2, 3 and 4.1). */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import { bodyOf, type GlancedBody } from './close-day-body.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;

const success = { kind: 'finished', gates: [] } as const;

export const closeDayStatusDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/unknown-status-taken-for-success',
    summary: 'Every status but error is taken for success',
    breaks: ['close-day/decodes-unknown-status'],
    alteration: readsUndecodable((body) => body?.status !== undefined && body.status !== 'finished'),
  },
  {
    ...closeDay,
    id: 'close-day/status-that-begins-alike-taken-for-success',
    summary: 'A status need only begin as finished does',
    breaks: ['close-day/decodes-unknown-status'],
    alteration: readsUndecodable((body) => body?.status?.startsWith('finish') === true && body.status !== 'finished'),
  },
  {
    ...closeDay,
    id: 'close-day/status-that-contains-finished-taken-for-success',
    summary: 'A status need only contain the word finished',
    breaks: ['close-day/decodes-unknown-status'],
    alteration: readsUndecodable((body) => /.finished|finished./.test(body?.status ?? '')),
  },
  {
    ...closeDay,
    id: 'close-day/status-in-other-case-taken-for-success',
    summary: 'The status is compared without regard to case',
    breaks: ['close-day/decodes-unknown-status'],
    alteration: readsUndecodable((body) => body?.status === 'FINISHED'),
  },
  {
    ...closeDay,
    id: 'close-day/status-with-blanks-taken-for-success',
    summary: 'Blanks around the status do not count',
    breaks: ['close-day/decodes-unknown-status'],
    alteration: readsUndecodable((body) => body?.status !== 'finished' && body?.status?.trim() === 'finished'),
  },
  {
    ...closeDay,
    id: 'close-day/empty-status-taken-for-success',
    summary: 'An empty status is taken for success',
    breaks: ['close-day/decodes-unknown-status'],
    alteration: readsUndecodable((body) => body?.status === ''),
  },
  {
    ...closeDay,
    id: 'close-day/status-beside-no-response-taken-for-success',
    summary: 'A status finished that is in no response is taken for success',
    breaks: ['close-day/broken-body-not-success'],
    alteration: readsUndecodable((body) => body?.statusBeside === 'finished'),
  },
  {
    ...closeDay,
    id: 'close-day/status-of-no-text-taken-for-success',
    summary: 'A status that is no text, such as true, is taken for success',
    breaks: ['close-day/broken-body-not-success'],
    alteration: readsUndecodable((body) => body?.isStatusNoText === true),
  },
  {
    ...closeDay,
    id: 'close-day/http-status-ignored',
    summary: 'A finished day is success under any HTTP status',
    breaks: ['close-day/broken-body-not-success'],
    alteration: reads((decoded, { done: { response } }) =>
      response.status !== 200 && bodyOf(response)?.status === 'finished' ? success : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/bad-request-taken-for-success',
    summary: 'A finished day is success under HTTP 400 too',
    breaks: ['close-day/broken-body-not-success'],
    alteration: reads((decoded, { done: { response } }) =>
      response.status === 400 && bodyOf(response)?.status === 'finished' ? success : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/broken-body-taken-for-success',
    summary: 'A body that is not JSON is taken for success under HTTP 200',
    breaks: ['close-day/broken-body-not-success'],
    alteration: readsUndecodable((body) => body === undefined),
  },
  {
    ...closeDay,
    id: 'close-day/status-found-anywhere-taken-for-success',
    summary: 'A status finished anywhere in the body is taken for success',
    breaks: ['close-day/decodes-error'],
    alteration: reads((decoded, { done: { response } }) =>
      decoded.kind === 'error' && /"status":"finished"/.test(Buffer.from(response.body).toString())
        ? { ...success, serial: decoded.serial }
        : decoded,
    ),
  },
];

function reads(read: (decoded: Decoded, context: Context) => Decoded): ClientAlteration {
  return only('close-day', { decoded: (decoded, context) => read(decoded, context) });
}

/** Takes for success what the reference client could not decode, under HTTP 200. */
function readsUndecodable(isSuccess: (body: GlancedBody | undefined) => boolean): ClientAlteration {
  return reads((decoded, { done: { response } }) =>
    decoded.kind === 'undecodable' && response.status === 200 && isSuccess(bodyOf(response)) ? success : decoded,
  );
}
