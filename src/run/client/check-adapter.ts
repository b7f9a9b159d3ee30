/** The adapter's own self-test, opened as a run opens it: the same gateway, the same authority, the same folder. */
import { type CheckedPoint, checkAdapter } from '../../peer/adapter-check/index.ts';
import type { ClientOptions } from '../options/run-options.ts';
import { suite } from '../options/suite-version.ts';
import { openGatewayInFolder } from './gateway-in-folder.ts';

/** Points in the order in which they were checked; `onPoint` hears of each as soon as it is known. */
export async function checkAdapterOf(
  { command: [command = '', ...args], cwd, plainHttp, host }: ClientOptions,
  seed: string,
  onPoint: (point: CheckedPoint) => void,
): Promise<readonly CheckedPoint[]> {
  const { gateway, close } = await openGatewayInFolder('countersign-check-', { now: Date.now, plainHttp, host });
  const ca = gateway.ca === undefined ? {} : { ca: gateway.ca };
  try {
    return await checkAdapter({ command, args, cwd, env: {}, seed, suite, ...ca }, gateway, onPoint);
  } finally {
    await close();
  }
}
