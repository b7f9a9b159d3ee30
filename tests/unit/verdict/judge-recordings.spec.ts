/** Recordings as they are judged: what a stored run of many cases costs, and what another tool left out. */

import type { RequirementId } from '../../../contracts/requirements/index.ts';
import { clientScenarios } from '../../../src/plan/client/index.ts';
import type { ClientPlan } from '../../../src/plan/scenario.ts';
import { drawFor } from '../../../src/plan/seed.ts';
import {
  type ClientCase,
  type ClientLabel,
  type Decoded,
  type DecodingQuestion,
  type ExpectedReading,
  perExchange,
} from '../../../src/record/case.ts';
import { HarError } from '../../../src/record/har.ts';
import { readHar } from '../../../src/record/read-har.ts';
import { casesOf, perScenario } from '../../../src/record/run.ts';
import { toHar } from '../../../src/record/write-har.ts';
import { clientJudges } from '../../../src/rules/index.ts';
import { evidenceOf } from '../../../src/verdict/conclude.ts';
import { readRecording, refuseOtherAnswer } from '../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, keysOf, recurring } from '../rules/client/sample-requests.ts';
import { sampleCase } from '../rules/sample-cases.ts';
import { judgedOf } from './judged.ts';

const keys = { hasKeys: false, keysOf: () => undefined };

test('an answer whose body the recorder left out is not judged as an empty one', () => {
  const entries = ['v2/close-day', 'v4/process-recurring-payments'].map((path) => ({
    startedDateTime: '2024-01-01T12:00:00.000Z',
    time: 1,
    request: { method: 'POST', url: `https://gate.example/api/${path}/1111`, headers: [] },
    response: { status: 200, statusText: '', headers: [], content: { size: 153, mimeType: 'text/html' } },
  }));
  const recording = readRecording(JSON.stringify({ log: { version: '1.2', entries } }), 'recorded');
  const only = ['close-day/body-decodable', 'recurring/success-*'];
  const { result } = judgedOf('gateway', [recording], { only, keys });
  const outcomes = result.results.map(({ outcome }) => outcome);
  expect(outcomes).toHaveLength(4);
  expect(outcomes).not.toContain('fail');
  expect(outcomes).not.toContain('pass');
});

test('what a browser records beside HTTP, and its preflight, is of neither operation, and a user name in a URL is no part of the host', () => {
  const path = '/api/v2/close-day/1111';
  const urls = [
    'wss://a.example/live',
    `blob:https://a.example${path}`,
    'data:,',
    'chrome-extension://abc/close-day/x',
  ];
  const entries = [...urls, `HTTPS://user:word@gate.example${path}?a=@b`].map((url) => ({
    startedDateTime: '2024-01-01T12:00:00.000Z',
    time: 1,
    request: { method: 'POST', url, headers: [] },
    response: { status: 200, statusText: '', headers: [], content: { size: 0, mimeType: '' } },
  }));
  const headers = [{ name: 'Access-Control-Request-Method', value: 'POST' }];
  const preflight = { ...entries[4]!, request: { ...entries[4]!.request, method: 'OPTIONS', headers } };
  const log = { version: '1.2', entries: [...entries, preflight] };
  const recording = readRecording(JSON.stringify({ log }), 'recorded');
  const cases = casesOf(recording);
  expect(recording.strangers).toBe(urls.length + 1);
  expect(cases).toHaveLength(1);
  const { scheme, host, target } = cases[0]!.exchanges[0]!.request;
  expect({ scheme, host, target }).toEqual({ scheme: 'https', host: 'gate.example', target: `${path}?a=@b` });
});

const plans = clientScenarios.flatMap(({ id, plan }) => [...plan(drawFor('answers', id, 20))]);
const questions = plans.filter(({ label, answer }) => label.decoding !== undefined && answer.kind === 'reply');

function look(label: ClientLabel, answer: ClientPlan['answer'], number = 17): void {
  if (answer.kind !== 'reply') throw new Error('the plan has no answer');
  const { status, headers, body } = answer;
  const examined = sampleCase('close-day', undefined);
  const exchange = { ...examined.exchanges[0], response: { status, reason: '', headers, body } };
  refuseOtherAnswer({ exchange, examined: { ...examined, exchanges: [exchange], call: { label } } }, number);
}

test('each answer that a run gives is the one that its call expects', () => {
  expect(questions.length).toBeGreaterThan(300);
  for (const { label, answer } of questions) look(label, answer);
});

