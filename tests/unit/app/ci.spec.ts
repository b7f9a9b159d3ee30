/** Files for pipelines: the action, the workflows of docs and templates, the component, the container, annotations. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Result } from '../../../src/record/result/result.ts';
import { annotations } from '../../../src/report/ci.ts';
import { expect, test } from '../../engine.ts';
import { fencedBlocks } from '../../house/readme-blocks.ts';
import { missingPrograms, skipUnless } from '../../needed.ts';
import { everything, rows } from '../report/all-outcomes.ts';
import { folderAt, here, run } from './run-command.ts';
import { file } from './signed-call.ts';

// biome-ignore lint/suspicious/noExplicitAny: the schemas below check these files.
const parse = (yaml: string): any => parseAllDocuments(yaml).at(-1)!.toJS();
const text = (path: string) => readFileSync(path, 'utf8');
const { version } = JSON.parse(text('package.json'));
const action = parse(text('action.yml'));
const [step] = action.runs.steps;
const blocksIn = (path: string, mark: string) =>
  fencedBlocks(text(path)).flatMap(({ text: block }) => (block.includes(mark) ? [block] : []));
const workflows = [
  ...blocksIn('docs/how-to/run-in-a-pipeline.md', 'runs-on:'),
  ...['shards', 'nightly', 'matrix'].map((name) => text(`templates/github-${name}.yml`)),
];

const scriptOf = ({ steps }: Job) => steps.find(({ run }) => run !== undefined)!.run!;

type Step = { readonly run?: string; readonly uses?: string };
type Job = { readonly steps: readonly Step[] };

/** A step of a workflow: it runs a script or uses an action. */
const stepKeys = ['id', 'if', 'name', 'uses', 'with', 'run', 'shell', 'env', 'continue-on-error', 'working-directory'];
const wrongSteps = (steps: readonly Step[]) =>
  steps.filter((one) => 'run' in one === 'uses' in one || Object.keys(one).some((key) => !stepKeys.includes(key)));
const isOf = (value: object, keys: string) => Object.keys(value).every((key) => keys.split(' ').includes(key));

/**
 * Runs a step as GitHub does, with an npx that stores its arguments. `ends`: the exit code of the command or of npx.
 */
function perform(
  script: string,
  env: Readonly<Record<string, string>>,
  ends: number | { readonly npx: number } = 0,
  prepare: (folder: string) => void = () => {},
) {
  const tools = missingPrograms('bash', 'cat', 'date');
  skipUnless(tools.length === 0, tools.join(' and '));
  const folder = here(`job-${Math.random()}`);
  file(join(folder, 'step.sh'), script);
  prepare(folder);
  const [code, version] = typeof ends === 'number' ? [ends, 0] : [ends.npx, ends.npx];
  const writes = typeof ends === 'number' && code !== 2;
  const npx = `#!/bin/sh
printf '%s\\0' "$@" >npx.args
for word in "$@"; do
  [ "$word" = --version ] && exit ${version}
  [ "$before" = --out ] && out=$word
  before=$word
done
${writes ? `mkdir -p "$out" && for name in report.json summary.md; do printf '## conformant' >"$out/$name"; done` : ''}
exit ${code}
`;
  chmodSync(file(join(folder, 'bin', 'npx'), npx), 0o755);
  const [summary, output] = ['summary', 'output'].map((name) => join(folder, name));
  const PATH = `${join(folder, 'bin')}${delimiter}${process.env.PATH}`;
  const jobEnv = { PATH, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary!, GITHUB_OUTPUT: output!, ...env };
  const shell = ['--noprofile', '--norc', '-eo', 'pipefail', 'step.sh'];
  const { status, stdout, stderr } = spawnSync('bash', shell, { cwd: folder, encoding: 'utf8', env: jobEnv });
  const read = (path: string) => (existsSync(path) ? text(path) : '');
  expect(existsSync(join(folder, 'hacked')), script).toBe(false);
  return {
    code: status,
    /** The arguments of npx. */
    args: read(join(folder, 'npx.args')).split('\0').slice(0, -1),
    summary: read(summary!),
    output: read(output!),
    said: `${stdout}${stderr}`,
  };
}

