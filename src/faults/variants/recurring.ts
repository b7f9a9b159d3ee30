/** Other forms of the answer to a batch (2.4, 4.2, 7), and other HTTP around the answers of both operations (RFC 9110). */
import type { About, Alteration } from '../../mock/alteration.ts';
import {
  editBody,
  isAcceptance,
  type NextAnswer,
  type Reply,
  scriptedReply,
  withBody,
  withHeader,
  withoutHeader,
  withStatus,
} from '../../mock/responses.ts';
import { authenticationStepNames } from '../../mock/steps.ts';
import type { Header } from '../../record/exchange.ts';
import { meaningless, type Variant, variant } from './variant.ts';

export const recurringVariants: readonly Variant[] = [
  variant(
    'accepted-with-parameters',
    'An accepted batch is answered with the parameters of 2.4',
    'A17',
    answeredBy({ kind: 'parameters', type: 'process-recurring-payment-response' }),
  ),
  variant(
    'validation-error-with-200',
    'A refused batch is answered with HTTP 200 and a body of type validation-error',
    'A17',
    answeredBy({ kind: 'parameters', type: 'validation-error' }),
  ),
  variant(
    'validation-error-with-403',
    'A refused batch is answered with HTTP 403 and a body of type validation-error',
    'A17',
    answeredBy({ kind: 'parameters', type: 'validation-error', httpStatus: 403 }),
  ),
  variant(
    'escaped-line-feeds',
    'A refused batch is answered with a body of type validation-error in which 0x0A comes as %0A',
    'A18',
    answeredBy({ kind: 'parameters', type: 'validation-error', httpStatus: 403, lineFeed: '%0A' }),
  ),
  variant(
    'error-with-code-200',
    'A refused batch is answered with a body of type error and error-code 200',
    'A19',
    answeredBy({ kind: 'parameters', type: 'error', code: '200', httpStatus: 403 }),
  ),
  variant(
    'error-with-code-500',
    'A refused batch is answered with a body of type error, error-code 500 and the parameter errorId',
    'A20',
    answeredBy({ kind: 'parameters', type: 'error', code: '500', errorIdName: 'errorId' }),
  ),
  variant(
    'error-id-in-message',
    'A refused batch is answered with a body of type error and code 500 that has the error ID in error-message',
    'A20',
    edited(answeredBy({ kind: 'parameters', type: 'error', code: '500' }), (text) =>
      text.replace(/(error-message=[^&\n]*)(.*)&error-id=([^&\n]*)\n/s, '$1%2C%20error%20$3$2'),
    ),
  ),
  variant(
    'error-id-in-header',
    'A refused batch is answered with a body of type error and code 500, and the error ID in a header',
    'A20',
    inHeader(answeredBy({ kind: 'parameters', type: 'error', code: '500' })),
  ),
  variant(
    'error-without-serial-number',
    'A refused batch is answered with a body of type validation-error that has no serial-number',
    'A17',
    edited(answeredBy({ kind: 'parameters', type: 'validation-error', httpStatus: 403 }), (text) =>
      text.replace(/serial-number=[^&]*&/, ''),
    ),
  ),
  variant('recurring-refusal-401', 'A batch whose authentication fails is answered with HTTP 401', 'A21', {
    writes: (reply, { operation, step }) =>
      operation === 'process-recurring-payments' && authenticationStepNames.some((name) => name === step)
        ? withStatus(reply, 401)
        : reply,
  }),

  variant(
    'keep-alive-5',
    'Keep-Alive announces 5 seconds in place of 60, as a proxy in front of the gateway may',
    undefined,
    always((reply) => withHeader(reply, 'Keep-Alive', 'timeout=5')),
  ),
  meaningless(
    'further-headers',
    'Answers have further headers, such as a proxy adds',
    'what a header is not known for is ignored (RFC 9110 section 5.1)',
    always((reply) => ({ ...reply, headers: [...proxyHeaders, ...reply.headers] })),
  ),
  meaningless(
    'header-names-in-lower-case',
    'Header names come in lower case',
    'header names have no case (RFC 9110 section 5.1)',
    always((reply) => ({
      ...reply,
      headers: reply.headers.map(([name, value]): Header => [name.toLowerCase(), value]),
    })),
  ),
  meaningless(
    'content-type-in-capitals',
    'The content type is written text/html; charset=UTF-8',
    'a charset has no case, and a space may precede a parameter (RFC 9110 section 8.3)',
    always((reply) =>
      reply.headers.some(([name]) => name === 'Content-Type')
        ? withHeader(reply, 'Content-Type', 'text/html; charset=UTF-8')
        : reply,
    ),
  ),
  meaningless(
    'chunked-bodies',
    'Answers with a body come chunked, without Content-Length',
    'how a body is framed is none of its content (RFC 9112 section 7.1)',
    always((reply) => (reply.body.length > 0 ? withoutHeader(reply, 'Content-Length') : reply)),
  ),
  variant(
    'other-method-404',
    'Another method than POST is answered with HTTP 404 in place of 405',
    'A30',
    always((reply) => (reply.status === 405 ? withoutHeader(withStatus(reply, 404), 'Allow') : reply)),
  ),
  variant(
    'other-types-not-signed',
    'A body of another content type is no part of the signature, so that it fails authentication: HTTP 401 and nothing else',
    'A35',
    {
      writes: (reply, { step }) => (step === 'content-type' ? withBody(withStatus(reply, 401), '') : reply),
    },
  ),
];

/** Puts that answer in the place of every empty one that means the same. */
function answeredBy(answer: NextAnswer): Alteration {
  const decision = isAcceptance(answer) ? 'accepted' : 'refused';
  return {
    writes: (reply, about) =>
      about.decision === decision && isEmptyBatchAnswer(about, reply.body.length)
        ? scriptedReply(answer, about.serial!)
        : reply,
  };
}

/** The same with the text of the bodies of refusals changed, scripted ones too. */
function edited(answers: Alteration, change: (text: string) => string): Alteration {
  return {
    writes: (reply, about) => {
      const answer = answers.writes!(reply, about);
      const isRefusal = about.operation === 'process-recurring-payments' && about.decision === 'refused';
      return isRefusal && answer.body.length > 0 ? editBody(answer, change) : answer;
    },
  };
}

/** The same with the error ID of a body, of scripted ones too, in a header. */
function inHeader(answers: Alteration): Alteration {
  return {
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

function isEmptyBatchAnswer({ operation, serial }: About, bodyLength: number): boolean {
  return operation === 'process-recurring-payments' && serial !== undefined && bodyLength === 0;
}

const proxyHeaders: readonly Header[] = [
  ['Server', 'nginx'],
  ['X-Request-ID', '00000000-0000-0000-0000-000000000001'],
  ['Cache-Control', 'no-store'],
  ['Set-Cookie', 'route=a; Path=/; HttpOnly'],
  ['Set-Cookie', 'node=1; Path=/'],
];

function always(edit: (reply: Reply) => Reply): Alteration {
  return { writes: edit };
}
