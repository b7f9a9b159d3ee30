/** Measures a contender of a row: a whole command, or code in a child process. A smoke run needs no child process. */
import { fork, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rows } from './rows.mjs';

const self = fileURLToPath(import.meta.url);

/** The argument of a contender: how to load modules of the build in `dist`, and whether the run is a smoke run. */
function contextOf(dist, smoke) {
  const at = (path) => resolve(dist, path);
  return { at, smoke, load: (path) => import(pathToFileURL(at(path)).href) };
}

/**
 * Opens a contender. `measure(units)` returns seconds of the clock and of the processor for one unit of work, and the
 * answer. All contenders of a row must give the same answer. For a command, it also returns the memory in MB.
 */
export async function openContender(row, name, { dist, smoke }) {
  const context = contextOf(dist, smoke);
  if (row.whole) {
    const { command, exchanges } = await row.contenders[name](context);
    return { measure: () => whole(command(), exchanges, row.exits), close: () => {} };
  }
  const { ask, close } = smoke ? await here(row, name, context) : await inChild(row, name, dist);
  const measure = async (units) => {
    if (!row.drive) return perUnit(await ask({ units }), units);
    const { port } = await ask({});
    const load = await row.drive(port, units, context);
    const [from, start] = [await ask({}), performance.now()];
    const driven = await load();
    const clock = performance.now() - start;
    return perUnit({ ...driven, clock, cpu: (await ask({})).total - from.total }, units);
  };
  return { measure, close };
}

function perUnit({ clock, cpu, answer }, units) {
  return { clock: clock / 1e3 / units, cpu: cpu / 1e6 / units, answer };
}

async function here(row, name, context) {
  const opened = await row.contenders[name](context);
  return { ask: (question) => answer(opened, question), close: () => opened.close?.() };
}

async function inChild(row, name, dist) {
  const child = fork(self, [dist, row.id, name], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ask = (question) =>
    new Promise((done, fail) => {
      const died = (code) => fail(new Error(`${name} of ${row.id} ended with exit code ${code}`));
      child.once('exit', died);
      child.once('message', (message) => {
        child.off('exit', died);
        done(message);
      });
      child.send(question);
    });
  return { ask, close: () => child.kill() };
}

/** Performs `units` of work. Returns milliseconds of the clock, microseconds of the processor, and the result. */
async function answer(opened, { units }) {
  const [from, start] = [process.cpuUsage(), performance.now()];
  const result = units === undefined ? undefined : await opened(units);
  const [cpu, total] = [process.cpuUsage(from), process.cpuUsage()].map(({ user, system }) => user + system);
  return { clock: performance.now() - start, cpu, total, answer: result, port: opened.port };
}

const peaks = join(tmpdir(), `countersign-bench-peaks-${process.pid}`);

/**
 * Runs a command. The shell builtin `times` reports the processor time of its processes, so no program is installed.
 * @param exchanges the number of exchanges of the command: the times are divided by this number
 * @param exits the exit codes of a correct result
 */
function whole([program, ...args], exchanges = 1, exits = [0]) {
  return new Promise((done, fail) => {
    const script = '"$@" >/dev/null 2>&1; code=$?; times; exit $code';
    const peak = new URL('peak.mjs', import.meta.url).href;
    const env = { ...process.env, NODE_OPTIONS: `--import=${peak}`, BENCH_PEAK: peaks };
    const start = performance.now();
    const shell = spawn('sh', ['-c', script, 'sh', program === 'node' ? process.execPath : program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    });
    let printed = '';
    shell.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    shell.once('error', fail);
    shell.once('close', (code) => {
      const seconds = [...(printed.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
        ([, m, s]) => m * 60 + Number(s),
      );
      const cpu = seconds.reduce((sum, one) => sum + one, 0) / exchanges;
      const clock = (performance.now() - start) / 1e3 / exchanges;
      done({ clock, cpu, memory: memoryOf(), answer: exits.includes(code) ? 'right' : `exit code ${code}` });
    });
  });
}

/** Adds up the peak memory of all processes of a command, in MB. */
function memoryOf() {
  const sum = readFileSync(peaks, 'utf8')
    .split('\n')
    .reduce((all, line) => all + Number(line), 0);
  rmSync(peaks);
  return sum;
}

/** Runs in the child process that `inChild` starts. */
async function serve([dist, id, name]) {
  const row = rows.find((one) => one.id === id);
  const opened = await row.contenders[name](contextOf(dist, false));
  process.on('message', async (question) => process.send(await answer(opened, question)));
  process.once('disconnect', () => process.exit());
}

if (process.argv[1] && join(process.argv[1]) === self) await serve(process.argv.slice(2));