const inputs = (args: string, options: { readonly out?: string; readonly package?: string } = {}) => ({
  COUNTERSIGN_ARGS: args,
  COUNTERSIGN_OUT: options.out ?? action.inputs.out.default,
  COUNTERSIGN_PACKAGE: options.package ?? action.inputs.package.default,
});

const tarball = `./countersign-${version}.tgz`;
const npxOf = (name: string) => ['--yes', `--package=${name}`, '--', 'countersign'];

test('the action has the keys that GitHub reads, uses inputs only as variables, and is pinned to this version', () => {
  expect(isOf(action, 'name description author branding inputs outputs runs')).toBe(true);
  expect(action.runs).toEqual({ using: 'composite', steps: expect.any(Array) });
  expect(wrongSteps(action.runs.steps)).toEqual([]);
  for (const { run, shell } of action.runs.steps) expect([shell, run.includes('${{')]).toEqual(['bash', false]);
  for (const one of Object.values<object>(action.inputs)) expect(isOf(one, 'description default required')).toBe(true);
  for (const one of Object.values<object>(action.outputs)) expect(Object.keys(one)).toEqual(['description', 'value']);
  expect(Object.keys(step.env)).toHaveLength(Object.keys(action.inputs).length);
  expect(action.inputs.package.default).toBe(`countersign@${version}`);
});

test('the action gives its arguments to the command, and its summary, outputs and exit code to the job', () => {
  for (const code of [0, 3]) {
    const ran = perform(step.run, inputs("client\n--seed=7\n\n--label=a=b c\n--\nmy client\n'--fast'\n"), code);
    const args = ['client', '--out', 'countersign-report', '--seed=7', '--label=a=b c', '--', 'my client', "'--fast'"];
    expect(ran.args).toEqual([...npxOf(`countersign@${version}`), ...args]);
    expect(ran).toMatchObject({ code, summary: '## conformant' });
    expect(ran.output).toBe(`report=countersign-report\nexit-code=${code}\n`);
  }
});

test('a package that npx cannot install is an error of the pipeline, never findings', () => {
  const { script } = parse(text('templates/countersign.yml'))['$[[ inputs.job ]]'];
  for (const npx of [1, 254]) {
    const ran = perform(step.run, inputs('gateway', { package: tarball }), { npx });
    const sentence = `${tarball} did not run (exit code ${npx}, no report)`;
    expect(ran).toMatchObject({ code: 3, said: expect.stringContaining(`::error title=Countersign::${sentence}`) });
    expect(ran.output).toBe('report=countersign-report\nexit-code=3\n');
    const job = perform(script.join('\n'), inputs('gateway', { package: tarball }), { npx });
    expect(job).toMatchObject({ code: 3, said: expect.stringContaining(sentence) });
    const { shard, merge } = parse(workflows[1]!).jobs;
    expect(perform(scriptOf(shard), { COUNTERSIGN: tarball, SEED: '9', SHARD: '1/2' }, { npx }).code).toBe(1);
    expect(perform(scriptOf(merge), { COUNTERSIGN: tarball }, { npx }).code).toBe(npx === 1 ? 3 : npx);
    const [nightly] = parse(workflows[3]!).jobs.matrix.steps.flatMap(({ run = '' }) => run || []);
    expect(perform(nightly, {}, { npx })).toMatchObject({ code: npx, args: [...npxOf(tarball), '--version'] });
  }
});

test('hostile inputs are one argument, or are refused before anything starts', () => {
  const echo = 'echo >hacked';
  const hostile = [`"; ${echo}; "`, `$(${echo})\`${echo}\``, `*'; ${echo} #`];
  for (const one of hostile) {
    const { args, output, code } = perform(step.run, inputs(`gateway\n--seed=${one}`));
    expect([code, args.at(-1)], one).toEqual([0, `--seed=${one}`]);
    expect(output).toBe('report=countersign-report\nexit-code=0\n');
    const refused = perform(step.run, inputs(`${one}\ngateway`));
    expect(refused).toMatchObject({ code: 2, args: [], said: expect.stringContaining('the first line of args is') });
  }
  const [one = ''] = hostile;
  const more = [{ out: 'a\nb=c' }, { out: '--json' }, { package: '--package=a' }];
  for (const given of [{ out: one }, { package: one }, ...more]) {
    const refused = perform(step.run, inputs('gateway', given));
    expect(refused, JSON.stringify(given)).toMatchObject({ code: 2, args: [], output: '' });
  }
});

