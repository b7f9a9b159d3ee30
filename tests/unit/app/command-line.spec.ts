/** The command line: how it is parsed, the lists, and the files that commands write to start from. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { requirements } from '../../../contracts/requirements/index.ts';
import { type SchemaName, validate, validateClosed } from '../../../schemas/index.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { commands } from '../../../src/app/commands.ts';
import { readConfig } from '../../../src/app/config/config-file.ts';
import { messageText } from '../../../src/app/print.ts';
import { clientDefects, gatewayDefects } from '../../../src/faults/index.ts';
import { optionsOf } from '../../../src/run/options/options.ts';
import { packageRoot, suite } from '../../../src/run/options/suite-version.ts';
import { provenBy } from '../../../src/verdict/forecast/forecast.ts';
import { expect, test } from '../../engine.ts';
import { fencedBlocks } from '../../house/readme-blocks.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';
import { folderAt, here, oneLine, refuses, run } from './run-command.ts';
import { file } from './signed-call.ts';

test('--help names every command with its summary, on standard output', async () => {
  const { exitCode, out, err } = await run(['--help']);
  expect([exitCode, err]).toEqual([0, '']);
  const plain = out.replace(/\s+/g, ' ');
  for (const { name, summary } of commands) expect(plain).toContain(` ${name} ${summary}`);
});

test('every command with --help shows usage, an example and its exit codes, as help does', async () => {
  for (const { name } of commands) {
    const { exitCode, out } = await run([name, '--help']);
    expect([exitCode, out]).toEqual([0, expect.stringContaining(`Usage: countersign ${name}`)]);
    expect(out).toMatch(/Examples?:\n {2}countersign [\s\S]*\nExit codes: 0 /);
    expect((await run(['help', name])).out).toBe(out);
  }
});

test('work of more than two seconds is announced on a terminal', async () => {
  const missing = ['judge', here('missing')];
  const [watched, quiet] = [await run(missing, {}, { errWidth: 80 }), await run(missing)];
  expect(watched.err).toBe(`countersign: judging the recorded exchanges ...\n${quiet.err}`);
  expect(quiet.err).not.toContain('...');
  expect(await run(['list', 'profiles'], {}, { errWidth: 80 })).toEqual(await run(['list', 'profiles']));
});

test('--version prints only the version, and no argument prints the help on standard error', async () => {
  expect(await run(['--version'])).toEqual({ exitCode: 0, out: `${suite.version}\n`, err: '' });
  expect(await run([])).toEqual({ exitCode: 2, out: '', err: expect.stringContaining('Usage: countersign') });
});

const defects = [...gatewayDefects, ...clientDefects];
const ofClient = clientDefects.find(({ reach }) => reach === undefined)!.id;
const stored = gatewayDefects.find(({ reach }) => reach === 'stored')?.id;

/** A command line, and a part of its message. EMPTY and BLANK stand for an empty and a blank word. */
const mistakes: Readonly<Record<string, string>> = {
  lst: "unknown command 'lst'. Did you mean list? See countersign --help.",
  '--jsn': "unknown option '--jsn'. See countersign --help.",
  'list --jsno': "unknown option '--jsno'. Did you mean --json? See countersign list --help.",
  'help mok': "unknown command 'mok'. Did you mean mock? See countersign --help.",
  'mok --help': "unknown command 'mok'. Did you mean mock? See countersign --help.",
  'nonsense --help': "unknown command 'nonsense'. See countersign --help.",
  'help qqqqqq': "unknown command 'qqqqqq'. See countersign --help.",
  'list requirement': "'requirement' is not one of requirements, open-points, hazards, defects, variants, profiles",
  'list open-point': 'Did you mean open-points?',
  'gateway --update-baseline known.yaml': 'takes no file. Write --baseline FILE --update-baseline.',
  'verify certificate.json':
    '--key is missing: PEM file with the public key of the issuer. See countersign verify --help.',
  'rekey run': '--out is missing: new or empty folder for the copy. See countersign rekey --help.',
  explain: 'the argument id is missing. See countersign explain --help.',
  'explain authentication/versoin': 'Did you mean authentication/version?',
  'explain qqqqqqqqqqqq': 'no requirement, open point or other entry has the id qqqqqqqqqqqq. countersign list',
  'gateway --seed 1 --seed=1': '--seed takes one value, and occurs twice. Remove one of them. See countersign gateway',
  'explain A1 A2': 'too many arguments: explain takes 1, not 2. See',
  'explain A1 -- A2': 'too many arguments',
  'explain A1 --json -- --json': 'too many arguments',
  'gateway x': 'too many arguments: gateway takes only options. See',
  'gateway --target': '--target needs a value: --target <url>. See',
  'client --attach 1 -- x': 'Write the command after --',
  'client --only close-day/* recurring/* -- node a.mjs': 'recurring/* belongs to no option. Write the command',
  'explain EMPTY': 'the argument id is empty',
  'judge EMPTY': 'the argument file is empty',
  'gateway --only BLANK': 'the value of --only is empty',
  'gateway --out EMPTY': 'the value of --out is empty',
  'client -- EMPTY': 'the first word of the adapter command is empty. Write its program after --.',
  'judge run --out --json': '--out needs a value, but --json is the next word. See countersign judge',
  'client --label -- node': '--label needs a value, but -- is the next word. See countersign client',
  'report run --out --open': '--out needs a value, but --open is the next word',
  [`gateway --defect ${ofClient}`]: `this command takes defects of a gateway. Write countersign client --defect ${ofClient}.`,
  [`mock --defect ${ofClient}`]: `is a defect of a client`,
  'client --defect authentication/signature-not-checked':
    'is a defect of a gateway, and this command takes defects of a client',
  'gateway --defect close-day/*': '--defect takes ids, and close-day/* is a pattern',
  'mock --defect authentication/*': '--defect takes ids, and',
  'gateway --only close-day/statos-*': 'there is no requirement close-day/statos-*. Did you mean close-day/status-*?',
  [`gateway --only ${'a'.repeat(100_000)}`]: '--only has a pattern of 100000 characters; the limit is 200',
  'client --only (a+)+$[ -- true': 'there is no requirement (a+)+$[. countersign list requirements shows all.',
  'gateway --only recurring/keep-alive-kept': 'selects only requirements that need --slow. Add --slow: these',
  'gateway --except close-day/statos-200':
    'there is no requirement close-day/statos-200. Did you mean close-day/status-200?',
  'gateway --only close-day/status-200 --except close-day/*':
    'leaves no requirement to judge. Remove an --except, or select',
  'gateway --only close-day/status-200,recurring/*': 'close-day/status-200,recurring/*. Write --only before each id.',
  'gateway --only transport/environments': 'no run can test transport/environments. A run speaks to one base URL and',
  'client --only recurring/starts-* -- true':
    'no run can test recurring/starts-transactions. An accepted batch is answered',
  'gateway --require close-dy/*': 'there is no requirement close-dy/*. Did you mean close-day/*?',
  'client --require transport/environments -- true': 'no run can test transport/environments',
  'gateway --only close-dy/*': 'there is no requirement close-dy/*. Did you mean close-day/*?',
  'init adapter': '--language is missing. Write countersign init adapter --language NAME: csharp, go, java,',
  'init config --language go': '--language needs an adapter. Write countersign init adapter --language NAME: csharp,',
  'init client': "'client' is not one of config, adapter.",
  'init adapter --language pyton': 'there is no adapter for pyton. Did you mean python? For any other language, write',
  'init adapter --language rubby': 'Did you mean ruby?',
  'init adapter --language Java': 'Did you mean java?',
  'explain close-day/*': 'explain takes one id, but close-day/* is a pattern. countersign list shows all ids.',
  ...(stored && {
    [`mock --defect ${stored}`]: `the defect ${stored} cannot be switched on: it exists only in stored records`,
  }),
};
const blanks: Readonly<Record<string, string>> = { EMPTY: '', BLANK: ' ' };

