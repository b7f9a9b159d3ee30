/** Text from elsewhere is shown, and does nothing else. */
import { shortened, visible, visibleJson, withoutOrder, withSpaces } from '../../../src/report/visible.ts';
import { expect, test } from '../../engine.ts';
import { hostile } from './all-outcomes.ts';

test('a character that acts is written out by its number', () => {
  expect(visible('a\u0000b')).toBe('a<U+0000>b');
  expect(visible('\u001b[2J')).toBe('<U+001B>[2J');
  expect(visible('\u009b31m')).toBe('<U+009B>31m');
  expect(visible('\u202egpj')).toBe('<U+202E>gpj');
  expect(visible('\u{e0041}')).toBe('<U+E0041>');
  expect(visible('\ud83d')).toBe('<U+D83D>');
  expect(visible('a\r\nb\u2028c')).toBe('a<U+000D><U+000A>b<U+2028>c');
});

test('letters whose marks stand apart are told from those of one character, and marks that have no such character stay', () => {
  const text = 'Zażółć Ünï';
  expect(visible(text)).toBe(text);
  expect(visible(text.normalize('NFD'))).toBe('Zaz<U+0307>o<U+0301>łc<U+0301> U<U+0308>ni<U+0308>');
  expect(visible('x\u0301 e\u0323\u0301')).toBe('x\u0301 e<U+0323><U+0301>');
  const hindi = 'नमस्ते';
  expect(visible(hindi)).toBe(hindi);
  expect(visible(`a${'\u0301\u0323'.repeat(100_000)}`).length).toBeGreaterThan(200_000);
});

test('a space that nobody would see, or that looks like another one, is written out', () => {
  expect(visible('a\u00a0b\u2003c\u2800 d')).toBe('a<U+00A0>b<U+2003>c<U+2800> d');
  expect(withSpaces(' a  b ')).toBe('<U+0020>a <U+0020>b<U+0020>');
  expect(withSpaces('a b')).toBe('a b');
});

test('ordinary text in any script stays unchanged', () => {
  const text = 'Tagesabschluß 日本語 Привет עברית é \u{1f642} <&>"\'\\ ~';
  expect(visible(text)).toBe(text);
});

test('no line gives an order to the build server that prints it', () => {
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
  expect(['::error::x', '  ::stop-commands::x', 'a ::error::x', '::1'].map(withoutOrder)).toEqual([
    '<U+003A>:error::x',
    '  <U+003A>:stop-commands::x',
    'a ::error::x',
    '<U+003A>:1',
  ]);
});

for (const [name, value] of Object.entries(hostile)) {
  test(`no acting character is left in: ${name}`, () => {
    expect(visible(value)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  });
}

test('a text at the limit stays whole and one beyond it keeps both ends and gives its length', () => {
  expect(shortened('x'.repeat(40), 40)).toBe('x'.repeat(40));
  expect(shortened(`a${'x'.repeat(1200)}z`, 40)).toBe(
    `a${'x'.repeat(29)} [… 1,202 characters in all …] ${'x'.repeat(9)}z`,
  );
});

test('characters are counted by code points, so pairs do not make a text too long', () => {
  expect(shortened('\u{1f642}'.repeat(20), 20)).toBe('\u{1f642}'.repeat(20));
});

test('the ends of a text of pairs and halves are those of its characters', () => {
  for (const unit of ['\u{1f642}', 'a\u{1f642}', '\ud83d', '\ude42\ud83d', '\u{1f642}\ud83d']) {
    const text = unit.repeat(30);
    const characters = [...text];
    const ends = `${characters.slice(0, 15).join('')} [… ${characters.length} characters in all …] ${characters.slice(-5).join('')}`;
    expect(shortened(text, 20)).toBe(ends);
  }
});
