/** summary.md: nothing from the wire is read as Markdown, and the file always fits into a comment. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Result } from '../../../src/record/result/result.ts';
import { code, commandBlock, markdownText, prose, table } from '../../../src/report/markdown.ts';
import { resultDocument } from '../../../src/report/result-document.ts';
import { visible } from '../../../src/report/visible.ts';
import { expect, test } from '../../engine.ts';
import { everything, hostile, resultOf, rows, statements, withHazards } from './all-outcomes.ts';
import { golden } from './golden.ts';
import { cells, codeSpans, outsideCode } from './markdown-reader.ts';

/** Text made of what has a meaning in Markdown, HTML or on GitHub. */
const marks = fc.string({
  unit: fc.constantFrom(
    '`',
    '``',
    '|',
    '\\',
    '<b>',
    '&amp;',
    '*',
    '_',
    '[x](y)',
    '@all',
    '#1',
    ' ',
    'a',
    '\n',
    '\u202e',
  ),
  maxLength: 12,
});

test('the sample is written as the golden file has it', () => {
  const text = summary(withHazards);
  expect(text).toBe(golden('all-outcomes.md', text));
});

test('a value in code comes back as it was, whatever Markdown means by its characters', () => {
  fc.assert(
    fc.property(marks, (text) => {
      const span = code(text, 1_000);
      if (visible(text).trim() === '') assert.match(span, /^\((?:empty|\d+ blanks)\)$/);
      else assert.deepEqual(codeSpans(`a ${span} b`), [visible(text)]);
    }),
    { seed: 21, numRuns: 500 },
  );
});

test('a value in code stays in its cell', () => {
  fc.assert(
    fc.property(marks, marks, (a, b) => {
      const line = table(['x', 'y'], [[code(a, 1_000), code(b, 1_000)]]).split('\n')[2]!;
      assert.deepEqual(cells(line), [code(a, 1_000).trim(), code(b, 1_000).trim()]);
    }),
    { seed: 22, numRuns: 500 },
  );
});

test('no backtick ends the block of a command', () => {
  const block = commandBlock('echo ``` `a`\n```\nrm');
  expect(block.split('\n')).toEqual(['````sh', 'echo ``` `a`<U+000A>```<U+000A>rm', '````']);
});

test('our own words lose their meaning as mark-up', () => {
  expect(prose('a_b *c* `d` <e> [f] \u202e')).toBe('a\\_b \\*c\\* \\`d\\` &#60;e&#62; \\[f\\] &#60;U+202E&#62;');
});

test('an address, a mention or a number of an issue in our own words is in code', () => {
  expect(prose('it has @all, o/r#1 and https://x.example/`a`.')).toBe(
    'it has `@all`, `o/r#1` and `` https://x.example/`a` ``.',
  );
  for (const word of ['@name', '#12', 'GH-7', 'http://x', 'www.x.example', 'a@b.example', 'mailto:a', '0123abc']) {
    expect(outsideCode(prose(`so says ${word} here`))).toBe('so says \u0000 here');
  }
  expect(prose('section 5.1, 3 times, a_b')).toBe('section 5.1, 3 times, a\\_b');
});

test('what an autopsy quotes of the client is not a link, a mention or a picture', () => {
  const facts = ['signed for http://e.example/<script> by @all', '![x](https://x.example/a.png) [y](javascript:1) #1'];
  const explained = { ...rows[2]!, explanations: [{ exchange: 1, deviations: [], facts, triedCount: 1 }] };
  const outside = outsideCode(summary(resultOf([explained])));
  expect(outside).toContain('- **Why:** Exchange 1: ');
  expect(outside).not.toMatch(/@|:\/\/|<script|#1|(?<!\\)[[\]]/);
});

test('outside code no character acts, and no mark-up is left but our own', () => {
  const outside = outsideCode(summary(everything)).replaceAll('\n', '').replaceAll('\u0000', '');
  expect(outside).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  const tags = new Set(outside.match(/<[^>]*>/g));
  expect([...tags].sort()).toEqual(['</details>', '</summary>', '<details>', '<summary>']);
});

test('whatever is in a run, its summary fits into a comment and says what it leaves out', () => {
  const many = Array.from({ length: 300 }, (_, index) => ({
    ...rows[2]!,
    id: `authentication/fails-${index}`,
    expected: '\u202e'.repeat(9_000),
    actual: '日本語'.repeat(3_000),
  }));
  const unclear = many.map((row, index) => ({ ...row, id: `recurring/${index}`, outcome: 'inconclusive' as const }));
  const observations = many.map((_, index) => ({ openPoint: 'A5', value: `${index} ${hostile.long}`, exchanges: [1] }));
  const text = summary(resultOf([...many, ...unclear], { observations, scope: { only: [hostile.long] } }));
  expect(text.length).toBeLessThan(65_536);
  expect(Buffer.byteLength(text)).toBeLessThan(80_000);
  expect(text).toContain('### Failures (300)');
  expect(text).toMatch(/… and \d+ more: report\.html and report\.json have them\./);
});

function summary(result: Result): string {
  return markdownText(resultDocument(result, { statements }));
}
