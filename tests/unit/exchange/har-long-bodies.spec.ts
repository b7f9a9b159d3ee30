/** Long bodies in HAR: their text is made once, and the entry is the same as any other. */
import { expect, test } from '@playwright/test';
import { fromHar, toHar, toHarParts } from '../../../src/exchange/har.ts';
import { sampleCases } from '../report/sample-cases.ts';

const suite = { name: 'countersign', version: '0.0.0' };
const plain = sampleCases.find(({ exchange }) => exchange.response !== undefined)!;

for (const [kind, byte] of [
  ['text', 0x22],
  ['bytes that are no text', 0xff],
] as const) {
  test(`a long body of ${kind} makes an entry of the same form as a short one, and is one part`, () => {
    const body = Buffer.alloc(100_000, byte);
    const again = {
      ...plain,
      number: 2,
      exchange: { ...plain.exchange, response: { ...plain.exchange.response!, body } },
    };
    const har = toHar([plain, again, { ...again, number: 3 }], { suite });
    const lines = har
      .split('\n')
      .slice(1, 4)
      .map((line) => line.replace(/^,|,$/, ''));
    for (const line of lines) expect(JSON.stringify(JSON.parse(line))).toBe(line);
    const members = lines.map((line) => Object.keys(JSON.parse(line)));
    expect(members[1]).toEqual(members[0]);
    expect(Buffer.compare(fromHar(har)[2]!.exchange.response!.body, body)).toBe(0);
    const parts = [...toHarParts([again], { suite }, {})];
    expect(parts.filter((part) => part.length > 100_000)).toEqual([
      JSON.stringify(JSON.parse(lines[1]!).response.content.text),
    ]);
  });
}
