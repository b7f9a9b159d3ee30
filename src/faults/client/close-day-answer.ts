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
  closeDay('finished-not-known', 'decodes-finished', { finished: ({ serial }) => ({ kind: 'error', serial }) })`
    Only the status success counts as success, and finished as an error`,
  closeDay('text-html-not-read', 'decodes-text-html', {
    unread: ({ response }) => /^text\/html/.test(header(response, 'content-type')),
  })`A body is read as JSON only where it says application/json`,
  serial('serial-without-zeros', { serial: (text) => text.replace(/^[0-]+/, '') })`
    theRequestSerialNumber loses its leading zeros`,
  serial('serial-in-small-letters', { serial: (text) => text.toLowerCase() })`
    The capitals of theRequestSerialNumber are handed on as small letters`,
  // A locked gate is before the third one.
  gates('at-most-two-gates-read', { gates: (all) => all.slice(0, 2) })`Gates after the second one are not read`,
  // One of them is locked.
  closeDay('gates-without-turnover-dropped', ['decodes-gates', 'decodes-locked-gate'], {
    gates: (all) => all.filter((gate) => !isIdleGate(gate)),
  })`A gate that had neither sales nor reversals is not read`,
  anyFailure('error-taken-for-success', { success: ({ kind }) => kind === 'error' })`
    HTTP 200 with status error is taken for success`,
  anyFailure('error-message-lost', { message: () => 'close-day failed' })`
    The message of an error is replaced by a text of the client`,
  failure('error-message-cut', { message: (text) => text.slice(0, 255) })`
    The message of an error is cut at 255 characters`,
  failure('escapes-of-message-kept', {
    message: (text, { done }) => (Buffer.from(done.response.body).includes('\\/') ? text.replaceAll('/', '\\/') : text),
  })`A slash that JSON writes as an escape is handed on with its backslash`,
  failure('markup-of-message-dropped', { message: (text) => text.replace(/<[^>]*>/g, '') })`
    What looks like markup is dropped from the message of an error`,
  failure('error-code-without-zeros', {
    error: (one) => ({ ...one, errorCode: one.errorCode?.replace(/^0+(?=\d)/, '') }),
  })`An errorCode loses its leading zeros: 007 is handed on as 7`,
  failure('error-code-read-as-number', { error: (one) => ({ ...one, errorCode: String(Number(one.errorCode) || 0) }) })`
    An errorCode that is not a number is read as 0`,
  failure('answer-read-as-latin-1', { message: inLatin1 })`
    The body is read in ISO 8859-1, so that letters beyond ASCII come in pieces`,
  closeDay('error-99-taken-for-success', 'decodes-error-99', { success: ({ code }) => code === '99' })`
    That the gate is closing already is taken for success`,
  closeDay('one-locked-gate-locks-all', 'decodes-gate-is-day-closing', {
    gates: (all) => (all.some(isLockedGate) ? all.map((gate) => ({ ...gate, isDayClosing: { bool: true } })) : all),
  })`Where one gate is locked, all gates of the answer are read as locked`,
  closeDay('further-members-refused', 'decodes-extra-members', {
    unread: ({ body }) => body?.hasFurtherMembers === true,
  })`A body with members that the client does not know is not decoded`,
  closeDay('members-read-in-order', ['decodes-finished', 'decodes-error'], {
    unread: ({ text }) => /"theRequestSerialNumber"[^{]*"response"/.test(text),
  })`A body whose theRequestSerialNumber comes before its response is not decoded`,
  closeDay('escaped-names-not-read', 'decodes-finished', { unread: ({ text }) => /"[^"\s]*\\[^"\s]*"\s*:/.test(text) })`
    A body with an escape in the name of a member is not decoded`,
  gates('free-gates-dropped-beside-locked', {
    gates: (all) => (all.some(isLockedGate) ? all.filter(isLockedGate) : all),
  })`Where one gate is locked, the free ones are not handed over`,
  failure('foreign-message-left-out', {
    error: ({ errorMessage, ...one }) => (isAscii(errorMessage) ? { ...one, errorMessage } : one),
  })`The message of an error is left out where it is not ASCII`,

  closeDay('chunks-not-read', ['decodes-finished', 'decodes-error'], { unread: ({ response }) => isChunked(response) })`
    An answer that comes in chunks, without its length, is not read`,
  failure('chunks-decoded-one-by-one', {
    message: (text, { done }) => (isChunked(done.response) ? text.replace(/[^\x00-\x7f]/gu, '\ufffd\ufffd') : text),
  })`Each chunk of an answer is decoded by itself, and a character that two of them share is lost`,

  otherStatus('unknown-status-taken-for-success', {
    success: unlessRead(({ status }) => status !== undefined && status !== 'finished'),
  })`Every status but error is taken for success`,
  otherStatus('status-that-begins-alike-taken-for-success', {
    success: unlessRead(({ status = '' }) => /^finish(?!ed$)/.test(status)),
  })`A status need only begin as finished does`,
  otherStatus('status-that-contains-finished-taken-for-success', {
    success: unlessRead(({ status = '' }) => /.finished|finished./.test(status)),
  })`A status need only contain the word finished`,
  otherStatus('status-in-other-case-taken-for-success', { success: unlessRead(({ status }) => status === 'FINISHED') })`
    The status is compared without regard to case`,
  otherStatus('status-with-blanks-taken-for-success', {
    success: unlessRead(({ status }) => status !== 'finished' && status?.trim() === 'finished'),
  })`Blanks around the status do not count`,
  otherStatus('empty-status-taken-for-success', { success: unlessRead(({ status }) => status === '') })`
    An empty status is taken for success`,
  noSuccess('status-beside-no-response-taken-for-success', {
    success: unlessRead(({ statusBeside }) => statusBeside === 'finished'),
  })`A status finished that is in no response is taken for success`,
  noSuccess('status-of-no-text-taken-for-success', { success: unlessRead(({ isStatusNoText }) => isStatusNoText) })`
    A status that is no text, such as true, is taken for success`,
  noSuccess('http-status-ignored', { success: ({ status, body }) => status !== 200 && body?.status === 'finished' })`
    A finished day is success under any HTTP status`,
  noSuccess('bad-request-taken-for-success', {
    success: ({ status, body }) => status === 400 && body?.status === 'finished',
  })`A finished day is success under HTTP 400 too`,
  noSuccess('broken-body-taken-for-success', {
    success: ({ kind, status, body }) => kind === 'undecodable' && status === 200 && body === undefined,
  })`A body that is not JSON is taken for success under HTTP 200`,
  failure('status-found-anywhere-taken-for-success', {
    success: ({ kind, text }) => kind === 'error' && text.includes('"status":"finished"'),
  })`A status finished anywhere in the body is taken for success`,
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
