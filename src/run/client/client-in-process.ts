/** A whole run with the reference client in this process, without the engine: for tests of the suite itself. */
import type { Result } from '../../result/result.ts';
import { clientScenarios } from '../../scenarios/client/index.ts';
import type { RunOptions } from '../run-options.ts';
import { selectedIds, selectScenarios } from '../selection.ts';
import type { ClientRecord } from './client-record.ts';
import { concludeClient } from './conclude-client.ts';
import { openClient } from './open-client.ts';
import { performClientScenario } from './perform-client.ts';

/** Performs and judges all selected scenarios as the command does; writes nothing. `options.client` has to be there. */
export async function runClientInProcess(options: RunOptions): Promise<Result> {
  const opened = await openClient(options.client!, options.seed);
  const records: ClientRecord[] = [];
  try {
    for (const scenario of selectScenarios(clientScenarios, selectedIds('client', options.only))) {
      const { seed, cases } = options;
      const inFlight = opened.session.introduction.offers.maxInFlight;
      records.push(await performClientScenario(scenario, { ...opened, seed, cases, inFlight }));
    }
  } finally {
    await opened.close();
  }
  return concludeClient(options, records, { now: Date.now() }).result;
}
