/** Long bodies in HAR: each is there once, and is read back into every entry. */
import { createHash } from 'node:crypto';
import type { Case } from '../../../src/record/case.ts';
import { fromHar } from '../../../src/record/read-har.ts';
import { toHar } from '../../../src/record/write-har.ts';
import { expect, test } from '../../engine.ts';
import { sampleCases } from '../report/sample-cases.ts';

const suite = { name: 'countersign', version: '0.0.0' };
const plain = sampleCases.find(({ exchanges: [exchange] }) => exchange.response !== undefined)!;

const kinds = {
  text: { body: Buffer.alloc(100_000, '"xyz'), written: 125_002 },
  'bytes that are no text': { body: Buffer.alloc(100_000, 0xff), written: 133_338 },
  'text that is six times as long in JSON': { body: Buffer.alloc(100_000, 0x01), written: 133_338 },
};
for (const [kind, { body, written }] of Object.entries(kinds)) {
  test(`a long body of ${kind} is in one entry, and is read into all that had it`, () => {
    const har = toHar([plain, ...cases(body, Buffer.from(body), Buffer.from(body))], { suite });
    const texts = entriesOf(har).map(({ response }) => response.content.text);
    expect(texts.slice(1).map((text) => text !== undefined)).toEqual([true, false, false]);
    expect(JSON.stringify(texts[1]).length).toBe(written);
    const read = fromHar(har).map(({ exchange }) => exchange.response!.body);
    for (const again of read.slice(1)) expect(Buffer.compare(again, body)).toBe(0);
    expect(read[3]).toBe(read[1]);
  });
}

test('the entry that has a long body is like any other, and has the digest of it besides', () => {
  const [short, long] = entriesOf(toHar([plain, ...cases(kinds.text.body)], { suite }));
  expect(Object.keys(long!.response.content)).toEqual(Object.keys(short!.response.content));
  expect(Object.keys(long!._countersign)).toEqual([...Object.keys(short!._countersign), 'bodyDigest']);
  expect(long!._countersign.bodyDigest).toBe(createHash('sha256').update(kinds.text.body).digest('hex'));
});

test('an entry whose long body is in no entry before it is refused', () => {
  const har = toHar(cases(kinds.text.body, kinds.text.body), { suite }).split('\n');
  expect(() => fromHar([har[0], har[2]!.replace(/,$/, ''), ...har.slice(3)].join('\n'))).toThrow(
    'entry 1 of the HAR file cannot be read: its body is in another entry, which is not before it',
  );
});

test('a long body is once in the file as a request and as an answer, and each is read as it was sent', () => {
  const response = plain.exchanges[0].response!;
  const [text, bytes] = [Buffer.alloc(100_000, 'a'), Buffer.alloc(100_000, 0xff)];
  const of = (request: Buffer, answer: Buffer): Case => ({
    ...plain,
    exchanges: [
      {
        ...plain.exchanges[0],
        request: { ...plain.exchanges[0].request, body: request },
        response: { ...response, body: answer },
      },
    ],
  });
  const har = toHar([of(text, bytes), of(text, text), of(bytes, kinds.text.body), of(Buffer.from('x=1'), bytes)], {
    suite,
  });
  expect(har.length).toBeLessThan(100_000 + Math.ceil(100_000 / 3) * 4 + 2 * kinds.text.body.length + 20_000);
  const read = fromHar(har);
  expect(read.map(({ incomplete }) => incomplete)).toEqual([undefined, undefined, undefined, undefined]);
  const said = read.map(({ exchange: { request, response: answer } }) => [request.body, answer!.body].map(named));
  expect(said).toEqual([
    ['text', 'bytes'],
    ['text', 'text'],
    ['bytes', 'other'],
    ['x=1', 'bytes'],
  ]);
  const again = toHar(
    read.map(({ examined }) => examined!),
    { suite },
  );
  expect(again).toBe(har);

  function named(body: Uint8Array): string {
    if (body.length < 10) return Buffer.from(body).toString();
    return text.equals(body) ? 'text' : bytes.equals(body) ? 'bytes' : 'other';
  }
});

function cases(...bodies: readonly Buffer[]): Case[] {
  const response = plain.exchanges[0].response!;
  return bodies.map((body, number) => ({
    ...plain,
    number,
    exchanges: [{ ...plain.exchanges[0], response: { ...response, body } }] as const,
  }));
}

interface WrittenEntry {
  readonly response: { readonly content: { readonly text?: string } };
  readonly _countersign: { readonly bodyDigest?: string };
}

function entriesOf(har: string): readonly WrittenEntry[] {
  return JSON.parse(har).log.entries;
}
