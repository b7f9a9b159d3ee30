/** Which runs verify the Pact contracts: decided from the options alone, by the test and by the reporter. */
import type { RunOptions } from '../../run/options/run-options.ts';
import { isWholeButExceptions } from '../../run/options/selection.ts';

/** A whole run on the mock, or the last shard of one; where pacts were fetched from a broker; on a live target where that is asked for, since interactions close days and charge people. */
export function verifiesContracts(
  options: Pick<RunOptions, 'target' | 'only' | 'shard' | 'contracts' | 'pacts'>,
): boolean {
  const { target, only, shard, contracts, pacts } = options;
  if (pacts !== undefined) return true;
  if (target !== 'mock') return contracts === true;
  return isWholeButExceptions(only) && shard?.index === shard?.of;
}
