/** Exchanges as JSON: bytes come back as they were, and no body costs more than it has to. */
import { fromJson, newBodyStore, toJson } from '../../../src/record/json.ts';
import { expect, test } from '../../engine.ts';

const record = (body: Uint8Array) => ({ cases: [{ response: { body }, failure: undefined, at: new Date(0) }] });

test('bytes travel as base64, whatever holds them', () => {
  const part = new Uint8Array([7, 7, 0, 255, 10, 7]).subarray(2, 5);
  for (const body of [Buffer.from([0, 255, 10]), new Uint8Array([0, 255, 10]), part]) {
    expect(toJson(record(body))).toBe(
      '{"cases":[{"response":{"body":{"base64":"AP8K"}},"at":"1970-01-01T00:00:00.000Z"}]}',
    );
  }
});

test('equal bodies of several records are kept once, and others apart', () => {
  const kept = newBodyStore();
  const read = (text: string) =>
    fromJson<ReturnType<typeof record>>(toJson(record(Buffer.from(text))), kept).cases[0]!.response.body;
  const [first, again, other] = [read('one'), read('one'), read('two')];
  expect(again).toBe(first);
  expect(Buffer.from(other).toString()).toBe('two');
});

test('a long body that is in several places is written once, and read into each of them', () => {
  const [long, other] = [Buffer.alloc(5000, 'a'), Buffer.alloc(5000, 'b')];
  const text = toJson([{ body: long }, { body: other }, { body: long }, { body: other }]);
  expect(text.length).toBeLessThan(2 * 7000);
  const read = fromJson<{ body: Buffer }[]>(text).map(({ body }) => body);
  expect(read.map((body) => body.toString('latin1', 0, 1))).toEqual(['a', 'b', 'a', 'b']);
  expect(read[2]).toBe(read[0]);
});
