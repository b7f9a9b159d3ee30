/** The end of a run on a terminal. */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { countOutcomes, exercisedIn } from '../../../src/record/result/conclude.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { annotations } from '../../../src/report/annotations.ts';
import { rangesText } from '../../../src/report/number-ranges.ts';
import { firstScreen } from '../../../src/report/pages/first-screen.ts';
import { progressLine } from '../../../src/report/progress.ts';
import { mayColour, widthOf, wrap } from '../../../src/report/terminal.ts';
import { textReport } from '../../../src/report/text.ts';
import { expect, test } from '../../engine.ts';
import { everything, resultOf, rows, statements, withHazards, written } from './all-outcomes.ts';
import { golden } from './golden.ts';

const files = ['reports/runs/1-mock'];

test('the sample is written as the golden file has it', () => {
  const text = plain(withHazards);
  expect(text).toBe(golden('all-outcomes.txt', text));
});

test('the conclusion is in the first line', () => {
  expect(plain(everything).split('\n')[0]).toMatch(/^Conclusion: aborted /);
  expect(plain(resultOf(rows.slice(0, 1))).split('\n')[0]).toBe('Conclusion: conformant - 1 requirement passed');
  expect(plain(resultOf([rows[0]!, rows[2]!])).split('\n')[0]).toBe(
    'Conclusion: non-conformant - 1 requirement failed, 1 passed',
  );
});

test('an operation of which nothing was examined is named beside the counts', () => {
  const other = { id: 'recurring/path', operation: 'process-recurring-payments', outcome: 'not-applicable' } as const;
  const half = resultOf([
    { ...rows[0]!, operation: 'close-day' },
    { ...rows[0]!, ...other, reason: 'not offered' },
  ]);
  expect(plain(half).split('\n')[0]).toBe(
    'Conclusion: conformant as far as exercised: 1 of 2 required; 1 never arose - 1 requirement passed, process-recurring-payments was not examined',
  );
});

test('every report of a conformant run says what is required and never arose, and what would make it arise', () => {
  const unseen = { outcome: 'not-applicable', reason: 'condition never observed' } as const;
  const hint = 'Run against an https base URL.';
  const served = { ...rows[0]!, ...unseen, id: 'transport/https-served', hint };
  const untestable = { ...rows[0]!, ...unseen, id: 'close-day/totals-true' };
  const expected = { ...rows[0]!, ...unseen, id: 'recurring/keep-alive-kept', kind: 'expected' } as const;
  const all = resultOf([rows[0]!, served, untestable, expected]);
  const partly = { ...all, exercised: exercisedIn(all) };
  const said = 'as far as exercised: 1 of 2 required; 1 never arose';
  const { text: _, page: __, ...files } = written;
  const texts = Object.fromEntries(
    Object.entries({ ...files, plain, page: firstOf, annotations }).map(([name, write]) => [name, write(partly)]),
  );
  for (const [name, text] of Object.entries(texts)) expect(text, name).toContain(said);
  for (const text of [texts.plain, texts.summary, texts.junit]) expect(text).toContain(hint);
  expect(texts.plain).toContain('\nRequired, but never arose (1)\n');
  expect(texts.summary).toContain('<details><summary>Required, but never arose (1)</summary>');
  // The built-in mock speaks plain HTTP: there the requirement cannot arise.
  const onMock = { ...partly, subject: { kind: 'gateway', name: 'built-in mock', target: 'mock' } } as const;
  expect(plain(onMock).split('\n')[0]).toBe('Conclusion: conformant - 1 requirement passed');
  expect(annotations(onMock)).toBe('');
});

test('known failures that nobody has explained yet are counted', () => {
  const known = { reason: 'not explained yet; seen on 2026-01-31' };
  const open: Result = { ...resultOf([{ ...rows[2]!, known }]), baseline: { file: 'known.yaml', problems: [] } };
  const texts = (result: Result) => [plain(result), written.summary(result), firstOf(result)];
  const said = '1 known failure is not explained yet: write its reason into known.yaml';
  for (const text of texts(open)) expect(text.replace(/\s+/g, ' ')).toContain(said);
  const explained = { ...open, results: open.results.map((row) => ({ ...row, known: { reason: 'GW-12' } })) };
  for (const text of texts(explained)) expect(text).not.toContain('explained yet');
});

test('no heading is green where an entry of the baseline no longer holds', () => {
  const problems = [{ id: 'close-day/status-200', sentence: 'it passes' }];
  const stale: Result = { ...resultOf(rows.slice(0, 1)), baseline: { file: 'known.yaml', problems } };
  const words = 'but 1 entry of the baseline no longer holds (exit code 1)';
  expect(plain(stale).split('\n')[0]).toBe(`Conclusion: conformant, ${words} - 1 requirement passed`);
  expect(written.summary(stale).split('\n')[0]).toBe(`## ❌ Countersign: conformant, ${words}`);
  const page = firstOf(stale);
  expect(page).toContain(`conforms, ${words}: 1 requirement passed`);
  expect(page).toContain('<h1 class="fail">');
});

