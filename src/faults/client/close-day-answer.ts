/** Clients that misread the answer to close-day as a whole (sections 2.2, 3, 4.1 and 7). */
import { headerValues, type ReceivedResponse } from '../../record/exchange.ts';
import { breaking } from '../defect.ts';
import { type ClientDefect, closeDay } from './defect.ts';
import { isIdleGate, isLockedGate } from './gate-values.ts';
import type { Answer } from './parts.ts';

const serial = breaking(closeDay, 'decodes-serial');
const gates = breaking(closeDay, 'decodes-gates');
const failure = breaking(closeDay, 'decodes-error');
const anyFailure = breaking(closeDay, ['decodes-error', 'decodes-error-99']);
const otherStatus = breaking(closeDay, 'decodes-unknown-status');
const noSuccess = breaking(closeDay, 'broken-body-not-success');

export const closeDayAnswerDefects: readonly ClientDefect[] = [
  closeDay(
    'finished-not-known',
    'Only the status success counts as success, and finished as an error',
    'decodes-finished',
    { finished: ({ serial }) => ({ kind: 'error', serial }) },
  ),
  closeDay('text-html-not-read', 'A body is read as JSON only where it says application/json', 'decodes-text-html', {
    unread: ({ response }) => /^text\/html/.test(header(response, 'content-type')),
  }),
  serial('serial-without-zeros', 'theRequestSerialNumber loses its leading zeros', {
    serial: (text) => text.replace(/^[0-]+/, ''),
  }),
  serial('serial-in-small-letters', 'The capitals of theRequestSerialNumber are handed on as small letters', {
    serial: (text) => text.toLowerCase(),
  }),
  // A locked gate is before the third one.
  gates('at-most-two-gates-read', 'Gates after the second one are not read', { gates: (all) => all.slice(0, 2) }),
  closeDay(
    'gates-without-turnover-dropped',
    'A gate that had neither sales nor reversals is not read',
    // One of them is locked.
    ['decodes-gates', 'decodes-locked-gate'],
    { gates: (all) => all.filter((gate) => !isIdleGate(gate)) },
  ),
  anyFailure('error-taken-for-success', 'HTTP 200 with status error is taken for success', {
    success: ({ kind }) => kind === 'error',
  }),
  anyFailure('error-message-lost', 'The message of an error is replaced by a text of the client', {
    message: () => 'close-day failed',
  }),
  failure('error-message-cut', 'The message of an error is cut at 255 characters', {
    message: (text) => text.slice(0, 255),
  }),
  failure('escapes-of-message-kept', 'A slash that JSON writes as an escape is handed on with its backslash', {
    message: (text, { done }) => (Buffer.from(done.response.body).includes('\\/') ? text.replaceAll('/', '\\/') : text),
  }),
  failure('markup-of-message-dropped', 'What looks like markup is dropped from the message of an error', {
    message: (text) => text.replace(/<[^>]*>/g, ''),
  }),
  failure('error-code-without-zeros', 'An errorCode loses its leading zeros: 007 is handed on as 7', {
    error: (one) => ({ ...one, errorCode: one.errorCode?.replace(/^0+(?=\d)/, '') }),
  }),
  failure('error-code-read-as-number', 'An errorCode that is not a number is read as 0', {
    error: (one) => ({ ...one, errorCode: String(Number(one.errorCode) || 0) }),
  }),
  failure('answer-read-as-latin-1', 'The body is read in ISO 8859-1, so that letters beyond ASCII come in pieces', {
    message: inLatin1,
  }),
  closeDay('error-99-taken-for-success', 'That the gate is closing already is taken for success', 'decodes-error-99', {
    success: ({ code }) => code === '99',
  }),
  closeDay(
    'one-locked-gate-locks-all',
    'Where one gate is locked, all gates of the answer are read as locked',
    'decodes-gate-is-day-closing',
    {
      gates: (all) => (all.some(isLockedGate) ? all.map((gate) => ({ ...gate, isDayClosing: { bool: true } })) : all),
    },
  ),
  closeDay(
    'further-members-refused',
    'A body with members that the client does not know is not decoded',
    'decodes-extra-members',
    { unread: ({ body }) => body?.hasFurtherMembers === true },
  ),
  closeDay(
    'members-read-in-order',
    'A body whose theRequestSerialNumber comes before its response is not decoded',
    ['decodes-finished', 'decodes-error'],
    { unread: ({ text }) => /"theRequestSerialNumber"[^{]*"response"/.test(text) },
  ),
  closeDay(
    'escaped-names-not-read',
    'A body with an escape in the name of a member is not decoded',
    'decodes-finished',
    { unread: ({ text }) => /"[^"\s]*\\[^"\s]*"\s*:/.test(text) },
  ),
  gates('free-gates-dropped-beside-locked', 'Where one gate is locked, the free ones are not handed over', {
    gates: (all) => (all.some(isLockedGate) ? all.filter(isLockedGate) : all),
  }),
  failure('foreign-message-left-out', 'The message of an error is left out where it is not ASCII', {
    error: ({ errorMessage, ...one }) => (isAscii(errorMessage) ? { ...one, errorMessage } : one),
  }),

  closeDay(
    'chunks-not-read',
    'An answer that comes in chunks, without its length, is not read',
    ['decodes-finished', 'decodes-error'],
    { unread: ({ response }) => isChunked(response) },
  ),
  failure(
    'chunks-decoded-one-by-one',
    'Each chunk of an answer is decoded by itself, and a character that two of them share is lost',
    {
      message: (text, { done }) => (isChunked(done.response) ? text.replace(/[^\x00-\x7f]/gu, '\ufffd\ufffd') : text),
    },
  ),

  otherStatus('unknown-status-taken-for-success', 'Every status but error is taken for success', {
    success: unlessRead(({ status }) => status !== undefined && status !== 'finished'),
  }),
  otherStatus('status-that-begins-alike-taken-for-success', 'A status need only begin as finished does', {
    success: unlessRead(({ status = '' }) => /^finish(?!ed$)/.test(status)),
  }),
  otherStatus('status-that-contains-finished-taken-for-success', 'A status need only contain the word finished', {
    success: unlessRead(({ status = '' }) => /.finished|finished./.test(status)),
  }),
  otherStatus('status-in-other-case-taken-for-success', 'The status is compared without regard to case', {
    success: unlessRead(({ status }) => status === 'FINISHED'),
  }),
  otherStatus('status-with-blanks-taken-for-success', 'Blanks around the status do not count', {
    success: unlessRead(({ status }) => status !== 'finished' && status?.trim() === 'finished'),
  }),
  otherStatus('empty-status-taken-for-success', 'An empty status is taken for success', {
    success: unlessRead(({ status }) => status === ''),
  }),
  noSuccess(
    'status-beside-no-response-taken-for-success',
    'A status finished that is in no response is taken for success',
    { success: unlessRead(({ statusBeside }) => statusBeside === 'finished') },
  ),
  noSuccess('status-of-no-text-taken-for-success', 'A status that is no text, such as true, is taken for success', {
    success: unlessRead(({ isStatusNoText }) => isStatusNoText),
  }),
  noSuccess('http-status-ignored', 'A finished day is success under any HTTP status', {
    success: ({ status, body }) => status !== 200 && body?.status === 'finished',
  }),
  noSuccess('bad-request-taken-for-success', 'A finished day is success under HTTP 400 too', {
    success: ({ status, body }) => status === 400 && body?.status === 'finished',
  }),
  noSuccess('broken-body-taken-for-success', 'A body that is not JSON is taken for success under HTTP 200', {
    success: ({ kind, status, body }) => kind === 'undecodable' && status === 200 && body === undefined,
  }),
  failure('status-found-anywhere-taken-for-success', 'A status finished anywhere in the body is taken for success', {
    success: ({ kind, text }) => kind === 'error' && text.includes('"status":"finished"'),
  }),
];

/** What the reference client could not decode, under HTTP 200. */
function unlessRead(is: (body: NonNullable<Answer['body']>) => boolean): (answer: Answer) => boolean {
  return ({ kind, status, body }) => kind === 'undecodable' && status === 200 && body !== undefined && is(body);
}

function header({ headers }: ReceivedResponse, name: string): string {
  return headerValues(headers, name).join();
}

function isChunked(response: ReceivedResponse): boolean {
  return header(response, 'transfer-encoding') !== '';
}

/** UTF-8 read as ISO 8859-1. */
export function inLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function isAscii(text = ''): boolean {
  return !/[^\x00-\x7f]/.test(text);
}
