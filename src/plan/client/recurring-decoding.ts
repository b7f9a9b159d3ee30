/** Answers to a batch, and how a client must read them: sections 2.4, 4.2 and 7. */
import { clientOrderids } from '../../../generators/client-orderid.ts';
import type { ClientDraw, ClientPlan, ClientScenario } from '../scenario.ts';
import {
  acceptance,
  emptyOk,
  failure,
  htmlAnswer,
  longMessage,
  parameterBody,
  punctuation,
  reply,
  serialOfBatch,
} from './answers.ts';
import { clientScenario, recurringQuestion, recurringReading } from './cases.ts';

const allPunctuation = `"\\ ${punctuation}`;

/** A failure has its error-code as HTTP status, or HTTP status 200, which a careless client reads as success. */
const failures = (['validation-error', 'error'] as const).flatMap((type) =>
  (['200', '403', '500'] as const).map((code) => ({ type, code, statuses: [...new Set([200, Number(code)])] })),
);

export const recurringDecoding: ClientScenario = clientScenario(
  'recurring/decoding',
  [
    'decodes-accepted',
    'decodes-refused',
    'decodes-parameters',
    'decodes-response-type',
    'decodes-validation-error',
    'decodes-error',
    'decodes-error-id',
    'decodes-own-line-feed',
  ],
  (draw) => [
    ...emptyAnswers(),
    ...acceptedBody(),
    ...failures.flatMap(failedBody),
    ...messages(),
    ownLineFeed(),
    ...generatedMessages(draw),
  ],
)`Empty answers, and bodies of every documented type`;

function emptyAnswers(): ClientPlan[] {
  const accepted = { answers: ['recurring/decodes-accepted'], expected: { kind: 'accepted' } } as const;
  return [
    recurringReading({ question: 'an empty 200', ...accepted }, emptyOk),
    recurringReading({ question: 'an empty 200 that says text/html', ...accepted }, reply(200, htmlAnswer, '')),
    recurringReading(
      {
        question: 'an empty 403',
        answers: ['recurring/decodes-refused'],
        expected: { kind: 'refused', httpStatus: 403 },
      },
      reply(403, null, ''),
    ),
  ];
}

function acceptedBody(): ClientPlan[] {
  const params = acceptance(serialOfBatch.replace('42', '43'));
  const answers = ['recurring/decodes-response-type', 'recurring/decodes-parameters'] as const;
  return recurringQuestion('an accepted batch', answers, params);
}

function failedBody({ type, code, statuses }: (typeof failures)[number]): ClientPlan[] {
  const [first, ...others] = failure(type, 'batch was refused', code);
  // An error body may also have the parameter status (A42), so the body with code 200 has it.
  const params = [first!, ...(code === '200' ? ([['status', 'processing']] as const) : []), ...others];
  const answers = [`recurring/decodes-${type}`, 'recurring/decodes-parameters'] as const;
  const question = `${type} ${code}`;
  const escaped = params.map(([name, value]) => [name, value.replaceAll(' ', '+')] as const);
  if (type === 'validation-error' || code !== '500')
    return recurringQuestion(question, answers, params, escaped, statuses);
  // The document does not name the further parameter, so any name is valid.
  const id = ['error-reference', '0000004711'] as const;
  return recurringQuestion(
    `${question} with an error id`,
    [...answers, 'recurring/decodes-error-id'],
    [...params, id],
    [...escaped, id],
    statuses,
  );
}

/** Sends messages that a careless client splits or decodes wrongly. */
function messages(): ClientPlan[] {
  const special: readonly (readonly [question: string, message: string, escaped: string, reversed?: true])[] = [
    ['a message with & and =, before its type', 'a=b & c', 'a%3Db+%26+c', true],
    [
      'a message with + and %',
      `1+1 is 100%25 ${allPunctuation}`,
      `1%2B1%20is%20100%2525%20${encodeURIComponent(allPunctuation)}`,
    ],
    ['a message in other letters', 'Stra\u00dfe \u6f22\u{1f600}', '%53tra%c3%9fe+%E6%BC%A2%f0%9f%98%80'],
    ['a message with a line feed inside', 'first\nsecond', 'first%0Asecond'],
    ['a long message with markup', longMessage, encodeURIComponent(longMessage)],
  ];
  return special.flatMap((one) => messageQuestion(...one));
}

function ownLineFeed(): ClientPlan {
  const expected = { kind: 'parameters', params: failure('validation-error', 'refused\n') } as const;
  const answers = ['recurring/decodes-own-line-feed'] as const;
  return recurringReading(
    { question: 'a message that ends with a line feed of its own', answers, expected },
    reply(200, htmlAnswer, parameterBody(failure('validation-error', 'refused%0A'), 'raw-line-feed')),
  );
}

/** Sends generated messages. The messages are trimmed, because a client may trim them. */
function generatedMessages(draw: ClientDraw): ClientPlan[] {
  const count = Math.ceil(draw.cases / 5);
  const drawn = [...draw.values(clientOrderids.valid, count), ...draw.values(clientOrderids.edge, count)];
  const texts = drawn.map(({ value }) => value.trim()).filter((text) => text !== '');
  return [...new Set(texts)].flatMap((text, at) => {
    const escaped = encodeURIComponent(text);
    return messageQuestion(
      `generated message ${at + 1}`,
      text,
      at % 2 === 0 ? escaped.replaceAll('%20', '+') : escaped,
    );
  });
}

/** If `reversed`, the parameter type comes last, and a parameter name has an unnecessary escape. */
function messageQuestion(question: string, message: string, escaped: string, reversed = false): ClientPlan[] {
  const params = (text: string, hyphen = '-') => {
    const inOrder = failure('validation-error', text).map(
      ([name, value]) => [name.replace('error-message', `error${hyphen}message`), value] as const,
    );
    return reversed ? inOrder.toReversed() : inOrder;
  };
  const sent = params(escaped, reversed ? '%2D' : '-');
  return recurringQuestion(question, ['recurring/decodes-validation-error'], params(message), sent);
}
