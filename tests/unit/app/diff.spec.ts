/** `countersign diff` from its arguments to its exit code: what it prints, and what it refuses in one sentence. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import type { Result } from '../../../src/record/result/result.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { expect, test } from '../../engine.ts';
import { hostile } from '../report/all-outcomes.ts';
import { resultOf, storedRun } from '../verdict/runs.ts';
import { run } from './captured.ts';
import { file, foreignHar } from './signed-call.ts';

const kept = (more: Partial<Result> = {}) => resultOf({ 'close-day/a': 'pass', 'close-day/b': 'pass' }, more);
const broken = (actual = 'nothing') =>
  resultOf({ 'close-day/a': { outcome: 'fail', expected: 'it', actual }, 'close-day/b': 'pass' });

test('the verdict is the first word, and the exit code', async () => {
  const [old, same] = [storedRun('old', kept()), storedRun('same', kept({ seed: '2' }))];
  const worse = storedRun('worse', broken());
  const gap = storedRun('gap', resultOf({ 'close-day/a': 'inconclusive', 'close-day/b': 'pass' }));
  const safe = await run(['diff', old, same]);
  expect([safe.exitCode, safe.err]).toEqual([0, '']);
  expect(safe.out).toMatch(
    /^safe - compared 2 of 2 .*\n {2}NEW keeps every requirement .*\n {2}Differs: seed 1 in OLD, 2 in NEW\n/,
  );
  // The file may lie beside the report that was given.
  expect(safe.out).toMatch(/a run was given without its exchanges\.har, so\s+only verdicts/);
  const breaks = await run(['diff', old, worse]);
  expect(breaks.exitCode).toBe(1);
  expect(breaks.out).toMatch(
    /^breaks - compared 2 of 2 .*\n {2}1 requirement holds in OLD and fails in NEW: close-day\/a\./,
  );
  expect(breaks.out).toContain('\nNewly broken (1)\n  close-day/a: pass -> fail (expected it, received nothing)\n');
  const open = await run(['diff', old, gap]);
  expect(open.exitCode).toBe(1);
  expect(open.out).toMatch(
    /^not known - compared 1 of 2 .*\n {2}NEW left undetermined what OLD kept, .*: close-day\/a\.\n/,
  );
  const thin = ['diff', gap, storedRun('other', resultOf({ 'close-day/a': 'inconclusive', 'close-day/b': 'pass' }))];
  const out = expect.stringMatching(/^no difference seen, thin - compared 1 of 2 /);
  expect(await run(thin)).toMatchObject({ exitCode: 1, out });
  expect((await run([...thin, '--accept-thin'])).exitCode).toBe(0);
});

test('the JSON fits its schema, and a report alone is as good as a folder', async () => {
  const [old, worse] = [storedRun('old', kept({ labels: { gateway: '1' } })), storedRun('worse', broken())];
  const { out, exitCode } = await run(['diff', join(old, 'report.json'), worse, '--json']);
  expect([exitCode, validate('diff', JSON.parse(out))]).toEqual([1, []]);
  const told = { verdict: 'breaks', newlyBroken: [{ id: 'close-day/a' }], old: { labels: { gateway: '1' } } };
  expect(JSON.parse(out)).toMatchObject(told);
});

test('what a subject wrote acts neither on a terminal nor in Markdown', async () => {
  const old = storedRun('old', kept());
  for (const [name, text] of Object.entries(hostile)) {
    const worse = storedRun(`worse-${name}`, broken(text));
    for (const flags of [[], ['--json'], ['--markdown']]) {
      const { out } = await run(['diff', old, worse, ...flags]);
      expect(out.replace(/\n/g, ''), `${name} ${flags}`).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      if (flags[0] === '--markdown') expect(out.replace(/`[^`\n]*`/g, '')).not.toMatch(/<(?!\/?(?:details|summary)>)/);
    }
  }
});

test('Markdown has the verdict first and stays short', async () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`close-day/r${at}`, at]));
  const outcomes = (outcome: 'pass' | 'fail') => Object.fromEntries(Object.keys(many).map((id) => [id, outcome]));
  const [old, worse] = [storedRun('old', resultOf(outcomes('pass'))), storedRun('worse', resultOf(outcomes('fail')))];
  const { out } = await run(['diff', old, worse, '--markdown']);
  expect(out).toMatch(
    /^## ❌ Countersign comparison: breaks\n\n\*\*compared 500 of 500 .*\n\n500 requirements hold in OLD and fail in NEW: /,
  );
  expect(out.length).toBeLessThan(10_000);
});

test('a policy decides what is forbidden, and one that is none is refused with its line', async () => {
  const observed = (value: string) => kept({ observations: [{ openPoint: 'A10', value, exchanges: [1] }] });
  const runs = [storedRun('old', observed('string')), storedRun('new', observed('long'))];
  const policy = (name: string, text: string) => file(test.info().outputPath(name), text);
  const strict = policy(
    'strict.yaml',
    'formatVersion: 1\nrules:\n  - change: open-answer\n    name: A10\n    is: forbidden\n',
  );
  expect((await run(['diff', ...runs])).exitCode).toBe(0);
  const forbidden = await run(['diff', ...runs, '--policy', strict]);
  expect(forbidden.exitCode).toBe(1);
  expect(forbidden.out).toMatch(
    /^breaks - .*\n {2}1 change that the policy forbids: Is errorCode text or a number: long, was string \(A10\)\.\n/,
  );
  const wrong: Readonly<Record<string, RegExp>> = {
    'formatVersion: 1\nrules:\n  - change: colour\n    is: risky\n': /wrong\d\.yaml:3: rules\[0\]\.change is "colour"/,
    'formatVersion: 2\nrules: []\n': /wrong\d\.yaml:1: formatVersion is 2/,
    'formatVersion: 1\nrules:\n  - change: "*"\n    is: bad\n    more: 1\n': /wrong\d\.yaml:\d: rules\[0\]/,
    'rules: [': /wrong\d\.yaml:1: /,
    '': /wrong\d\.yaml:1: /,
  };
  for (const [at, [text, says]] of Object.entries(wrong).entries()) {
    const { exitCode, err } = await run(['diff', ...runs, '--policy', policy(`wrong${at}.yaml`, text)]);
    expect([exitCode, err]).toEqual([2, expect.stringMatching(says)]);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
  }
});

test('what cannot be compared is refused in one sentence', async () => {
  const client = { kind: 'client', name: 'c', target: 'local gateway' } as const;
  const old = storedRun('old', kept());
  const link = test.info().outputPath('link');
  symlinkSync(old, link);
  const empty = test.info().outputPath('empty');
  mkdirSync(empty);
  const altered = (name: string, text: string) => file(test.info().outputPath(name), text);
  const report = JSON.parse(jsonReport(kept()));
  const refused: Readonly<Record<string, readonly [path: string, says: RegExp]>> = {
    'the same folder': [old, /are the same run/],
    'the same folder by a link': [link, /are the same run/],
    'a client': [
      storedRun('client', kept({ subject: client })),
      /is a run of a gateway, and \S+ one of a client\. Compare/,
    ],
    'another profile': [storedRun('strict', kept({ profile: 'strict' })), /profile rfc5849, and \S+ under strict/],
    'nothing there': [test.info().outputPath('nowhere'), /nowhere does not exist/],
    'a folder without a report': [empty, /report\.json does not exist/],
    'no JSON': [altered('a.json', '{'), /is not JSON/],
    'another JSON': [altered('b.json', '[]'), /is not the report of a run/],
    'a wrong member': [altered('c.json', JSON.stringify({ ...report, durationMs: 'x' })), /durationMs is "x"/],
    'another format version': [altered('d.json', JSON.stringify({ ...report, formatVersion: 2 })), /another version/],
    'labels that are none': [altered('e.json', JSON.stringify({ ...report, labels: [] })), /labels/],
    'a HAR that is none': [storedRun('har', kept(), '{}'), /exchanges\.har: /],
    'a HAR of more exchanges': [storedRun('other', kept(), otherHar(kept().runId)), /is not of the run/],
    'a HAR of as many, of another run': [
      storedRun('same-length', kept({ exchangeCount: 1 }), otherHar('another')),
      /is not of the run/,
    ],
  };
  const wrong: string[] = [];
  for (const [what, [path, says]] of Object.entries(refused)) {
    for (const pair of [
      [old, path],
      [path, old],
    ]) {
      const { exitCode, out, err } = await run(['diff', ...pair]);
      const order = pair[0] === old || !/is a run of|profile/.test(String(says));
      if (exitCode !== 2 || out !== '' || !/^countersign: [^\n]+\n$/.test(err) || (order && !says.test(err))) {
        wrong.push(`${what}: ${exitCode} ${out}${err}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('exchanges that do not say which run they are of are compared, and named', async () => {
  const old = storedRun('old', kept({ exchangeCount: 1 }), otherHar());
  const { err, exitCode } = await run(['diff', old, storedRun('same', kept({ seed: '2' }))]);
  expect([exitCode, err]).toEqual([0, expect.stringMatching(/^countersign: \S+exchanges\.har does not say .*\n$/)]);
});

test('--json and --markdown cannot be used together, and two runs are needed', async () => {
  const old = storedRun('old', kept());
  expect((await run(['diff', old, old, '--json', '--markdown'])).err).toMatch(/cannot be used together/);
  expect((await run(['diff', old])).exitCode).toBe(2);
});

test('of two profiles the hint is a command that keeps the scope of the run, and --only says that it differs', async () => {
  const narrow = kept({ exchangeCount: 1, scope: { only: ['close-day/*'] } });
  const old = storedRun('old', narrow, otherHar(narrow.runId));
  const { err } = await run(['diff', old, storedRun('strict', kept({ profile: 'strict' }))]);
  const command = /countersign judge (\S+) --profile strict --out (\S+-strict)\.?\n$/.exec(err)!;
  expect(command.slice(1)).toEqual([old, `${old}-strict`]);
  const judged = async (out: string, more: readonly string[]): Promise<Result> => {
    const { err: why } = await run(['judge', old, '--profile', 'strict', '--out', out, ...more]);
    expect(existsSync(join(out, 'report.json')), why).toBe(true);
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  };
  const same = await judged(command[2]!, []);
  expect([same.profile, same.scope, same.notes]).toEqual(['strict', { only: ['close-day/*'] }, undefined]);
  const other = await judged(`${old}-other`, ['--only', 'close-day/status-200']);
  expect(other.scope).toEqual({ only: ['close-day/status-200'] });
  expect(other.notes).toEqual([
    expect.stringMatching(/^The scope differs: .* close-day\/\*, .* close-day\/status-200\.$/),
  ]);
});

const otherHar = (runId?: string) => foreignHar(runId === undefined ? {} : { _countersign: { runId } });
