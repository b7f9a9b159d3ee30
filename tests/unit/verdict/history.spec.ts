/** `countersign history`: the order of runs, their changes, and the runs that it leaves out. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import type { History } from '../../../src/verdict/diff/history.ts';
import { expect, test } from '../../engine.ts';
import { refuses, run } from '../app/run-command.ts';
import { file } from '../app/signed-call.ts';
import { batchSentAgain, hostile } from '../report/all-outcomes.ts';
import { byId, elements, type Node, parseHtml, textOf } from '../report/html-tree.ts';
import { resultOf, storedRun } from './runs.ts';

const [status, path] = ['close-day/status-200', 'close-day/method-enforced'] as const;
const startedOn = (day: string) => ({ startedAt: `2026-01-${day}T12:00:00.000Z` });
const first = resultOf({ [status]: 'pass', [path]: 'pass' }, { ...startedOn('01'), labels: { gateway: '4.11' } });
const broken = resultOf(
  { [status]: { outcome: 'fail', actual: 'HTTP 201' }, [path]: 'inconclusive' },
  { ...startedOn('02'), conclusion: 'non-conformant' },
);
const aborted = resultOf({}, { ...startedOn('03'), conclusion: 'aborted', aborted: 'no answer' });
const fixed = resultOf({ [status]: 'pass', [path]: 'pass' }, startedOn('04'));
const elsewhere = resultOf({ [status]: 'pass' }, { ...startedOn('02'), profile: 'strict' });

let folder: string;
test.beforeEach(() => {
  folder = test.info().outputPath('runs');
});

function stored(runs: Readonly<Record<string, Result | string>>): void {
  for (const [name, content] of Object.entries(runs)) {
    if (typeof content === 'string') file(join(folder, name, 'report.json'), content);
    else storedRun(join('runs', name), content);
  }
  mkdirSync(folder, { recursive: true });
}

async function history(): Promise<History> {
  const { out, exitCode, err } = await run(['history', folder, '--json']);
  expect([exitCode, err]).toEqual([0, '']);
  const value = JSON.parse(out);
  expect(validate('history', value)).toEqual([]);
  return value;
}

test('runs are in the order of their start, and each is compared with the run before it', async () => {
  stored({ d: fixed, c: aborted, b: broken, a: first });
  const [series, ...others] = (await history()).subjects;
  expect(others).toEqual([]);
  expect(series!.runs.map((one) => one.path.at(-1))).toEqual(['a', 'b', 'c', 'd']);
  const [start, second, third, fourth] = series!.runs;
  expect([start!.changes, third!.changes]).toEqual([undefined, undefined]);
  expect(second!.changes).toMatchObject({ verdict: 'breaks', newlyBroken: [status], newlyUndetermined: [path] });
  // After an aborted run, the next run is compared with the one before.
  expect(fourth!.changes).toMatchObject({ fixed: [status], newlyDetermined: [path], newlyBroken: [] });
});

test('runs of another profile or target are a separate history', async () => {
  stored({ a: first, b: elsewhere, c: fixed });
  const { subjects } = await history();
  expect(subjects.map(({ profile, runs }) => [profile, runs.length])).toEqual([
    ['rfc5849', 2],
    ['strict', 1],
  ]);
  expect(subjects.flatMap(({ runs }) => runs.flatMap(({ changes }) => changes?.newlyBroken ?? []))).toEqual([]);
});

const at = (port: number, day: string, more: Partial<Result> = {}) =>
  resultOf(
    { [status]: 'pass' },
    {
      ...startedOn(day),
      subject: { kind: 'gateway', name: `127.0.0.1:${port}`, target: `http://127.0.0.1:${port}` },
      ...more,
    },
  );
const byLabel = (value: string) => ({ labels: { gateway: value } });
const byFile = { reproduce: 'npx countersign gateway --config staging.yaml --seed 1' };
const elsewhereHost = { subject: { kind: 'gateway', name: 'b', target: 'https://b.example' } } as const;
for (const [what, runs, counts] of [
  ['with labels of one name are joined', [at(1, '01', byLabel('4.11')), at(2, '02', byLabel('4.12'))], [2]],
  ['with one configuration are joined', [at(1, '01', byFile), at(2, '02', byFile)], [2]],
  ['with neither are not', [at(1, '01'), at(2, '02')], [1, 1]],
  [
    'are joined by a run that is like both',
    [at(1, '01', byFile), at(2, '02', byLabel('4.11')), at(3, '03', { ...byFile, ...byLabel('4.12') })],
    [3],
  ],
  ['on two hosts are not', [at(1, '01', byFile), at(2, '02', { ...byFile, ...elsewhereHost })], [1, 1]],
] as const) {
  test(`runs on two ports ${what}`, async () => {
    stored(Object.fromEntries(runs.map((result, index) => [String(index), result])));
    const { subjects } = await history();
    expect(subjects.map((one) => one.runs.length)).toEqual(counts);
    if (subjects.length === 1) expect(subjects[0]!.subject.target).toBe('http://127.0.0.1');
  });
}

test('a narrowed run hides no change between other runs, and a failure without an earlier verdict is found broken', async () => {
  const narrowed = resultOf({ [path]: 'pass' }, { ...startedOn('02'), scope: { only: [path] } });
  const third = resultOf({ [status]: 'fail', [path]: 'pass' }, { ...startedOn('03'), conclusion: 'non-conformant' });
  const open = resultOf({ [status]: 'inconclusive', [path]: 'pass' }, { ...startedOn('01'), profile: 'strict' });
  const found = resultOf({ [status]: 'fail', [path]: 'pass' }, { ...startedOn('02'), profile: 'strict' });
  stored({ a: first, b: narrowed, c: third, d: open, e: found });
  const { subjects } = await history();
  expect(
    subjects.map(({ only, runs }) => [only, runs.at(-1)!.changes?.newlyBroken, runs.at(-1)!.changes?.foundBroken]),
  ).toEqual([
    [undefined, [status], []],
    [[path], undefined, undefined],
    [undefined, [], [status]],
  ]);
});

test('an unusable report and a second copy of a run are left out by name', async () => {
  const [elsewhere, inside] = [join(folder, 'kept', 'd'), join(folder, 'a')];
  storedRun('runs/kept/d', broken);
  stored({ a: first, b: '{', c: first });
  // A link to a run counts like its folder.
  symlinkSync(inside, join(folder, '0'));
  symlinkSync(elsewhere, join(folder, 'e'));
  const { subjects, leftOut } = await history();
  expect(subjects[0]!.runs.map((one) => one.path.at(-1))).toEqual(['a', 'e']);
  expect(leftOut.map(({ why }) => why)).toEqual([
    expect.stringContaining('is not JSON'),
    expect.stringMatching(/^the same run as .*a$/),
    expect.stringMatching(/^the same run as .*a$/),
  ]);
});

test('a password in an unusable report is not printed', async () => {
  stored({
    a: first,
    b: jsonReport(broken).replace(/"startedAt": "[^"]+"/, '"startedAt": "https://me:hidden@gateway.example"'),
  });
  const { leftOut } = await history();
  expect(leftOut.map(({ why }) => why)).toEqual([expect.stringContaining('startedAt is "https://…@gateway.example"')]);
});

/** What the terminal shows, on one line, because the path of the folder decides where lines end. */
async function historyText(): Promise<string> {
  const { out } = await run(['history', folder]);
  return out.replaceAll(folder, 'RUNS').replace(/\s+/g, ' ').trim();
}

