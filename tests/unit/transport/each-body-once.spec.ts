/** What a run keeps of bodies: each once, the long ones on the disk, and all in memory where that has no room. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientReply } from '../../../src/record/client-case.ts';
import { fromJson, toJson } from '../../../src/record/json.ts';
import { storedBodyOf } from '../../../src/record/stored-body.ts';
import { eachBodyOnce } from '../../../src/run/transport/each-body-once.ts';
import { expect, test } from '../../engine.ts';
import { sampleCases } from '../report/sample-cases.ts';

const { exchange } = sampleCases.find((one) => one.exchange.response !== undefined)!;
const answer = (body: Buffer) => ({ ...exchange, response: { ...exchange.response!, body } });
const [long, other, short] = [Buffer.alloc(70_000, 'a'), Buffer.alloc(70_000, 'b'), Buffer.from('short')];

test('of a hundred answers with one of two long bodies a folder has two files, and they are read as received', () => {
  const folder = test.info().outputPath();
  const { keep } = eachBodyOnce(folder);
  const kept = Array.from({ length: 100 }, (_, place) => keep(answer(Buffer.from(place % 2 === 0 ? long : other))));
  expect(readdirSync(join(folder, 'bodies'))).toHaveLength(2);
  expect(new Set(kept.map(({ response }) => storedBodyOf(response!)))).toHaveProperty('size', 2);
  for (const [place, { response }] of kept.entries()) {
    expect(Buffer.compare(response!.body, place % 2 === 0 ? long : other)).toBe(0);
  }
});

test('a record tells another process the digest of a long body, and that one reads it from the folder', () => {
  const folder = test.info().outputPath();
  const { keep } = eachBodyOnce(folder);
  const text = toJson([keep(answer(long)), keep(answer(short))]);
  expect(text.length).toBeLessThan(10_000);
  const read = fromJson<(typeof exchange)[]>(text, eachBodyOnce(folder)).map(({ response }) => response!);
  expect(read.map((response) => storedBodyOf(response)?.length)).toEqual([long.length, undefined]);
  expect(read.map(({ body }) => Buffer.from(body).toString())).toEqual([long.toString(), 'short']);
});

test('a long request is in the folder as well, also for another process, and the same file where an answer equals it', () => {
  const folder = test.info().outputPath();
  const { message } = eachBodyOnce(folder);
  const kept = { request: message({ ...exchange.request, body: long }), response: message(answer(long).response) };
  const text = toJson(kept);
  expect(text.length).toBeLessThan(10_000);
  expect(readdirSync(join(folder, 'bodies'))).toHaveLength(1);
  const { request } = fromJson<typeof kept>(text, eachBodyOnce(folder));
  expect([storedBodyOf(request)?.length, Buffer.compare(request.body, long)]).toEqual([long.length, 0]);
});

test('the long stages of a reply are in the folder, also for another process; short ones, and one named like a digest, travel with it', () => {
  const folder = test.info().outputPath();
  const replies: ClientReply[] = [
    { outcome: 'completed', stages: { base_string: long.toString() } },
    { outcome: 'completed', stages: { digest: 'd', length: '1' } },
  ];
  const { reply } = eachBodyOnce(folder);
  const text = toJson(replies.map((one) => ({ reply: reply(one) })));
  expect(text.length).toBeLessThan(1000);
  expect(readdirSync(join(folder, 'bodies'))).toHaveLength(1);
  expect(fromJson(text, eachBodyOnce(folder))).toEqual(replies.map((one) => ({ reply: one })));
});

test('a copy of an answer has the bytes themselves', () => {
  const { keep } = eachBodyOnce(test.info().outputPath());
  const { response } = keep(answer(long));
  const copy = { ...response!, status: 500 };
  rmSync(test.info().outputPath('bodies'), { recursive: true });
  expect([storedBodyOf(copy), Buffer.compare(copy.body, long)]).toEqual([undefined, 0]);
});

test('a body that cannot be kept in its place stays in memory, and nothing of it in the folder', () => {
  const folder = test.info().outputPath();
  const digest = createHash('sha256').update(long).digest('hex');
  mkdirSync(join(folder, 'bodies', digest), { recursive: true });
  const { response } = eachBodyOnce(folder).keep(answer(long));
  expect([storedBodyOf(response!), Buffer.compare(response!.body, long)]).toEqual([undefined, 0]);
  expect(readdirSync(join(folder, 'bodies'))).toEqual([digest]);
});

for (const [where, folder] of [
  ['no folder', undefined],
  ['a folder that cannot be written to', '/dev/null'],
] as const) {
  test(`with ${where} equal bodies are one in memory`, () => {
    const { keep } = eachBodyOnce(folder);
    const [first, second] = [long, Buffer.from(long)].map((body) => keep(answer(body)).response!);
    expect(second!.body).toBe(first!.body);
    expect(Buffer.compare(first!.body, long)).toBe(0);
  });
}
