/** `countersign matrix` runs the clients and gateways that a file lists. It writes a page with the results. */
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { validate } from '../../../schemas/index.ts';
import { type MatrixPlan, matrixExitCode, type PlannedEntry, planFaults } from '../../extras/matrix/matrix.ts';
import { implementationsDocument } from '../../extras/matrix/matrix-document.ts';
import { type CheckPair, MatrixError, runMatrix } from '../../extras/matrix/run-matrix.ts';
import { printedJson } from '../../report/visible.ts';
import { packageRoot, suite } from '../../run/options/suite-version.ts';
import { UsageError, usageError } from '../../run/options/usage-error.ts';
import { changedIds } from '../../verdict/diff/diff-runs.ts';
import type { Input, Surroundings } from '../command.ts';
import { withCalls } from '../config/stored-clients.ts';
import { openRun, readStoredReport } from '../config/stored-runs.ts';
import { loopbackConfig } from '../config/target-flags.ts';
import { readYamlFile } from '../config/yaml-file.ts';
import { runCommand, startGateway } from '../matrix-processes.ts';
import { printDocument } from '../print.ts';
import { clientRunOptions } from './client.ts';
import { gatewayRunOptions } from './gateway.ts';

export async function run(
  file: string,
  { out: folder, only = [], live = [], json }: Input<'matrix'>,
  surroundings: Surroundings,
): Promise<0 | 1 | 3> {
  const plan = await readPlan(file);
  const base = resolve(dirname(file));
  const { env, remark } = surroundings;
  const signal = surroundings.abortSignal();
  const runContext = { env, signal, limitMs: (plan.limitMinutes ?? 30) * 60_000 };
  try {
    const result = await runMatrix({
      plan,
      base,
      out: resolve(folder),
      only,
      live,
      seed: plan.seed ?? String(randomBytes(4).readUInt32BE()),
      now: Date.now,
      remark,
      run: runCommand,
      start: startGateway,
      checkPair: pairChecker(base, signal),
      commandOptions: runContext,
      readReport: readStoredReport,
      cli: [process.execPath, join(packageRoot, 'dist', 'src', 'app', 'main.cjs')],
      suite,
      faultOf: (value) => validate('matrix', value)[0]?.sentence,
      compare: changedIds,
    });
    const document = implementationsDocument(result.matrix);
    await printDocument(document, () => printedJson(result.matrix, 2), { json }, surroundings);
    if (result.interrupted) remark('the matrix was interrupted. Finished cells are kept.\nStart it again to continue.');
    else remark(`the page is ${join(folder, 'index.html')}.`);
    return result.interrupted ? 3 : matrixExitCode(result.states, result.matrix.pairs);
  } catch (cause) {
    if (!(cause instanceof MatrixError)) throw cause;
    throw new UsageError(cause.message, cause.hint, cause);
  }
}

function pairChecker(base: string, signal: AbortSignal): CheckPair {
  return async (client, folders) => {
    const { name, command = [], mode = 'process', plainHttp = false, cwd = '.', defects } = client;
    const options = { command, mode, plainHttp, cwd: resolve(base, cwd), defects };
    const { checkPair } = await import('../compare-with-mock.ts');
    try {
      const gateway = await openRun(folders.gateway);
      const stored = await withCalls({ name, folder: folders.client, options });
      return await checkPair({ ...stored, name, options }, gateway, signal);
    } catch (cause) {
      if (!(cause instanceof UsageError)) throw cause;
      return { is: 'unverified', reason: cause.message };
    }
  };
}

/** The reason why the command of an entry refuses its options; undefined if it accepts them. */
export async function refusalOf(entry: PlannedEntry): Promise<string | undefined> {
  const { kind, command = [], defects: defect, variants: variant, only, mode, target, config } = entry;
  const isGateway = kind === 'gateway';
  if (isGateway && target !== undefined && config !== undefined)
    return 'it has target and config; the configuration names the target';
  if (isGateway && command[0]?.trim() === '') return 'the first word of its command is empty';
  if (isGateway && (target ?? config) !== undefined && [...(defect ?? []), ...(variant ?? [])].length > 0)
    return 'only the built-in mock has defects and variants; omit target and config';
  const oneShot = mode === 'one-shot' || undefined;
  try {
    const live = target === undefined ? undefined : loopbackConfig(target);
    if (isGateway) await gatewayRunOptions({ defect, variant, only }, live, 0, '.');
    else await clientRunOptions(command, { defect, only, oneShot }, 0, '.');
    return undefined;
  } catch (cause) {
    if (cause instanceof UsageError) return cause.message;
    throw cause;
  }
}

async function readPlan(path: string): Promise<MatrixPlan> {
  const file = await readYamlFile(path, 'the matrix', 'matrix-plan', (value) =>
    planFaults(value as MatrixPlan, refusalOf),
  );
  if (file !== undefined) return file.value as MatrixPlan;
  throw usageError()`the matrix ${path} does not exist
    See docs/how-to/run-a-matrix.md for an example.`;
}
