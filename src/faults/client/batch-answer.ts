/** Clients that misread the answer to a batch, or take one for accepted that is not (sections 2.4, 4.2 and 7). */
import { decodeForm, type Pair, textKeepingBytes } from '../../protocol/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import type { ReceivedResponse } from '../../record/exchange.ts';
import type { Breaks } from '../defect.ts';
import { type ClientDefect, recurring } from './defect.ts';

type Rows = Breaks<'client', 'recurring'>;

export const batchAnswerDefects: readonly ClientDefect[] = [
  recurring('empty-answer-taken-for-error', 'An empty body under HTTP 200 cannot be decoded', 'decodes-accepted', {
    decoded: (decoded) =>
      decoded.kind === 'accepted' ? { kind: 'undecodable', reason: 'unexpected end of the body' } : decoded,
  }),
  parameters(
    'line-feeds-kept',
    'The line feed at the end of each parameter is taken for a part of its value',
    'decodes-parameters',
    (_, body) => decodeForm(body).filter(([name]) => name !== '\n'),
  ),
  values(
    'serial-number-lost',
    'serial-number does not reach the caller with its leading zeros',
    'decodes-parameters',
    (value, name) => (name === 'serial-number' ? value.replace(/^[0-]+/, '') : value),
  ),
  values(
    'serial-number-in-capitals',
    'The letters of serial-number are handed on as capitals',
    'decodes-parameters',
    (value, name) => (name === 'serial-number' ? value.toUpperCase() : value),
  ),
  recurring(
    'body-taken-for-error',
    'A body is always an error, that of type process-recurring-payment-response too',
    'decodes-response-type',
    {
      decoded: (decoded, { done }) =>
        answeredType(decoded) === 'process-recurring-payment-response'
          ? { kind: 'refused', http_status: done.response.status }
          : decoded,
    },
  ),
  values(
    'all-line-feeds-dropped',
    'Line feeds inside a value are dropped with the one at its end',
    ['decodes-validation-error', 'decodes-own-line-feed'],
    (value) => value.replaceAll('\n', ''),
  ),
  values(
    'values-of-answer-stripped',
    'Every blank and line feed at the ends of a value is dropped with the one that ends it',
    'decodes-own-line-feed',
    (value) => value.trim(),
  ),
  values(
    'values-of-answer-cut',
    'The values of an answer are cut at 255 characters',
    'decodes-validation-error',
    (value) => value.slice(0, 255),
  ),
  values(
    'markup-of-answer-dropped',
    'What looks like markup is dropped from the values of an answer',
    'decodes-validation-error',
    (value) => value.replace(/<[^>]*>/g, ''),
  ),
  values(
    'answer-decoded-twice',
    'The values of an answer are decoded twice',
    'decodes-validation-error',
    (value) => decodeForm(`x=${value.replace(/[+&=]/g, encodeURIComponent)}`)[0]![1],
  ),
  parameters(
    'answer-decoded-before-splitting',
    'The body is decoded first and split at & afterwards, so that a message with & breaks off',
    'decodes-validation-error',
    (params) =>
      params.flatMap(([name, value]): Pair[] => {
        const [first = '', ...others] = value.split('&');
        return [[name, first], ...others.map((rest): Pair => [rest, ''])];
      }),
  ),
  values(
    'answer-read-as-latin-1',
    'The values of an answer are read in ISO 8859-1, so that letters beyond ASCII come in pieces',
    'decodes-validation-error',
    (value) => Buffer.from(value, 'utf8').toString('latin1'),
  ),
  kept(
    'plus-of-answer-kept',
    'A + of an answer is not decoded to a space',
    // Every failure has a message with spaces, and a + stands for each of them; line feeds are another matter.
    ['decodes-validation-error', 'decodes-error'],
    /\+/g,
  ),
  recurring(
    'type-read-first',
    'A body whose first parameter is not its type is not decoded',
    'decodes-validation-error',
    {
      decoded: (decoded) =>
        decoded.kind === 'parameters' && decoded.params[0]?.[0] !== 'type'
          ? { kind: 'undecodable', reason: 'no type' }
          : decoded,
    },
  ),
  kept(
    'escapes-in-small-letters-kept',
    'Escapes of an answer whose hex digits are small letters are not decoded',
    'decodes-validation-error',
    /%(?=[0-9a-f]{2})(?=\d?[a-f])/g,
  ),
  kept(
    'escapes-of-letters-kept',
    'Escapes of an answer that stand for letters, which need none, are not decoded',
    'decodes-validation-error',
    /%(?=[4-7][1-9A-F])(?!5[B-F]|7[B-F])/g,
  ),
  kept(
    'escapes-of-names-kept',
    'Escapes in the names of the parameters of an answer are not decoded',
    'decodes-validation-error',
    /(?<=(?:^|&)[^=&]*)%/g,
  ),
  parameters(
    'foreign-message-left-out',
    'A value of an answer that is not ASCII is left out',
    'decodes-validation-error',
    (params) => params.filter(([, value]) => !/[^\x00-\x7f]/.test(value)),
  ),
  parameters(
    'unknown-parameters-dropped',
    'Of an answer only the parameters that section 2.4 names reach the caller',
    'decodes-error-id',
    (params) => params.filter(([name]) => named.includes(name)),
  ),

  accepted('refusal-taken-for-acceptance', 'An empty HTTP 403 is taken for success', 'decodes-refused', isEmpty(403)),
  accepted(
    'any-2xx-taken-for-acceptance',
    'An empty body is success under each HTTP status from 200 to 299',
    'broken-body-not-success',
    isEmpty(201, 299),
  ),
  accepted(
    'no-content-taken-for-acceptance',
    'HTTP 204 is taken for success',
    'broken-body-not-success',
    ({ status }) => status === 204,
  ),
  accepted(
    'redirect-taken-for-acceptance',
    'An empty body is success under each HTTP status from 300 to 399',
    'broken-body-not-success',
    isEmpty(300, 399),
  ),
  accepted(
    'unavailable-taken-for-acceptance',
    'An empty HTTP 503 is taken for success',
    'broken-body-not-success',
    isEmpty(503),
  ),
  accepted(
    'blank-body-taken-for-acceptance',
    'A body of white space is as good as an empty one',
    'broken-body-not-success',
    ({ status, body }) => status === 200 && body.length > 0 && textKeepingBytes(body).trim() === '',
  ),
  accepted(
    'validation-error-taken-for-success',
    'HTTP 200 with type validation-error is taken for success',
    'decodes-validation-error',
    ({ status }, decoded) => status === 200 && answeredType(decoded) === 'validation-error',
  ),
  accepted(
    'error-taken-for-success',
    'HTTP 200 with type error is taken for success',
    'decodes-error',
    ({ status }, decoded) => status === 200 && answeredType(decoded) === 'error',
  ),
  accepted(
    'error-code-200-taken-for-success',
    'Type error with error-code 200 is taken for success',
    'decodes-error',
    ({ status }, decoded, has) => status === 200 && answeredType(decoded) === 'error' && has('error-code', '200'),
  ),
  accepted(
    'status-taken-for-success',
    'The status processing is taken for success, that of an error too',
    ['decodes-validation-error', 'decodes-error', 'broken-body-not-success'],
    (_, __, has) => has('status', 'processing'),
  ),
  accepted(
    'type-of-the-operation-taken-for-success',
    'The type process-recurring-payments-response is taken for success, as the operation is called',
    'broken-body-not-success',
    (_, decoded) => answeredType(decoded) === 'process-recurring-payments-response',
  ),
  accepted(
    'type-in-other-case-taken-for-success',
    'The type is compared without regard to case',
    'broken-body-not-success',
    (_, decoded) => answeredType(decoded)?.toLowerCase() === 'process-recurring-payment-response',
  ),
  accepted(
    'any-body-taken-for-success',
    'Every body under HTTP 200 that has no type is taken for success',
    'broken-body-not-success',
    ({ status }, { kind }) => status === 200 && kind === 'undecodable',
  ),
];

