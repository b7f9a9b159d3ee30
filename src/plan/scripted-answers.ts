/** The answers of section 2.4, which only a target with scripted answers gives on purpose. */
import type { TestableId } from '../../contracts/requirements/index.ts';
import { payments, recurring, rows } from './requests.ts';
import type { PlannedCase, Scenario, ScriptedAnswer } from './scenario.ts';

const shows = [
  // A body of parameters is one that may come in place of the empty one.
  'recurring/success-body-empty',
  'recurring/parameters-content-type',
  'recurring/parameters-line-feed',
  'recurring/type-present',
  'recurring/type-value',
  'recurring/status-present',
  'recurring/serial-number-present',
  'recurring/serial-number-unique',
  'recurring/error-message-present',
  'recurring/error-code-present',
  'recurring/error-code-value',
  'recurring/error-id-with-500',
] as const satisfies readonly TestableId<'gateway'>[];

export const scriptedAnswers: Scenario = {
  id: 'recurring/scripted-answers',
  operation: 'process-recurring-payments',
  title: 'Right batches that are answered with each body of section 2.4',
  situation: 'open',
  effect: 'starts-payments',
  needsAnswers: true,
  // One at a time: an answer is for the next request.
  inFlight: 1,
  shows,
  plan: (draw) =>
    answers.map((answer): PlannedCase => {
      const code = answer.code === undefined ? '' : ` ${answer.code}`;
      return {
        label: { intent: 'valid', differsIn: `the answer ${answer.type}${code} under HTTP ${answer.httpStatus}` },
        request: recurring(payments(rows(draw, 1)), { answer }),
      };
    }),
};

const answers: readonly ScriptedAnswer[] = [
  { kind: 'parameters', type: 'process-recurring-payment-response', httpStatus: 200 },
  ...(['validation-error', 'error'] as const).flatMap((type) =>
    (['200', '403', '500'] as const).map(
      (code): ScriptedAnswer => ({ kind: 'parameters', type, code, httpStatus: 200 }),
    ),
  ),
];
