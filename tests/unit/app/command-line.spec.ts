/** The shell around all commands: help, exit codes, and one sentence for each mistake. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { commands } from '../../../src/app/commands.ts';
import { suite } from '../../../src/run/options/suite-version.ts';
import { expect, test } from '../../engine.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';
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
  test(`countersign ${name} --help shows usage and an example, as help ${name} does`, async () => {
    const { exitCode, out } = await run([name, '--help']);
    expect([exitCode, out]).toEqual([0, expect.stringContaining(`Usage: countersign ${name}`)]);
    expect(out).toMatch(/Examples?:\n {2}(npx )?countersign /);
    expect((await run(['help', name])).out).toBe(out);
  });
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

/** A command line, and what its one sentence says. EMPTY and BLANK stand for such words. */
const mistakes: Readonly<Record<string, string>> = {
  lst: "unknown command 'lst'. Did you mean list? See countersign --help.",
  '--jsn': "unknown option '--jsn'. See countersign --help.",
  'list --jsno': "unknown option '--jsno'. Did you mean --json? See countersign list --help.",
  'help mok': "unknown command 'mok'. Did you mean mock? See countersign --help.",
  'mok --help': "unknown command 'mok'. Did you mean mock? See countersign --help.",
  'nonsense --help': "unknown command 'nonsense'. See countersign --help.",
  'help qqqqqq': "unknown command 'qqqqqq'. See countersign --help.",
  'list requirement': "'requirement' is none of requirements, open-points, hazards, defects, variants, profiles",
  'list open-point': 'Did you mean open-points?',
  'gateway --update-baseline known.yaml': 'takes no file. Write --baseline FILE --update-baseline.',
  'verify certificate.json':
    '--key is missing: PEM file with the public key of the issuer. See countersign verify --help.',
  'rekey run': '--out is missing: new or empty folder for the copy. See countersign rekey --help.',
  explain: "missing required argument 'id'. See countersign explain --help.",
  'explain authentication/versoin': 'Did you mean authentication/version?',
  'explain qqqqqqqqqqqq': 'nothing has the id qqqqqqqqqqqq. countersign list shows all ids.',
  'explain A1 A2': 'too many arguments: explain takes 1, and got 2. See',
  'explain A1 -- A2': 'too many arguments',
  'explain A1 --json -- --json': 'too many arguments',
  'gateway x': 'too many arguments: gateway takes nothing but its options. See',
  'gateway --target': "option '--target <url>' needs a value. See",
  'client --attach 1 -- x': 'Write only the command of the adapter after --',
  'client --only close-day/* recurring/* -- node a.mjs':
    'recurring/* comes before --, and belongs to no option. The command',
  'explain EMPTY': 'the argument id is empty',
  'judge EMPTY': 'the argument file is empty',
  'gateway --only BLANK': 'the value of --only is empty',
  'gateway --out EMPTY': 'the value of --out is empty',
  'client -- EMPTY':
    'the command of the adapter begins with an empty word. Name its program right after --; a variable',
  'judge run --out --json': '--out has no value: --json follows it directly. See countersign judge',
  'client --label -- node': '--label has no value: -- follows it directly. See countersign client',
  'report run --out --open': '--out has no value: --open follows it directly',
};
const blanks: Readonly<Record<string, string>> = { EMPTY: '', BLANK: ' ' };

for (const [line, sentence] of Object.entries(mistakes)) {
  test(`countersign ${line} is wrong use, told in one line`, async () => {
    const { exitCode, out, err } = await run(line.split(' ').map((word) => blanks[word] ?? word));
    expect([exitCode, out, err]).toEqual([2, '', expect.stringContaining(sentence)]);
    expect(err).toMatch(/^countersign: [^\n]+\n$/);
  });
}

/** Values that these options take. */
const samples: Readonly<Record<string, string>> = { '--profile': 'strict', '--path': '0/0' };

test('an option of one value that is given twice is refused by name, in every command, whatever the values', async () => {
  const repeatable = [
    '--allow',
    '--only',
    '--except',
    '--require',
    '--label',
    '--live',
    '--defect',
    '--variant',
    '--reporter',
  ];
  for (const { name } of commands) {
    const { options, operands: taken = [] } = await builtCommand(name);
    const needed = options.flatMap(({ isRequired, flag }) => (isRequired ? [`${flag}=x`] : []));
    const operands = taken.flatMap(({ takes }) => (takes.startsWith('<') ? ['x'] : []));
    for (const { flag: long, takes, choices: [value = samples[long] ?? '1'] = [] } of options) {
      if (takes === '' || repeatable.includes(long)) continue;
      const args = [name, ...operands, ...needed.filter((other) => other !== `${long}=x`)];
      const { exitCode, err } = await run([...args, `${long}=${value}`, long, value]);
      expect([args, exitCode, err]).toEqual([
        args,
        2,
        `countersign: ${long} is given twice, and it takes one value. ` +
          `Leave out one of them; countersign ${name} --help says which options may be repeated.\n`,
      ]);
    }
  }
  expect((await run(['list', 'profiles', '--json', '--json'])).exitCode).toBe(0);
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

test('bash completes commands, the options of one, and their choices', async () => {
  skipUnless(missingPrograms('bash').length === 0, 'bash');
  const { out } = await run(['completion', 'bash']);
  const completed = (words: string): string[] => {
    const [word, before] = words.split(' ').reverse();
    const asked = `COMP_WORDS=(${words}) COMP_CWORD=${words.split(' ').length - 1}; _countersign countersign '${word}' '${before}'`;
    const read = execFileSync('bash', ['-c', `${out}\n${asked}\nprintf '%s\\n' $COMPREPLY`], { encoding: 'utf8' });
    return read.trim().split('\n');
  };
  expect(completed('countersign ga')).toEqual(['gateway']);
  expect(completed('countersign gateway --acc')).toEqual(['--accept-partial']);
  expect(completed('countersign mock --host l')).toEqual(['localhost']);
  // Nothing of its own, so that the shell completes files.
  expect(completed('countersign gateway --config ')).toEqual(['']);
});

test('zsh and fish get a script that names every command and option', async () => {
  const { out: fish } = await run(['completion', 'fish']);
  const { out: zsh } = await run(['completion', 'zsh']);
  for (const { name } of commands) {
    const { options } = await builtCommand(name);
    for (const { flag } of options) {
      expect(fish).toContain(`__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`);
      expect(zsh).toMatch(new RegExp(`\\n    ${name}\\) .*${flag}[ ']`));
    }
  }
});
