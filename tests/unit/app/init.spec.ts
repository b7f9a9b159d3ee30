/** `countersign init`: the file that it writes is right, harmless and never written over another. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { validateClosed } from '../../../schemas/index.ts';
import { readConfig } from '../../../src/app/config/config-file.ts';
import { packageRoot } from '../../../src/run/options/suite-version.ts';
import { expect, test } from '../../engine.ts';
import { fencedBlocks } from '../../house/readme-blocks.ts';
import { run } from './captured.ts';
import { file } from './signed-call.ts';

test('the file fits its schema and allows nothing', async () => {
  const path = test.info().outputPath('new.yaml');
  const { exitCode, out, err } = await run(['init', '--out', path]);
  expect([exitCode, out]).toEqual([0, '']);
  expect(err).toContain(`countersign doctor --config ${path}`);
  const read = await readConfig(path, {});
  expect(read).toMatchObject({ config: { environment: 'integration', allow: { 'closes-day': 0 }, recurring: [] } });
});

test('with every comment taken away it has each key of the schema but the control interface of the mock, and fits', async () => {
  const path = test.info().outputPath('new.yaml');
  await run(['init', '--out', path]);
  const open = readFileSync(path, 'utf8').replace(/^# ?(?=( *- \{| {2}\w[\w-]*: |\w[\w-]*: [{[\w"]| *\w+:$))/gm, '');
  const keys = Object.keys(parse(open) as object);
  const schema = JSON.parse(readFileSync(join(packageRoot, 'schemas/files/config.json'), 'utf8'));
  expect(keys.sort()).toEqual(
    Object.keys(schema.properties)
      .filter((key) => key !== 'control-url')
      .sort(),
  );
  const read = await readConfig(file(test.info().outputPath('open.yaml'), open), {});
  expect('faults' in read ? read.faults : []).toEqual([]);
});

test('its first line leads editors to the schema of the package', async () => {
  const path = test.info().outputPath('new.yaml');
  await run(['init', '--out', path]);
  const text = readFileSync(path, 'utf8');
  const [, schema = ''] = /^# yaml-language-server: \$schema=\.\/node_modules\/countersign\/(.*)\n/.exec(text) ?? [];
  expect(existsSync(join(packageRoot, schema))).toBe(true);
  expect(text).toContain(JSON.parse(readFileSync(join(packageRoot, schema), 'utf8')).$id);
});

test('an existing file stays unchanged, unless --force is given', async () => {
  const path = file(test.info().outputPath('old.yaml'), 'target: mock\n');
  const refused = await run(['init', '--out', path]);
  expect([refused.exitCode, readFileSync(path, 'utf8')]).toEqual([2, 'target: mock\n']);
  expect(refused.err).toContain('already exists. Choose another name with --out');
  expect((await run(['init', '--out', path, '--force'])).exitCode).toBe(0);
  expect(readFileSync(path, 'utf8')).toContain('yaml-language-server');
});

test('a folder in the place of the file is told as that, with --force too', async () => {
  const folder = test.info().outputPath('.');
  for (const force of [[], ['--force']]) {
    const { exitCode, err } = await run(['init', '--out', folder, ...force]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(' is a folder. Name a file in it.')]);
  }
});

test('a folder that is not there is reported', async () => {
  const { exitCode, err } = await run(['init', '--out', test.info().outputPath('none/new.yaml')]);
  expect(exitCode).toBe(2);
  expect(err).toMatch(/cannot be written \(ENOENT: it, .* does not exist\)\. Name a file in a folder that is there/);
});

const languages = readdirSync(join(packageRoot, 'adapters'), { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
);
for (const { name } of languages) {
  test(`the adapter in ${name} is written, and what starts it is said`, async () => {
    const [adapter] = readdirSync(join(packageRoot, 'adapters', name));
    const path = test.info().outputPath(adapter!);
    const { exitCode, err } = await run(['init', 'adapter', '--language', name, '--out', path]);
    expect(exitCode).toBe(0);
    expect(err).toMatch(/then run: .*npx countersign client --(?:check-adapter|one-shot) -- \S+/);
    // What is compiled, or started, is the file that was written.
    expect(err.split('then run: ')[1]).toContain(path);
    expect(readFileSync(path)).toEqual(readFileSync(join(packageRoot, 'adapters', name, adapter!)));
    expect((await run(['init', 'adapter', '--language', name, '--out', path])).err).toContain('already exists');
  });
}

test('for a language without an adapter a skeleton is written, and its messages fit the protocol', async () => {
  const path = test.info().outputPath('adapter-skeleton.md');
  const { exitCode, err } = await run(['init', 'adapter', '--language', 'kotlin', '--out', path]);
  expect([exitCode, err]).toEqual([
    0,
    expect.stringContaining('No adapter for kotlin is included (only for csharp, go'),
  ]);
  const messages = fencedBlocks(readFileSync(path, 'utf8'))
    .filter(({ info }) => info[0] === 'json')
    .flatMap(({ text }) => text.trim().split('\n'))
    .map((line) => JSON.parse(line));
  expect(new Set(messages.map(({ t }) => t))).toEqual(
    new Set(['hello', 'case', 'ping', 'bye', 'ready', 'result', 'pong']),
  );
  expect(messages.flatMap((message) => validateClosed(message.t, message))).toEqual([]);
  expect(new Set(messages.map(({ outcome }) => outcome))).toEqual(new Set([undefined, ...outcomes]));
});

test('init takes config and adapter alone, and a language for adapters', async () => {
  for (const wrong of ['adapter', 'config --language go', 'client']) {
    const { exitCode, err } = await run(['init', ...wrong.split(' '), '--out', test.info().outputPath('none')]);
    expect([exitCode, err.trim().split('\n').length], err).toEqual([2, 1]);
  }
});

const outcomes = ['completed', 'refused_locally', 'transport_error', 'unsupported', 'adapter_error'];
