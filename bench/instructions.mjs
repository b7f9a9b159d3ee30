/** Instructions of a unit of work, where the machine counts them: a busy machine does not change their number. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const contender = fileURLToPath(new URL('contender.mjs', import.meta.url));

/** By contender; undefined where nothing counts them, or where the work is not done in one process. */
export async function instructionsPerUnit(row, dist) {
  if (row.drive || row.full || row.fresh || (await counted(['true'])) === undefined) return undefined;
  const perUnit = {};
  for (const name of Object.keys(row.contenders)) {
    const of = (units) => counted([process.execPath, contender, dist, row.id, name, String(units)]);
    // Start and warm-up are in both numbers, and in neither difference.
    perUnit[name] = ((await of(3 * row.units)) - (await of(row.units))) / (2 * row.units);
  }
  return perUnit;
}

async function counted(command) {
  try {
    const { stderr } = await run('perf', ['stat', '-x,', '-e', 'instructions:u', ...command]);
    const number = Number(stderr.split(',', 1)[0]);
    return Number.isFinite(number) && number > 0 ? number : undefined;
  } catch {
    return undefined;
  }
}
