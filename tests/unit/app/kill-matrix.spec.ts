/** The kill matrix, its page in reports/samples, and the built package. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { requirements } from '../../../contracts/requirements/index.ts';
import type { Requirement } from '../../../contracts/requirements/requirement.ts';
import configs from '../../../rolldown.config.ts';
import { type Kill, kill as runWith } from '../../../src/app/prove/kill.ts';
import { matrixOf, matrixPage, matrixText, mutatedPart } from '../../../src/app/prove/matrix.ts';
import { clientDefects, gatewayDefects } from '../../../src/faults/index.ts';
import { expect, test } from '../../engine.ts';
import { root, textOf } from '../../house/tree.ts';
import { here } from './run-command.ts';

const row = (id: string): Requirement => ({ ...requirements[0]!, id: `close-day/${id}`, kind: 'required' });
const kill = (id: string, breaks: string[], failing = breaks, crashed?: string): Kill => ({
  id,
  side: 'client',
  summary: 'Does something else',
  breaks: breaks.map((one) => `close-day/${one}`),
  failing: failing.map((one) => `close-day/${one}`),
  ...(crashed === undefined ? {} : { crashed }),
});

test('a defect is killed if exactly its requirements fail in a run with a verdict', () => {
  const matrix = matrixOf([kill('exact', ['a']), kill('weak', ['a', 'b'], ['a']), kill('wide', ['a'], ['a', 'c'])], []);
  expect(matrix.killed.map(({ id }) => id)).toEqual(['exact']);
  expect(matrix.survived.map(({ id }) => id)).toEqual(['weak']);
  expect(matrix.stray).toEqual(['wide: close-day/c']);
  const missedMatrix = matrixOf([{ ...kill('late', ['a']), missedByOnly: ['close-day/a'] }], []);
  expect(missedMatrix.missed).toEqual(['late: close-day/a']);
  const crashed = matrixOf([kill('crash', ['a'], ['a'], 'the run was aborted')], []);
  expect(crashed.killed).toEqual([]);
  expect(matrixText(crashed)).toContain('crash ended the run: the run was');
});

test('a required requirement needs a killer of at most three requirements', () => {
  const rows = ['a', 'b', 'c', 'd'].map(row);
  expect(matrixOf([kill('broad', ['a', 'b', 'c', 'd'])], rows).unproven).toHaveLength(4);
  expect(matrixOf([kill('narrow', ['a', 'b', 'c'])], rows).unproven).toEqual(['close-day/d']);
});

test('a defect that only a record shows proves no requirement, and the requirement is named', () => {
  const kills: Kill[] = [{ ...kill('record', ['a', 'b']), reach: 'stored' }, kill('run', ['b'])];
  const matrix = matrixOf(kills, ['a', 'b'].map(row));
  expect([matrix.unproven, matrix.onlyInRecords]).toEqual([[], ['close-day/a']]);
  expect(matrixText(matrix)).toContain('required ids that fail in a record alone 1 close-day/a');
  expect(matrixPage(matrix)).not.toContain('| close-day/a | record');
});

test('the page in reports/samples fits the present defects', () => {
  const declared = [...gatewayDefects, ...clientDefects].map(({ id, side, summary, breaks, reach }): Kill => {
    const sorted = [...breaks].sort();
    return { id, side, summary, breaks: sorted, failing: sorted, ...(reach === undefined ? {} : { reach }) };
  });
  const written = textOf('reports/samples/kill-matrix.md');
  const page = matrixPage(matrixOf(declared, requirements)) + mutatedPart(written);
  expect(written === page, 'npm run prove -- --write makes it anew').toBe(true);
});

test('the package is smaller than 2.5 MB, has every file that its files load, and runs nothing on installation @all', () => {
  const words = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  expect(packed.size).toBeLessThan(2_500_000);
  const paths = packed.files.map((file: { path: string }) => file.path);
  const needed = ['bin/countersign.cjs', 'dist/src/app/main.cjs', 'llms.txt', 'README.md'];
  expect(paths).toEqual(expect.arrayContaining(needed));
  expect(paths.filter((path: string) => path.startsWith('tests/'))).toEqual([]);
  // The package leaves out modules that are in a bundle. No packed file may import one of them.
  const missed = paths
    .filter((path: string) => /^dist\/.*\.c?[jt]s$/.test(path))
    .flatMap((path: string) =>
      [...readFileSync(path, 'utf8').matchAll(/(?:\bfrom |\bimport\(|\brequire\()["'](\.[^"']+)["']/g)]
        .map(([, found]) => join(dirname(path), found!))
        .map((found) => (path.endsWith('.d.ts') ? found.replace(/\.[jt]s$/, '.d.ts') : found))
        .filter((found) => !paths.includes(found))
        .map((found) => `${path} needs ${found}`),
    );
  expect(missed).toEqual([]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

test('the command in a clone without a build says what to do', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(accessSync(bin.countersign, constants.X_OK)).toBeUndefined();
  const copy = here('bin', 'countersign.cjs');
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(bin.countersign, copy);
  const { status, stderr } = spawnSync(process.execPath, [copy, 'list'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^countersign: this clone has not been built yet\. Run `npm run build` in the clone, .*\n$/);
});

test('before npm ci, the command and the build of a clone say to run npm ci', () => {
  const { bin, scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const clone = mkdtempSync(join(tmpdir(), 'countersign-clone-'));
  try {
    mkdirSync(join(clone, 'bin'));
    copyFileSync(bin.countersign, join(clone, bin.countersign));
    copyFileSync('package.json', join(clone, 'package.json'));
    const command = spawnSync(process.execPath, [bin.countersign, 'list'], { cwd: clone, encoding: 'utf8' });
    expect(command.stderr).toContain('Run `npm ci && npm run build` in the clone, then this command again.');
    const built = Object.keys(scripts).filter((name) => scripts[name].startsWith('npm run --silent build'));
    expect(built).toEqual(expect.arrayContaining(['start', 'test']));
    const { status, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: clone, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('are not installed. Run npm ci, then')]);
  } finally {
    rmSync(clone, { recursive: true });
  }
});

test('a build replaces dist/ only at its end, so that a running command finds its files', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const steps: string[] = scripts.build.split(' && ');
  expect(steps.findIndex((step) => /'dist'|\bdist\//.test(step))).toBe(steps.length - 1);
});

const source = `
export function isEscaped(text) {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}`;

for (const { input, treeshake, output } of configs) {
  const name = typeof input === 'string' ? input : Object.keys(input!)[0];
  test(`a call that is made only to see whether it throws stays in the bundle of ${name}`, async () => {
    const plugins = [{ name: 'source', resolveId: (id: string) => id, load: () => source }];
    const bundle = await rolldown({ input: 'source', treeshake, plugins });
    const { minify } = output as { minify: boolean | object };
    const [{ code }] = (await bundle.generate({ format: 'iife', name: 'bundled', minify })).output;
    expect(runInNewContext(`${code}; ['%C3%A9', '%C3500'].map(bundled.isEscaped).join()`)).toBe('true,false');
  });
}

/** Every hundredth defect: neighbours in the list break similar requirements. */
const isSampled = (_: unknown, at: number) => at % 100 === 7;

