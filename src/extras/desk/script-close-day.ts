/** The steps of the plan that call close-day: sections 2.1, 2.2, 4.1 and 7. */

import { dayClosed, errorBody, finishedBody, htmlAnswer, plainGate, reply } from '../../plan/client/answers.ts';
import { closeDayCase, type WireLabel } from '../../plan/client/wire-plans.ts';
import type { CloseDayInput } from '../../record/client-case.ts';
import type { DeskAnswer, DeskStep } from './step.ts';

/** `own`: the client may choose the id itself, so no step is about it. */
type Words = Pick<DeskStep, 'id' | 'title' | 'instruction' | 'answers' | 'expect'>;

const threeGates = [
  { ...plainGate, gateId: '9007199254740993', saleApprovedCount: '120', saleAmount: '9050.10' },
  { ...plainGate, gateId: '7', saleApprovedCount: '0', saleAmount: '0.00', reversalAmount: '0.00' },
  { ...plainGate, gateId: '42', gateCloseDate: 'Sun Mar 31 03:00:01 EEST 2024' },
];

export const closeDayDeskSteps: readonly DeskStep[] = [
  step(
    {
      id: 'close-day-plain',
      title: 'Close the day with the id alone',
      answers: 'finished, with one gate: 42, open, sales 10.42, reversals 10.94',
      expect: 'The day is closed; gate 42 is shown with both amounts.',
    },
    { day_close_request_id: 'DeskPlain0001' },
    { input: 'mandatory', about: 'close-day/request-id-present', special: 'no totals' },
    dayClosed,
    'own',
  ),
  step(
    {
      id: 'close-day-totals',
      title: 'Send all four totals',
      answers: 'finished, with three gates in no order; one gate id is 9007199254740993, one gate has 0.00',
      expect: 'Three gates are shown, with gate 9007199254740993 to its last digit, and 0.00 as an amount.',
    },
    {
      day_close_request_id: 'DeskTotals0001',
      sale_approved_count: '120',
      sale_approved_sum: '9050.10',
      reversal_approved_count: '3',
      reversal_approved_sum: '20.00',
    },
    { input: 'mandatory', about: 'close-day/body-is-form', special: 'all totals' },
    answer(200, finishedBody(threeGates)),
    'own',
  ),
  step(
    {
      id: 'close-day-leading-zeros',
      title: 'An id with leading zeros',
      instruction: 'The id is text: all twelve characters have to arrive.',
      answers: 'finished, with one gate that stays locked',
      expect: 'The client says that gate 42 is still locked, and does not report plain success.',
    },
    { day_close_request_id: '000000012345' },
    { input: 'mandatory', about: 'close-day/request-id-length', special: 'leading zeros' },
    answer(200, finishedBody([{ ...plainGate, isDayClosing: true }])),
  ),
  step(
    {
      id: 'close-day-some-absent',
      title: 'Two totals absent',
      instruction: 'An absent field is not sent at all, not even empty.',
      answers: "error 99, 'gate is closing already'",
      expect: 'The client shows error 99 and its message, and does not call the day closed.',
    },
    {
      day_close_request_id: 'DeskAbsent0001',
      reversal_approved_count: '1',
      reversal_approved_sum: '0.94',
    },
    { input: 'mandatory', about: 'close-day/reversal-approved-sum', special: 'sales absent' },
    answer(200, errorBody('"99"', '"gate is closing already"')),
    'own',
  ),
  step(
    {
      id: 'close-day-empty-field',
      title: 'One total present and empty',
      instruction:
        'The field is sent with nothing after its =. A client that cannot do that may refuse: skip the step.',
      answers: 'finished, without any gate',
      expect: 'The day is closed; no gate is shown, and nothing breaks.',
    },
    {
      day_close_request_id: 'DeskEmpty00001',
      sale_approved_count: '2',
      sale_approved_sum: '',
    },
    { input: 'hardening', about: 'close-day/sale-approved-sum', special: 'an empty total' },
    answer(200, finishedBody([])),
    'own',
  ),
  step(
    {
      id: 'close-day-longest-id',
      title: 'An id of 32 characters',
      answers: 'error 1017 with a message outside of ASCII',
      expect: 'The client shows the code 1017 and the message „Terminal gesperrt – später“ with all its letters.',
    },
    { day_close_request_id: 'abcdefghijABCDEFGHIJ012345678901' },
    { input: 'mandatory', about: 'close-day/request-id-length', special: '32 characters' },
    answer(200, errorBody('"1017"', '"Terminal gesperrt – später"')),
  ),
  step(
    {
      id: 'close-day-cut-answer',
      title: 'An answer that breaks off',
      answers: 'JSON that is cut in the middle of a gate, under status 200',
      expect: 'The client reports that the answer cannot be read. It must not say that the day is closed.',
    },
    { day_close_request_id: 'DeskCut0000001', sale_approved_count: '1', sale_approved_sum: '1.00' },
    { input: 'mandatory', about: 'close-day/sale-approved-sum', special: 'an answer that is cut' },
    answer(200, finishedBody([plainGate]).slice(0, 90)),
    'own',
  ),
  step(
    {
      id: 'close-day-refused',
      title: 'A refusal without a body',
      answers: '403 with an empty body',
      expect: 'The client reports a refusal with status 403.',
    },
    { day_close_request_id: 'DeskRefused001', reversal_approved_count: '0', reversal_approved_sum: '0.00' },
    { input: 'mandatory', about: 'close-day/reversal-approved-sum', special: 'a refusal' },
    reply(403, null, ''),
    'own',
  ),
];

function answer(status: number, body: string) {
  return reply(status, htmlAnswer, body);
}

function step(
  words: Words,
  input: CloseDayInput,
  label: WireLabel,
  given: ReturnType<typeof reply>,
  id?: 'own',
): DeskStep {
  const plan = { ...closeDayCase(input, label), answer: given as DeskAnswer };
  return { ...words, plan, ...(id === undefined ? {} : { ownRequestId: true }) };
}
