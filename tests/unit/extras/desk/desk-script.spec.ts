/** The plan of the desk and what it says of one request: each can be told apart and sent, and is told its own mistake alone. */

import { requirementById } from '../../../../contracts/requirements/index.ts';
import { redactionFor } from '../../../../src/extras/desk/redact.ts';
import { deskScript, stepsFor } from '../../../../src/extras/desk/script.ts';
import { causesAt, failingRows } from '../../../../src/extras/desk/view.ts';
import {
  buildCloseDay,
  buildRecurring,
  type CloseDayFields,
  type CsvTable,
  decodeCloseDayResponse,
  decodeRecurringResponse,
  encodeForm,
} from '../../../../src/protocol/index.ts';
import type { Result, ResultRow } from '../../../../src/record/result/result.ts';
import { expect, test } from '../../../engine.ts';

const byId = (id: string) => deskScript.find((step) => step.id === id)!;
const bodyOf = (id: string): string => {
  const { operation, input } = byId(id);
  const pairs =
    operation === 'close-day' ? buildCloseDay(input as CloseDayFields) : buildRecurring(input as CsvTable).body;
  return encodeForm([...pairs]);
};

test('every step has an id and a body of its own, so that a repeated request is told from the next one', () => {
  const ids = deskScript.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const bodies = ids.map(bodyOf);
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(ids.length).toBe(16);
});

test('a client of one operation gets the steps of that one alone', () => {
  const operations = ['close-day', 'process-recurring-payments'] as const;
  for (const operation of operations) {
    const steps = stepsFor([operation]);
    expect(steps.length).toBe(8);
    expect(steps.every((step) => step.operation === operation)).toBe(true);
  }
  expect(stepsFor(operations)).toEqual(deskScript);
});

test('answers are read by our own decoder as their words say', () => {
  const read = (id: string) => {
    const { operation, answer } = byId(id);
    const { status, headers, body } = answer;
    const response = { status, headers: [...headers], body };
    return operation === 'close-day' ? decodeCloseDayResponse(response) : decodeRecurringResponse(response);
  };
  expect(read('close-day-totals')).toMatchObject({ kind: 'finished', gates: [{ gateId: '9007199254740993' }, {}, {}] });
  expect(read('close-day-leading-zeros')).toMatchObject({ kind: 'finished', gates: [{ isDayClosing: true }] });
  expect(read('close-day-some-absent')).toMatchObject({ kind: 'error', errorCode: '99' });
  expect(read('close-day-empty-field')).toMatchObject({ kind: 'finished', gates: [] });
  expect(read('close-day-longest-id')).toMatchObject({ errorMessage: 'Terminal gesperrt – später' });
  expect(() => read('close-day-cut-answer')).toThrow();
  expect(read('close-day-refused')).toMatchObject({ kind: 'refused', httpStatus: 403 });
  expect(read('recurring-plain')).toEqual({ kind: 'accepted' });
  expect(read('recurring-delimiters')).toMatchObject({ kind: 'refused', httpStatus: 403 });
  expect(read('recurring-plus-and-slash')).toMatchObject({
    type: 'validation-error',
    params: expect.arrayContaining([['error-message', 'amount & limit = wrong']]),
  });
  expect(read('recurring-non-ascii')).toMatchObject({ kind: 'parameters', type: 'error' });
});

test('a secret is found as it is, as hexadecimal digits, and in base64 wherever it starts', () => {
  const consumerSecret = '0123456789abcdef0123456789abcdef01234567';
  const { text } = redactionFor({ consumerSecret } as Parameters<typeof redactionFor>[0]);
  expect(text(`a${consumerSecret}b`)).toBe('a[secret]b');
  expect(text(Buffer.from(consumerSecret).toString('hex'))).toBe('[secret]');
  for (const before of ['', 'x', 'xy', 'xyz', ';"']) {
    for (const after of ['', 'x', 'xy']) {
      const encoded = Buffer.from(before + consumerSecret + after).toString('base64');
      expect(text(encoded), `${before} ${after}`).toContain('[secret]');
    }
  }
  expect(text('nothing of it')).toBe('nothing of it');
});

const id = 'authentication/signature-verifies';
const statement = requirementById(id)!.statement;
const deviation = { id: 'body-left-out', summary: 'The form is not signed.', fix: 'Sign the form.', snippet: '' };
const row = { id, statement, outcome: 'fail', actual: 'the first signature', exchanges: [1, 2, 3, 4] };
const explanation = { exchange: 2, deviations: [deviation], facts: [], triedCount: 1 };
const cause = { outcome: 'fail', sentence: '', deviations: ['body-left-out'], requirements: [id], exchanges: [2, 3] };
const cases = [11, 12, 13, 14].map((number) => ({ number }));

function told(number: number, causes: readonly object[], explanations?: readonly object[]): string[] {
  const result = { results: [{ ...row, explanations } as unknown as ResultRow], causes } as unknown as Result;
  return causesAt(failingRows(result, cases), [number]).map(({ sentence }) => sentence);
}

test('each request with a mistake that has a name is told that mistake, not the first one alone', () => {
  for (const number of [12, 13]) expect(told(number, [cause], [explanation])).toEqual([deviation.summary]);
});

test('what was received is told of the request that sent it, and of no other', () => {
  expect(told(11, [cause], [explanation])).toEqual([`${statement} Received: the first signature.`]);
  expect(told(14, [cause], [explanation])).toEqual([statement]);
  expect(told(12, [])).toEqual([statement]);
});

test('a cause of another requirement, or of signatures that nothing explains, names no mistake', () => {
  const others = [
    { ...cause, requirements: ['x'] },
    { ...cause, deviations: [] },
    { ...cause, deviations: undefined },
  ];
  for (const other of others) expect(told(13, [other], [explanation])).toEqual([statement]);
});
