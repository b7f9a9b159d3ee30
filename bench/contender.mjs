/** One contender of one row: in this process (a smoke run), in a child that is asked in turn, or a command that is run whole. */
import { fork, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rows } from './rows/index.mjs';

const self = fileURLToPath(import.meta.url);

/** What contenders are given: modules of the build under `dist`, and whether the run is a smoke run. */
function contextOf(dist, smoke) {
  const at = (path) => resolve(dist, path);
  return { at, smoke, load: (path) => import(pathToFileURL(at(path)).href) };
}

/**
 * Opens a contender. `measure(units)` gives seconds of the clock and of the processor for one unit of work, the growth of memory
 * in MB, and the answer, which has to be that of the others.
 */
export async function openContender(row, name, { dist, smoke }) {
  const context = contextOf(dist, smoke);
  if (row.full) {
    const { command } = await row.contenders[name](context);
    return { measure: () => whole(command()), close: () => {} };
  }
  const { ask, close } = smoke ? await here(row, name, context) : await inChild(row, name, dist);
  const before = await ask({ usage: true });
  const measure = async (units) => {
    if (!row.drive) return perUnit(await ask({ units }), units, before);
    const load = await row.drive(before.port, units, context);
    const [from, start] = [await ask({ usage: true }), performance.now()];
    const driven = await load();
    const to = await ask({ usage: true });
    const clock = row.longest ? driven.longest : performance.now() - start;
    return perUnit({ ...to, ...driven, clock, cpu: to.cpu - from.cpu }, units, before);
  };
  return { measure, close };
}

function perUnit({ clock, cpu, peak, resident, answer, p99 }, units, before) {
  const growth = peak - before.peak;
  return { clock: clock / 1e3 / units, cpu: cpu / 1e6 / units, growth, resident, answer, p99 };
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

/** Microseconds of the processor, MB of memory, and what was asked for. */
async function answer(opened, { units }) {
  const [from, start] = [process.cpuUsage(), performance.now()];
  const given = units === undefined ? undefined : await opened(units);
  const { user, system } = process.cpuUsage(units === undefined ? undefined : from);
  const memory = { peak: process.resourceUsage().maxRSS / 1024, resident: process.memoryUsage.rss() / 1048576 };
  return { clock: performance.now() - start, cpu: user + system, ...memory, answer: given, port: opened.port };
}

/** POSIX `times` says what the processes of a command cost; there is no other way to it without a program to install. */
function whole([program, ...args]) {
  return new Promise((done, fail) => {
    const script = '"$@" >/dev/null 2>&1; code=$?; times; exit $code';
    const start = performance.now();
    const shell = spawn('sh', ['-c', script, 'sh', program === 'node' ? process.execPath : program, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    shell.stdout.on('data', (chunk) => {
      told += chunk;
    });
    shell.once('error', fail);
    shell.once('close', (code) => {
      const seconds = [...(told.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
        ([, m, s]) => m * 60 + Number(s),
      );
      const cpu = seconds.reduce((sum, one) => sum + one, 0);
      done({ clock: (performance.now() - start) / 1e3, cpu, growth: 0, resident: 0, answer: `exit code ${code}` });
    });
  });
}

/** The child's half of `inChild`; with a number of units it does them and ends, for a counter of instructions. */
async function serve([dist, id, name, units]) {
  const row = rows.find((one) => one.id === id);
  const opened = await row.contenders[name](contextOf(dist, false));
  if (units !== undefined) return opened(Number(units));
  process.on('message', async (question) => process.send(await answer(opened, question)));
  process.once('disconnect', () => process.exit());
}

if (process.argv[1] && join(process.argv[1]) === self) await serve(process.argv.slice(2));
