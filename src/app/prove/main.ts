/** `npm run prove -- [ID...] [--sockets] [--write]`: runs the suite against all defects, and prints the matrix. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirements } from '../../../contracts/requirements/index.ts';
import { clientDefects, gatewayDefects } from '../../faults/index.ts';
import { packageRoot } from '../../run/options/suite-version.ts';
import { type Kill, kill } from './kill.ts';
import { matrixOf, matrixPage, matrixText, mutatedPart } from './matrix.ts';
import { writeTables } from './witness-tables.ts';

const defects = [...gatewayDefects, ...clientDefects];

if (process.send === undefined) await prove(process.argv.slice(2));
else work(process.argv.includes('--sockets'));

async function prove(args: readonly string[]): Promise<void> {
  const startedAt = Date.now();
  const ids = args.filter((arg) => arg !== '--sockets' && arg !== '--write');
  const unknown = ids.find((id) => !defects.some((defect) => defect.id === id));
  if (unknown !== undefined || (ids.length > 0 && args.includes('--write'))) {
    const fault =
      unknown === undefined ? '--write takes no ids' : `no defect or option ${unknown}: see CONTRIBUTING.md`;
    process.stderr.write(`${fault}\n`);
    process.exitCode = 2;
    return;
  }
  const indexes = [...defects.keys()].filter((at) => ids.length === 0 || ids.includes(defects[at]!.id));
  const kills = await killAll(indexes, Math.max(2, availableParallelism()), args);
  // If the user named some defects, do not list the requirements that have no proof: other defects may prove them.
  const matrix = matrixOf(kills, ids.length === 0 ? requirements : []);
  process.stdout.write(matrixText(matrix));
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  if (args.includes('--write')) {
    process.stderr.write('Finding the cases and calls that show each defect. This takes some minutes.\n');
    const path = join(packageRoot, 'reports', 'samples', 'kill-matrix.md');
    await writeTables(packageRoot);
    await writeFile(path, matrixPage(matrix) + mutatedPart(await readFile(path, 'utf8')));
  }
  const faults = [matrix.survived, matrix.stray, matrix.missed, matrix.unproven].flat();
  process.exitCode = faults.length === 0 ? 0 : 1;
}

async function killAll(indexes: readonly number[], processes: number, args: readonly string[]): Promise<Kill[]> {
  const kills = new Map<number, Kill>();
  const remaining = [...indexes];
  // The list begins with gateways and ends with clients. Work from both ends, so that few processes need both sides.
  const next = (process: number) => (process % 2 === 0 ? remaining.shift() : remaining.pop());
  const worker = async (_: unknown, process: number) => {
    const child = fork(fileURLToPath(import.meta.url), args);
    try {
      for (let at = next(process); at !== undefined; at = next(process)) kills.set(at, await runKill(child, at));
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: processes }, worker));
  return indexes.map((at) => kills.get(at)!);
}

/** Rejects if the process ends, or does not answer within a minute. A usual answer takes about 1.5 seconds. */
function runKill(child: ChildProcess, index: number): Promise<Kill> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`the process that ran ${defects[index]!.id} ended or hung`));
    const timer = setTimeout(fail, 60_000);
    child.once('exit', fail);
    child.once('message', (answer) => {
      clearTimeout(timer);
      child.off('exit', fail);
      resolve(answer as Kill);
    });
    child.send(index);
  });
}

function work(overSockets: boolean): void {
  process.on('message', async (index: number) => {
    process.send!(await kill(defects[index]!, overSockets));
  });
}