const named = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

/** Hands other parameters of a body of 2.4 to the caller. */
function parameters(
  what: string,
  summary: string,
  breaks: Rows,
  read: (params: readonly Pair[], body: Uint8Array) => readonly Pair[],
): ClientDefect {
  return recurring(what, summary, breaks, {
    decoded: (decoded, { done }) =>
      decoded.kind === 'parameters' ? { ...decoded, params: read(decoded.params, done.response.body) } : decoded,
  });
}

/** Hands other values of a body of 2.4 to the caller. */
function values(
  what: string,
  summary: string,
  breaks: Rows,
  read: (value: string, name: string) => string,
): ClientDefect {
  return parameters(what, summary, breaks, (params) => params.map(([name, value]) => [name, read(value, name)]));
}

/** Keeps these characters of the encoded body as they are, and decodes the rest. */
function kept(what: string, summary: string, breaks: Rows, characters: RegExp): ClientDefect {
  return parameters(what, summary, breaks, (_, body) =>
    decodeForm(textKeepingBytes(body).replaceAll(characters, encodeURIComponent)).map(([name, value]) => [
      name,
      value.replace(/\n$/, ''),
    ]),
  );
}

/** Takes for accepted what is not. `has` says whether a body of 2.4 has that value of that parameter. */
function accepted(
  what: string,
  summary: string,
  breaks: Rows,
  is: (response: ReceivedResponse, decoded: Decoded, has: (name: string, value: string) => boolean) => boolean,
): ClientDefect {
  return recurring(what, summary, breaks, {
    decoded: (decoded, { done: { response } }) => {
      const params = decoded.kind === 'parameters' ? decoded.params : [];
      const has = (name: string, value: string) => params.some((pair) => pair[0] === name && pair[1] === value);
      return is(response, decoded, has) ? { kind: 'accepted' } : decoded;
    },
  });
}

/** An empty body under an HTTP status of that range. */
function isEmpty(from: number, to = from): (response: ReceivedResponse) => boolean {
  return ({ status, body }) => status >= from && status <= to && body.length === 0;
}

export function answeredType(decoded: Decoded): string | undefined {
  return decoded.kind === 'parameters' ? decoded.params.find(([name]) => name === 'type')?.[1] : undefined;
}
