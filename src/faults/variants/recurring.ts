/** Other forms of the answer to a batch (2.4, 4.2, 7): mostly a body where the mock sends none. */
import type { About, Alteration } from '../../mock/alteration.ts';
import {
  editBody,
  isAcceptance,
  type NextAnswer,
  scriptedReply,
  withHeader,
  withStatus,
} from '../../mock/responses.ts';
import { authenticationStepNames } from '../../mock/steps.ts';
import type { Variant } from './variant.ts';

export const recurringVariants: readonly Variant[] = [
  {
    id: 'accepted-with-parameters',
    summary: 'An accepted batch is answered with the parameters of 2.4',
    openPoint: 'A17',
    alteration: answeredBy({ kind: 'parameters', type: 'process-recurring-payment-response' }),
  },
  {
    id: 'validation-error-with-200',
    summary: 'A refused batch is answered with HTTP 200 and a body of type validation-error',
    openPoint: 'A17',
    alteration: answeredBy({ kind: 'parameters', type: 'validation-error' }),
  },
  {
    id: 'validation-error-with-403',
    summary: 'A refused batch is answered with HTTP 403 and a body of type validation-error',
    openPoint: 'A17',
    alteration: answeredBy({ kind: 'parameters', type: 'validation-error', httpStatus: 403 }),
  },
  {
    id: 'escaped-line-feeds',
    summary: 'A refused batch is answered with a body of type validation-error in which 0x0A comes as %0A',
    openPoint: 'A18',
    alteration: answeredBy({ kind: 'parameters', type: 'validation-error', httpStatus: 403, lineFeed: '%0A' }),
  },
  {
    id: 'error-with-code-200',
    summary: 'A refused batch is answered with a body of type error and error-code 200',
    openPoint: 'A19',
    alteration: answeredBy({ kind: 'parameters', type: 'error', code: '200', httpStatus: 403 }),
  },
  {
    id: 'error-with-code-500',
    summary: 'A refused batch is answered with a body of type error, error-code 500 and the parameter errorId',
    openPoint: 'A20',
    alteration: answeredBy({ kind: 'parameters', type: 'error', code: '500', errorIdName: 'errorId' }),
  },
  {
    id: 'error-id-in-message',
    summary:
      'A refused batch is answered with a body of type error and code 500 that has the error ID in error-message',
    openPoint: 'A20',
    alteration: edited(answeredBy({ kind: 'parameters', type: 'error', code: '500' }), (text) =>
      text.replace(/(error-message=[^&\n]*)(.*)&error-id=([^&\n]*)\n/s, '$1%2C%20error%20$3$2'),
    ),
  },
  {
    id: 'error-id-in-header',
    summary: 'A refused batch is answered with a body of type error and code 500, and the error ID in a header',
    openPoint: 'A20',
    alteration: inHeader(answeredBy({ kind: 'parameters', type: 'error', code: '500' })),
  },
  {
    id: 'error-without-serial-number',
    summary: 'A refused batch is answered with a body of type validation-error that has no serial-number',
    openPoint: 'A17',
    alteration: edited(answeredBy({ kind: 'parameters', type: 'validation-error', httpStatus: 403 }), (text) =>
      text.replace(/serial-number=[^&]*&/, ''),
    ),
  },
  {
    id: 'recurring-refusal-401',
    summary: 'A batch whose authentication fails is answered with HTTP 401',
    openPoint: 'A21',
    alteration: {
      writes: (reply, { operation, step }) =>
        operation === 'process-recurring-payments' && authenticationStepNames.some((name) => name === step)
          ? withStatus(reply, 401)
          : reply,
    },
  },
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
