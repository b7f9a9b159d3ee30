/** Questions to a client's decoder: one body in each of the forms that the document leaves open (sections 2.4 and 4.1). */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { ClientLabel, DecodingQuestion, ExpectedReading } from '../../exchange/client-case.ts';
import { html, type lineFeeds, parameterBody, reply } from './answers.ts';
import type { ClientPlan, LocalAnswer } from './client-scenario.ts';
import { payments, plainCloseDay, plainRow } from './wire-plans.ts';

export interface Question {
  readonly question: string;
  /** None: the answer is looked at, and never judged. */
  readonly answers: readonly RequirementId[];
  readonly expected: ExpectedReading;
  /** What is wrong with how the answer comes. */
  readonly misbehaviour?: string;
}

export const notSuccess: ExpectedReading = { kind: 'not-success' };

/** A close-day body bare and one object deep, both under text/html, and bare under application/json. */
export function closeDayQuestion(asked: Question, body: string): ClientPlan[] {
  return [
    askedOfCloseDay(asked, reply(200, html, body), 'unwrapped'),
    askedOfCloseDay(asked, reply(200, html, `{"closeDayResponse":${body}}`), 'wrapped'),
    askedOfCloseDay(asked, reply(200, 'application/json', body), 'json'),
  ];
}

/** A body of 2.4 whose line feeds come as bytes and as %0A; the values of `parameters` stand escaped already. */
export function recurringQuestion(
  asked: Question,
  status: number,
  parameters: readonly (readonly [name: string, escaped: string])[],
): ClientPlan[] {
  return (['raw-line-feed', 'escaped-line-feed'] as const satisfies (keyof typeof lineFeeds)[]).map((form) =>
    askedOfRecurring(asked, reply(status, html, parameterBody(parameters, form)), form),
  );
}

export function askedOfCloseDay(
  asked: Question,
  answer: LocalAnswer,
  form: DecodingQuestion['form'] = 'only',
): ClientPlan {
  return { label: { operation: 'close-day', ...labelOf(asked, form) }, input: plainCloseDay, answer };
}

export function askedOfRecurring(
  asked: Question,
  answer: LocalAnswer,
  form: DecodingQuestion['form'] = 'only',
): ClientPlan {
  const label = { operation: 'process-recurring-payments', ...labelOf(asked, form) } as const;
  return { label, input: payments(plainRow), answer };
}

/** The input is one that every client can send: the answer alone is special. */
function labelOf({ misbehaviour, ...asked }: Question, form: DecodingQuestion['form']): Omit<ClientLabel, 'operation'> {
  return {
    input: asked.answers.length === 0 ? 'probe' : 'mandatory',
    special: form === 'only' ? asked.question : `${asked.question} (${form})`,
    decoding: { ...asked, form },
    ...(misbehaviour === undefined ? {} : { misbehaviour }),
  };
}
