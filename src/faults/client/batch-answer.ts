/** Clients that misread the answer to a batch, or take one for accepted that is not (sections 2.4, 4.2 and 7). */
import { decodeForm, type Pair, textKeepingBytes } from '../../protocol/index.ts';
import { breaking } from '../defect.ts';
import { inLatin1, isAscii } from './close-day-answer.ts';
import { type ClientDefect, recurring } from './defect.ts';
import type { Answer, ClientEdit } from './parts.ts';

const parameters = breaking(recurring, 'decodes-parameters');
const invalid = breaking(recurring, 'decodes-validation-error');
const failure = breaking(recurring, 'decodes-error');
const noSuccess = breaking(recurring, 'broken-body-not-success');

export const batchAnswerDefects: readonly ClientDefect[] = [
  recurring('empty-answer-taken-for-error', 'decodes-accepted', { unread: ({ kind }) => kind === 'accepted' })`
    An empty body under HTTP 200 cannot be decoded`,
  parameters('line-feeds-kept', {
    params: (_, { done }) => decodeForm(done.response.body).filter(([name]) => name !== '\n'),
  })`The line feed at the end of each parameter is taken for a part of its value`,
  parameters('serial-number-lost', {
    value: (value, name) => (name === 'serial-number' ? value.replace(/^[0-]+/, '') : value),
  })`serial-number does not reach the caller with its leading zeros`,
  parameters('serial-number-in-capitals', {
    value: (value, name) => (name === 'serial-number' ? value.toUpperCase() : value),
  })`The letters of serial-number are handed on as capitals`,
  recurring('body-taken-for-error', 'decodes-response-type', {
    refused: ({ param }) => param('type') === 'process-recurring-payment-response',
  })`A body is always an error, that of type process-recurring-payment-response too`,
  recurring('all-line-feeds-dropped', ['decodes-validation-error', 'decodes-own-line-feed'], {
    value: (value) => value.replaceAll('\n', ''),
  })`Line feeds inside a value are dropped with the one at its end`,
  recurring('values-of-answer-stripped', 'decodes-own-line-feed', { value: (value) => value.trim() })`
    Every blank and line feed at the ends of a value is dropped with the one that ends it`,
  invalid('values-of-answer-cut', { value: (value) => value.slice(0, 255) })`
    The values of an answer are cut at 255 characters`,
  invalid('markup-of-answer-dropped', { value: (value) => value.replace(/<[^>]*>/g, '') })`
    What looks like markup is dropped from the values of an answer`,
  invalid('answer-decoded-twice', {
    value: (value) => decodeForm(`x=${value.replace(/[+&=]/g, encodeURIComponent)}`)[0]![1],
  })`The values of an answer are decoded twice`,
  invalid('answer-decoded-before-splitting', {
    params: (all) =>
      all.flatMap(([name, value]) => value.split('&').map((part, at): Pair => (at ? [part, ''] : [name, part]))),
  })`The body is decoded first and split at & afterwards, so that a message with & breaks off`,
  invalid('answer-read-as-latin-1', { value: inLatin1 })`
    The values of an answer are read in ISO 8859-1, so that letters beyond ASCII come in pieces`,
  // Every failure has a message with spaces, and a + stands for each of them; line feeds are another matter.
  recurring('plus-of-answer-kept', ['decodes-validation-error', 'decodes-error'], { params: keeping(/\+/g) })`
    A + of an answer is not decoded to a space`,
  invalid('type-read-first', { unread: ({ params }) => params !== undefined && params[0]?.[0] !== 'type' })`
    A body whose first parameter is not its type is not decoded`,
  invalid('escapes-in-small-letters-kept', { params: keeping(/%(?=[0-9a-f]{2})(?=\d?[a-f])/g) })`
    Escapes of an answer whose hex digits are small letters are not decoded`,
  invalid('escapes-of-letters-kept', { params: keeping(/%(?=[4-7][1-9A-F])(?!5[B-F]|7[B-F])/g) })`
    Escapes of an answer that stand for letters, which need none, are not decoded`,
  invalid('escapes-of-names-kept', { params: keeping(/(?<=(?:^|&)[^=&]*)%/g) })`
    Escapes in the names of the parameters of an answer are not decoded`,
  invalid('foreign-message-left-out', { params: (all) => all.filter(([, value]) => isAscii(value)) })`
    A value of an answer that is not ASCII is left out`,
  recurring('unknown-parameters-dropped', 'decodes-error-id', {
    params: (all) => all.filter(([name]) => named.includes(name)),
  })`Of an answer only the parameters that section 2.4 names reach the caller`,

  recurring('refusal-taken-for-acceptance', 'decodes-refused', { success: isEmpty(403) })`
    An empty HTTP 403 is taken for success`,
  noSuccess('any-2xx-taken-for-acceptance', { success: isEmpty(201, 299) })`
    An empty body is success under each HTTP status from 200 to 299`,
  noSuccess('no-content-taken-for-acceptance', { success: ({ status }) => status === 204 })`
    HTTP 204 is taken for success`,
  noSuccess('redirect-taken-for-acceptance', { success: isEmpty(300, 399) })`
    An empty body is success under each HTTP status from 300 to 399`,
  noSuccess('unavailable-taken-for-acceptance', { success: isEmpty(503) })`An empty HTTP 503 is taken for success`,
  noSuccess('blank-body-taken-for-acceptance', {
    success: ({ status, response: { body } }) =>
      status === 200 && body.length > 0 && textKeepingBytes(body).trim() === '',
  })`A body of white space is as good as an empty one`,
  invalid('validation-error-taken-for-success', {
    success: ({ status, param }) => status === 200 && param('type') === 'validation-error',
  })`HTTP 200 with type validation-error is taken for success`,
  failure('error-taken-for-success', { success: ({ status, param }) => status === 200 && param('type') === 'error' })`
    HTTP 200 with type error is taken for success`,
  failure('error-code-200-taken-for-success', {
    success: ({ status, param }) => status === 200 && param('type') === 'error' && param('error-code') === '200',
  })`Type error with error-code 200 is taken for success`,
  recurring('status-taken-for-success', ['decodes-validation-error', 'decodes-error', 'broken-body-not-success'], {
    success: ({ param }) => param('status') === 'processing',
  })`The status processing is taken for success, that of an error too`,
  noSuccess('type-of-the-operation-taken-for-success', {
    success: ({ param }) => param('type') === 'process-recurring-payments-response',
  })`The type process-recurring-payments-response is taken for success, as the operation is called`,
  noSuccess('type-in-other-case-taken-for-success', {
    success: ({ param }) => param('type')?.toLowerCase() === 'process-recurring-payment-response',
  })`The type is compared without regard to case`,
  noSuccess('any-body-taken-for-success', { success: ({ status, kind }) => status === 200 && kind === 'undecodable' })`
    Every body under HTTP 200 that has no type is taken for success`,
];

const named = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

/** Keeps these characters of the encoded body as they are, and decodes the rest. */
function keeping(characters: RegExp): NonNullable<ClientEdit['params']> {
  return (_, { done }) =>
    decodeForm(textKeepingBytes(done.response.body).replaceAll(characters, encodeURIComponent)).map(
      ([name, value]): Pair => [name, value.replace(/\n$/, '')],
    );
}

/** An empty body under an HTTP status of that range. */
function isEmpty(from: number, to = from): (answer: Answer) => boolean {
  return ({ status, text }) => status >= from && status <= to && text === '';
}
