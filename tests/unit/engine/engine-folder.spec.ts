/** The engine loads compiled code from a folder that no other user can have made. The attack needs dist/. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEngineFolder, tellConcluding, tellLost } from '../../../src/app/engine-folder.ts';
import { expect, test } from '../../engine.ts';
import { skipUnless } from '../../needed.ts';

const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));
const main = join(dist, 'src/app/main.js');
const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
/** Greater than any process number that the system gives. */
const nobody = 4_194_305;

function scratch(): string {
  const path = test.info().outputPath('tmp');
  mkdirSync(path, { recursive: true });
  return path;
}

test('the folder is fresh, and only this user may enter it', () => {
  const parent = scratch();
  const [one, other] = [openEngineFolder(parent), openEngineFolder(parent)];
  expect(one.path).not.toBe(other.path);
  if (process.platform !== 'win32') expect(statSync(one.path).mode & 0o777).toBe(0o700);
  one.remove();
  expect(readdirSync(parent)).toEqual([basename(other.path)]);
});

test('where no folder can be made, or nothing written into it, that is said in one sentence with what to do', () => {
  const parent = test.info().outputPath('file');
  writeFileSync(parent, '');
  expect(() => openEngineFolder(parent)).toThrow(
    `the folder for temporary files, ${parent}, cannot be written (ENOTDIR: a file is where a folder has to be)`,
  );
});

test('a folder for temporary files that is relative counts from the working folder, and not from the package', () => {
  const parent = scratch();
  const { path, remove } = openEngineFolder(relative(process.cwd(), parent));
  expect(path).toBe(join(parent, basename(path)));
  remove();
});

test('a run whose options cannot be written leaves no folder', () => {
  const parent = scratch();
  expect(() => openEngineFolder(parent).write('no folder/options', '')).toThrow('cannot be written (ENOENT: ');
  expect(readdirSync(parent)).toEqual([]);
});

test('a full disk does not keep the engine from being noted in its folder', () => {
  const { path, lend } = openEngineFolder(scratch());
  const note = join(path, 'engine.pid');
  const { size } = statSync(note);
  lend(nobody);
  expect([statSync(note).size, Number(readFileSync(note, 'utf8'))]).toEqual([size, nobody]);
});

test('that the report is about to be written is told without more room', () => {
  const { path, isConcluding, remove } = openEngineFolder(scratch());
  const { size } = statSync(join(path, 'engine.stage'));
  expect(isConcluding()).toBe(false);
  tellConcluding(path);
  expect([isConcluding(), statSync(join(path, 'engine.stage')).size]).toEqual([true, size]);
  remove();
  tellConcluding(path);
  expect([isConcluding(), existsSync(path)]).toEqual([false, false]);
});

test('why there is no report is told without more room, whole or not at all', () => {
  const { path, lost } = openEngineFolder(scratch());
  const { size } = statSync(join(path, 'engine.lost'));
  const why = { aborted: 'no room', hint: 'Make some.', isLost: true } as const;
  expect(lost()).toBeUndefined();
  expect(tellLost(path, why)).toBe(true);
  expect([lost(), statSync(join(path, 'engine.lost')).size]).toEqual([why, size]);
  expect(tellLost(join(path, 'none'), why)).toBe(false);
});

