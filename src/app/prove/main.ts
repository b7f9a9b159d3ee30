/**
 * `npm run prove`: runs every defect against the suite in parallel and prints the matrix. Options: ids, `--sockets`
 * (real HTTP), `--write` (writes the files).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../../contracts/requirements/index.ts';
import { clientDefects, gatewayDefects } from '../../faults/index.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { writeDecidingCalls } from './deciding-calls.ts';
import { type Kill, kill } from './kill.ts';
import { matrixOf, matrixPage, matrixText, mutatedPart } from './matrix.ts';
import { writeShownBy } from './shown-by.ts';

const defects = [...gatewayDefects, ...clientDefects];

if (process.send === undefined) await prove(process.argv.slice(2));
else await work(process.argv.includes('--sockets'));

/** Exit code 0 if every defect is killed exactly, also under --only, and every required row is proven, else 1. */
async function prove(args: readonly string[]): Promise<void> {
  const startedAt = Date.now();
  const ids = args.filter((arg) => !arg.startsWith('--'));
  const unknown = ids.find((id) => !defects.some((defect) => defect.id === id));
  if (unknown !== undefined || (ids.length > 0 && args.includes('--write'))) {
    process.stderr.write(
      unknown === undefined ? '--write needs every defect: omit the ids\n' : `there is no defect ${unknown}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const chosen = [...defects.keys()].filter((at) => ids.length === 0 || ids.includes(defects[at]!.id));
  const kills = await killAll(chosen, Math.max(2, availableParallelism()), args);
  // Selected defects prove nothing about requirements that they do not break.
  const matrix = matrixOf(kills, ids.length === 0 ? requirements : []);
  process.stdout.write(matrixText(matrix));
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  if (args.includes('--write')) {
    process.stderr.write(
      'Computing which cases of a live run show which defect. This takes some minutes; then all three files are written.\n',
    );
    const path = join(packageRoot, 'reports', 'samples', 'kill-matrix.md');
    await writeDecidingCalls(packageRoot);
    await writeShownBy(packageRoot);
    await writeFile(path, matrixPage(matrix) + mutatedPart(await readFile(path, 'utf8')));
  }
  const right = [matrix.survived, matrix.stray, matrix.missed, matrix.unproven].every((list) => list.length === 0);
  process.exitCode = right ? 0 : 1;
}

/** Runs defects in parallel, and returns them in list order. */
async function killAll(chosen: readonly number[], processes: number, args: readonly string[]): Promise<Kill[]> {
  const kills = new Map<number, Kill>();
  const waiting = [...chosen];
  const worker = async () => {
    const child = fork(fileURLToPath(import.meta.url), args);
    try {
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) kills.set(at, await ask(child, at));
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: processes }, worker));
  return chosen.map((at) => kills.get(at)!);
}

/** A minute is forty times the usual duration. A process that ends or hangs ends the proof. */
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
