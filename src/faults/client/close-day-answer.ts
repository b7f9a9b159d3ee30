/** Clients that misread the answer to close-day as a whole (sections 2.2, 3, 4.1 and 7). */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, readJson } from '../../protocol/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import { headerValues, type ReceivedResponse } from '../../record/exchange.ts';
import type { Breaks } from '../defect.ts';
import { type ClientDefect, closeDay } from './defect.ts';
import { isIdleGate, isLockedGate } from './gate-values.ts';

export const closeDayAnswerDefects: readonly ClientDefect[] = [
  closeDay(
    'finished-not-known',
    'Only the status success counts as success, and finished as an error',
    'decodes-finished',
    { decoded: (decoded) => (decoded.kind === 'finished' ? { kind: 'error', serial: decoded.serial } : decoded) },
  ),
  closeDay('text-html-not-read', 'A body is read as JSON only where it says application/json', 'decodes-text-html', {
    decoded: (decoded, { done }) =>
      headerValues(done.response.headers, 'content-type').some((type) => type.startsWith('text/html'))
        ? undecodable('the body is text')
        : decoded,
  }),
  closeDay('serial-without-zeros', 'theRequestSerialNumber loses its leading zeros', 'decodes-serial', {
    decoded: (decoded) =>
      'serial' in decoded && decoded.serial !== undefined
        ? { ...decoded, serial: decoded.serial.replace(/^[0-]+/, '') }
        : decoded,
  }),
  closeDay(
    'serial-in-small-letters',
    'The capitals of theRequestSerialNumber are handed on as small letters',
    'decodes-serial',
    {
      decoded: (decoded) =>
        'serial' in decoded && decoded.serial !== undefined
          ? { ...decoded, serial: decoded.serial.toLowerCase() }
          : decoded,
    },
  ),
  closeDay('at-most-two-gates-read', 'Gates after the second one are not read', 'decodes-gates', {
    decoded: (decoded) =>
      // A locked gate is before the third one.
      decoded.kind === 'finished' ? { ...decoded, gates: decoded.gates?.slice(0, 2) } : decoded,
  }),
  closeDay(
    'gates-without-turnover-dropped',
    'A gate that had neither sales nor reversals is not read',
    // One of them is locked.
    ['decodes-gates', 'decodes-locked-gate'],
    {
      decoded: (decoded) =>
        decoded.kind === 'finished'
          ? { ...decoded, gates: decoded.gates?.filter((gate) => !isIdleGate(gate)) }
          : decoded,
    },
  ),
  closeDay(
    'error-taken-for-success',
    'HTTP 200 with status error is taken for success',
    ['decodes-error', 'decodes-error-99'],
    { decoded: (decoded) => (decoded.kind === 'error' ? { ...success, serial: decoded.serial } : decoded) },
  ),
  closeDay(
    'error-message-lost',
    'The message of an error is replaced by a text of the client',
    ['decodes-error', 'decodes-error-99'],
    { decoded: (decoded) => (decoded.kind === 'error' ? { ...decoded, errorMessage: 'close-day failed' } : decoded) },
  ),
  closeDay(
    'error-message-cut',
    'The message of an error is cut at 255 characters',
    'decodes-error',
    messageOfError((text) => text.slice(0, 255)),
  ),
  closeDay(
    'escapes-of-message-kept',
    'A slash that JSON writes as an escape is handed on with its backslash',
    'decodes-error',
    {
      decoded: (decoded, { done: { response } }) =>
        decoded.kind === 'error' && Buffer.from(response.body).includes('\\/')
          ? { ...decoded, errorMessage: decoded.errorMessage?.replaceAll('/', '\\/') }
          : decoded,
    },
  ),
  closeDay(
    'markup-of-message-dropped',
    'What looks like markup is dropped from the message of an error',
    'decodes-error',
    messageOfError((text) => text.replace(/<[^>]*>/g, '')),
  ),
  closeDay('error-code-without-zeros', 'An errorCode loses its leading zeros: 007 is handed on as 7', 'decodes-error', {
    decoded: (decoded) =>
      decoded.kind === 'error' ? { ...decoded, errorCode: decoded.errorCode?.replace(/^0+(?=\d)/, '') } : decoded,
  }),
  closeDay('error-code-read-as-number', 'An errorCode that is not a number is read as 0', 'decodes-error', {
    decoded: (decoded) =>
      decoded.kind === 'error' ? { ...decoded, errorCode: String(Number(decoded.errorCode) || 0) } : decoded,
  }),
  closeDay(
    'answer-read-as-latin-1',
    'The body is read in ISO 8859-1, so that letters beyond ASCII come in pieces',
    'decodes-error',
    messageOfError((text) => Buffer.from(text, 'utf8').toString('latin1')),
  ),
  closeDay('error-99-taken-for-success', 'That the gate is closing already is taken for success', 'decodes-error-99', {
    decoded: (decoded) =>
      decoded.kind === 'error' && decoded.errorCode === '99' ? { ...success, serial: decoded.serial } : decoded,
  }),
  closeDay(
    'one-locked-gate-locks-all',
    'Where one gate is locked, all gates of the answer are read as locked',
    'decodes-gate-is-day-closing',
    {
      decoded: (decoded) =>
        decoded.kind === 'finished' && decoded.gates?.some(isLockedGate)
          ? { ...decoded, gates: decoded.gates.map((gate) => ({ ...gate, isDayClosing: { bool: true } })) }
          : decoded,
    },
  ),
  closeDay(
    'further-members-refused',
    'A body with members that the client does not know is not decoded',
    'decodes-extra-members',
    {
      decoded: (decoded, { done }) =>
        bodyOf(done.response)?.hasFurtherMembers ? undecodable('an unknown member') : decoded,
    },
  ),
  closeDay(
    'members-read-in-order',
    'A body whose theRequestSerialNumber comes before its response is not decoded',
    ['decodes-finished', 'decodes-error'],
    unread(/"theRequestSerialNumber"[^{]*"response"/),
  ),
  closeDay(
    'escaped-names-not-read',
    'A body with an escape in the name of a member is not decoded',
    'decodes-finished',
    unread(/"[^"\s]*\\[^"\s]*"\s*:/),
  ),
  closeDay(
    'free-gates-dropped-beside-locked',
    'Where one gate is locked, the free ones are not handed over',
    'decodes-gates',
    {
      decoded: (decoded) =>
        decoded.kind === 'finished' && decoded.gates?.some(isLockedGate)
          ? { ...decoded, gates: decoded.gates.filter(isLockedGate) }
          : decoded,
    },
  ),
  closeDay('foreign-message-left-out', 'The message of an error is left out where it is not ASCII', 'decodes-error', {
    decoded: (decoded) =>
      decoded.kind === 'error' && /[^\x00-\x7f]/.test(decoded.errorMessage ?? '')
        ? { kind: 'error', errorCode: decoded.errorCode, serial: decoded.serial }
        : decoded,
  }),

  closeDay(
    'chunks-not-read',
    'An answer that comes in chunks, without its length, is not read',
    ['decodes-finished', 'decodes-error'],
    readsChunked(() => ({ kind: 'undecodable', reason: 'no length' })),
  ),
  closeDay(
    'chunks-decoded-one-by-one',
    'Each chunk of an answer is decoded by itself, and a character that two of them share is lost',
    'decodes-error',
    readsChunked((decoded) =>
      decoded.kind === 'error'
        ? { ...decoded, errorMessage: decoded.errorMessage?.replace(/[^\x00-\x7f]/gu, '\ufffd\ufffd') }
        : decoded,
    ),
  ),

  taken(
    'unknown-status-taken-for-success',
    'Every status but error is taken for success',
    'decodes-unknown-status',
    (body) => body?.status !== undefined && body.status !== 'finished',
  ),
  taken(
    'status-that-begins-alike-taken-for-success',
    'A status need only begin as finished does',
    'decodes-unknown-status',
    (body) => body?.status?.startsWith('finish') === true && body.status !== 'finished',
  ),
  taken(
    'status-that-contains-finished-taken-for-success',
    'A status need only contain the word finished',
    'decodes-unknown-status',
    (body) => /.finished|finished./.test(body?.status ?? ''),
  ),
  taken(
    'status-in-other-case-taken-for-success',
    'The status is compared without regard to case',
    'decodes-unknown-status',
    (body) => body?.status === 'FINISHED',
  ),
  taken(
    'status-with-blanks-taken-for-success',
    'Blanks around the status do not count',
    'decodes-unknown-status',
    (body) => body?.status !== 'finished' && body?.status?.trim() === 'finished',
  ),
  taken(
    'empty-status-taken-for-success',
    'An empty status is taken for success',
    'decodes-unknown-status',
    (body) => body?.status === '',
  ),
  taken(
    'status-beside-no-response-taken-for-success',
    'A status finished that is in no response is taken for success',
    'broken-body-not-success',
    (body) => body?.statusBeside === 'finished',
  ),
  taken(
    'status-of-no-text-taken-for-success',
    'A status that is no text, such as true, is taken for success',
    'broken-body-not-success',
    (body) => body?.isStatusNoText === true,
  ),
  closeDay('http-status-ignored', 'A finished day is success under any HTTP status', 'broken-body-not-success', {
    decoded: (decoded, { done: { response } }) =>
      response.status !== 200 && bodyOf(response)?.status === 'finished' ? success : decoded,
  }),
  closeDay('bad-request-taken-for-success', 'A finished day is success under HTTP 400 too', 'broken-body-not-success', {
    decoded: (decoded, { done: { response } }) =>
      response.status === 400 && bodyOf(response)?.status === 'finished' ? success : decoded,
  }),
  taken(
    'broken-body-taken-for-success',
    'A body that is not JSON is taken for success under HTTP 200',
    'broken-body-not-success',
    (body) => body === undefined,
  ),
  closeDay(
    'status-found-anywhere-taken-for-success',
    'A status finished anywhere in the body is taken for success',
    'decodes-error',
    {
      decoded: (decoded, { done: { response } }) =>
        decoded.kind === 'error' && /"status":"finished"/.test(Buffer.from(response.body).toString())
          ? { ...success, serial: decoded.serial }
          : decoded,
    },
  ),
];

const undecodable = (reason: string): Decoded => ({ kind: 'undecodable', reason });
const success = { kind: 'finished', gates: [] } as const;

function unread(body: RegExp): ClientAlteration {
  return {
    decoded: (decoded, { done }) =>
      body.test(Buffer.from(done.response.body).toString('utf8')) ? undecodable('another JSON than expected') : decoded,
  };
}

export function messageOfError(read: (text: string) => string): ClientAlteration {
  return {
    decoded: (decoded) =>
      decoded.kind === 'error' && decoded.errorMessage !== undefined
        ? { ...decoded, errorMessage: read(decoded.errorMessage) }
        : decoded,
  };
}

function readsChunked(read: (decoded: Decoded) => Decoded): ClientAlteration {
  return {
    decoded: (decoded, { done }) =>
      headerValues(done.response.headers, 'transfer-encoding').length > 0 ? read(decoded) : decoded,
  };
}

/** Takes for success what the reference client could not decode, under HTTP 200. */
function taken(
  what: string,
  summary: string,
  breaks: Breaks<'client', 'close-day'>,
  isSuccess: (body: GlancedBody | undefined) => boolean,
): ClientDefect {
  return closeDay(what, summary, breaks, {
    decoded: (decoded, { done: { response } }) =>
      decoded.kind === 'undecodable' && response.status === 200 && isSuccess(bodyOf(response)) ? success : decoded,
  });
}

/** What a careless client looks at in a body of close-day, where the reference client decodes no more. */
interface GlancedBody {
  readonly status?: string;
  /** A status that is there and no text: null, true, a number. */
  readonly isStatusNoText: boolean;
  /** That of a body without a response. */
  readonly statusBeside: JsonValue | undefined;
  /** Whether a member is there that section 2.2 does not name; an enclosing object counts as one. */
  readonly hasFurtherMembers: boolean;
}

const known = ['response', 'theRequestSerialNumber'];

/** Undefined where the body is not a JSON object. */
function bodyOf({ body }: ReceivedResponse): GlancedBody | undefined {
  const value = objectIn(body);
  if (value === undefined) return undefined;
  const outer = isJsonObject(value.response) ? value : (Object.values(value).find(isJsonObject) ?? value);
  const status = isJsonObject(outer.response) ? outer.response.status : undefined;
  return {
    ...(typeof status === 'string' ? { status } : {}),
    statusBeside: isJsonObject(outer.response) ? undefined : value.status,
    isStatusNoText: status !== undefined && typeof status !== 'string',
    hasFurtherMembers: Object.keys(value).some((name) => !known.includes(name)),
  };
}

function objectIn(body: Uint8Array): JsonObject | undefined {
  try {
    const value: JsonValue = readJson(body);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
