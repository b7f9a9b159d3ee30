/** Reports on a terminal and in summary.md: complete, short, and safe with hostile values. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { countOutcomes } from '../../../src/record/result/conclude.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { type Block, plainText } from '../../../src/report/document.ts';
import { markdownText } from '../../../src/report/markdown.ts';
import { formatGlobs } from '../../../src/report/phrases.ts';
import { resultDocument } from '../../../src/report/result-document.ts';
import { mayColour, progressLine, terminalText, textWidth, widthOf, wrap } from '../../../src/report/terminal.ts';
import { visible } from '../../../src/report/visible.ts';
import { expect, test } from '../../engine.ts';
import {
  batchSentAgain,
  everything,
  hostile,
  resultOf,
  rows,
  statements,
  withHazards,
  written,
} from './all-outcomes.ts';

const files = ['reports/runs/1-mock'];

test('every readable report names --accept-partial exactly if it makes the exit code 0', () => {
  const open = { ...rows[0]!, id: 'transport/head', outcome: 'inconclusive', blame: 'configuration' } as const;
  const known = { ...rows[2]!, known: { reason: 'GW-12' } };
  const texts = (result: Result) => [plain(result), written.summary(result), firstOf(result)];
  for (const all of [[open], [known, open]]) {
    for (const text of texts(resultOf(all)))
      expect(text).toMatch(/exit\s+code\s+1,\s+or\s+0\s+with\s+--accept-partial/);
  }
  const others = [[{ ...open, blame: 'subject' } as const], [rows[2]!, open], [{ ...open, demanded: true } as const]];
  const recorded = { subject: { kind: 'gateway', name: 'a recording', target: 'recording' } } as const;
  const unaffected = [...others.map((all) => resultOf(all)), resultOf([open], recorded)];
  for (const text of unaffected.flatMap(texts)) expect(text).not.toContain('--accept-partial');
});

test('the text without colour has no control character', () => {
  expect(plain(everything).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('colours add only our own codes to the text', () => {
  const coloured = plain(everything, 100, true);
  // biome-ignore lint/complexity/useRegexLiterals: the escape character is easier to see by its number
  const bare = coloured.replace(new RegExp('\u001b\\[(?:1|2|22|31|32|33|35|39)m', 'g'), '');
  expect(bare).not.toBe(coloured);
  expect(bare).toBe(plain(everything));
});

test('the end of a run fits a screen of 50 lines, and names the omitted parts', () => {
  const fail = rows.find(({ outcome }) => outcome === 'fail')!;
  const unclear = rows.find(({ outcome }) => outcome === 'inconclusive')!;
  const many = Array.from({ length: 60 }, (_, at) => [
    { ...fail, id: `close-day/fails-${at}`, exchanges: [at], actual: `a value ${at}` },
    { ...unclear, id: `close-day/open-${at}`, reason: `reason ${at}` },
  ]);
  const hazards = Array.from({ length: 9 }, () => batchSentAgain);
  const end = (result: Result) =>
    terminalText(resultDocument(result, { statements, files }), { colour: false, width: 100, screen: 50 });
  for (const result of [withHazards, resultOf(many.flat()), resultOf(many.flat(), { hazards })]) {
    const text = end(result);
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(50);
    expect(text).toMatch(/\nNot shown: [\s\S]*\s--verbose\s+shows\s+them\.\n/);
    expect(text).toMatch(/\n {2}repeat {2,}countersign gateway /);
  }
  expect(end(resultOf(many.flat()))).toContain('✗ close-day/fails-4  received a value 4\n');
  expect(end(resultOf([rows[0]!]))).not.toContain('--verbose');
});

test('only commands, ids and tables are wider than the terminal', () => {
  for (const width of [40, 60, 100]) {
    const tooLong = plain(everything, width)
      .split('\n')
      .filter(
        (line) => line.length > width && !/^ *repeat|^[✗?✓!-] |inconclusive {2}pass|^\S+ +[\d.]+ +[\d.]+ /.test(line),
      )
      // A word is never broken, so a word that is longer than a line is alone on a line.
      .filter((line) => !/^ *(?:[a-z][a-z ]* {2,})?\S+$/.test(line));
    // The conclusion may be longer than the width, too.
    expect(tooLong.filter((line) => !line.startsWith('Conclusion: '))).toEqual([]);
  }
});

test('a long value in the reason of an aborted run does not hide the sentences around it', () => {
  const ours = 'A wrong secret and a wrong key at the same time are unlikely. '.repeat(5);
  const aborted = `${ours}The adapter wrote: ${'x'.repeat(5000)}. ${ours}Ask again.`;
  const text = plain(resultOf([], { conclusion: 'aborted', aborted })).replace(/\n {2}/g, ' ');
  expect(text).toContain(`${ours}The adapter wrote: xxx`);
  expect(text).toContain(`${ours}Ask again.`);
  expect(text.length).toBeLessThan(3000);
});

test('colours need a terminal, no NO_COLOR and no dumb terminal', () => {
  const environments = [{}, { NO_COLOR: '' }, { NO_COLOR: '1' }, { TERM: 'dumb' }];
  expect(environments.map((one) => mayColour({ isTTY: true }, one))).toEqual([true, true, false, false]);
  expect([{ isTTY: false }, {}].map((stream) => mayColour(stream, {}))).toEqual([false, false]);
});

test('texts have 40 to 100 columns, 80 if a terminal does not know its width, and 100 in a file', () => {
  expect([20, 80, 200, undefined].map(textWidth)).toEqual([40, 80, 100, 100]);
  const streams = [{ isTTY: true, columns: 0 }, { isTTY: true }, { isTTY: true, columns: 120 }, { columns: 120 }, {}];
  expect(streams.map(widthOf)).toEqual([80, 80, 120, undefined, undefined]);
});

test('no line of the text starts with a command to a build server', () => {
  const texts = ['::error file=a::b', `${'x'.repeat(400)} ::set-output a::b ##[add-mask]c`, `${'y'.repeat(71)} ::a::b`];
  const open = rows.find(({ outcome }) => outcome === 'inconclusive')!;
  const hostileRows = texts.map((text) => ({ ...open, reason: text, remark: text }));
  const printed = plain(resultOf(hostileRows), 73);
  expect(printed).toContain('<U+003A>:a::b');
  expect(printed).not.toMatch(/^\s*::|##\w*\[/m);
});

test('lines break at spaces, never in a word or a command', () => {
  expect(wrap('one two three four five six', 20)).toEqual(['one two three four', 'five six']);
  expect(wrap(`a ${'x-y'.repeat(15)} b`, 20)).toEqual(['a', 'x-y'.repeat(15), 'b']);
  expect(wrap('see `countersign merge --out a` for it', 20)).toEqual(['see', '`countersign merge --out a`', 'for it']);
  expect(wrap('', 20)).toEqual(['']);
});

test('a line of progress shows the worst outcome and all counts, worst first', () => {
  const end = { scenario: 'close-day/\u001bodd', durationMs: 1_234, place: 3, of: 12 };
  const line = progressLine({ ...end, counts: countOutcomes(rows), waiting: 2 }, { colour: false });
  expect(line).toBe(
    '[ 3/12] ! close-day/<U+001B>odd: 1 error, 3 fail, 3 inconclusive, 2 pass, 2 not-applicable, 2 decided at the end of the run (1.2 s)',
  );
});

test('three or more consecutive exchanges are printed as a range', () => {
  const lists = [[1, 2, 3, 5, 7, 8, 10, 11, 12, 13], [3, 1, 2, 3], []];
  const ranges = lists.map((exchanges) => plainText({ exchanges }, 100));
  expect(ranges).toEqual(['1–3, 5, 7, 8, 10–13', '1–3', '']);
});

test('the patterns of a narrowed run are a list with commas', () => {
  expect(formatGlobs(['a/*', 'b/c'])).toBe('a/*, b/c');
  expect(formatGlobs(['!a/b', '!c/*'])).toBe('all except a/b, c/*');
  expect(formatGlobs(['a/*', '!a/b'])).toBe('a/* except a/b');
  expect(formatGlobs(['1', '2', '3', '4', '5', '6', '7'])).toBe('1, 2, 3, 4, 5 and 2 more');
});

function firstOf(result: Result): string {
  return written.page(result).replaceAll(/<\/?span[^>]*>/g, '');
}

function plain(result: Result, width = 100, colour = false): string {
  return terminalText(resultDocument(result, { statements, files }), { colour, width, most: Infinity });
}

function markdown(...head: readonly Block[]): string {
  const empty = { product: '', verdict: '', name: '', sections: [], moreHint: '', foot: '' };
  return markdownText({ ...empty, outcome: 'pass', head })
    .replace(/^## .*\n\n/, '')
    .slice(0, -1);
}

const code = (value: string) => markdown({ text: { value } });
const prose = (text: string) => markdown({ text });

const marks = fc.string({
  unit: fc.constantFrom(...'` `` | \\ <b> &amp; * _ [x](y) @all #1 a \u202e'.split(' '), ' ', '\n'),
  maxLength: 12,
});

test('a value in a code span is unchanged in the rendered Markdown', () => {
  fc.assert(
    fc.property(marks, (text) => {
      const span = code(text);
      if (visible(text).trim() === '') assert.match(span, /^\((?:empty|\d+ blanks)\)$/);
      else assert.deepEqual(codeSpans(`a ${span} b`), [visible(text)]);
    }),
    { seed: 21, numRuns: 500 },
  );
});

test('a value in a code span stays in its table cell', () => {
  fc.assert(
    fc.property(marks, marks, (a, b) => {
      const rows = [{ cells: [[{ value: a }], [{ value: b }]] }];
      const line = markdown({ table: { label: '', head: ['x', 'y'], rows } }).split('\n')[2]!;
      assert.deepEqual(cells(line), [code(a).trim(), code(b).trim()]);
    }),
    { seed: 22, numRuns: 500 },
  );
});

test('a backtick does not end the code block of a command', () => {
  const block = markdown({ command: 'echo ``` `a`\n```\nrm' });
  expect(block.split('\n')).toEqual(['````sh', 'echo ``` `a`<U+000A>```<U+000A>rm', '````']);
});

test('sentences are escaped for Markdown and HTML', () => {
  expect(prose('a_b *c* `d` <e> [f] \u202e')).toBe('a\\_b \\*c\\* \\`d\\` &#60;e&#62; \\[f\\] &#60;U+202E&#62;');
});

test('addresses, mentions and issue numbers in sentences become code spans', () => {
  expect(prose('it has @all, o/r#1 and https://x.example/`a`.')).toBe(
    'it has `@all`, `o/r#1` and `` https://x.example/`a` ``.',
  );
  for (const word of ['@name', '#12', 'GH-7', 'http://x', 'www.x.example', 'a@b.example', 'mailto:a', '0123abc'])
    expect(outsideCode(prose(`so says ${word} here`))).toBe('so says \u0000 here');
  expect(prose('section 5.1, 3 times, a_b')).toBe('section 5.1, 3 times, a\\_b');
});

test('quotes of a client in an autopsy become no link, mention or picture', () => {
  const facts = ['signed for http://e.example/<script> by @all', '![x](https://x.example/a.png) [y](javascript:1) #1'];
  const explained = { ...rows[2]!, explanations: [{ exchange: 1, deviations: [], facts, triedCount: 1 }] };
  const outside = outsideCode(summary(resultOf([explained])));
  expect(outside).toContain('- **Why:** Exchange 1: ');
  expect(outside).not.toMatch(/@|:\/\/|<script|#1|(?<!\\)[[\]]/);
});

test('outside of code spans summary.md has only our own markup and no control character', () => {
  const outside = outsideCode(summary(everything)).replaceAll('\n', '').replaceAll('\u0000', '');
  expect(outside).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  const tags = new Set(outside.match(/<[^>]*>/g));
  expect([...tags].sort()).toEqual(['</details>', '</summary>', '<details>', '<summary>']);
});

test('summary.md of a huge run fits into a comment, and counts the omitted parts', () => {
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

/** The text without fenced blocks, and with `\u0000` for each code span (CommonMark 0.31, 4.5 and 6.1). */
function outsideCode(markdown: string): string {
  const withoutBlocks = markdown.replace(/^(`{3,})sh\n[^\n]*\n\1$/gm, '\u0000');
  return withoutBlocks.replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/gs, '\u0000');
}

function codeSpans(markdown: string): string[] {
  return [...markdown.matchAll(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/gs)].map(([, , content = '']) =>
    /^ .*[^ ].* $|^ [^ ] $/s.test(content) ? content.slice(1, -1) : content,
  );
}

/** The cells of a line. Even in code, a pipe ends a cell unless a backslash precedes it (GFM 4.10). */
function cells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