test('without colour nothing of the output acts on the terminal', () => {
  expect(plain(everything).replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('with colour only our own codes are in it, and without them it is the same text', () => {
  const coloured = textReport(everything, { statements, colour: true, width: 100, files });
  // biome-ignore lint/complexity/useRegexLiterals: the escape character is easier to see by its number
  const bare = coloured.replace(new RegExp('\u001b\\[(?:1|2|22|31|32|33|35|39)m', 'g'), '');
  expect(bare).not.toBe(coloured);
  expect(bare).toBe(plain(everything));
});

test('lines keep to the width, but for a command that somebody will copy', () => {
  for (const width of [40, 60, 100]) {
    const tooLong = textReport(everything, { statements, colour: false, width, files })
      .split('\n')
      .filter(
        (line) => line.length > width && !/^ *repeat|^[✗?✓!-] |inconclusive {2}pass|^\S+ +[\d.]+ +[\d.]+ /.test(line),
      );
    // Signed lines hold an id and its kind, the table has a width of its own: both are short by nature.
    expect(tooLong.filter((line) => !line.startsWith('Conclusion: '))).toEqual([]);
  }
});

test('a cause that leaves several rows undetermined is said once, with their number and their ids', () => {
  const one = { ...rows.find(({ outcome }) => outcome === 'inconclusive')!, reason: 'nothing was accepted' };
  const other = { ...one, id: 'close-day/other', reason: 'another cause' };
  const text = plain(resultOf([one, other, { ...one, id: 'close-day/of-the-same-cause', kind: 'expected' }]));
  expect(text.match(/nothing was accepted/g)).toHaveLength(1);
  expect(text).toContain(
    '? 2 requirements, because of the environment\n  because    nothing was accepted\n' +
      '  required   recurring/unclear\n  expected   close-day/of-the-same-cause\n',
  );
  expect(text).toMatch(/^ {2}another cause$/m);
});

test('a result without causes, as an earlier version left it, shows every row by itself', () => {
  const one = { ...rows.find(({ outcome }) => outcome === 'inconclusive')!, reason: 'nothing was accepted' };
  const text = plain({ ...resultOf([one, { ...one, id: 'close-day/of-the-same-cause' }]), causes: undefined });
  expect(text.match(/nothing was accepted/g)).toHaveLength(2);
});

test('failures with one answer in the same exchanges are told together, each with its id, its requirement and its hint', () => {
  const one = { ...rows[2]!, hint: 'Mend one.', repeat: "countersign gateway --seed 7 --only 'authentication/fails'" };
  const other = {
    ...one,
    id: 'close-day/fails-too',
    hint: 'Mend the other.',
    expected: 'another',
    repeat: "countersign gateway --seed 7 --only 'close-day/fails-too'",
  };
  const text = plain(resultOf([one, other, { ...other, id: 'close-day/elsewhere', exchanges: [9] }]));
  expect(text).toContain('Failures (3)\n');
  expect(text).toMatch(
    /✗ authentication\/fails .*\n[^✗]*hint {7}Mend one\.\n✗ close-day\/fails-too .*\n {2}expected {3}another\n {2}hint {7}Mend the other\.\n {2}all 2:\n {2}received {3}a<U\+0000>b\n/,
  );
  expect(text).toContain(
    "  repeat     countersign gateway --seed 7 --only 'authentication/fails' --only 'close-day/fails-too'\n",
  );
  // Once as what to fix first, and once for each group.
  expect(text.match(/received {3}a<U/g)).toHaveLength(3);
});

test('of failures one on signing is what to fix first, however many share another cause', () => {
  const base = rows.find(({ outcome }) => outcome === 'fail')!;
  const failing = (['behaviour', 'response-decoding', 'signing', 'transport'] as const).map((dimension, index) => ({
    ...base,
    id: `close-day/${dimension}`,
    dimension,
    exchanges: [index + 1],
  }));
  expect(plain(resultOf(failing))).toMatch(/What to fix first\n✗ close-day\/signing\n/);
  const dimension = 'response-decoding' as const;
  const more = failing.map((row) => ({ ...row, id: `${row.id}2`, exchanges: [2], dimension }));
  expect(plain(resultOf([...more, ...failing]))).toMatch(/What to fix first\n✗ close-day\/signing\n/);
});

test('what a client does wrong in most requests is what to fix first, with their number', () => {
  const base = rows.find(({ outcome }) => outcome === 'fail')!;
  const failing = [
    { ...base, id: 'close-day/seldom', dimension: 'signing' as const, exchanges: [1, 2, 3] },
    { ...base, id: 'close-day/mostly', dimension: 'transport' as const, exchanges: [...Array(567).keys()] },
  ];
  const result = { ...resultOf(failing), exchangeCount: 590 };
  const firstOf = (kind: 'client' | 'gateway') => plain({ ...result, subject: { ...result.subject, kind } });
  expect(firstOf('client')).toMatch(/What to fix first\n✗ close-day\/mostly in 567 of 590 exchanges\n/);
  expect(firstOf('gateway')).toMatch(/What to fix first\n✗ close-day\/seldom\n/);
});

test('of a wrong signature that is explained the base strings are compared, and the lines that do it right follow', () => {
  const right = `POST&${'x'.repeat(200)}&a%3D1%26oauth_nonce%3Dn`;
  const explanation = {
    exchange: 4,
    deviations: [{ id: 'body-left-out', summary: 'It is not signed.', fix: 'Sign it.', snippet: 'sign(\n  body)' }],
    facts: [],
    triedCount: 1,
    baseStrings: { right, signed: right.replace('a%3D1%26', '') },
  };
  const row = { ...rows.find(({ outcome }) => outcome === 'fail')!, expected: 'AAAA=', actual: 'BBBB=' };
  const text = written.text(resultOf([{ ...row, explanations: [explanation] }]), 60);
  expect(text).not.toMatch(/AAAA=|BBBB=/);
  expect(text.indexOf('What to fix first')).toBeLessThan(text.indexOf('Failures'));
  const lines = text.split('\n');
  const mark = lines.findIndex((line) => line.endsWith('^ character 207'));
  const [expected, signed] = [lines[mark - 2]!, lines[mark - 1]!];
  const column = lines[mark]!.indexOf('^');
  expect([expected.slice(column, column + 3), signed.slice(column, column + 3)]).toEqual(['a%3', 'oau']);
  expect(Math.max(expected.length, signed.length)).toBeLessThanOrEqual(60);
  expect(text).toContain('  do         sign(\n               body)\n');
});

test('the table names only dimensions with rows', () => {
  const text = plain(resultOf([rows[0]!]));
  expect(text).toMatch(/^signing +\. +\. +\. +1 +\.$/m);
  expect(text).not.toContain('transport');
});

test('a long value in the sentence of an aborted run takes nothing of the words around it', () => {
  const ours = 'A wrong secret and a wrong key at the same time are unlikely. '.repeat(5);
  const aborted = `${ours}The adapter wrote: ${'x'.repeat(5000)}. ${ours}Ask again.`;
  const text = plain(resultOf([], { conclusion: 'aborted', aborted })).replace(/\n {2}/g, ' ');
  expect(text).toContain(`${ours}The adapter wrote: xxx`);
  expect(text).toContain(`${ours}Ask again.`);
  expect(text.length).toBeLessThan(3000);
});

test('why the run was aborted is said once, and the rows and notes that rest on it refer to it', () => {
  const aborted = 'The consumer secret is wrong';
  const row = { ...rows.find(({ id }) => id === 'service/answered-probe-unclear')!, actual: `not sent: ${aborted}` };
  const text = plain(resultOf([row], { conclusion: 'aborted', aborted, notes: [`Not sent (2 cases): ${aborted}.`] }));
  expect(text.match(/consumer secret/g)).toHaveLength(1);
  expect(text.match(/the run was aborted, see above/g)).toHaveLength(2);
});

test('a right request that was refused shows the base string whole on one line', () => {
  const baseString = `POST&${'x'.repeat(900)}`;
  const explained = { exchange: 4, deviations: [], facts: ['compare the base string.'], triedCount: 0, baseString };
  for (const outcome of ['fail', 'inconclusive'] as const) {
    const text = plain(resultOf([{ ...rows[2]!, outcome, explanations: [explained] }]));
    expect(text).toContain(`  why        Exchange 4: compare the base string.\n  signed     ${baseString}\n`);
  }
});

test('a row that nothing was sent for has the hint of the run, and not that of its requirement', () => {
  const row = { ...rows[3]!, outcome: 'inconclusive', exchanges: [], actual: 'not sent' } as const;
  expect(plain(resultOf([row]))).not.toContain('hint');
  expect(plain(resultOf([{ ...row, hint: 'Allow it.' }]))).toContain('  not sent\n  hint       Allow it.\n');
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
  const printed = textReport(resultOf(hostileRows), { statements, colour: false, width: 73, files });
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
  return renderToString(firstScreen(result, statements) as VNode);
}

function plain(result: Result): string {
  return textReport(result, { statements, colour: false, width: 100, files });
}
