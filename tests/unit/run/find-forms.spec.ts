/** What the finder finds is what a plain search for each form finds. */
import { formFinder } from '../../../src/run/secrets/scan.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';

test('forms stand where a search for each of them finds them, of few lengths or many, in texts of their own letters or others', () => {
  const { below, of } = diceFrom(27);
  const drawn = (length: number, from: string) => Array.from({ length }, () => from[below(from.length)]!).join('');
  for (const [count, shortest, longest] of [
    [3, 6, 8],
    [40, 8, 30],
    [200, 19, 40],
    [51_000, 8, 12],
  ] as const) {
    const texts = Array.from({ length: count }, () => drawn(shortest + below(longest - shortest + 1), 'abcdefgh'));
    const forms = texts.map((text) => ({ bytes: Buffer.from(text), standIn: Buffer.from(text) }));
    const finder = formFinder([{ name: 'ids', forms }]);
    for (let round = 0; round < 60; round += 1) {
      const parts = Array.from({ length: 1 + below(5) }, () =>
        of([drawn(below(40), 'abcdefgh'), drawn(below(40), 'xyz"{\xff'), of(texts), of(texts).slice(1)]),
      );
      const bytes = Buffer.from(parts.join(''), 'latin1');
      const first = Math.min(...texts.map((text) => bytes.indexOf(text)).filter((at) => at >= 0));
      expect(finder.any(bytes) !== undefined).toBe(Number.isFinite(first));
      expect(finder.all(bytes)[0]?.at ?? Number.POSITIVE_INFINITY).toBe(first);
    }
  }
});
