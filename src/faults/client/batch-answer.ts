/** Clients that misread the answer to a batch (sections 2.4, 4.2 and 7). */
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import { decodeForm, type Pair, textKeepingBytes } from '../../protocol/index.ts';
import type { Decoded } from '../../record/client-case.ts';
import { answeredType } from './batch-success.ts';
import type { ClientDefect } from './defect.ts';
import { only } from './one-operation.ts';

const recurring = { side: 'client', operation: 'process-recurring-payments' } as const;

export const batchAnswerDefects: readonly ClientDefect[] = [
  {
    ...recurring,
    id: 'recurring/empty-answer-taken-for-error',
    summary: 'An empty body under HTTP 200 cannot be decoded',
    breaks: ['recurring/decodes-accepted'],
    alteration: reads((decoded) =>
      decoded.kind === 'accepted' ? { kind: 'undecodable', reason: 'unexpected end of the body' } : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/line-feeds-kept',
    summary: 'The line feed at the end of each parameter is taken for a part of its value',
    breaks: ['recurring/decodes-parameters'],
    alteration: readsParameters((_, body) => decodeForm(body).filter(([name]) => name !== '\n')),
  },
  {
    ...recurring,
    id: 'recurring/serial-number-lost',
    summary: 'serial-number does not reach the caller with its leading zeros',
    breaks: ['recurring/decodes-parameters'],
    alteration: readsParameters((params) =>
      params.map(([name, value]): Pair => [name, name === 'serial-number' ? value.replace(/^[0-]+/, '') : value]),
    ),
  },
  {
    ...recurring,
    id: 'recurring/serial-number-in-capitals',
    summary: 'The letters of serial-number are handed on as capitals',
    breaks: ['recurring/decodes-parameters'],
    alteration: readsParameters((params) =>
      params.map(([name, value]): Pair => [name, name === 'serial-number' ? value.toUpperCase() : value]),
    ),
  },
  {
    ...recurring,
    id: 'recurring/body-taken-for-error',
    summary: 'A body is always an error, that of type process-recurring-payment-response too',
    breaks: ['recurring/decodes-response-type'],
    alteration: reads((decoded, { done }) =>
      answeredType(decoded) === 'process-recurring-payment-response'
        ? { kind: 'refused', http_status: done.response.status }
        : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/all-line-feeds-dropped',
    summary: 'Line feeds inside a value are dropped with the one at its end',
    breaks: ['recurring/decodes-validation-error', 'recurring/decodes-own-line-feed'],
    alteration: readsParameters((params) => params.map(([name, value]): Pair => [name, value.replaceAll('\n', '')])),
  },
  {
    ...recurring,
    id: 'recurring/values-of-answer-stripped',
    summary: 'Every blank and line feed at the ends of a value is dropped with the one that ends it',
    breaks: ['recurring/decodes-own-line-feed'],
    alteration: readsParameters((params) => params.map(([name, value]): Pair => [name, value.trim()])),
  },
  {
    ...recurring,
    id: 'recurring/values-of-answer-cut',
    summary: 'The values of an answer are cut at 255 characters',
    breaks: ['recurring/decodes-validation-error'],
    alteration: readsParameters((params) => params.map(([name, value]): Pair => [name, value.slice(0, 255)])),
  },
  {
    ...recurring,
    id: 'recurring/markup-of-answer-dropped',
    summary: 'What looks like markup is dropped from the values of an answer',
    breaks: ['recurring/decodes-validation-error'],
    alteration: readsParameters((params) => params.map(([name, value]): Pair => [name, value.replace(/<[^>]*>/g, '')])),
  },
  {
    ...recurring,
    id: 'recurring/answer-decoded-twice',
    summary: 'The values of an answer are decoded twice',
    breaks: ['recurring/decodes-validation-error'],
    alteration: readsParameters((params) =>
      params.map(
        ([name, value]): Pair => [name, decodeForm(`x=${value.replace(/[+&=]/g, encodeURIComponent)}`)[0]![1]],
      ),
    ),
  },
  {
    ...recurring,
    id: 'recurring/answer-decoded-before-splitting',
    summary: 'The body is decoded first and split at & afterwards, so that a message with & breaks off',
    breaks: ['recurring/decodes-validation-error'],
    alteration: readsParameters((params) =>
      params.flatMap(([name, value]): Pair[] => {
        const [first = '', ...others] = value.split('&');
        return [[name, first], ...others.map((rest): Pair => [rest, ''])];
      }),
    ),
  },
  {
    ...recurring,
    id: 'recurring/answer-read-as-latin-1',
    summary: 'The values of an answer are read in ISO 8859-1, so that letters beyond ASCII come in pieces',
    breaks: ['recurring/decodes-validation-error'],
    alteration: readsParameters((params) =>
      params.map(([name, value]): Pair => [name, Buffer.from(value, 'utf8').toString('latin1')]),
    ),
  },
  {
    ...recurring,
    id: 'recurring/plus-of-answer-kept',
    summary: 'A + of an answer is not decoded to a space',
    // Every failure has a message with spaces, and a + stands for each of them; line feeds are another matter.
    breaks: ['recurring/decodes-validation-error', 'recurring/decodes-error'],
    alteration: readsParameters((_, body) =>
      decodeForm(textKeepingBytes(body).replaceAll('+', '%2B')).map(
        ([name, value]): Pair => [name, value.replace(/\n$/, '')],
      ),
    ),
  },
  {
    ...recurring,
    id: 'recurring/type-read-first',
    summary: 'A body whose first parameter is not its type is not decoded',
    breaks: ['recurring/decodes-validation-error'],
    alteration: reads((decoded) =>
      decoded.kind === 'parameters' && decoded.params[0]?.[0] !== 'type'
        ? { kind: 'undecodable', reason: 'no type' }
        : decoded,
    ),
  },
  {
    ...recurring,
    id: 'recurring/escapes-in-small-letters-kept',
    summary: 'Escapes of an answer whose hex digits are small letters are not decoded',
    breaks: ['recurring/decodes-validation-error'],
    alteration: keepsEscapes(/%(?=[0-9a-f]{2})(?=\d?[a-f])/g),
  },
  {
    ...recurring,
    id: 'recurring/escapes-of-letters-kept',
    summary: 'Escapes of an answer that stand for letters, which need none, are not decoded',
    breaks: ['recurring/decodes-validation-error'],
    alteration: keepsEscapes(/%(?=[4-7][1-9A-F])(?!5[B-F]|7[B-F])/g),
  },
  {
    ...recurring,
    id: 'recurring/escapes-of-names-kept',
    summary: 'Escapes in the names of the parameters of an answer are not decoded',
    breaks: ['recurring/decodes-validation-error'],
    alteration: keepsEscapes(/(?<=(?:^|&)[^=&]*)%/g),
  },
  {
    ...recurring,
    id: 'recurring/foreign-message-left-out',
    summary: 'A value of an answer that is not ASCII is left out',
    breaks: ['recurring/decodes-validation-error'],
    alteration: readsParameters((params) => params.filter(([, value]) => !/[^\x00-\x7f]/.test(value))),
  },
  {
    ...recurring,
    id: 'recurring/unknown-parameters-dropped',
    summary: 'Of an answer only the parameters that section 2.4 names reach the caller',
    breaks: ['recurring/decodes-error-id'],
    alteration: readsParameters((params) => params.filter(([name]) => named.includes(name))),
  },
];

const named = ['type', 'status', 'serial-number', 'error-message', 'error-code'];

function reads(read: (decoded: Decoded, context: Context) => Decoded): ClientAlteration {
  return only('process-recurring-payments', { decoded: (decoded, context) => read(decoded, context) });
}

/** Decodes all but these escapes. */
function keepsEscapes(escapes: RegExp): ClientAlteration {
  return readsParameters((_, body) =>
    decodeForm(textKeepingBytes(body).replaceAll(escapes, '%25')).map(
      ([name, value]): Pair => [name, value.replace(/\n$/, '')],
    ),
  );
}

function readsParameters(read: (params: readonly Pair[], body: Uint8Array) => readonly Pair[]): ClientAlteration {
  return reads((decoded, { done }) =>
    decoded.kind === 'parameters' ? { ...decoded, params: read(decoded.params, done.response.body) } : decoded,
  );
}
