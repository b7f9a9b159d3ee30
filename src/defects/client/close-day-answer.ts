/** Clients that misread what close-day was answered with as a whole (sections 2.2, 3, 4.1 and 7). */
import type { ClientAlteration, Context } from '../../client/index.ts';
import type { Decoded, DecodedGate } from '../../exchange/client-case.ts';
import { headerValues } from '../../exchange/exchange.ts';
import { bodyOf, type GlancedBody } from './close-day-body.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const closeDay = { side: 'client', operation: 'close-day' } as const;

const undecodable = (reason: string): Decoded => ({ kind: 'undecodable', reason });
const success = { kind: 'finished', gates: [] } as const;

export const closeDayAnswerDefects: readonly ClientDefect[] = [
  {
    ...closeDay,
    id: 'close-day/finished-not-known',
    summary: 'Only the status success counts as success, and finished as an error',
    breaks: ['close-day/decodes-finished'],
    alteration: reads((decoded) => (decoded.kind === 'finished' ? { kind: 'error', serial: decoded.serial } : decoded)),
  },
  {
    ...closeDay,
    id: 'close-day/text-html-not-read',
    summary: 'A body is read as JSON only where it says application/json',
    breaks: ['close-day/decodes-text-html'],
    alteration: reads((decoded, { done }) =>
      headerValues(done.response.headers, 'content-type').some((type) => type.startsWith('text/html'))
        ? undecodable('the body is text')
        : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/serial-without-zeros',
    summary: 'theRequestSerialNumber loses its leading zeros',
    breaks: ['close-day/decodes-serial'],
    alteration: reads((decoded) =>
      'serial' in decoded && decoded.serial !== undefined
        ? { ...decoded, serial: decoded.serial.replace(/^[0-]+/, '') }
        : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/serial-in-small-letters',
    summary: 'The capitals of theRequestSerialNumber are handed on as small letters',
    breaks: ['close-day/decodes-serial'],
    alteration: reads((decoded) =>
      'serial' in decoded && decoded.serial !== undefined
        ? { ...decoded, serial: decoded.serial.toLowerCase() }
        : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/at-most-two-gates-read',
    summary: 'Gates after the second one are not read',
    breaks: ['close-day/decodes-gates'],
    alteration: reads((decoded) =>
      // A locked gate is before the third one.
      decoded.kind === 'finished' ? { ...decoded, gates: decoded.gates?.slice(0, 2) } : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/error-taken-for-success',
    summary: 'HTTP 200 with status error is taken for success',
    breaks: ['close-day/decodes-error', 'close-day/decodes-error-99'],
    alteration: reads((decoded) => (decoded.kind === 'error' ? { ...success, serial: decoded.serial } : decoded)),
  },
  {
    ...closeDay,
    id: 'close-day/error-message-lost',
    summary: 'The message of an error is replaced by a text of the client',
    breaks: ['close-day/decodes-error', 'close-day/decodes-error-99'],
    alteration: reads((decoded) =>
      decoded.kind === 'error' ? { ...decoded, errorMessage: 'close-day failed' } : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/error-message-cut',
    summary: 'The message of an error is cut at 255 characters',
    breaks: ['close-day/decodes-error'],
    alteration: message((text) => text.slice(0, 255)),
  },
  {
    ...closeDay,
    id: 'close-day/markup-of-message-dropped',
    summary: 'What looks like markup is dropped from the message of an error',
    breaks: ['close-day/decodes-error'],
    alteration: message((text) => text.replace(/<[^>]*>/g, '')),
  },
  {
    ...closeDay,
    id: 'close-day/error-code-read-as-number',
    summary: 'An errorCode that is not a number is read as 0',
    breaks: ['close-day/decodes-error'],
    alteration: reads((decoded) =>
      decoded.kind === 'error' ? { ...decoded, errorCode: String(Number(decoded.errorCode) || 0) } : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/answer-read-as-latin-1',
    summary: 'The body is read in ISO 8859-1, so that letters beyond ASCII come in pieces',
    breaks: ['close-day/decodes-error'],
    alteration: message((text) => Buffer.from(text, 'utf8').toString('latin1')),
  },
  {
    ...closeDay,
    id: 'close-day/error-99-taken-for-success',
    summary: 'That the gate is closing already is taken for success',
    breaks: ['close-day/decodes-error-99'],
    alteration: reads((decoded) =>
      decoded.kind === 'error' && decoded.errorCode === '99' ? { ...success, serial: decoded.serial } : decoded,
    ),
  },
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
    id: 'close-day/one-locked-gate-locks-all',
    summary: 'Where one gate is locked, all gates of the answer are read as locked',
    breaks: ['close-day/decodes-gate-is-day-closing'],
    alteration: reads((decoded) =>
      decoded.kind === 'finished' && decoded.gates?.some(isLocked)
        ? { ...decoded, gates: decoded.gates.map((gate) => ({ ...gate, isDayClosing: { bool: true } })) }
        : decoded,
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
    id: 'close-day/further-members-refused',
    summary: 'A body with members that the client does not know is not decoded',
    breaks: ['close-day/decodes-extra-members'],
    alteration: reads((decoded, { done }) =>
      bodyOf(done.response)?.hasFurtherMembers ? undecodable('an unknown member') : decoded,
    ),
  },
];

function reads(read: (decoded: Decoded, context: Context) => Decoded): ClientAlteration {
  return only('close-day', { decoded: (decoded, context) => read(decoded, context) });
}

function isLocked({ isDayClosing }: DecodedGate): boolean {
  return isDayClosing !== undefined && 'bool' in isDayClosing && isDayClosing.bool;
}

function message(read: (text: string) => string): ClientAlteration {
  return reads((decoded) =>
    decoded.kind === 'error' && decoded.errorMessage !== undefined
      ? { ...decoded, errorMessage: read(decoded.errorMessage) }
      : decoded,
  );
}

/** Takes for success what the reference client could not decode, under HTTP 200. */
function readsUndecodable(isSuccess: (body: GlancedBody | undefined) => boolean): ClientAlteration {
  return reads((decoded, { done: { response } }) =>
    decoded.kind === 'undecodable' && response.status === 200 && isSuccess(bodyOf(response)) ? success : decoded,
  );
}