test('what a killed run left is removed, and nothing that is in use or not of this suite', () => {
  const parent = scratch();
  const make = (name: string, borrower?: number): string => {
    mkdirSync(join(parent, name));
    if (borrower !== undefined) writeFileSync(join(parent, name, 'engine.pid'), `${borrower}\n`);
    return name;
  };
  make(`countersign-engine-${nobody}-aaaaaa`);
  make(`countersign-engine-${nobody}-bbbbbb`, nobody);
  const kept = [
    make(`countersign-engine-${nobody}-cccccc`, process.pid),
    make(`countersign-engine-${process.ppid}-dddddd`),
    make(`countersign-engine-${nobody}`),
    make(`other-${nobody}-eeeeee`),
  ];
  const elsewhere = test.info().outputPath('elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'file'), '');
  symlinkSync(elsewhere, join(parent, `countersign-engine-${nobody}-ffffff`));
  openEngineFolder(parent).remove();
  expect(readdirSync(parent).sort()).toEqual(kept.sort());
  expect(readdirSync(elsewhere)).toEqual(['file']);
});

test('code that another user has planted in the temporary folder is not run', { tag: '@all' }, async () => {
  skipUnless(existsSync(main), 'the build under dist/');
  const tmp = scratch();
  const ran = test.info().outputPath('ran');
  // Where the engine looks by itself, and what it would find there.
  const planted = join(tmp, `playwright-transform-cache${process.getuid === undefined ? '' : `-${process.getuid()}`}`);
  spawnSync(process.execPath, [playwright, 'test', '-c', join(dist, 'playwright.config.js'), '--list'], {
    env: { ...process.env, TMPDIR: tmp, PLAYWRIGHT_TRANSFORM_CACHE_DIR: planted },
    cwd: test.info().outputDir,
  });
  const files = filesIn(planted).filter((path) => path.endsWith('.js'));
  expect(files.length).toBeGreaterThan(0);
  for (const path of files)
    plant(path, `import('node:fs').then((fs) => fs.writeFileSync(${JSON.stringify(ran)}, ''));`);
  const child = gateway(tmp);
  expect(await ended(child)).toBe(0);
  expect(existsSync(ran)).toBe(false);
  expect(readdirSync(tmp)).toEqual([basename(planted)]);
});

test('a killed run leaves its folder to its engine, which ends by itself, and the next run removes it', {
  tag: '@all',
}, async () => {
  skipUnless(existsSync(main), 'the build under dist/');
  const tmp = scratch();
  // By itself it would take a minute.
  const killed = gateway(tmp, 'recurring/keep-alive-kept', '--slow');
  await expect.poll(() => folders(tmp).length, { timeout: 60_000, intervals: [20] }).toBe(1);
  const [left] = folders(tmp);
  const noted = () => Number(readFileSync(join(tmp, left!, 'engine.pid'), 'utf8'));
  // Until there is an engine, the command itself is named.
  await expect.poll(noted, { intervals: [5] }).not.toBe(killed.pid);
  const engine = noted();
  process.kill(engine, 'SIGSTOP');
  killed.kill('SIGKILL');
  await ended(killed);
  openEngineFolder(tmp).remove();
  expect(folders(tmp)).toEqual([left]);
  process.kill(engine, 'SIGCONT');
  await expect
    .poll(
      () => {
        openEngineFolder(tmp).remove();
        return folders(tmp);
      },
      { timeout: 40_000 },
    )
    .toEqual([]);
});

const seconds: readonly [name: string, NodeJS.Signals | undefined, aborted: string][] = [
  ['is written after an interruption too', undefined, 'the run was interrupted before its end'],
  ['is not lost where SIGTERM follows', 'SIGTERM', 'the run was interrupted before its end'],
  ['is given up where a second Ctrl+C follows', 'SIGINT', 'the run was interrupted before it had a report'],
];
for (const [name, second, aborted] of seconds) {
  test(`a report that takes longer than ten seconds ${name}`, { tag: '@all' }, async () => {
    skipUnless(existsSync(main), 'the build under dist/');
    const tmp = scratch();
    const interrupted = gateway(tmp);
    let progress = '';
    for (const stream of [interrupted.stdout, interrupted.stderr]) stream?.on('data', (more) => (progress += more));
    await expect.poll(() => progress, { timeout: 60_000, intervals: [5] }).toMatch(/\[ *1\//);
    const [folder] = folders(tmp).map((left) => join(tmp, left));
    const engine = Number(readFileSync(join(folder!, 'engine.pid'), 'utf8'));
    interrupted.kill('SIGINT');
    // In one go, since the report of so few exchanges is soon written; the engine stands still in place of some ten thousand.
    while (readFileSync(join(folder!, 'engine.stage'), 'utf8') !== 'concluding');
    process.kill(engine, 'SIGSTOP');
    await setTimeout(2000);
    if (second !== undefined) interrupted.kill(second);
    await setTimeout(9000);
    if (second !== 'SIGINT') process.kill(engine, 'SIGCONT');
    expect(await ended(interrupted)).toBe(3);
    const report = readFileSync(join(test.info().outputPath('out'), 'report.json'), 'utf8');
    expect(JSON.parse(report)).toMatchObject({ conclusion: 'aborted', aborted });
  });
}

test('a signal that comes while the report is written does not end that', { tag: '@all' }, async () => {
  skipUnless(existsSync(main), 'the build under dist/');
  const tmp = scratch();
  const run = gateway(tmp);
  await expect.poll(() => folders(tmp).length, { timeout: 60_000, intervals: [5] }).toBe(1);
  const stage = join(tmp, folders(tmp)[0]!, 'engine.stage');
  const isConcluding = () => existsSync(stage) && readFileSync(stage, 'utf8') === 'concluding';
  await expect.poll(() => isConcluding(), { timeout: 60_000, intervals: [1] }).toBe(true);
  run.kill('SIGINT');
  await ended(run);
  const report = readFileSync(join(test.info().outputPath('out'), 'report.json'), 'utf8');
  expect(JSON.parse(report)).toMatchObject({ conclusion: 'conformant' });
});

/** A whole run whose temporary folder is this one. */
function gateway(tmp: string, only = 'authentication/close-day-valid-accepted', ...flags: string[]): ChildProcess {
  const args = [main, 'gateway', '--only', only, '--cases', '1', ...flags];
  const child = spawn(process.execPath, [...args, '--out', test.info().outputPath('out')], {
    env: { ...process.env, TMPDIR: tmp },
  });
  child.stdout?.resume();
  child.stderr?.resume();
  return child;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

function folders(tmp: string): string[] {
  return readdirSync(tmp).filter((name) => name.startsWith('countersign-engine-'));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

/** The first line of a cached file is the hash of the others. */
function plant(path: string, code: string): void {
  const text = readFileSync(path, 'utf8');
  const body = `${code}\n${text.slice(text.indexOf('\n') + 1)}`;
  writeFileSync(path, `// ${createHash('sha1').update(body).digest('hex')}\n${body}`);
}
