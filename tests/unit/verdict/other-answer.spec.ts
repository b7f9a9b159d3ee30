/** Answers in the record of a client that were changed after the run: what was judged by them is not judged by others. */
import { clientScenarios } from '../../../src/plan/client/index.ts';
import type { ClientPlan } from '../../../src/plan/scenario.ts';
import { drawFor } from '../../../src/plan/seed.ts';
import type { ClientLabel, ExpectedReading } from '../../../src/record/client-case.ts';
import { HarError } from '../../../src/record/har.ts';
import { refuseOtherAnswer } from '../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../engine.ts';
import { sampleCase } from '../rules/sample-cases.ts';

const plans = clientScenarios.flatMap(({ id, plan }) => [...plan(drawFor('answers', id, 20))]);
const asked = plans.filter(({ label, answer }) => label.decoding !== undefined && answer.kind === 'reply');

function look(label: ClientLabel, answer: ClientPlan['answer'], number = 17): void {
  if (answer.kind !== 'reply') throw new Error('the plan has no answer');
  const { status, headers, body } = answer;
  const examined = sampleCase('close-day', undefined);
  const exchange = { ...examined.exchange, response: { status, reason: '', headers, body } };
  refuseOtherAnswer({ exchange, examined: { ...examined, exchange, call: { label } } }, number);
}

test('each answer that a run gives is the one that its call expects', () => {
  expect(asked.length).toBeGreaterThan(300);
  for (const { label, answer } of asked) look(label, answer);
});

test('the answer of a call with another expectation is refused, with its entry', () => {
  const first = new Map<string, ClientPlan>();
  for (const plan of asked) {
    const { operation, input, decoding } = plan.label;
    if (input !== 'probe') first.set(`${operation} ${decoding!.expected.kind}`, plan);
  }
  const kinds = [...first.values()];
  for (const { label } of kinds) {
    for (const other of kinds.filter((one) => one.label.operation === label.operation && one.label !== label)) {
      const isFailure = [label, other.label].every(({ decoding }) => !meansSuccess(decoding!.expected));
      const refused = () => look(label, other.answer);
      if (isFailure && label.decoding!.expected.kind === 'not-success') expect(refused).not.toThrow();
      else expect(refused).toThrow(HarError);
    }
  }
  const success = kinds.find(({ label }) => label.decoding!.expected.kind === 'finished')!;
  const broken = kinds.find(
    ({ label: { operation, decoding } }) => operation === 'close-day' && decoding!.expected.kind === 'not-success',
  )!;
  expect(() => look(success.label, broken.answer)).toThrow(
    'entry 17 of the HAR file has another answer than the one that it was judged by: it says no success, and `_countersign.call.label.decoding.expected` is finished',
  );
});

test('a value that was changed in an answer is refused', () => {
  const { label, answer } = asked.find(({ label: one }) => one.decoding!.question === 'three gates')!;
  if (answer.kind !== 'reply') throw new Error('the plan has no answer');
  const body = Buffer.from(Buffer.from(answer.body).toString().replace('1234567.89', '1234567.88'));
  expect(() => look(label, { ...answer, body })).toThrow(/its values are not those of/);
});

function meansSuccess(expected: ExpectedReading): boolean {
  if (expected.kind === 'parameters') return expected.params.some(([, value]) => value.endsWith('-response'));
  return expected.kind === 'finished' || expected.kind === 'accepted';
}