test('the workflows in the documents have the keys that GitHub reads, and write no foreign value into a script', () => {
  expect(workflows).toHaveLength(4);
  for (const workflow of workflows) {
    const { jobs, ...rest } = parse(workflow);
    expect([isOf(rest, 'name on permissions concurrency env defaults'), 'on' in rest]).toEqual([true, true]);
    for (const job of Object.values<Job & { 'runs-on'?: string }>(jobs)) {
      const { steps } = job;
      expect([job['runs-on'], wrongSteps(steps)]).toEqual(['ubuntu-latest', []]);
      for (const { run = '' } of steps) expect(run).not.toContain('${{');
    }
  }
});

test('the workflow steps run: a shard tolerates only exit code 1, and merge returns its own exit code', () => {
  const { shard, merge } = parse(workflows[1]!).jobs;
  const env = { COUNTERSIGN: parse(workflows[1]!).env.COUNTERSIGN, SEED: '99', SHARD: '2/3' };
  const args = [...npxOf(tarball), 'gateway', '--seed', '99', '--shard', '2/3'];
  expect(perform(scriptOf(shard), env).args).toEqual([...args, '--out', 'shard']);
  expect([0, 1, 2, 3].map((code) => perform(scriptOf(shard), env, code).code)).toEqual([0, 0, 1, 1]);
  for (const code of [0, 1, 2, 3]) {
    // If merge refuses the shards, there is no summary.
    expect(perform(scriptOf(merge), {}, code)).toMatchObject({ code, summary: code === 2 ? '' : '## conformant' });
  }
  for (const workflow of [workflows[0]!, workflows[2]!]) {
    const used = parse(workflow).jobs.gateway.steps.find(({ uses }: { uses: string }) => /COMMIT$/.test(uses)).with;
    expect([used.package, Object.keys(used).every((name) => name in action.inputs)]).toEqual([tarball, true]);
    expect(perform(step.run, inputs(used.args, { package: tarball })).code).toBe(0);
  }
  // A cache cannot be overwritten, so a second attempt needs another key, or its ledger is lost.
  expect(workflows[2]!.match(/key: countersign-ledger-.*run_id }}-\$\{\{ github\.run_attempt }}/g)).toHaveLength(2);
});

test('the nightly steps of a matrix run: findings and faults are published, wrong use is not', () => {
  const [performing, publish] = parse(workflows[3]!).jobs.matrix.steps.flatMap(({ run = '' }) => run || []);
  const { script, artifacts, cache } = parse(text('templates/gitlab-matrix.yml')).pages;
  for (const one of [performing, script.join('\n')]) {
    expect(perform(one, {}).args).toEqual([...npxOf(tarball), 'matrix', 'matrix.yaml', '--out', 'public']);
    expect([0, 1, 2, 3].map((code) => perform(one, {}, code).code)).toEqual([0, 0, 1, 0]);
  }
  expect([artifacts.paths, cache.paths, cache.when]).toEqual([['public'], ['public'], 'always']);
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { cwd, encoding: 'utf8' });
  const origin = folderAt('origin.git');
  git(origin, 'init', '--quiet', '--bare', '--initial-branch', 'gh-pages');
  for (const night of ['first', 'second']) {
    const ran = perform(publish, {}, 0, (folder) => {
      git(folder, 'clone', '--quiet', origin, 'public');
      const pages = join(folder, 'public');
      if (night === 'first') {
        git(pages, 'switch', '--quiet', '--orphan', 'gh-pages');
        git(pages, 'commit', '--quiet', '--allow-empty', '--message', 'start');
        git(pages, 'push', '--quiet', 'origin', 'HEAD:gh-pages');
      }
      writeFileSync(join(pages, `${night}.html`), '');
    });
    expect(ran).toMatchObject({ code: 0, said: '' });
  }
  expect(git(origin, 'ls-tree', '--name-only', 'gh-pages')).toBe('.nojekyll\nfirst.html\nsecond.html\n');
  expect(git(origin, 'rev-list', '--count', 'gh-pages')).toBe('1\n');
});

