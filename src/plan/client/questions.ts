/** Questions to a client's decoder: one body in each of the forms that the document leaves open (sections 2.4 and 4.1). */
import { createHash } from 'node:crypto';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { ClientLabel, DecodingQuestion, ExpectedReading } from '../../record/client-case.ts';
import { htmlAnswer, type lineFeeds, parameterBody, reply } from './answers.ts';
import type { ClientPlan, LocalAnswer } from './client-scenario.ts';
import { paymentBatch, plainCells } from './wire-plans.ts';

export interface Question {
  readonly question: string;
  /** None: the answer is looked at, and never judged. */
  readonly answers: readonly TestableId<'client'>[];
  readonly expected: ExpectedReading;
  /** The document leaves such an answer open: a client may decline it. */
  readonly open?: true;
  /** What is wrong with how the answer comes. */
  readonly misbehaviour?: string;
}

export const notSuccess: ExpectedReading = { kind: 'not-success' };

/** A close-day body bare and one object deep, both under text/html, and bare under application/json. */
export function closeDayQuestion(asked: Question, body: string): ClientPlan[] {
  return [...htmlQuestion(asked, body), askedOfCloseDay(asked, reply(200, 'application/json', body), 'json')];
}

/** The same under text/html alone, where a client that is deaf to it has been asked often enough. */
export function htmlQuestion(asked: Question, body: string): ClientPlan[] {
  return [
    askedOfCloseDay(asked, reply(200, htmlAnswer, body), 'unwrapped'),
    askedOfCloseDay(asked, reply(200, htmlAnswer, `{"closeDayResponse":${body}}`), 'wrapped'),
  ];
}

/**
 * A body of 2.4 whose line feeds come as bytes and as %0A, under each of the HTTP statuses: which one it has is open too.
 * The values of `parameters` are escaped already.
 */
export function recurringQuestion(
  asked: Question,
  statuses: readonly number[],
  parameters: readonly (readonly [name: string, escaped: string])[],
): ClientPlan[] {
  const forms = ['raw-line-feed', 'escaped-line-feed'] as const satisfies (keyof typeof lineFeeds)[];
  return statuses.flatMap((status) =>
    forms.map((form) => {
      const plan = askedOfRecurring(asked, reply(status, htmlAnswer, parameterBody(parameters, form)), form);
      return { ...plan, label: { ...plan.label, special: `${asked.question} (HTTP ${status}, ${form})` } };
    }),
  );
}

export function askedOfCloseDay(
  asked: Question,
  answer: LocalAnswer,
  form: DecodingQuestion['form'] = 'only',
): ClientPlan {
  const input = { day_close_request_id: `q${ownText(asked, form, answer)}` };
  return { label: { operation: 'close-day', ...labelOf(asked, form) }, input, answer };
}

export function askedOfRecurring(
  asked: Question,
  answer: LocalAnswer,
  form: DecodingQuestion['form'] = 'only',
): ClientPlan {
  const label = { operation: 'process-recurring-payments', ...labelOf(asked, form) } as const;
  const [, ...cells] = plainCells;
  return { label, input: paymentBatch([`order-${ownText(asked, form, answer)}`, ...cells]), answer };
}

/** Each call has an id of its own: what a client sends once more in place of it is not what it was given. */
function ownText({ question }: Question, form: string, answer: LocalAnswer): string {
  const status = answer.kind === 'reply' ? answer.status : answer.kind;
  return createHash('sha256').update(`${question}\n${form}\n${status}`).digest('hex').slice(0, 11);
}

/** The input is as plain as every client can send: the answer alone is special, and `input` says how binding it is. */
function labelOf(
  { misbehaviour, open, ...asked }: Question,
  form: DecodingQuestion['form'],
): Omit<ClientLabel, 'operation'> {
  return {
    input: asked.answers.length === 0 ? 'probe' : open ? 'hardening' : 'mandatory',
    special: form === 'only' ? asked.question : `${asked.question} (${form})`,
    decoding: { ...asked, form },
    misbehaviour,
  };
}
