/**
 * `npm run prove`: every defect of both sides against the whole suite, in as many processes as there are cores, and the matrix.
 * With `--sockets` the requests to a gateway go over HTTP.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../contracts/requirements/index.ts';
import { clientDefects } from '../defects/client/index.ts';
import { gatewayDefects } from '../defects/index.ts';
import { packageRoot } from '../options/suite-version.ts';
import { type Kill, kill } from './kill.ts';
import { matrixOf } from './matrix.ts';
import { matrixPage, matrixText, mutatedPart } from './print-matrix.ts';
import { writeShownBy } from './write-shown-by.ts';

const defects = [...gatewayDefects, ...clientDefects];

if (process.send === undefined) await prove(process.argv.slice(2));
else await work(process.argv.includes('--sockets'));

/** Exit code 0 where every defect is killed exactly and every required row is proven, else 1. */
async function prove(args: readonly string[]): Promise<void> {
  const startedAt = Date.now();
  const kills = await killAll(Math.max(2, availableParallelism()), args);
  const matrix = matrixOf(kills, requirements);
  process.stdout.write(matrixText(matrix));
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  if (args.includes('--write')) {
    const path = join(packageRoot, 'reports', 'samples', 'kill-matrix.md');
    await writeFile(path, matrixPage(matrix) + mutatedPart(await readFile(path, 'utf8')));
    await writeShownBy(packageRoot);
  }
  const right = matrix.survived.length + matrix.stray.length + matrix.unproven.length === 0;
  process.exitCode = right ? 0 : 1;
}

/** Hands the defects out one by one; the order of the result is that of the lists. */
async function killAll(processes: number, args: readonly string[]): Promise<Kill[]> {
  const kills: Kill[] = new Array(defects.length);
  const waiting = [...defects.keys()];
  const worker = async () => {
    const child = fork(fileURLToPath(import.meta.url), args);
    try {
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) kills[at] = await ask(child, at);
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: processes }, worker));
  return kills;
}

/** A minute is forty times what a defect takes; a process that died or hangs ends the proof. */
function ask(child: ChildProcess, at: number): Promise<Kill> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`the process that ran ${defects[at]!.id} ended or hung`));
    const limit = setTimeout(fail, 60_000);
    child.once('exit', fail);
    child.once('message', (answer) => {
      clearTimeout(limit);
      child.off('exit', fail);
      resolve(answer as Kill);
    });
    child.send(at);
  });
}

async function work(overSockets: boolean): Promise<void> {
  process.on('message', async (at: number) => {
    process.send!(await kill(defects[at]!, overSockets));
  });
}