for (const [line, sentence] of Object.entries(mistakes)) {
  test(`countersign ${line} is wrong use, reported in one message`, async () => {
    const args = line.split(' ').map((word) => blanks[word] ?? word);
    await refuses(args, sentence, oneLine);
  });
}

test('arguments of the user cannot act on the terminal', async () => {
  const { err } = await run(['explain', '\u001b[2J\u202e']);
  expect(err).toContain('"\\u001b[2J<U+202E>"');
  const written = await run(['init', '--out', join(folderAt(), 'a\u001b]0;x\u0007\rb.yaml')]);
  expect([written.exitCode, written.err]).toEqual([0, expect.stringContaining('a<U+001B>]0;x<U+0007><U+000D>b.yaml')]);
  expect(`${err}${written.err}`.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
});

test('a file that is named by mistake is not quoted, because it may contain a secret', async () => {
  const path = file(here('secret.txt'), 'pa55word of nobody\n');
  for (const command of ['gateway --baseline', 'matrix', 'gateway --config'])
    await refuses([...command.split(' '), path], /^(?!.*pa55word).*:1: the file has no keys with values/);
});

test('arguments are reported without the password of a URL', async () => {
  for (const arg of [
    '--target=http://user:pa55word@127.0.0.1:9',
    '--target=http://user:p@ss@pa55word@127.0.0.1:9/api/v2',
    '--target=ftp://user:pa55word@gateway.example',
    '--target=user:pa55word@gateway.example',
    '--target=http://user:pa55word@gateway.example:99999',
    '--targt=http://user:pa55word@gateway.example',
  ]) {
    const { exitCode, out, err } = await run(['gateway', arg], { COUNTERSIGN_DEBUG: '1' });
    expect(exitCode, arg).toBe(2);
    expect(out + err).toMatch(/^countersign: .*…@(?:127\.0\.0\.1|gateway\.example)/);
    expect(out + err).not.toContain('pa55word');
  }
  const plain = await run(['gateway', '--target=http://127.0.0.1/@here/api/v2']);
  expect(plain.err).toContain('http://127.0.0.1/@here/api/v2');
});

test('a stack trace is shown only on request', async () => {
  await refuses(['explain', 'qqqqqqqqqqqq'], oneLine);
  const debug = await run(['explain', 'qqqqqqqqqqqq'], { COUNTERSIGN_DEBUG: '1' });
  expect([debug.exitCode, debug.err]).toEqual([2, expect.stringContaining('    at ')]);
});

test('bash completes commands, the options of one, and their choices', async () => {
  skipUnless(missingPrograms('bash').length === 0, 'bash');
  const { out } = await run(['completion', 'bash']);
  const completed = (words: string): string[] => {
    const [word, before] = words.split(' ').reverse();
    const script = `COMP_WORDS=(${words}) COMP_CWORD=${words.split(' ').length - 1}; _countersign countersign '${word}' '${before}'`;
    const read = execFileSync('bash', ['-c', `${out}\n${script}\nprintf '%s\\n' $COMPREPLY`], { encoding: 'utf8' });
    return read.trim().split('\n');
  };
  expect(completed('countersign ga')).toEqual(['gateway']);
  expect(completed('countersign gateway --acc')).toEqual(['--accept-partial']);
  expect(completed('countersign mock --host l')).toEqual(['localhost']);
  expect(completed('countersign judge --profile s')).toEqual(['strict']);
  expect(completed('countersign gateway --set 2026-1')).toEqual(['2026-11']);
  expect(completed('countersign client --defect recurring/payload-plus-')).toContain('recurring/payload-plus-raw');
  expect(completed('countersign mock --defect recurring/payload-plus-r')).toEqual(['']);
  // The script offers nothing here, so that the shell completes file names.
  expect(completed('countersign gateway --config ')).toEqual(['']);
});

test('zsh and fish get a script that names every command and option', async () => {
  const { out: fish } = await run(['completion', 'fish']);
  const { out: zsh } = await run(['completion', 'zsh']);
  for (const { name } of commands) {
    for (const { flag } of optionsOf(name)) {
      expect(fish).toContain(`__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`);
      expect(zsh).toMatch(new RegExp(`\\n    ${name}\\) .*${flag}[ ']`));
    }
  }
});

for (const what of ['requirements', 'open-points', 'variants', 'profiles', 'deviations']) {
  test(`list ${what} has as many rows as its JSON has entries, with aligned columns`, async () => {
    const text = await run(['list', what]);
    const json = await run(['list', what, '--json']);
    expect([text.exitCode, text.err, json.exitCode, json.err]).toEqual([0, '', 0, '']);
    const entries = JSON.parse(json.out);
    expect(entries.length).toBeGreaterThan(0);
    const [heading, ...rows] = text.out.trimEnd().split('\n');
    expect(rows).toHaveLength(entries.length);
    const second = heading!.search(/(?<= {2})\S/);
    expect(rows.filter((row) => row[second] === ' ' || row[second - 1] !== ' ')).toEqual([]);
  });
}

test('list defects groups by side and operation, with counts, and names each defect once', async () => {
  const { exitCode, out, err } = await run(['list', 'defects']);
  const [first, ...groups] = out.split(/^(?=\S)/m);
  expect([exitCode, err, first]).toEqual([0, '', expect.stringMatching(/^\d+ defects\. /)]);
  const listed = groups.flatMap((group) => {
    const [, side, operation, count] = /^(gateway|client), (?:both )?([\w-]+).* \((\d+)\)\n/.exec(group)!;
    const ids = [...group.matchAll(/^ {2}(\S+)/gm)].map(([, id]) => `${side} ${operation} ${id}`);
    expect(ids).toHaveLength(Number(count));
    return ids;
  });
  const all = defects.map(({ side, operation: of, id }) => `${side} ${of === 'both' ? 'operations' : of} ${id}`);
  expect(listed.sort()).toEqual(all.sort());
});

test('without an argument the requirements are listed, and their JSON is the contract itself', async () => {
  expect(await run(['list'])).toEqual(await run(['list', 'requirements']));
  expect(JSON.parse((await run(['list', '--json'])).out)).toEqual(JSON.parse(JSON.stringify(requirements)));
});

test('every defect is listed with exactly the six documented members', async () => {
  const entries: { id: string; breaks: string[] }[] = JSON.parse((await run(['list', 'defects', '--json'])).out);
  const members = 'id,side,operation,summary,breaks,reach';
  expect(entries.map((entry) => [entry.id, Object.keys(entry).join(), entry.breaks.length > 0])).toEqual(
    defects.map(({ id }) => [id, members, true]),
  );
});

for (const [which, step, tag] of [
  ['each twentieth', 20, []],
  ['every', 1, ['@all']],
] as const) {
  test(`${which} id that can be listed can be explained`, { tag: [...tag] }, async () => {
    const unexplained: string[] = [];
    for (const what of ['requirements', 'open-points', 'defects', 'variants', 'profiles', 'deviations']) {
      const entries: { id?: string; name?: string }[] = JSON.parse((await run(['list', what, '--json'])).out);
      for (const entry of entries.filter((_, at) => at % step === 0)) {
        const id = entry.id ?? entry.name!;
        const { exitCode, out } = await run(['explain', id]);
        if (exitCode !== 0 || !out.split('\n')[0]!.endsWith(` ${id}`)) unexplained.push(id);
      }
    }
    expect(unexplained).toEqual([]);
  });
}

test('a requirement is explained with its section, its hint and what proves it', async () => {
  const breaking = (row: string) => gatewayDefects.filter(({ breaks }) => (breaks as readonly string[]).includes(row));
  const { id, statement, section } = requirements.find((row) => breaking(row.id).length > 0)!;
  const provenBy = breaking(id).map((defect) => defect.id);
  const { out } = await run(['explain', id, '--json']);
  expect(JSON.parse(out)).toMatchObject({ is: 'requirement', id, statement, section, provenBy });
  const text = (await run(['explain', id])).out.replace(/\s+/g, ' ');
  for (const words of [statement, `section ${section}`, 'testable yes']) expect(text).toContain(words);
});

test('explain says that a defect of a record proves no requirement', async () => {
  const stored = clientDefects.find(({ reach }) => reach === 'stored')!;
  const [row] = stored.breaks;
  const explained = JSON.parse((await run(['explain', row!, '--json'])).out);
  expect(explained.provenBy).not.toContain(stored.id);
  expect(explained.judgedInRecords).toContain(stored.id);
  expect(provenBy.client.get(row!)).toEqual(explained.provenBy);
  expect((await run(['explain', stored.id])).out.replace(/\s+/g, ' ')).toContain(
    'only a stored record shows the defect',
  );
  const groups = (await run(['list', 'defects'])).out.split(/^(?=\S)/m);
  const matching = groups.filter((group) => group.includes(`  ${stored.id} `));
  expect(matching).toEqual([expect.stringMatching(/^client, both operations, only in stored records /)]);
  await refuses(['client', '--defect', stored.id], 'cannot be switched on: it exists only in stored records');
});

for (const [what, id, sentence] of [
  ['a required row that no run can be made to fail', 'transport/https-served', 'proven by no run: only stored records'],
  ['a row that cannot be tested', 'transport/environments', 'testable no: A run speaks to one base URL and'],
  ['an open point, whatever the case of its letter', 'a1', 'open point A1'],
] as const) {
  test(`explain states the special case of ${what}`, async () => {
    expect((await run(['explain', id])).out.replace(/\s+/g, ' ')).toContain(sentence);
  });
}

test('a message is wrapped, the hint starts a line, and a command is whole or continued for the shell', () => {
  const judge = "countersign judge 'runs/a b' --profile strict --out 'runs/a b-strict' --label ticket=OPS-7";
  const what = 'runs/a was judged under the profile rfc5849, and runs/b under the profile strict.';
  expect(messageText(`${what}\nJudge one of them again: \`${judge}\`.\nSee \`countersign judge --help\`.`, 80)).toBe(
    `countersign: runs/a was judged under the profile rfc5849, and runs/b under the
  profile strict.
  Judge one of them again:
  countersign judge 'runs/a b' --profile strict --out 'runs/a b-strict' \\
    --label ticket=OPS-7
  See \`countersign judge --help\`.
`,
  );
  const path = `/${'long/'.repeat(20)}file.yaml`;
  for (const width of [40, 60, 80, undefined]) {
    const lines = messageText(`${path} is gone. Write \`countersign init\` now.`, width).split('\n');
    expect(lines.filter((line) => line.length > (width ?? 100))).toEqual([`countersign: ${path}`]);
    expect(lines.join('\n')).toContain('`countersign init`');
  }
});

const ids = ['authentication/version', 'authentication/nonce-unique', 'close-day/path', 'A1', 'A12', 'skips-signature'];

const known = ['surrogates-apart', 'close-day/finished-has-gates', 'close-day/gate-id-type', 'recurring/type-value'];
for (const [reason, asked, among, nearest] of [
  ['a slip of a letter or two is forgiven', 'authentication/versoin', ids, ['authentication/version']],
  ['a piece of an id is enough', 'nonce', ids, ['authentication/nonce-unique']],
  ['letter case does not count', 'AUTHENTICATION/VERSION', ids, ['authentication/version']],
  ['the nearest is first of three', 'abcd', ['abxx', 'abcx', 'abce', 'abcf', 'abcg'], ['abcx', 'abce', 'abcf']],
  ['one letter is near to nothing', 'a', ids, []],
  ['a beginning counts, a whole word first', 'gate', known, ['close-day/gate-id-type', 'close-day/finished-has-gates']],
  ['a pattern is near to the area that it misspells', 'recuring/*', ['recurring/*', 'close-day/*'], ['recurring/*']],
] as const)
  test(`${reason}: ${asked}`, () => expect(nearestNames(asked, among)).toEqual(nearest));

test('the written configuration fits its schema and allows nothing', async () => {
  const path = here('new.yaml');
  const err = expect.stringContaining(`countersign doctor --config ${path}`);
  expect(await run(['init', '--out', path])).toEqual({ exitCode: 0, out: '', err });
  const read = await readConfig(path, {});
  expect(read).toMatchObject({ config: { environment: 'integration', allow: { 'closes-day': 0 }, recurring: [] } });
});

test('without its comment signs it has each key of the schema except control-url, and fits', async () => {
  const path = here('new.yaml');
  await run(['init', '--out', path]);
  const open = readFileSync(path, 'utf8').replace(/^# ?(?=( *- \{| {2}\w[\w-]*: |\w[\w-]*: [{[\w"]| *\w+:$))/gm, '');
  const keys = Object.keys(parse(open) as object);
  const schema = JSON.parse(readFileSync(join(packageRoot, 'schemas/files/config.json'), 'utf8'));
  const known = Object.keys(schema.properties).filter((key) => key !== 'control-url');
  expect(keys.sort()).toEqual(known.sort());
  const read = await readConfig(file(here('open.yaml'), open), {});
  expect('faults' in read ? read.faults : []).toEqual([]);
});

test('an existing file stays unchanged, unless --force is given', async () => {
  const path = file(here('old.yaml'), 'target: mock\n');
  await refuses(['init', '--out', path], 'already exists. Name another file with --out');
  expect(readFileSync(path, 'utf8')).toBe('target: mock\n');
  expect((await run(['init', '--out', path, '--force'])).exitCode).toBe(0);
  expect(readFileSync(path, 'utf8')).toContain('yaml-language-server');
  await refuses(['init', '--out', here('.'), '--force'], ' is a folder. Name a file in it.');
});

const adapters = join(packageRoot, 'adapters');
for (const { name } of readdirSync(adapters, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  test(`the adapter in ${name} is written, with the command that starts it`, async () => {
    const [adapter] = readdirSync(join(adapters, name));
    const path = here(adapter!);
    const { exitCode, err } = await run(['init', 'adapter', '--language', name, '--out', path]);
    expect(exitCode).toBe(0);
    expect(err).toMatch(/then run: .*npx countersign client --(?:check-adapter|one-shot) -- \S+/);
    // The command compiles or starts the file that was written.
    expect(err.split('then run: ')[1]).toContain(path);
    expect(readFileSync(path)).toEqual(readFileSync(join(adapters, name, adapter!)));
    expect((await run(['init', 'adapter', '--language', name, '--out', path])).err).toContain('already exists');
  });
}

test('a language without an adapter gets a skeleton, whose messages fit the protocol', async () => {
  const path = here('adapter-skeleton.md');
  const { exitCode, err } = await run(['init', 'adapter', '--language', 'kotlin', '--out', path]);
  expect([exitCode, err]).toEqual([0, expect.stringContaining('There is no adapter for kotlin, only for csharp, go')]);
  const messages = fencedBlocks(readFileSync(path, 'utf8'))
    .filter(({ info }) => info[0] === 'json')
    .flatMap(({ text }) => text.trim().split('\n'))
    .map((line) => JSON.parse(line));
  expect(new Set(messages.map(({ t }) => t))).toEqual(new Set('hello case ping bye ready result pong'.split(' ')));
  expect(messages.flatMap((message) => validateClosed(message.t, message))).toEqual([]);
  const outcomes = ['completed', 'refused_locally', 'transport_error', 'unsupported', 'adapter_error'];
  expect(new Set(messages.map(({ outcome }) => outcome))).toEqual(new Set([undefined, ...outcomes]));
});

test('the skill is not overwritten, and its commands reach only this machine', async () => {
  const path = here('SKILL.md');
  const skill = readFileSync(join(packageRoot, 'templates/SKILL.md'), 'utf8');
  expect((await run(['agent-skill', '--out', path])).exitCode).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe(skill);
  await refuses(['agent-skill', '--out', path], 'already exists');
  expect(skill).toMatch(/^---\nname: countersign\ndescription: .+\n---\n/);
  const lines = fencedBlocks(skill).flatMap(({ text }) => text.trim().split('\n'));
  expect(lines.length).toBeGreaterThan(4);
  const forbidden = ['allow', 'config', 'target', 'forget-unfinished', 'live', 'accept-partial', 'update-baseline'];
  for (const line of lines) {
    expect(line).toMatch(/^npx countersign /);
    expect(line).not.toMatch(new RegExp(`--(?:${forbidden.join('|')})(?!(?<=target) mock )`));
    const [, , command, ...rest] = line.split(' ');
    const known = optionsOf(command!).map(({ flag }) => flag);
    const own = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
    expect(known, line).toEqual(expect.arrayContaining(own.filter((word) => word.startsWith('--'))));
  }
  for (const flag of forbidden) expect(skill.slice(skill.indexOf('## Never'))).toContain(`--${flag}`);
});

test('every file that llms.txt names is in the package', () => {
  const { files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  const links = readFileSync(join(packageRoot, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g);
  const paths = [...links].map(([, path]) => path!);
  expect(files).toContain('llms.txt');
  expect(paths.length).toBeGreaterThan(8);
  const isMissing = (path: string) => !existsSync(join(packageRoot, path)) || !files.includes(path.split('/')[0]);
  expect(paths.filter(isMissing)).toEqual([]);
});

test('what commands print with --json fits the published schemas', async () => {
  const lists = ['requirements', 'open-points', 'defects', 'variants', 'profiles', 'deviations'];
  const explained = ['authentication/version', 'A3', 'refusal-401', 'rfc5849', 'authentication/signature-not-checked'];
  const mockRun = join(packageRoot, 'reports', 'baselines', 'mock');
  const yaml = file(here('wrong.yaml'), 'environment: none\n');
  const request = file(here('request.txt'), 'POST /paynet/api/v2/close-day/1 HTTP/1.1\r\nHost: a\r\n\r\n');
  const cases: readonly (readonly [schema: SchemaName, line: readonly string[]])[] = [
    ...lists.map((what) => ['command-output/listing', ['list', what]] as const),
    ...explained.map((id) => ['command-output/explanation', ['explain', id]] as const),
    ['command-output/doctor', ['doctor', '--config', yaml]],
    ['command-output/written', ['agent-skill', '--out', here('skill.md')]],
    ['command-output/written', ['init', '--out', here('new.yaml')]],
    ['command-output/written', ['init', 'adapter', '--language', 'go', '--out', here('new.go')]],
    ['command-output/written', ['certificate', '--new-key', here('keys')]],
    ['command-output/written', ['report', mockRun, '--out', here('report.html')]],
    ['command-output/plan', ['gateway', '--dry-run', '--only', 'close-day/status-200']],
    ['command-output/autopsy', ['autopsy', request, '--consumer-secret-file', file(here('s'), 'x'.repeat(20))]],
  ];
  for (const [schema, line] of cases) {
    const { out, err } = await run([...line, '--json']);
    expect(out, `${line.join(' ')}: ${err}`).not.toBe('');
    expect(validate(schema, JSON.parse(out)), line.join(' ')).toEqual([]);
    expect(validate(schema, 7).length).toBeGreaterThan(0);
  }
});
