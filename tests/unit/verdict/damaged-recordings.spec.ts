/** A stored run with any one member of another kind or form: it is refused in a sentence, or every judge bears it. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { ClientCase, Decoded, DecodingQuestion } from '../../../src/record/client-case.ts';
import { HarError } from '../../../src/record/har.ts';
import { readHar } from '../../../src/record/read-har.ts';
import { toHar } from '../../../src/record/write-har.ts';
import { clientJudges } from '../../../src/rules/index.ts';
import { numberCalls } from '../../../src/run/client/client-record.ts';
import { clientEvidence } from '../../../src/verdict/client/client-evidence.ts';
import { expect, test } from '../../engine.ts';
import { closeDay, keysOf, recurring } from '../rules/client/sample-requests.ts';

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
const unsent = { ...sent[2]!, number: 99, wire: [] };
const client = { calls: [unsent], skipped: [{ ids: ['close-day/path'] as const, reason: 'r' }] };
const whole = JSON.parse(toHar(numberCalls(sent).cases, { suite }, { client }));
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
    const { client } = readHar(text);
    if (client === undefined) return '';
    const evidence = clientEvidence(client, { hasKeys: true, keysOf });
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