for (const defect of [...gatewayDefects.filter(isSampled), ...clientDefects.filter(isSampled)]) {
  test(`${defect.side} ${defect.id} makes exactly its rows fail, also under --only`, async () => {
    const { crashed, failing, breaks, missedByOnly = [] } = await runWith(defect);
    expect([crashed, failing, missedByOnly]).toEqual([undefined, breaks, []]);
  });
}

// The matrix uses no sockets, and copies scenarios that a defect does not change. Neither must make a difference.
for (const defect of [...gatewayDefects, ...clientDefects].filter((_, at) => at % 30 === 3)) {
  test(`${defect.id} fails the same over a socket, and without copied scenarios`, { tag: '@all' }, async () => {
    expect(await runWith(defect, true)).toEqual(await runWith(defect));
  });
}

test('in the whole matrix each defect is killed, also under --only, and each required row has a killer @all', async () => {
  test.setTimeout(1_800_000);
  const main = join(root, 'dist/src/app/prove/main.js');
  type Output = { readonly code?: number; readonly stdout: string; readonly stderr: string };
  const output = promisify(execFile)(process.execPath, [main], { timeout: 1_780_000, maxBuffer: 2 ** 24 });
  const { code = 0, stdout, stderr }: Output = await output.catch((error: Output) => error);
  expect(stdout.replace(/^✓.*\n/gm, ''), stderr).toMatch(
    /killed (\d+) of \1 .*\nfound in a record (\d+) of \2\nsurvived 0\nstray 0\nmissed under --only 0\nrequired ids without a killer 0\nrequired ids that fail in a record alone 1 transport\/https-served\n/,
  );
  expect(code).toBe(0);
});
