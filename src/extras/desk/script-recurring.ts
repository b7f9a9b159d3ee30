/** The steps of the plan that call process-recurring-payments: sections 2.3, 2.4, 4.2 and 7. */

import { emptyOk, htmlAnswer, parameterBody, reply } from '../../plan/client/answers.ts';
import { paymentBatch, recurringCase, type WireLabel } from '../../plan/client/wire-plans.ts';
import type { RecurringInput } from '../../record/client-case.ts';
import type { DeskAnswer, DeskStep } from './step.ts';

type Words = Pick<DeskStep, 'id' | 'title' | 'instruction' | 'answers' | 'expect'>;

export const recurringDeskSteps: readonly DeskStep[] = [
  step(
    {
      id: 'recurring-plain',
      title: 'Charge one payment',
      answers: '200 with an empty body',
      expect: 'The batch is accepted. An empty answer is success here.',
    },
    paymentBatch(['desk-order-1', '1234567890', '1.00']),
    { input: 'mandatory', about: 'recurring/csv-rows', special: 'one row' },
    emptyOk,
  ),
  step(
    {
      id: 'recurring-delimiters',
      title: 'An order id with ; and "',
      instruction: 'In the CSV the cell is in double quotes, and its own quotes are doubled.',
      answers: '403 with an empty body',
      expect: 'The client reports that the batch was refused.',
    },
    paymentBatch(['shop "A"; till 7', '1234567890', '2.50']),
    { input: 'mandatory', about: 'recurring/csv-rows', special: 'delimiter and quotes in a cell' },
    reply(403, null, ''),
  ),
  step(
    {
      id: 'recurring-leading-zeros',
      title: 'Ids with leading zeros, amounts with trailing ones',
      instruction: 'Ids are text, and amounts are sent unchanged.',
      answers: '200 with the parameters of an accepted batch',
      expect: 'The batch is accepted; if the client shows the serial number, it ends in 02d9b22a without a line feed.',
    },
    paymentBatch(['desk-order-3a', '0000000042', '100.00'], ['desk-order-3b', '0012300450', '0.50']),
    { input: 'mandatory', about: 'recurring/recurring-payment-id-length', special: 'leading zeros' },
    parameters(200, [
      ['type', 'process-recurring-payment-response'],
      ['status', 'processing'],
      ['serial-number', '00000000-0000-0000-0000-000002d9b22a'],
    ]),
  ),
  step(
    {
      id: 'recurring-plus-and-slash',
      title: 'A payload whose base64 text holds + and /',
      instruction: 'In the form body they are %2B and %2F; an unescaped + arrives as a space.',
      answers: 'validation-error with code 403 and a message, under status 200',
      expect: 'The client reports a validation error, with code 403 and the message "amount & limit = wrong".',
    },
    paymentBatch(['order>>>>>????', '1234567890', '3.00'], ['order??>>>?~~~', '1234567891', '4.00']),
    { input: 'mandatory', about: 'recurring/payload-escaped', special: '+ and / in base64' },
    parameters(200, [
      ['type', 'validation-error'],
      ['error-message', 'amount+%26+limit+%3D+wrong'],
      ['error-code', '403'],
    ]),
  ),
  step(
    {
      id: 'recurring-many-rows',
      title: 'Twenty payments in one batch',
      instruction: 'Order ids desk-batch-01 to desk-batch-20, all with the same payment id and amount 1.25.',
      answers: '200 with an empty body',
      expect: 'The batch is accepted.',
    },
    paymentBatch(
      ...Array.from({ length: 20 }, (_, at) => [`desk-batch-${String(at + 1).padStart(2, '0')}`, '1234567890', '1.25']),
    ),
    { input: 'mandatory', about: 'recurring/csv-rows', special: '20 rows' },
    emptyOk,
  ),
  step(
    {
      id: 'recurring-non-ascii',
      title: 'An order id outside of ASCII',
      instruction: 'The CSV is UTF-8 without a byte-order mark.',
      answers: 'error with code 500 and a message, under status 200',
      expect: 'The client reports an error with code 500. It must not say that the batch was accepted.',
    },
    paymentBatch(['Zürich № 5', '1234567890', '5.00']),
    { input: 'mandatory', about: 'recurring/csv-utf-8', special: 'an order id outside of ASCII' },
    parameters(200, [
      ['type', 'error'],
      ['error-message', 'internal+error'],
      ['error-code', '500'],
    ]),
  ),
  step(
    {
      id: 'recurring-twice',
      title: 'Two batches within one second, the first',
      instruction: 'Call this step and the next one as quickly as you can: their nonces have to differ.',
      answers: '200 with an empty body',
      expect: 'The batch is accepted.',
    },
    paymentBatch(['desk-quick-1', '1234567890', '0.10']),
    { input: 'mandatory', about: 'recurring/csv-rows', special: 'quickly' },
    emptyOk,
  ),
  step(
    {
      id: 'recurring-twice-again',
      title: 'Two batches within one second, the second',
      answers: '200 with an empty body',
      expect: 'The batch is accepted.',
    },
    paymentBatch(['desk-quick-2', '1234567890', '0.10']),
    { input: 'mandatory', about: 'recurring/csv-rows', special: 'quickly again' },
    emptyOk,
  ),
];

function parameters(status: number, pairs: readonly (readonly [string, string])[]) {
  return reply(status, htmlAnswer, parameterBody(pairs, 'raw-line-feed'));
}

function step(words: Words, input: RecurringInput, label: WireLabel, given: ReturnType<typeof reply>): DeskStep {
  return { ...words, plan: { ...recurringCase(input, label), answer: given as DeskAnswer } };
}