test('on the terminal the changes of a run follow the run', async () => {
  stored({ a: first, b: broken });
  expect(await historyText()).toBe(
    [
      '1 run broke what the previous run kept - 2 runs of 1 subject',
      'gateway gateway (2) https://gateway.example, profile rfc5849',
      '✓ 2026-01-01 12:00 conformant, 2 pass, gateway=4.11, RUNS/a',
      '✗ 2026-01-02 12:00 non-conformant, 1 fail, 1 inconclusive, RUNS/b',
      `broke ${status} undecided ${path}`,
    ].join(' '),
  );
});

test('a conformant run with exit code 1 has no tick, and a tolerated failure names exit code 0', async () => {
  const known = { outcome: 'fail', known: { reason: 'r' } } as const;
  const tolerated = resultOf({ [status]: known, [path]: 'pass' }, { ...startedOn('02'), conclusion: 'non-conformant' });
  stored({ a: { ...first, hazards: [batchSentAgain], failOn: 'hazard' }, b: tolerated });
  const out = await historyText();
  expect(out).toMatch(/✗ 2026-01-01 12:00 conformant, with 1 hazard, but .* \(exit code 1\), 2 pass, gateway=4\.11, /);
  expect(out).toContain('✗ 2026-01-02 12:00 non-conformant, exit code 0, 1 fail, 1 pass, ');
});

