/** Clients that misread what close-day was answered with as a whole (sections 2.2, 3, 4.1 and 7). */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import type { Decoded, DecodedGate } from '../../record/client-case.ts';
import { headerValues } from '../../record/exchange.ts';
import { bodyOf } from './close-day-body.ts';
import type { ClientDefect } from './defect.ts';
import { isLockedGate } from './gate-values.ts';
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
    id: 'close-day/gates-without-turnover-dropped',
    summary: 'A gate that had neither sales nor reversals is not read',
    // One of them is locked.
    breaks: ['close-day/decodes-gates', 'close-day/decodes-locked-gate'],
    alteration: reads((decoded) =>
      decoded.kind === 'finished' ? { ...decoded, gates: decoded.gates?.filter((gate) => !isIdle(gate)) } : decoded,
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
    alteration: messageOfError((text) => text.slice(0, 255)),
  },
  {
    ...closeDay,
    id: 'close-day/escapes-of-message-kept',
    summary: 'A slash that JSON writes as an escape is handed on with its backslash',
    breaks: ['close-day/decodes-error'],
    alteration: reads((decoded, { done: { response } }) =>
      decoded.kind === 'error' && Buffer.from(response.body).includes('\\/')
        ? { ...decoded, errorMessage: decoded.errorMessage?.replaceAll('/', '\\/') }
        : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/markup-of-message-dropped',
    summary: 'What looks like markup is dropped from the message of an error',
    breaks: ['close-day/decodes-error'],
    alteration: messageOfError((text) => text.replace(/<[^>]*>/g, '')),
  },
  {
    ...closeDay,
    id: 'close-day/error-code-without-zeros',
    summary: 'An errorCode loses its leading zeros: 007 is handed on as 7',
    breaks: ['close-day/decodes-error'],
    alteration: reads((decoded) =>
      decoded.kind === 'error' ? { ...decoded, errorCode: decoded.errorCode?.replace(/^0+(?=\d)/, '') } : decoded,
    ),
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
    alteration: messageOfError((text) => Buffer.from(text, 'utf8').toString('latin1')),
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
    id: 'close-day/one-locked-gate-locks-all',
    summary: 'Where one gate is locked, all gates of the answer are read as locked',
    breaks: ['close-day/decodes-gate-is-day-closing'],
    alteration: reads((decoded) =>
      decoded.kind === 'finished' && decoded.gates?.some(isLockedGate)
        ? { ...decoded, gates: decoded.gates.map((gate) => ({ ...gate, isDayClosing: { bool: true } })) }
        : decoded,
    ),
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
  {
    ...closeDay,
    id: 'close-day/members-read-in-order',
    summary: 'A body whose theRequestSerialNumber comes before its response is not decoded',
    breaks: ['close-day/decodes-finished', 'close-day/decodes-error'],
    alteration: unread(/"theRequestSerialNumber"[^{]*"response"/),
  },
  {
    ...closeDay,
    id: 'close-day/escaped-names-not-read',
    summary: 'A body with an escape in the name of a member is not decoded',
    breaks: ['close-day/decodes-finished'],
    alteration: unread(/"[^"\s]*\\[^"\s]*"\s*:/),
  },
  {
    ...closeDay,
    id: 'close-day/free-gates-dropped-beside-locked',
    summary: 'Where one gate is locked, the free ones are not handed over',
    breaks: ['close-day/decodes-gates'],
    alteration: reads((decoded) =>
      decoded.kind === 'finished' && decoded.gates?.some(isLockedGate)
        ? { ...decoded, gates: decoded.gates.filter(isLockedGate) }
        : decoded,
    ),
  },
  {
    ...closeDay,
    id: 'close-day/foreign-message-left-out',
    summary: 'The message of an error is left out where it is not ASCII',
    breaks: ['close-day/decodes-error'],
    alteration: reads((decoded) =>
      decoded.kind === 'error' && /[^\x00-\x7f]/.test(decoded.errorMessage ?? '')
        ? { kind: 'error', errorCode: decoded.errorCode, serial: decoded.serial }
        : decoded,
    ),
  },
];

function unread(body: RegExp): ClientAlteration {
  return reads((decoded, { done }) =>
    body.test(Buffer.from(done.response.body).toString('utf8')) ? undecodable('another JSON than expected') : decoded,
  );
}

function reads(read: (decoded: Decoded, context: Context) => Decoded): ClientAlteration {
  return only('close-day', { decoded: (decoded, context) => read(decoded, context) });
}

function isIdle({ saleApprovedCount, reversalApprovedCount }: DecodedGate): boolean {
  return [saleApprovedCount, reversalApprovedCount].every((count) => count && 'text' in count && count.text === '0');
}

export function messageOfError(read: (text: string) => string): ClientAlteration {
  return reads((decoded) =>
    decoded.kind === 'error' && decoded.errorMessage !== undefined
      ? { ...decoded, errorMessage: read(decoded.errorMessage) }
      : decoded,
  );
}
