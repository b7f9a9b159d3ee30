/** Other forms of the answer to a batch (2.4, 4.2, 7), and other HTTP around the answers of both operations (RFC 9110). */
import type { OpenPointId } from '../../../contracts/open-points.ts';
import { authenticationStepNames } from '../../mock/operations.ts';
import {
  editBody,
  isAcceptance,
  type NextAnswer,
  scriptedReply,
  withHeader,
  withoutHeader,
  withStatus,
} from '../../mock/responses.ts';
import type { Header } from '../../record/exchange.ts';
import type { Row } from '../../record/row.ts';
import type { GatewayEdit } from '../edit.ts';
import { meaningless, type Variant, variant } from './variant.ts';

export const recurringVariants: readonly Variant[] = [
  answering('accepted-with-parameters', 'A17', { type: 'process-recurring-payment-response' })`
    An accepted batch is answered with the parameters of 2.4`,
  answering('validation-error-with-200', 'A17', { type: 'validation-error' })`
    A refused batch is answered with HTTP 200 and a body of type validation-error`,
  answering('validation-error-with-403', 'A17', { type: 'validation-error', httpStatus: 403 })`
    A refused batch is answered with HTTP 403 and a body of type validation-error`,
  answering('escaped-line-feeds', 'A18', { type: 'validation-error', httpStatus: 403, lineFeed: '%0A' })`
    A refused batch is answered with a body of type validation-error in which 0x0A comes as %0A`,
  answering('error-with-code-200', 'A19', { type: 'error', code: '200', httpStatus: 403 })`
    A refused batch is answered with a body of type error and error-code 200`,
  answering('error-with-code-500', 'A20', { type: 'error', code: '500', errorIdName: 'errorId' })`
    A refused batch is answered with a body of type error, error-code 500 and the parameter errorId`,
  variant('error-id-in-message', 'A20', {
    ...answeredBy({ kind: 'parameters', type: 'error', code: '500' }),
    text: (body) => body.replace(/(error-message=[^&\n]*)(.*)&error-id=([^&\n]*)\n/s, '$1%2C%20error%20$3$2'),
  })`A refused batch is answered with a body of type error and code 500 that has the error ID in error-message`,
  variant('error-id-in-header', 'A20', inHeader(answeredBy({ kind: 'parameters', type: 'error', code: '500' })))`
    A refused batch is answered with a body of type error and code 500, and the error ID in a header`,
  variant('error-without-serial-number', 'A17', {
    ...answeredBy({ kind: 'parameters', type: 'validation-error', httpStatus: 403 }),
    text: (body) => body.replace(/serial-number=[^&]*&/, ''),
  })`A refused batch is answered with a body of type validation-error that has no serial-number`,
  variant('recurring-refusal-401', 'A21', {
    writes: (reply, { operation, step }) =>
      operation === 'process-recurring-payments' && authenticationStepNames.some((name) => name === step)
        ? withStatus(reply, 401)
        : reply,
  })`A batch whose authentication fails is answered with HTTP 401`,

  variant('keep-alive-5', undefined, { header: { 'Keep-Alive': 'timeout=5' } })`
    Keep-Alive announces 5 seconds in place of 60, as a proxy in front of the gateway may`,
  meaningless('further-headers', 'what a header is not known for is ignored (RFC 9110 section 5.1)', {
    writes: (reply) => ({ ...reply, headers: [...proxyHeaders, ...reply.headers] }),
  })`Answers have further headers, such as a proxy adds`,
  meaningless('header-names-in-lower-case', 'header names have no case (RFC 9110 section 5.1)', {
    writes: (reply) => ({
      ...reply,
      headers: reply.headers.map(([name, value]): Header => [name.toLowerCase(), value]),
    }),
  })`Header names come in lower case`,
  meaningless(
    'content-type-in-capitals',
    'a charset has no case, and a space may precede a parameter (RFC 9110 section 8.3)',
    { on: 'with-body', header: { 'Content-Type': 'text/html; charset=UTF-8' } },
  )`The content type is written text/html; charset=UTF-8`,
  meaningless('chunked-bodies', 'how a body is framed is none of its content (RFC 9112 section 7.1)', {
    on: 'with-body',
    header: { 'Content-Length': undefined },
  })`Answers with a body come chunked, without Content-Length`,
  variant('other-method-404', 'A30', {
    writes: (reply) => (reply.status === 405 ? withoutHeader(withStatus(reply, 404), 'Allow') : reply),
  })`Another method than POST is answered with HTTP 404 in place of 405`,
  variant('other-types-not-signed', 'A35', { at: /^content-type$/, status: 401, body: '' })`
    A body of another content type is no part of the signature, so that it fails authentication: HTTP 401 and nothing else`,
];

type Parameters = Omit<Extract<NextAnswer, { kind: 'parameters' }>, 'kind'>;

function answering(id: string, openPoint: OpenPointId, answer: Parameters): Row<Variant> {
  return variant(id, openPoint, answeredBy({ kind: 'parameters', ...answer }));
}

/** Puts that answer in the place of every empty one that means the same; edits are those of a refusal. */
function answeredBy(answer: NextAnswer): GatewayEdit {
  const decision = isAcceptance(answer) ? 'accepted' : 'refused';
  return {
    of: 'process-recurring-payments',
    on: 'refused',
    writes: (reply, about) =>
      about.decision === decision && about.serial !== undefined && reply.body.length === 0
        ? scriptedReply(answer, about.serial)
        : reply,
  };
}

/** The same with the error ID of a body, of scripted ones too, in a header. */
function inHeader(answers: GatewayEdit): GatewayEdit {
  return {
    ...answers,
    writes: (reply, about) => {
      const answer = answers.writes!(reply, about);
      const id = /&error-id=([^&\n]*)/.exec(Buffer.from(answer.body).toString('latin1'))?.[1];
      if (id === undefined) return answer;
      return withHeader(
        editBody(answer, (text) => text.replace(/&error-id=[^&]*/, '')),
        'X-Error-Id',
        id,
      );
    },
  };
}

const proxyHeaders: readonly Header[] = [
  ['Server', 'nginx'],
  ['X-Request-ID', '00000000-0000-0000-0000-000000000001'],
  ['Cache-Control', 'no-store'],
  ['Set-Cookie', 'route=a; Path=/; HttpOnly'],
  ['Set-Cookie', 'node=1; Path=/'],
];
