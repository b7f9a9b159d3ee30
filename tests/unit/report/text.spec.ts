/** The end of a run on a terminal. */
import { countOutcomes } from '../../../src/record/result/conclude.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { rangesText } from '../../../src/report/document.ts';
import { resultDocument } from '../../../src/report/result-document.ts';
import { mayColour, progressLine, terminalText, widthOf, wrap } from '../../../src/report/terminal.ts';
import { expect, test } from '../../engine.ts';
import { batchSentAgain, everything, resultOf, rows, statements, withHazards, written } from './all-outcomes.ts';
import { golden } from './golden.ts';

const files = ['reports/runs/1-mock'];

test('the sample is written as the golden file has it', () => {
  const text = plain(withHazards);
  expect(text).toBe(golden('all-outcomes.txt', text));
});

test('every readable report names --accept-partial exactly where it makes the exit code 0', () => {
  const open = { ...rows[0]!, id: 'transport/head', outcome: 'inconclusive', blame: 'configuration' } as const;
  const known = { ...rows[2]!, known: { reason: 'GW-12' } };
  const texts = (result: Result) => [plain(result), written.summary(result), firstOf(result)];
  for (const all of [[open], [known, open]])
    for (const text of texts(resultOf(all))) expect(text).toMatch(/exit code 1,\s+with --accept-partial 0/);
  const others = [[{ ...open, blame: 'subject' } as const], [rows[2]!, open], [{ ...open, demanded: true } as const]];
  const recorded = { subject: { kind: 'gateway', name: 'a recording', target: 'recording' } } as const;
  const stay = [...others.map((all) => resultOf(all)), resultOf([open], recorded)];
  for (const text of stay.flatMap(texts)) expect(text).not.toContain('--accept-partial');
});

test('without colour nothing of the output acts on the terminal', () => {
  expect(plain(everything).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('with colour only our own codes are in it, and without them it is the same text', () => {
  const coloured = terminalText(resultDocument(everything, { statements, files }), {
    colour: true,
    width: 100,
    most: Number.POSITIVE_INFINITY,
  });
  // biome-ignore lint/complexity/useRegexLiterals: the escape character is easier to see by its number
  const bare = coloured.replace(new RegExp('\u001b\\[(?:1|2|22|31|32|33|35|39)m', 'g'), '');
  expect(bare).not.toBe(coloured);
  expect(bare).toBe(plain(everything));
});

test('a run ends within a screen of 50 lines, which names what it leaves out', () => {
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

test('lines keep to the width, but for a command that somebody will copy', () => {
  for (const width of [40, 60, 100]) {
    const tooLong = terminalText(resultDocument(everything, { statements, files }), {
      colour: false,
      width,
      most: Number.POSITIVE_INFINITY,
    })
      .split('\n')
      .filter(
        (line) => line.length > width && !/^ *repeat|^[✗?✓!-] |inconclusive {2}pass|^\S+ +[\d.]+ +[\d.]+ /.test(line),
      );
    // Signed lines hold an id and its kind, the table has a width of its own: both are short by nature.
    expect(tooLong.filter((line) => !line.startsWith('Conclusion: '))).toEqual([]);
  }
});

test('a long value in the sentence of an aborted run takes nothing of the words around it', () => {
  const ours = 'A wrong secret and a wrong key at the same time are unlikely. '.repeat(5);
  const aborted = `${ours}The adapter wrote: ${'x'.repeat(5000)}. ${ours}Ask again.`;
  const text = plain(resultOf([], { conclusion: 'aborted', aborted })).replace(/\n {2}/g, ' ');
  expect(text).toContain(`${ours}The adapter wrote: xxx`);
  expect(text).toContain(`${ours}Ask again.`);
  expect(text.length).toBeLessThan(3000);
});

test('colours need a terminal, no NO_COLOR and no dumb terminal', () => {
  expect(mayColour({ isTTY: true }, {})).toBe(true);
  expect(mayColour({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
  expect(mayColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(mayColour({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
  expect(mayColour({ isTTY: false }, {})).toBe(false);
  expect(mayColour({}, {})).toBe(false);
});

test('a terminal that does not know its width has 80 columns, and a pipe has none', () => {
  const streams = [{ isTTY: true, columns: 0 }, { isTTY: true }, { isTTY: true, columns: 120 }, { columns: 120 }, {}];
  expect(streams.map(widthOf)).toEqual([80, 80, 120, undefined, undefined]);
});

test('no line of the text is an order to a build server, wherever a value is broken', () => {
  const values = ['::error file=a::b', `${'x'.repeat(400)} ::set-output a::b ##[add-mask]c`, `${'y'.repeat(71)}::a::b`];
  const open = rows.find(({ outcome }) => outcome === 'inconclusive')!;
  const hostileRows = values.map((value) => ({ ...open, reason: value, remark: value }));
  const printed = terminalText(resultDocument(resultOf(hostileRows), { statements, files }), {
    colour: false,
    width: 73,
    most: Number.POSITIVE_INFINITY,
  });
  expect(printed).toContain('<U+003A>:a::b');
  expect(printed).not.toMatch(/^\s*::|##\w*\[/m);
});

test('text is broken at spaces and a word that is longer than a line inside it', () => {
  expect(wrap('one two three four five six', 20)).toEqual(['one two three four', 'five six']);
  expect(wrap(`a ${'x'.repeat(45)} b`, 20)).toEqual(['a', 'x'.repeat(20), 'x'.repeat(20), 'xxxxx b']);
  expect(wrap('', 20)).toEqual(['']);
});

test('a line of progress shows the worst outcome and all counts, worst first', () => {
  const end = { scenario: 'close-day/\u001bodd', durationMs: 1_234, place: 3, of: 12 };
  const line = progressLine({ ...end, counts: countOutcomes(rows), waiting: 2 }, { colour: false });
  expect(line).toBe(
    '[ 3/12] ! close-day/<U+001B>odd: 1 error, 3 fail, 3 inconclusive, 2 pass, 2 not-applicable, 2 decided at the end of the run (1.2 s)',
  );
  const none = { ...end, counts: countOutcomes([]) };
  expect(progressLine(none, { colour: false })).toContain(': no verdict of its own');
  expect(progressLine({ ...none, nothingSent: true }, { colour: false })).toContain(': nothing sent');
});

test('numbers of exchanges are told as ranges, from three on', () => {
  const told = [[1, 2, 3, 5, 7, 8, 10, 11, 12, 13], [3, 1, 2, 3], []].map(rangesText);
  expect(told).toEqual(['1–3, 5, 7, 8, 10–13', '1–3', '']);
});

function firstOf(result: Result): string {
  return written.page(result);
}

function plain(result: Result): string {
  return terminalText(resultDocument(result, { statements, files }), {
    colour: false,
    width: 100,
    most: Number.POSITIVE_INFINITY,
  });
}
