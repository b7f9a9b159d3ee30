/** Each telling input changes what a signer with the mistake in question signs; an ordinary request does not. */

import { tellingInputs } from '../../../generators/index.ts';
import { expect, test } from '../../engine.ts';

type Pair = readonly [string, string];

/** What goes into a signature, reduced to the parts that the mistakes below touch. */
interface Signed {
  readonly pairs: readonly Pair[];
  readonly uri: string;
  readonly key: string;
}

interface Given {
  readonly form: readonly Pair[];
  readonly query: readonly Pair[];
  readonly secret: string;
  readonly scheme: string;
  readonly port: string;
  readonly path: string;
}

/** A mistake for each input, told as what is signed instead. */
const mistakes: Record<string, (given: Given) => Signed> = {
  'repeated-name-with-accent-and-z': (given) => ({
    ...right(given),
    pairs: sortedRaw(parameters(given)).map(encodePair),
  }),
  'sub-delimiters': (given) => ({
    ...right(given),
    pairs: parameters(given)
      .map((pair) => mapped(pair, encodeURIComponent))
      .sort(byBoth),
  }),
  'spaces-at-the-edges': (given) => ({
    ...right(given),
    pairs: encodedSorted(parameters(given).map((pair) => mapped(pair, (text) => text.trim()))),
  }),
  'http-on-another-port': (given) => ({ ...right(given), uri: `${given.scheme}://gateway.example${given.path}` }),
  'secret-with-space-plus-ampersand-percent': (given) => ({ ...right(given), key: `${given.secret}&` }),
  plus: (given) => ({
    ...right(given),
    pairs: encodedSorted(parameters(given).map((pair) => mapped(pair, (text) => text.replaceAll('+', ' ')))),
  }),
  query: (given) => ({ ...right(given), pairs: encodedSorted(given.form) }),
  'literal-percent-escape': (given) => ({
    ...right(given),
    pairs: encodedSorted(parameters(given).map((pair) => mapped(pair, decodeURIComponent))),
  }),
  'slash-colon-at-comma-semicolon': (given) => ({
    ...right(given),
    pairs: parameters(given)
      .map((pair) => mapped(pair, encodeURI))
      .sort(byBoth),
  }),
  'empty-value': (given) => ({
    ...right(given),
    pairs: encodedSorted(parameters(given).filter(([, value]) => value !== '')),
  }),
  'line-end': (given) => ({
    ...right(given),
    pairs: encodedSorted(parameters(given).map((pair) => mapped(pair, (text) => text.replaceAll('\r\n', '\n')))),
  }),
  'written-default-port': (given) => ({
    ...right(given),
    uri: `${given.scheme}://gateway.example${given.port && `:${given.port}`}${given.path}`,
  }),
  'upper-case-in-the-path': (given) => ({ ...right(given), uri: right(given).uri.toLowerCase() }),
  'escape-in-the-path': (given) => ({ ...right(given), uri: decodeURIComponent(right(given).uri) }),
  'names-a-and-a-dash-b': (given) => ({
    ...right(given),
    pairs: parameters(given)
      .map(encodePair)
      .sort((a, b) => compare(a.join('='), b.join('='))),
  }),
  'names-with-capitals': (given) => ({
    ...right(given),
    pairs: parameters(given)
      .map(encodePair)
      .sort(([a], [b]) => compare(a.toLowerCase(), b.toLowerCase())),
  }),
  'secret-with-sub-delimiters': (given) => ({ ...right(given), key: `${encodeURIComponent(given.secret)}&` }),
};

const ordinary: Given = {
  form: [
    ['day_close_request_id', 'a1b2c3d4'],
    ['sale_approved_count', '2'],
  ],
  query: [],
  secret: '0123456789abcdef',
  scheme: 'https',
  port: '',
  path: '/paynet/api/v2/close-day/1111',
};

test('there are seventeen telling inputs, each with a mistake of its own', () => {
  expect(tellingInputs.map(({ edge }) => edge)).toEqual(Object.keys(mistakes));
  expect(tellingInputs).toHaveLength(17);
});

for (const { edge, value } of tellingInputs) {
  test(`${edge} shows what an ordinary request hides`, () => {
    const mistake = mistakes[edge!]!;
    expect(mistake(ordinary)).toEqual(right(ordinary));
    const given: Given = {
      form: [...ordinary.form, ...(value.form ?? [])],
      query: (value.url?.query ?? '')
        .split('&')
        .flatMap((pair): Pair[] => (pair === '' ? [] : [pair.split('=') as unknown as Pair])),
      secret: value.secret ?? ordinary.secret,
      scheme: value.url?.scheme ?? ordinary.scheme,
      port: String(value.url?.port ?? ''),
      path: ordinary.path.replace('/paynet', value.url?.prefix ?? '/paynet'),
    };
    expect(mistake(given)).not.toEqual(right(given));
  });
}

function right(given: Given): Signed {
  const isDefault = given.port === '' || given.port === (given.scheme === 'https' ? '443' : '80');
  return {
    pairs: encodedSorted(parameters(given)),
    uri: `${given.scheme}://gateway.example${isDefault ? '' : `:${given.port}`}${given.path}`,
    key: `${encode(given.secret)}&`,
  };
}

function parameters({ form, query }: Given): readonly Pair[] {
  return [...form, ...query];
}

function encodedSorted(pairs: readonly Pair[]): readonly Pair[] {
  return pairs.map(encodePair).sort(byBoth);
}

function sortedRaw(pairs: readonly Pair[]): readonly Pair[] {
  return [...pairs].sort(byBoth);
}

function encodePair(pair: Pair): Pair {
  return mapped(pair, encode);
}

function mapped([name, value]: Pair, change: (text: string) => string): Pair {
  return [name, change(value)];
}

function encode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

function byBoth(a: Pair, b: Pair): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
