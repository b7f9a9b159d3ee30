/** What pages are made of, on the server and in a browser: a marked difference, and bytes. */
import { renderToString } from 'preact-render-to-string';
import { codeBlock, hexView } from '../../../src/report/pages/exchange-view.ts';
import { element } from '../../../src/report/pages/markup.ts';
import { expect, test } from '../../engine.ts';

for (const [text, other, marked] of [
  ['POST&a%3D1&b', 'POST&a%3D2&b', '1'],
  ['abc', 'abc', undefined],
  ['abXc', 'abc', 'X'],
  ['abc', 'abXc', undefined],
  ['aa', 'aaa', undefined],
  ['', 'a', undefined],
  ['<b>', '<i>', 'b'],
] as const) {
  test(`of ${text} beside ${other} is marked ${marked ?? 'nothing'}, and the text is whole`, () => {
    const shown = renderToString(codeBlock(element, 'Sent', text, other));
    expect(/<mark>(.*?)<\/mark>/.exec(shown)?.[1]).toBe(marked);
    const pre = /<pre[^>]*>(.*?)<\/pre>/.exec(shown)?.[1] ?? '';
    expect(pre.replace(/<\/?mark>/g, '')).toBe(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  });
}

test('bytes are shown with their offset, sixteen a line, and the rest is counted', () => {
  const shown = renderToString(hexView(element, 'Body', Buffer.from('0123456789abcdef\0é'), 18));
  expect(shown).toContain('Body, the first 18 of 19');
  expect(shown).toContain('000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef\n');
  expect(shown).toMatch(/000010 {2}00 c3 {40,}\.\./);
});
