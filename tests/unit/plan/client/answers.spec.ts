/** Every scripted answer means what its question expects: the protocol's own decoders read it so. */
import { gateResults } from '../../../../generators/gate-result.ts';
import { expect, test } from '../../../engine.ts';
import { planned } from './planned.ts';

const asked = planned.flatMap(({ plan }) =>
  plan.label.decoding === undefined || plan.label.input === 'probe' ? [] : [{ ...plan, decoding: plan.label.decoding }],
);

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

test('a reply gives the length of its body, comes in chunks, or is cut off on purpose', () => {
  const lengths = planned.flatMap(({ plan: { answer, label } }) => {
    if (answer.kind !== 'reply' || answer.status === 204 || label.misbehaviour === 'cut off') return [];
    const told = answer.headers.filter(([name]) => name === 'Content-Length').map(([, value]) => value);
    const inChunks = answer.headers.some(([name]) => name === 'Transfer-Encoding');
    return [{ told, right: inChunks ? [] : [String(answer.body.length)] }];
  });
  expect(lengths.map(({ told }) => told)).toEqual(lengths.map(({ right }) => right));
});

test('every named edge of a gate is answered in each run, and what is open among them a client may decline', () => {
  const textsUnder = (inputs: readonly string[]) =>
    planned.flatMap(({ plan: { answer, label } }) =>
      answer.kind === 'reply' && inputs.includes(label.input) ? [Buffer.from(answer.body).toString('utf8')] : [],
    );
  const [binding, declinable] = [textsUnder(['mandatory']), textsUnder(['hardening', 'probe'])];
  for (const { edge, label, value } of gateResults.edges) {
    const bodies = label.kind === 'open' ? declinable : binding;
    expect(
      bodies.some((body) => body.includes(value.text)),
      edge,
    ).toBe(true);
  }
});
