/** The adapter's own self-test, opened as a run opens it: the same gateway, the same authority, the same folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckedPoint, checkAdapter } from '../adapter-check/index.ts';
import { openLocalGateway } from '../local-gateway/index.ts';
import type { ClientOptions } from '../options/run-options.ts';
import { suite } from '../options/suite-version.ts';

/** Points in the order in which they were checked; `onPoint` hears of each as soon as it is known. */
export async function checkAdapterOf(
  { command: [command = '', ...args], cwd, plainHttp }: ClientOptions,
  seed: string,
  onPoint: (point: CheckedPoint) => void,
): Promise<readonly CheckedPoint[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-check-'));
  const gateway = await openLocalGateway({ folder, now: Date.now, plainHttp });
  const ca = gateway.ca === undefined ? {} : { ca: gateway.ca };
  try {
    return await checkAdapter({ command, args, cwd, env: {}, seed, suite, ...ca }, gateway, onPoint);
  } finally {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  }
}
