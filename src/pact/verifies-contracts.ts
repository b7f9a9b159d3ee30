/** Which runs verify the Pact contracts: decided from the options alone, by the test and by the reporter. */
import type { RunOptions } from '../options/run-options.ts';

/** A whole run on the mock, or the last shard of one. On a live target the interactions would close days and charge people without any leave to do so. */
export function verifiesContracts(options: Pick<RunOptions, 'target' | 'only' | 'shard'>): boolean {
  const { target, only, shard } = options;
  return target === 'mock' && only.length === 0 && shard?.index === shard?.of;
}
