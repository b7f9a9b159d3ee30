/** What is put into the file of a copy comes back as it was, and the file leaves nothing behind. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientCall } from '../../../src/exchange/case.ts';
import type { Exchange } from '../../../src/exchange/exchange.ts';
import { storedBodyOf } from '../../../src/exchange/stored-body.ts';
import { newExchangeFile } from '../../../src/recordings/exchange-file.ts';
import { expect, test } from '../../engine.ts';

const request = {
  method: 'POST',
  scheme: 'https',
  host: 'a',
  target: '/ü',
  headers: [['A', 'é\u2028']],
  body: new Uint8Array([0, 255, 128]),
} as const;

const answered: Exchange = {
  request,
  response: { status: 200, reason: '', headers: [['B', '']], body: new Uint8Array([7]) },
  startedAt: 1,
  durationMs: 2,
  connection: '3',
};
const failure = { kind: 'reset', message: 'gone' } as const;
const unanswered: Exchange = { request, failure, startedAt: 4, durationMs: 5 };
const long: Exchange = { ...answered, response: { ...answered.response!, body: new Uint8Array(64 * 1024).fill(9) } };

let folder = '';
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-copy-'));
});
test.afterEach(() => rm(folder, { recursive: true }));

test('each exchange comes back in any order, and a copy of it has its bytes', async () => {
  const file = await newExchangeFile(folder);
  const kept = [answered, unanswered, long].map(file.keep);
  for (const [index, given] of [answered, unanswered, long].entries()) {
    const { request: sent, response, ...head } = kept[index]!;
    const { request: sentBefore, response: responseBefore, ...headBefore } = given;
    expect(head).toEqual(headBefore);
    expect({ ...sent, body: new Uint8Array(sent.body) }).toEqual(sentBefore);
    expect(response && { ...response, body: new Uint8Array(response.body) }).toEqual(responseBefore);
  }
  const copy = { ...kept[0]! };
  await file.close();
  expect(copy.response!.status).toBe(200);
  expect(() => kept[1]!.request).toThrow();
});

test('a table that a call was given comes back too, and is in the file alone', async () => {
  const file = await newExchangeFile(folder);
  const given = (rows: number): ClientCall => ({
    label: { operation: 'process-recurring-payments', input: 'mandatory' },
    asked: {
      ...{ baseUrl: 'https://a/', endpointId: '1', consumerKey: 'k' },
      input: { columns: ['amount'], rows: Array.from({ length: rows }, (_, at) => [String(at), null]) },
      inject: { nonce: '\u2028' },
    },
    reply: { outcome: 'completed', decoded: { kind: 'accepted' } },
  });
  const [short, table, other] = [1, 2000, 3000].map((rows) => file.keepCall(given(rows)));
  expect(JSON.stringify([other, table, short])).toBe(JSON.stringify([3000, 2000, 1].map(given)));
  expect(other!.asked!.input).toEqual(given(3000).asked!.input);
  await file.close();
  expect(short!.asked!.input).toEqual(given(1).asked!.input);
  expect(table!.asked!.inject).toEqual(given(2000).asked!.inject);
  expect(() => table!.asked!.input).toThrow();
});

test('equal long bodies are in the file once', async () => {
  const file = await newExchangeFile(folder);
  const [first, second] = [long, { ...long, startedAt: 8 }].map(file.keep);
  const [one, other] = [first, second].map((exchange) => storedBodyOf(exchange!.response!));
  expect(one).toBeDefined();
  expect(other).toBe(one);
  await file.close();
});

test('no file is left, and one that is in the way is a sentence', async () => {
  const file = await newExchangeFile(folder);
  file.keep(answered);
  await file.close();
  expect(await readdir(folder)).toEqual([]);
  const nowhere = newExchangeFile(join(folder, 'none'));
  await expect(nowhere).rejects.toThrow(/^the copy in .* cannot be written \(ENOENT: it, .* does not exist\)$/);
});
