/** Two texts one above the other: lengths, a caret under the first difference, and nothing that acts. */
import fc from 'fast-check';
import { comparedValues, comparison } from '../../../src/report/comparison.ts';
import { expect, test } from '../../engine.ts';
import { anyCharacter } from '../any-character.ts';

const long = 'POST&https%3A%2F%2F'.repeat(20);

const cafes = ['caf\u00e9 1           6 characters', 'cafe<U+0301> 1   7 characters', '   ^ character 4'];
const halves = ['x\u{1f600}y   3 characters', 'x\u{1f601}y   3 characters', ' ^ character 2'];
const feeds = ['t=e<U+000A>&x   6 characters', 't=e&x           5 characters', '   ^ character 4'];
const orders = ['#<U+0023>[e]a   6 characters', '##-e]a          6 characters', '         ^ character 3'];
const rows: readonly (readonly [what: string, expected: string, received: string, lines: readonly string[]])[] = [
  ['another letter', '/payn/1', '/payN/1', ['/payn/1   7 characters', '/payN/1   7 characters', '    ^ character 5']],
  ['a character more', 'a1b2', 'a1b2/', ['a1b2    4 characters', 'a1b2/   5 characters', '    ^ character 5']],
  ['nothing', 'a', '', ['a   1 character', '    0 characters', '^ character 1']],
  ['a line feed', 't=e\n&x', 't=e&x', feeds],
  ['a space at the end', 'ab', 'ab ', ['ab           2 characters', 'ab<U+0020>   3 characters', '  ^ character 3']],
  ['a mark of its own', 'caf\u00e9 1', 'cafe\u0301 1', cafes],
  ['one half of a pair', 'x\u{1f600}y', 'x\u{1f601}y', halves],
  ['an order', '##[e]a', '##-e]a', orders],
  ['something in the middle of a long text', `${long}a${long}`, `${long}b${long}`, ['…A%2F%2Faa', '…A%2F%2Fab']],
];

for (const [what, expected, received, lines] of rows.slice(0, -1)) {
  test(`${what} has the caret under it`, () => {
    expect(comparison(expected, received, 48)).toEqual(lines);
  });
}

test('a long text is cut around the difference', () => {
  const [one, other, caret] = comparison(`${long}a${long}`, `${long}b${long}`, 60)!;
  const column = caret.indexOf('^');
  expect([one[column], other[column]]).toEqual(['a', 'b']);
  expect(one).toMatch(/^…\S+a\S+… {3}761 characters$/);
  expect(caret).toMatch(/\^ character 381$/);
  expect(one.length).toBeLessThanOrEqual(60);
});

test('equal texts have no comparison', () => {
  expect(comparison(long, long, 60)).toBeUndefined();
});

test('any two texts give three lines that hold no control character and fit', () => {
  const text = fc.array(anyCharacter, { maxLength: 60 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(text, text, text, (start, a, b) => {
      const lines = comparison(start + a, start + b, 80);
      if (a === b) return expect(lines).toBeUndefined();
      for (const line of lines!) expect(line).not.toMatch(/\p{Cc}|\p{Cf}|##\[/u);
      const caret = lines![2].indexOf('^');
      const [one, other] = lines!.slice(0, 2).map((line) => [...line].slice(0, caret).join(''));
      expect(one).toBe(other);
    }),
    { seed: 1 },
  );
});

const values: readonly (readonly [what: string, expected: string, received: string, isCompared: boolean])[] = [
  ['paths that are alike', '/paynet/api/v2/close-day/1', '/paynet/api/v2/close-day/1/', true],
  ['quoted cells that are alike', 'client-orderid "order 42;1"', 'client-orderid "order 42,1"', true],
  ['short values', '1.00', '1,00', false],
  ['values that have nothing in common', 'AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB', false],
  ['words of ours', 'type without a line feed', 'type with its line feed', false],
  ['a value and a word', '/paynet/api/v2/close-day/1', 'none', false],
];

for (const [what, expected, received, isCompared] of values) {
  test(`${what} are ${isCompared ? '' : 'not '}put one above the other`, () => {
    expect(comparedValues(expected, received, 80) !== undefined).toBe(isCompared);
    expect(comparedValues(undefined, received, 80)).toBeUndefined();
  });
}
