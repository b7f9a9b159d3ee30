/** Text of a subject is safe to show: alone, in a comparison, and as bytes. */
import fc from 'fast-check';
import { renderToString } from 'preact-render-to-string';
import { comparedValues, comparison } from '../../../src/report/comparison.ts';
import { codeBlock, exchangeDetail } from '../../../src/report/pages/exchange-view.ts';
import { element } from '../../../src/report/pages/markup.ts';
import { shortened, showSpaces, visible, visibleJson, withoutCommand } from '../../../src/report/visible.ts';
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
];

for (const [what, expected, received, lines] of rows) {
  test(`the caret is below the difference: ${what}`, () => {
    expect(comparison(expected, received, 48)).toEqual(lines);
  });
}

test('a long text is cut around the difference, and equal texts have no comparison', () => {
  const [one, other, caret] = comparison(`${long}a${long}`, `${long}b${long}`, 60)!;
  const column = caret.indexOf('^');
  expect([one[column], other[column]]).toEqual(['a', 'b']);
  expect(one).toMatch(/^…\S+a\S+… {3}761 characters$/);
  expect(caret).toMatch(/\^ character 381$/);
  expect(one.length).toBeLessThanOrEqual(60);
  expect(comparison(long, long, 60)).toBeUndefined();
});

test('a comparison has no control character, and the caret is at the first difference', () => {
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
  test(`${what} are ${isCompared ? '' : 'not '}compared`, () => {
    expect(comparedValues(expected, received, 80) !== undefined).toBe(isCompared);
    expect(comparedValues(undefined, received, 80)).toBeUndefined();
  });
}

for (const [text, other, marked] of [
  ['POST&a%3D1&b', 'POST&a%3D2&b', '1'],
  ['abc', 'abc', undefined],
  ['abXc', 'abc', 'X'],
  ['abc', 'abXc', undefined],
  ['aa', 'aaa', undefined],
  ['', 'a', undefined],
  ['<b>', '<i>', 'b'],
] as const) {
  test(`a code block of ${text} compared with ${other} marks ${marked ?? 'nothing'}`, () => {
    const html = renderToString(codeBlock(element, 'Sent', text, other));
    expect(/<mark>(.*?)<\/mark>/.exec(html)?.[1]).toBe(marked);
    const pre = /<pre[^>]*>(.*?)<\/pre>/.exec(html)?.[1] ?? '';
    expect(pre.replace(/<\/?mark>/g, '')).toBe(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  });
}

test('bytes are printed with their offset, sixteen in a line, up to 4,096', () => {
  const text = `0123456789abcdef\0é${'x'.repeat(4078)}`;
  const request = { line: 'POST / HTTP/1.1', headers: [], body: { text, bytes: 4097 } };
  const one = { number: 1, scenario: '', origin: '', label: '', said: [], ms: 0, at: '', request };
  const shown = renderToString(element('div', null, ...exchangeDetail(element, one, undefined)));
  expect(shown).toContain('Body, the first 4,096 of 4,097');
  expect(shown).toContain('000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef\n');
  expect(shown).toMatch(/000010 {2}00 c3 a9( 78){5} ( 78){8} {2}\.\.\.x{13}\n/);
});

test('invisible characters and controls are printed by their number', () => {
  expect(visible('a\u0000b')).toBe('a<U+0000>b');
  expect(visible('\u001b[2J')).toBe('<U+001B>[2J');
  expect(visible('\u009b31m')).toBe('<U+009B>31m');
  expect(visible('\u202egpj')).toBe('<U+202E>gpj');
  expect(visible('\u{e0041}')).toBe('<U+E0041>');
  expect(visible('\ud83d')).toBe('<U+D83D>');
  expect(visible('a\r\nb\u2028c')).toBe('a<U+000D><U+000A>b<U+2028>c');
});

test('combining marks are printed by their number if NFC would change them', () => {
  const text = 'Zażółć Ünï';
  expect(visible(text)).toBe(text);
  expect(visible(text.normalize('NFD'))).toBe('Zaz<U+0307>o<U+0301>łc<U+0301> U<U+0308>ni<U+0308>');
  expect(visible('x\u0301 e\u0323\u0301')).toBe('x\u0301 e<U+0323><U+0301>');
  const hindi = 'नमस्ते';
  expect(visible(hindi)).toBe(hindi);
  expect(visible(`a${'\u0301\u0323'.repeat(100_000)}`).length).toBeGreaterThan(200_000);
});

test('unusual spaces, and spaces at an end or in a row, are printed by their number', () => {
  expect(visible('a\u00a0b\u2003c\u2800 d')).toBe('a<U+00A0>b<U+2003>c<U+2800> d');
  expect(showSpaces(' a  b ')).toBe('<U+0020>a <U+0020>b<U+0020>');
  expect(showSpaces('a b')).toBe('a b');
});

test('ordinary text of any script is unchanged', () => {
  const text = 'Tagesabschluß 日本語 Привет עברית é \u{1f642} <&>"\'\\ ~';
  expect(visible(text)).toBe(text);
});

test('commands to build servers are disabled', () => {
  for (const text of [
    '##[error]x',
    'a ##vso[task.setvariable variable=a]b',
    "##teamcity[buildProblem description='x']",
    'a [[ATTACHMENT|/etc/passwd]] b',
    '[[[PROPERTY|a=b]]',
  ]) {
    expect(visible(text)).toBe(text.replace('##', '#<U+0023>').replace(/\[\[(?!\[)/, '[<U+005B>'));
    expect(visibleJson(JSON.stringify(text))).not.toMatch(/##|\[\[[A-Z]/);
    expect(JSON.parse(visibleJson(JSON.stringify(text)))).toBe(text);
  }
  expect(visible('### a heading, ## [a link], [[1, 2]]')).toBe('### a heading, ## [a link], [[1, 2]]');
  expect(['::error::x', '  ::stop-commands::x', 'a ::error::x', '::1'].map(withoutCommand)).toEqual([
    '<U+003A>:error::x',
    '  <U+003A>:stop-commands::x',
    'a ::error::x',
    '<U+003A>:1',
  ]);
});

test('a text over the limit keeps both ends and says its length', () => {
  expect(shortened('x'.repeat(40), 40)).toBe('x'.repeat(40));
  expect(shortened(`a${'x'.repeat(1200)}z`, 40)).toBe(
    `a${'x'.repeat(29)} [… 1,202 characters in all …] ${'x'.repeat(9)}z`,
  );
});

test('shortening never splits a surrogate pair', () => {
  for (const unit of ['\u{1f642}', 'a\u{1f642}', '\ud83d', '\ude42\ud83d', '\u{1f642}\ud83d']) {
    const text = unit.repeat(30);
    const characters = [...text];
    const ends = `${characters.slice(0, 15).join('')} [… ${characters.length} characters in all …] ${characters.slice(-5).join('')}`;
    expect(shortened(text, 20)).toBe(ends);
  }
});