test('the answer of a call with another expectation is refused, with its entry', () => {
  const first = new Map<string, ClientPlan>();
  for (const plan of questions) {
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
  const { label, answer } = questions.find(({ label: one }) => one.decoding!.question === 'three gates')!;
  if (answer.kind !== 'reply') throw new Error('the plan has no answer');
  const body = Buffer.from(Buffer.from(answer.body).toString().replace('1234567.89', '1234567.88'));
  expect(() => look(label, { ...answer, body })).toThrow(/its values are not those of/);
});

function meansSuccess(expected: ExpectedReading): boolean {
  if (expected.kind === 'parameters') return expected.params.some(([, value]) => value.endsWith('-response'));
  return expected.kind === 'finished' || expected.kind === 'accepted';
}

/** What may be in the place of any member; JSON text, since half of a surrogate pair is one escape of it. */
const odd = ['null', 'true', '1e308', '-1', '""', '"\\ud800"', '[]', '[null]', '[[]]', '{}', '{"a":null,"toString":1}'];

const serial = '00000000-0000-0000-0000-00000000000a';
const gates = [{ gateId: '17', isDayClosing: true, saleAmount: '0.10' }];
const finished = { kind: 'finished', serial, gates } as const;
const read = {
  ...finished,
  gates: [{ gateId: { long: '17' }, isDayClosing: { bool: true }, saleAmount: { text: '0.10' } }],
};
const params = { kind: 'parameters', params: [['type', 'error']] } as const;
const failed = { kind: 'error', errorCode: '1' } as const;
const refused = { kind: 'refused' } as const;
const sent = [
  closeDay(),
  recurring(),
  asked(closeDay, ['close-day/decodes-finished', 'close-day/decodes-gate-id'], finished, read),
  asked(closeDay, ['close-day/decodes-error'], { ...failed, errorMessage: 'm' }, failed),
  asked(recurring, ['recurring/decodes-error'], params, params),
  asked(recurring, ['recurring/decodes-refused'], { ...refused, httpStatus: 403 }, { ...refused, http_status: 403 }),
];

function asked(
  draft: typeof closeDay | typeof recurring,
  answers: readonly RequirementId[],
  expected: DecodingQuestion['expected'],
  decoded: Decoded,
): ClientCase {
  const label = { decoding: { question: 'q', form: 'only', answers, expected } } as const;
  return draft({ label, reply: { outcome: 'completed', decoded } });
}

const suite = { name: 'countersign', version: '0.0.0' };
const unsent = { ...sent[2]!, number: 99, exchanges: [] };
const skipped = [{ ids: ['close-day/path'] as const, reason: 'r' }];
const run = { side: 'client', records: perScenario([unsent]), skipped } as const;
const whole = JSON.parse(toHar(perExchange(sent), { suite }, run));
/** One of those that differ in nothing but their place in a list. */
const named = membersOf(whole, []).map((place) => [place.join('.').replace(/\b\d+\b/g, '#'), place] as const);
const places = [...new Map(named).values()];

test('the recording is judged as written', () => {
  expect(faultOf(JSON.stringify(whole))).toBe('');
});

test('each member in another form is refused, or judged without a fault of the suite', () => {
  expect(places.flatMap((place, at) => damaged(place, [odd[at % odd.length]!]))).toEqual([]);
});

test('each member in every other form is refused, or judged without a fault of the suite @all', () => {
  expect(places.flatMap((place) => damaged(place, odd))).toEqual([]);
});

function damaged(place: readonly string[], values: readonly string[]): string[] {
  return values.flatMap((value) => {
    const fault = faultOf(withAt(place, value));
    return fault === '' ? [] : [`${place.join('.')} as ${value}: ${fault}`];
  });
}

const ids = Object.keys(clientJudges) as RequirementId[];

/** Empty where the text is refused as it should be, or judged. */
function faultOf(text: string): string {
  try {
    const { run } = readHar(text);
    if (run?.side !== 'client') return '';
    const evidence = evidenceOf(run, { hasKeys: true, keysOf });
    for (const id of ids) evidence.judge(id);
    evidence.observations();
    return '';
  } catch (cause) {
    if (cause instanceof HarError && !/Cannot|undefined|not a function/.test(cause.message)) return '';
    return String(cause);
  }
}

function membersOf(value: unknown, place: readonly string[]): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [[...place, name], ...membersOf(member, [...place, name])]);
}

function withAt(place: readonly string[], value: string): string {
  const mark = 'the member in this place';
  const copy = structuredClone(whole);
  const last = place.at(-1)!;
  place.slice(0, -1).reduce((part, name) => part[name], copy)[last] = mark;
  return JSON.stringify(copy).replace(JSON.stringify(mark), () => value);
}

for (const [name, creator, hint] of [
  ['is named', { name: 'countersign', version: '0.1.0' }, /^It was written by countersign 0\.1\.0: give/],
  ['is one word', { name: 'countersign' }, 'Give the file as it was written, unchanged.'],
  ['is no text', { name: { toString: 1 }, version: 1 }, 'Give the file as it was written, unchanged.'],
  ['is not there', undefined, 'Give the file as it was written, unchanged.'],
] as const) {
  test(`of a file that cannot be used, whose writer ${name}, that is what is said`, () => {
    const har = JSON.stringify({ log: { version: '1.2', creator, entries: [], _client: { calls: 1 } } });
    expect(() => readHar(har)).toThrow(expect.objectContaining({ code: 'bad-run', hint: expect.stringMatching(hint) }));
  });
}
