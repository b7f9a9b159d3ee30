/** What a coding agent or a script is given: a skill without effects, adapters to start from, and JSON that fits its schemas. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SchemaName, validate } from '../../../schemas/index.ts';
import { templateOf } from '../../../src/app/commands/init.ts';
import { packageRoot } from '../../../src/run/options/suite-version.ts';
import { expect, test } from '../../engine.ts';
import { fencedBlocks } from '../../house/readme-blocks.ts';
import { builtCommand, run } from './captured.ts';
import { file } from './signed-call.ts';

test('the skill is written once, and none of its commands can reach further than this machine', async () => {
  const path = test.info().outputPath('SKILL.md');
  const skill = await templateOf('SKILL.md');
  expect((await run(['agent-skill', '--out', path])).exitCode).toBe(0);
  expect(readFileSync(path, 'utf8')).toBe(skill);
  expect(await run(['agent-skill', '--out', path])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('already exists'),
  });
  expect(skill).toMatch(/^---\nname: countersign\ndescription: .+\n---\n/);
  const lines = fencedBlocks(skill).flatMap(({ text }) => text.trim().split('\n'));
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    expect(line).toMatch(/^npx countersign /);
    expect(line).not.toMatch(/--(?:allow|config|target|forget-unfinished|live|accept-partial|update-baseline)/);
    const [, , command, ...rest] = line.split(' ');
    const known = (await builtCommand(command!)).options.map(({ flag }) => flag);
    const own = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
    expect(known, line).toEqual(expect.arrayContaining(own.filter((word) => word.startsWith('--'))));
  }
  for (const flag of [
    '--allow',
    '--config',
    '--target',
    '--forget-unfinished',
    '--update-baseline',
    '--live',
    '--accept-partial',
  ]) {
    expect(skill.slice(skill.indexOf('## Never'))).toContain(flag);
  }
});

test('every file that llms.txt names is in the package', () => {
  const { files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  const named = [...readFileSync(join(packageRoot, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(
    ([, path]) => path!,
  );
  expect(files).toContain('llms.txt');
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((path) => !existsSync(join(packageRoot, path)) || !files.includes(path.split('/')[0]))).toEqual(
    [],
  );
});

test('what commands print with --json fits the published schemas', async () => {
  const lists = ['requirements', 'open-points', 'defects', 'variants', 'profiles', 'deviations'];
  const explained = ['authentication/version', 'A3', 'refusal-401', 'rfc5849', 'authentication/signature-not-checked'];
  const mockRun = join(packageRoot, 'reports', 'baselines', 'mock');
  const yaml = file(test.info().outputPath('wrong.yaml'), 'environment: none\n');
  const request = file(
    test.info().outputPath('request.txt'),
    'POST /paynet/api/v2/close-day/1 HTTP/1.1\r\nHost: a\r\n\r\n',
  );
  const cases: readonly (readonly [schema: SchemaName, line: readonly string[]])[] = [
    ...lists.map((what) => ['command-output/listing', ['list', what]] as const),
    ...explained.map((id) => ['command-output/explanation', ['explain', id]] as const),
    ['command-output/doctor', ['doctor', '--config', yaml]],
    ['command-output/written', ['agent-skill', '--out', test.info().outputPath('skill.md')]],
    ['command-output/written', ['init', '--out', test.info().outputPath('new.yaml')]],
    ['command-output/written', ['init', 'adapter', '--language', 'go', '--out', test.info().outputPath('new.go')]],
    ['command-output/written', ['certificate', '--new-key', test.info().outputPath('keys')]],
    ['command-output/written', ['report', mockRun, '--out', test.info().outputPath('report.html')]],
    ['command-output/plan', ['gateway', '--dry-run', '--only', 'close-day/status-200']],
    [
      'command-output/autopsy',
      ['autopsy', request, '--consumer-secret-file', file(test.info().outputPath('s'), 'x'.repeat(20))],
    ],
  ];
  for (const [schema, line] of cases) {
    const { out, err } = await run([...line, '--json']);
    expect(out, `${line.join(' ')}: ${err}`).not.toBe('');
    expect(validate(schema, JSON.parse(out)), line.join(' ')).toEqual([]);
    expect(validate(schema, 7).length).toBeGreaterThan(0);
  }
});