test('if no two runs are comparable, the history says so, and not that nothing broke', async () => {
  stored({ a: first, b: elsewhere });
  expect(await historyText()).toMatch(
    /^Nothing was comparable: no two finished runs have the same .* - 2 runs of 2 subjects /,
  );
});

for (const [what, made, sentence] of [
  ['an empty folder', {}, /contains no folder of a run\. /],
  ['damaged runs', { a: '[]' }, /contains no folder of a run that can be read: .*is not the report of a run/],
] as const) {
  test(`${what} is refused in one sentence`, async () => {
    stored(made);
    await refuses(['history', folder], sentence);
  });
}

test('an unreadable folder is named among the left out folders', async () => {
  stored({ a: first });
  symlinkSync('loop', join(folder, 'loop'));
  const { leftOut } = await history();
  expect(leftOut).toEqual([
    { path: join(folder, 'loop'), why: expect.stringMatching(/report\.json cannot be read \(ELOOP: .*\)$/) },
  ]);
});

const observation = (value: string) => ({ openPoint: 'A5', value, exchanges: [1] });
const old = resultOf(
  { 'close-day/a': 'pass', 'close-day/b': 'fail', 'close-day/c': 'pass' },
  { ...startedOn('01'), labels: { gateway: hostile.markup }, observations: [observation('form: wrapped')] },
);
const fresh = resultOf(
  {
    'close-day/a': { outcome: 'fail', expected: hostile.bidi, actual: hostile.escape },
    'close-day/b': 'pass',
    'close-day/c': 'inconclusive',
  },
  { ...startedOn('02'), conclusion: 'non-conformant', observations: [observation(`form: ${hostile.markup}`)] },
);

/** Runs a command on stored runs, and reads its page. */
async function pageOf(command: 'diff' | 'history', runs: readonly Result[]): Promise<{ root: Node; exitCode: number }> {
  const paths = runs.map((one, index) => storedRun(`runs/${index}`, one));
  const folder = test.info().outputPath('runs');
  const file = test.info().outputPath('page.html');
  const { exitCode } = await run([command, ...(command === 'diff' ? paths : [folder]), '--html', file]);
  return { root: parseHtml(readFileSync(file, 'utf8')), exitCode };
}

const rowsOf = (part: Node) => elements(part, 'tr').map((row) => textOf(row).replace(/\s+/g, ' ').trim());

test('a comparison has its verdict first, then what broke first, then both runs side by side', async () => {
  const { root, exitCode } = await pageOf('diff', [old, fresh]);
  expect(exitCode).toBe(1);
  expect(textOf(elements(root, 'h1')[0]!)).toBe('NEW breaks something that works with OLD');
  expect(textOf(elements(root, 'header')[0]!)).toContain('1 requirement that OLD kept and NEW breaks: close-day/a');
  expect(textOf(elements(root, 'header')[0]!)).toContain('What broke first');
  const rows = rowsOf(byId(root, 'requirements')).slice(1);
  expect(rows.map((row) => row.split(' ')[0])).toEqual(['close-day/a', 'close-day/c', 'close-day/b']);
  expect(rows[0]).toContain('abc<U+202E>gpj.exe');
  expect(textOf(byId(root, 'behaviour'))).toContain('wrapped');
  expect(elements(root).some(({ name }) => name === 'b')).toBe(false);
});

test('a history has a column for each run, and a line for each requirement or open point that changed', async () => {
  const { root, exitCode } = await pageOf('history', [fresh, old]);
  expect(exitCode).toBe(0);
  expect(textOf(elements(root, 'h1')[0]!)).toBe('1 run broke what the previous run kept');
  const part = byId(root, 'subject-0');
  expect(elements(part, 'li').map((tile) => textOf(tile).replace(/\s+/g, ' ').trim())).toEqual([
    expect.stringMatching(/^<script>.* 2026-01-01 ?1 fail, 2 pass ?✓ conformant$/),
    expect.stringMatching(/^12:00 2026-01-02 ?1 fail, 1 inconclusive, 1 pass ?✗ non-conformant ✗ breaks$/),
  ]);
  expect(rowsOf(part).slice(1)).toEqual([
    'close-day/a✗ broke',
    'close-day/bfail✓ fixed',
    'close-day/c? undecided',
    expect.stringMatching(/^Open point A5: .*\?≠ other answer$/),
  ]);
  expect(textOf(byId(root, 'subject-0-run-1'))).toContain('close-day/a');
});
