/** The shell around all commands: help, exit codes, and one sentence for each mistake. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { commands } from '../../../src/app/commands.ts';
import { withoutPasswords } from '../../../src/app/usage-error.ts';
import { suite } from '../../../src/run/options/suite-version.ts';
import { expect, test } from '../../engine.ts';
import { builtCommand, run } from './captured.ts';

test('--help names every command with its summary, on standard output', async () => {
  const { exitCode, out, err } = await run(['--help']);
  expect(exitCode).toBe(0);
  expect(err).toBe('');
  const plain = out.replace(/\s+/g, ' ');
  for (const { name, summary } of commands) {
    expect(plain).toContain(` ${name} `);
    expect(plain).toContain(summary);
  }
});

for (const { name } of commands) {
  for (const args of [
    [name, '--help'],
    ['help', name],
  ]) {
    test(`countersign ${args.join(' ')} shows usage and an example`, async () => {
      const { exitCode, out } = await run(args);
      expect(exitCode).toBe(0);
      expect(out).toContain(`Usage: countersign ${name}`);
      expect(out).toMatch(/Examples?:\n {2}(npx )?countersign /);
    });
  }
}

test('what takes more than two seconds says what it does before it begins, where somebody waits at a terminal', async () => {
  const missing = ['judge', test.info().outputPath('missing')];
  const [watched, alone] = [await run(missing, {}, { isWatched: true }), await run(missing)];
  expect(watched.err).toBe(`countersign: judging the recorded exchanges ...\n${alone.err}`);
  expect(alone.err).not.toContain('...');
  expect(await run(['list', 'profiles'], {}, { isWatched: true })).toEqual(await run(['list', 'profiles']));
});

test('--version prints the version alone', async () => {
  expect(await run(['--version'])).toEqual({ exitCode: 0, out: `${suite.version}\n`, err: '' });
});

test('without a command the help goes to standard error and the exit code is 2', async () => {
  const { exitCode, out, err } = await run([]);
  expect(exitCode).toBe(2);
  expect(out).toBe('');
  expect(err).toContain('Usage: countersign');
});

const mistakes: [args: string[], sentence: string][] = [
  [['lst'], "countersign: unknown command 'lst'. Did you mean list? See countersign --help.\n"],
  [['--jsn'], "countersign: unknown option '--jsn'. See countersign --help.\n"],
  [['list', '--jsno'], "countersign: unknown option '--jsno'. Did you mean --json? See countersign list --help.\n"],
  [['help', 'mok'], "countersign: unknown command 'mok'. Did you mean mock? See countersign --help.\n"],
  [['mok', '--help'], "countersign: unknown command 'mok'. Did you mean mock? See countersign --help.\n"],
  [['nonsense', '--help'], "countersign: unknown command 'nonsense'. See countersign --help.\n"],
  [
    ['list', 'open-point'],
    "countersign: 'open-point' is none of requirements, open-points, hazards, defects, variants, profiles, deviations. Did you mean open-points?\n",
  ],
  [
    ['gateway', '--update-baseline', 'known.yaml'],
    'countersign: --update-baseline takes no file. Write --baseline FILE --update-baseline.\n',
  ],
  [['help', 'qqqqqq'], "countersign: unknown command 'qqqqqq'. See countersign --help.\n"],
  [
    ['verify', 'certificate.json'],
    'countersign: --key is missing: PEM file with the public key of the issuer. See countersign verify --help.\n',
  ],
  [
    ['rekey', 'run'],
    'countersign: --out is missing: new or empty folder for the copy. See countersign rekey --help.\n',
  ],
  [['explain'], "countersign: missing required argument 'id'. See countersign explain --help.\n"],
  [
    ['explain', 'authentication/versoin'],
    'countersign: nothing has the id authentication/versoin. Did you mean authentication/version?\n',
  ],
  [['explain', 'qqqqqqqqqqqq'], 'countersign: nothing has the id qqqqqqqqqqqq. countersign list shows all ids.\n'],
];

for (const [args, sentence] of mistakes) {
  test(`countersign ${args.join(' ')} is wrong use, told in one line`, async () => {
    expect(await run(args)).toEqual({ exitCode: 2, out: '', err: sentence });
  });
}

test('a list that does not exist is refused with the ones that do', async () => {
  const { exitCode, out, err } = await run(['list', 'requirement']);
  expect([exitCode, out]).toEqual([2, '']);
  expect(err).toContain('requirements, open-points, hazards, defects, variants, profiles');
  expect(err.trimEnd().split('\n')).toHaveLength(1);
});

test('more arguments than a command takes are refused', async () => {
  const { exitCode, err } = await run(['explain', 'A1', 'A2']);
  expect(exitCode).toBe(2);
  expect(err).toContain('too many arguments: explain takes 1, and got 2. See');
  expect((await run(['gateway', 'x'])).err).toContain('too many arguments: gateway takes nothing but its options. See');
});

test('an option without its value, and ways that exclude each other, say what to do', async () => {
  expect((await run(['gateway', '--target'])).err).toContain("option '--target <url>' needs a value. See");
  expect((await run(['client', '--attach', '1', '--', 'x'])).err).toContain(
    'Write only the command of the adapter after --',
  );
});

test('an empty value of a flag, and an empty argument, are refused by name', async () => {
  const said = async (...args: string[]) => (await run(args)).err;
  expect(await said('explain', '')).toContain('the argument id is empty');
  expect(await said('gateway', '--only', ' ')).toContain('the value of --only is empty');
  expect(await said('gateway', '--out', '')).toContain('the value of --out is empty');
  expect(await said('judge', '')).toContain('the argument file is empty');
});

test('a value that was forgotten is told, and the option behind it is no name of a folder', async () => {
  const out = test.info().outputPath('run');
  for (const [args, said] of [
    [['judge', out, '--out', '--json'], '--out has no value: --json follows it directly. See countersign judge'],
    [['client', '--label', '--', 'node'], '--label has no value: -- follows it directly. See countersign client'],
    [['report', out, '--out', '--open'], '--out has no value: --open follows it directly'],
  ] as const) {
    expect(await run(args)).toEqual({ exitCode: 2, out: '', err: expect.stringContaining(said) });
  }
});

test('an option of one value that is given twice is refused by name, in every command, whatever the values', async () => {
  const repeatable = ['--allow', '--only', '--except', '--require', '--label', '--live', '--defect', '--variant'];
  for (const { name } of commands) {
    const { options, registeredArguments } = await builtCommand(name);
    const needed = options.flatMap(({ mandatory, long }) => (mandatory ? [`${long}=x`] : []));
    const operands = registeredArguments.flatMap((argument) => (argument.required ? ['x'] : []));
    for (const option of options) {
      const { long, argChoices: [value = '1'] = [] } = option;
      if (option.isBoolean() || repeatable.includes(long!)) continue;
      const args = [name, ...operands, ...needed.filter((other) => other !== `${long}=x`)];
      const { exitCode, err } = await run([...args, `${long}=${value}`, long!, value]);
      expect([args, exitCode, err]).toEqual([
        args,
        2,
        `countersign: ${long} is given twice, and it takes one value. ` +
          `Leave out one of them; countersign ${name} --help says which options may be repeated.\n`,
      ]);
    }
  }
  expect((await run(['list', 'profiles', '--json', '--json'])).exitCode).toBe(0);
  expect((await run(['explain', 'A1', '--json', '--', '--json'])).err).toContain('too many arguments');
});

test('a word before -- that belongs to no option is not taken for the adapter', async () => {
  const only = ['--only', 'close-day/*'];
  expect(await run(['client', ...only, 'recurring/*', '--', 'node', 'adapter.mjs'])).toEqual({
    exitCode: 2,
    out: '',
    err:
      'countersign: recurring/* comes before --, and belongs to no option. The command of the adapter comes after --; an ' +
      'option that may be repeated takes one value each time.\n',
  });
  expect((await run(['explain', 'A1', '--', 'A2'])).err).toContain('too many arguments');
});

test('what the person typed cannot act on the terminal', async () => {
  const { err } = await run(['explain', '\u001b[2J\u202e']);
  expect(err).toContain('"\\u001b[2J<U+202E>"');
  const out = test.info().outputPath('a\u001b]0;x\u0007\rb.yaml');
  mkdirSync(dirname(out), { recursive: true });
  const written = await run(['init', '--out', out]);
  expect([written.exitCode, written.err]).toEqual([0, expect.stringContaining('a<U+001B>]0;x<U+0007><U+000D>b.yaml')]);
  expect(`${err}${written.err}`.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
});

test('a file named by mistake is not quoted: it may be the one with the secret', async () => {
  const path = test.info().outputPath('secret.txt');
  writeFileSync(path, 'pa55word of nobody\n');
  for (const args of [
    ['gateway', '--baseline', path],
    ['matrix', path],
    ['gateway', '--config', path],
  ]) {
    const { exitCode, err } = await run(args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(':1: the file holds no keys with values')]);
    expect(err).not.toContain('pa55word');
  }
});

test('what the person typed is reported without the password of a URL in it', async () => {
  for (const given of [
    '--target=http://user:pa55word@127.0.0.1:9',
    '--target=http://user:p@ss@pa55word@127.0.0.1:9/api/v2',
    '--target=ftp://user:pa55word@gateway.example',
    '--target=user:pa55word@gateway.example',
    '--target=http://user:pa55word@gateway.example:99999',
    '--targt=http://user:pa55word@gateway.example',
  ]) {
    const { exitCode, out, err } = await run(['gateway', given], { COUNTERSIGN_DEBUG: '1' });
    expect(exitCode, given).toBe(2);
    expect(out + err).toMatch(/^countersign: .*…@(?:127\.0\.0\.1|gateway\.example)/);
    expect(out + err).not.toContain('pa55word');
  }
  const plain = await run(['gateway', '--target=http://127.0.0.1/@here/api/v2']);
  expect(plain.err).toContain('http://127.0.0.1/@here/api/v2');
});

test('a stack trace is shown only on request', async () => {
  const quiet = await run(['explain', 'qqqqqqqqqqqq']);
  expect(quiet.err).not.toContain('    at ');
  const loud = await run(['explain', 'qqqqqqqqqqqq'], { COUNTERSIGN_DEBUG: '1' });
  expect(loud.err).toContain('    at ');
  expect(loud.exitCode).toBe(2);
});

test('a word of four million signs is gone through once for passwords: quadratic time takes minutes', () => {
  const longest = '='.repeat(4_000_000);
  expect(withoutPasswords(`${longest}https://user:secret@gateway.example`)).toBe(`${longest}https://…@gateway.example`);
});
