/** What the search takes a quick way for is what the plain way finds: runs by regular expressions, deflate by the library. */
import { isDeepStrictEqual } from 'node:util';
import { constants, deflateRawSync, gzipSync, inflateRawSync } from 'node:zlib';
import { base32Runs } from '../../../src/secrets/base32.ts';
import { formFinder } from '../../../src/secrets/find-forms.ts';
import { inflated } from '../../../src/secrets/inflated.ts';
import { allLayers, type Layer } from '../../../src/secrets/layers.ts';
import { byteClass, runsOf } from '../../../src/secrets/runs.ts';
import { scannerFor } from '../../../src/secrets/scan.ts';
import { manyTexts, secretText } from '../../../src/secrets/secret.ts';
import { cutterFor, separator } from '../../../src/secrets/segments.ts';
import { diceFrom } from '../../dice.ts';
import { expect, test } from '../../engine.ts';

const letters = 'ABCXYZ';
const kinds = [letters, letters.toLowerCase(), '234567', '0189', '+/-_', ' \n', '"', '\\', '{[,:', '</', '\xa0\xff'];

/** Texts in which runs of all kinds meet. */
function* drawnTexts(count: number): Generator<string> {
  const { below, of } = diceFrom(18);
  for (let drawn = 0; drawn < count; drawn += 1) {
    const parts = Array.from({ length: 1 + below(12) }, () => {
      const kind = of(kinds);
      return Array.from({ length: below(14) }, () => kind[below(kind.length)]!).join('');
    });
    yield parts.join('');
  }
}

function placesOf(text: string, form: RegExp): number[] {
  return Array.from(text.matchAll(form)).flatMap(({ 0: run, index }) => [index, index + run.length]);
}

test('runs are those of a regular expression', () => {
  const isBase64 = byteClass(/[A-Za-z0-9+/_-]/);
  const others = [...drawnTexts(3000)].filter((text) => {
    const bytes = Buffer.from(text, 'latin1');
    const found = [runsOf(bytes, isBase64, 16), base32Runs(bytes)];
    return !isDeepStrictEqual(found, [
      placesOf(text, /[A-Za-z0-9+/_-]{16,}/g),
      placesOf(text, /[A-Z2-7]{10,}|[a-z2-7]{10,}/g),
    ]);
  });
  expect(others).toEqual([]);
});

test('a text is cut between strings of JSON, escaped or not, and in front of tags', () => {
  const cut = cutterFor([]);
  const others = [...drawnTexts(3000)].filter(
    (text) => !isDeepStrictEqual([...cut(text)], text.split(/(?=\\*")(?<="[\s,:{}[\]]+)|(?=<\/?[a-z])/)),
  );
  expect(others).toEqual([]);
});

test('no cut goes through a secret, whatever that consists of, and pieces that were put together come apart again', () => {
  const secrets = [...drawnTexts(3000)].filter((text) => text.length > 5);
  const around = [...drawnTexts(secrets.length)];
  const torn = secrets.filter((text, at) => {
    const whole = `${around[at]}${text}${around.at(-at - 1)}`;
    const cut = cutterFor([{ name: 'it', forms: [{ bytes: Buffer.from(text), standIn: Buffer.alloc(0) }] }]);
    const pieces = [...cut(whole)];
    return joined(pieces) !== whole || !pieces.some((piece) => piece.includes(text));
  });
  expect(torn).toEqual([]);
  expect([...cutterFor([])(['one', 'two', 'three'].join(separator))]).toEqual(['one', 'two', 'three']);
});

/** What is between two strings may be in the piece behind it too. */
function joined(pieces: readonly string[]): string {
  return pieces.reduce((whole, piece) => {
    const [between = ''] = /^[\s,:{}[\]]*/.exec(piece) ?? [];
    return `${whole}${whole.endsWith(between) ? piece.slice(between.length) : piece}`;
  }, '');
}

test('deflate with fixed codes that breaks off is what the library refuses', () => {
  const { below } = diceFrom(1951);
  const whole = deflateRawSync(Buffer.from('\x01 a text, and a text again, \xff and a text'.repeat(3), 'latin1'), {
    strategy: constants.Z_FIXED,
  });
  const drawn = Array.from({ length: process.env.MUTATIONS === undefined ? 500 : 2000 }, (_, index) => {
    const bytes = Buffer.from(index % 2 === 0 ? whole : Array.from({ length: 8 + below(40) }, () => below(256)));
    bytes[1 + below(bytes.length - 1)]! ^= below(256);
    bytes[0] = (bytes[0]! & ~7) | 3;
    return bytes;
  }).filter((bytes) => (bytes[0]! & 15) !== 8);
  const refused = drawn.filter((bytes) => unpacked(bytes) === undefined);
  const others = drawn.filter((bytes) => inflated(bytes)[0]?.decoded.toString('hex') !== unpacked(bytes));
  expect(others).toEqual([]);
  expect([refused.length > drawn.length / 4, refused.length < 0.95 * drawn.length]).toEqual([true, true]);
});

/** By the library; undefined where it refuses the bytes or finds nothing. */
function unpacked(bytes: Buffer): string | undefined {
  try {
    return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('hex') || undefined;
  } catch {
    return undefined;
  }
}

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
    const finder = formFinder([
      manyTexts(
        'ids',
        texts.map((text) => [text] as const),
      ),
    ]);
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

test('a long packed body is unpacked once, however often a text shows it and however much it holds', () => {
  const { below } = diceFrom(1952);
  const word = () => Array.from({ length: 24 }, () => letters[below(letters.length)]).join('');
  const packed = gzipSync(['a marker', ...Array.from({ length: 50_000 }, word)].join(' ')).toString('base64');
  let met = 0;
  const allEscapes: Layer = (bytes) => {
    if (bytes.includes('a marker')) met += 1;
    return allLayers.allEscapes(bytes);
  };
  const leaksIn = scannerFor([secretText('it', 'nowhere in it')], { ...allLayers, allEscapes });
  const text = `<p title="%41&quot;">${packed}</p> \\u0041 ${packed} %2541`;
  expect(leaksIn({ name: 'a page', bytes: Buffer.from(text) })).toEqual([]);
  expect(met).toBe(1);
});