test('the GitLab component accepts no argument that a shell would interpret', () => {
  const [head, body] = parseAllDocuments(text('templates/countersign.yml')).map((document) => document.toJS());
  const [job] = Object.values<{ readonly script: readonly string[] }>(body);
  expect(job!.script.join('')).not.toContain('$[[');
  expect(head.spec.inputs.package.default).toBe(`countersign@${version}`);
  for (const name of [tarball, '@a/countersign@1.2.3'])
    expect(name).toMatch(new RegExp(head.spec.inputs.package.regex));
  for (const name of ['a b', '$(id)', '"', '--package=a'])
    expect(name).not.toMatch(new RegExp(head.spec.inputs.package.regex));
  const allowed = new RegExp(head.spec.inputs.args.regex);
  for (const one of ['gateway', 'gateway --config=a/b.yaml --seed 7', 'client --seed=7 -- node a.mjs'])
    expect(one).toMatch(allowed);
  for (const more of ['; id', ' $(id)', ' `id`', '\nid', ' | id', ' "a"', ' && id', ' > x'])
    expect(`gateway${more}`).not.toMatch(allowed);
  expect('x').not.toMatch(allowed);
  const script = job!.script.join('\n');
  const ran = perform(script, inputs('client --only close-day/* -- node a.mjs'));
  const args = ['client', '--out', 'countersign-report', '--only', 'close-day/*', '--', 'node', 'a.mjs'];
  expect(ran.args).toEqual([...npxOf(`countersign@${version}`), ...args]);
});

test('the container has only Node, does not run as root, and starts the command', () => {
  const lines = text('Dockerfile').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')));
  expect(lines.filter((line) => line.startsWith('FROM') && !/ node:\$\{NODE\}-slim/.test(line))).toEqual([]);
  expect(lines).toContain('ARG PLATFORM=linux/amd64');
  // The image gets no build: none is copied, and packing without scripts makes none.
  expect(text('.dockerignore').split('\n')).toContain('dist');
  expect(lines.join('\n')).toMatch(/RUN npm ci [^\n]*&& npm run --silent build && npm pack --ignore-scripts/);
  expect(last.filter((line) => line.startsWith('RUN')).join()).not.toMatch(/apt|curl|wget/);
  expect(last.indexOf('USER node')).toBeGreaterThan(last.findIndex((line) => line.startsWith('RUN')));
  expect(last).toContain('ENTRYPOINT ["countersign"]');
});

test('annotations are the new failures, at most ten, and foreign text cannot add commands to them', () => {
  const failing = rows.find(({ outcome }) => outcome === 'fail')!;
  const annotate = (results: readonly Result['results'][number][], more: Partial<Result> = {}) =>
    annotations({ ...everything, conclusion: 'non-conformant', contracts: [], baseline: undefined, results, ...more });
  const actual = '50%\n::set-output name=a::b\r::error::x';
  expect(annotate([{ ...failing, id: 'close-day/path', expected: 'e', actual }])).toBe(
    '::error title=Countersign%3A close-day/path::expected e, received 50%25<U+000A>::set-output name=a::b<U+000D>::error::x\n',
  );
  const tolerated = [{ known: { reason: 'GW-1' } }, { notScored: true as const }];
  expect(annotate(tolerated.map((more) => ({ ...failing, ...more })))).toBe('');
  expect(annotate([failing], { scope: { only: [], shard: { index: 1, of: 2 } } })).toBe('');
  expect(annotate([failing], { conclusion: 'aborted' })).toBe('');
  const many = annotate(Array(12).fill(failing)).trimEnd().split('\n');
  expect(many).toHaveLength(10);
  expect(many.at(-1)).toBe('::error title=Countersign%3A more::3 more findings are in the report');
});

test('a run that may have effects names its missing ledger first', async () => {
  const line = ['gateway', '--target', 'http://127.0.0.1:1', '--only', 'close-day/status-200', '--dry-run'];
  const state = { XDG_STATE_HOME: here('state') };
  const err = expect.stringMatching(/^countersign: there is no ledger at \S+ yet/);
  expect(await run([...line, '--allow', 'closes-day=1'], state)).toMatchObject({ exitCode: 0, err });
});
