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
