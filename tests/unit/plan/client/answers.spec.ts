/** Every scripted answer means what its question expects: the protocol's own decoders read it so. */
import { gateResultEdges } from '../../../../generators/gate-result.ts';
import type { LocalAnswer } from '../../../../src/plan/scenario.ts';
import { decodeCloseDayResponse, decodeRecurringResponse } from '../../../../src/protocol/index.ts';
import type { ExpectedReading } from '../../../../src/record/client-case.ts';
import { expect, test } from '../../../engine.ts';
import { planned } from './planned.ts';

const asked = planned.flatMap(({ plan }) =>
  plan.label.decoding === undefined || plan.label.input === 'probe' ? [] : [{ ...plan, decoding: plan.label.decoding }],
);

for (const operation of ['close-day', 'process-recurring-payments'] as const) {
  test(`every judged answer to ${operation} is read as expected`, () => {
    const questions = asked.filter(({ label }) => label.operation === operation);
    expect(questions.length).toBeGreaterThan(30);
    const readings = questions.map(({ answer, decoding: { question, form, expected } }) => {
      const read = operation === 'close-day' ? closeDayReading(answer) : recurringReading(answer);
      const isNone = ['error', 'refused', undefined].includes(read?.kind);
      const wanted = expected.kind === 'not-success' && isNone ? read : expected;
      return { name: `${question} (${form})`, read, wanted };
    });
    expect(readings.map(({ name, read }) => ({ name, read }))).toEqual(
      readings.map(({ name, wanted }) => ({ name, read: wanted })),
    );
  });
}

test('a question that depends on an open point is asked in each of its forms', () => {
  const forms = new Map<string, string[]>();
  for (const { label, decoding } of asked) {
    const key = `${label.operation} ${decoding.question}`;
    forms.set(key, [...(forms.get(key) ?? []), decoding.form]);
  }
  const sets = new Set([...forms.values()].map((found) => [...new Set(found)].join(' ')));
  expect(sets).toEqual(
    new Set(['unwrapped wrapped json', 'unwrapped wrapped', 'raw-line-feed escaped-line-feed', 'only']),
  );
});

test('the forms of one question have the same rows and the same expectation', () => {
  const seen = new Map<string, string>();
  const others: string[] = [];
  for (const { label, decoding } of asked) {
    const key = `${label.operation} ${decoding.question}`;
    const rest = JSON.stringify([decoding.answers, decoding.expected]);
    if ((seen.get(key) ?? rest) !== rest) others.push(key);
    seen.set(key, rest);
  }
  expect(others).toEqual([]);
});

test('a reply gives the length of its body, comes in chunks, or is cut off on purpose', () => {
  const lengths = planned.flatMap(({ plan: { answer, label } }) => {
    if (answer.kind !== 'reply' || answer.status === 204 || label.misbehaviour === 'cut off') return [];
    const told = answer.headers.filter(([name]) => name === 'Content-Length').map(([, value]) => value);
    const inChunks = answer.headers.some(([name]) => name === 'Transfer-Encoding');
    return [{ told, right: inChunks ? [] : [String(answer.body.length)] }];
  });
  expect(lengths.map(({ told }) => told)).toEqual(lengths.map(({ right }) => right));
});

test('ordinary wire cases are answered with success', () => {
  const ordinary = planned.filter(({ plan: { label } }) => label.decoding === undefined);
  const others = ordinary.filter(({ plan: { label, answer } }) =>
    label.operation === 'close-day'
      ? closeDayReading(answer)?.kind !== 'finished'
      : recurringReading(answer)?.kind !== 'accepted',
  );
  expect(others.map(({ plan: { label } }) => label)).toEqual([]);
});

function closeDayReading(answer: LocalAnswer): ExpectedReading | undefined {
  const read = decodedOr(() => decodeCloseDayResponse(replyOf(answer)));
  if (read === undefined || read.kind === 'refused') return read;
  const { wrapped: _, ...rest } = read;
  return rest.kind === 'finished' ? { ...rest, gates: rest.gates.map((gate) => ({ ...gate })) } : rest;
}

function recurringReading(answer: LocalAnswer): ExpectedReading | undefined {
  const read = decodedOr(() => decodeRecurringResponse(replyOf(answer)));
  if (read?.kind !== 'parameters') return read;
  if (!['process-recurring-payment-response', 'validation-error', 'error'].includes(read.type))
    return { kind: 'error', errorCode: '', errorMessage: '' };
  return { kind: 'parameters', params: read.params };
}

function replyOf(answer: LocalAnswer) {
  if (answer.kind !== 'reply') throw new Error(`a judged question is answered with ${answer.kind}`);
  return answer;
}

function decodedOr<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

test('every named edge of a gate is answered in each run, and what is open among them a client may decline', () => {
  const textsUnder = (inputs: readonly string[]) =>
    planned.flatMap(({ plan: { answer, label } }) =>
      answer.kind === 'reply' && inputs.includes(label.input) ? [Buffer.from(answer.body).toString('utf8')] : [],
    );
  const [binding, declinable] = [textsUnder(['mandatory']), textsUnder(['hardening', 'probe'])];
  for (const { edge, label, value } of gateResultEdges) {
    const bodies = label.kind === 'open' ? declinable : binding;
    expect(
      bodies.some((body) => body.includes(value.text)),
      edge,
    ).toBe(true);
  }
});

test('each number of a gate is asked for once with more than a double or 16 bits hold', () => {
  const gates = asked.flatMap(({ decoding: { expected } }) => (expected.kind === 'finished' ? expected.gates : []));
  for (const [member, bound] of [
    ['gateId', 2 ** 62],
    ['epntId', 2 ** 62],
    ['saleAmount', 2 ** 53 / 100],
    ['reversalAmount', 2 ** 53 / 100],
    ['saleApprovedCount', 2 ** 16],
    ['reversalApprovedCount', 2 ** 16],
  ] as const) {
    expect(
      gates.some((gate) => Number(gate[member]) >= bound),
      member,
    ).toBe(true);
  }
});
