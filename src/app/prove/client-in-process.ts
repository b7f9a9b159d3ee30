/** A whole run with the reference client in this process, without the engine: for tests of the suite itself. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { clientScenarios } from '../../plan/client/index.ts';
import type { Result } from '../../record/result/result.ts';
import type { ClientRecord } from '../../run/client/client-record.ts';
import { type OpenedClient, openReference, type Repetition } from '../../run/client/open-client.ts';
import { type ClientContext, performClientScenario } from '../../run/client/perform-client.ts';
import { completeRunOptions, type RunOptions } from '../../run/options/run-options.ts';
import { selectedIds, selectScenarios } from '../../run/options/selection.ts';
import { concludeClient } from '../../verdict/client/conclude-client.ts';
import type { ConcludedRun, EndOfRun } from '../../verdict/conclude-gateway.ts';

export type ReferenceRun = Partial<Pick<RunOptions, 'seed' | 'cases' | 'only' | 'profile' | 'path'>> &
  Pick<ClientContext, 'secondVoice'> &
  Pick<EndOfRun, 'outcomesAlone'> & { readonly repetition?: Repetition };

/** Performs and judges the scenarios as the command does; writes nothing. */
export async function runClientInProcess(
  given: ReferenceRun,
  alterations: readonly ClientAlteration[],
): Promise<Result> {
  return (await concludeClientInProcess(given, alterations)).result;
}

/** The same, with its calls. */
export async function concludeClientInProcess(
  given: ReferenceRun,
  alterations: readonly ClientAlteration[],
): Promise<ConcludedRun> {
  return concludeOpened(given, await openReference(alterations, given.repetition));
}

/** The same with a client that is open already, of any kind; closes it. */
export async function concludeOpened(given: ReferenceRun, opened: OpenedClient): Promise<ConcludedRun> {
  const options = referenceOptions(given);
  const records: ClientRecord[] = [];
  try {
    for (const scenario of selectScenarios(clientScenarios, selectedIds('client', options.only))) {
      const { seed, cases, path } = options;
      const { secondVoice, outcomesAlone } = given;
      const shrinks = outcomesAlone !== true;
      const inFlight = Math.min(opened.session.introduction.offers.maxInFlight, 8);
      const now = () => performance.now();
      const context = { ...opened, seed, cases, path, inFlight, secondVoice, shrinks, now };
      records.push(await performClientScenario(scenario, context));
    }
  } finally {
    await opened.close();
  }
  return concludeClient(options, records, { now: Date.now(), outcomesAlone: given.outcomesAlone });
}

function referenceOptions({ secondVoice: _, repetition: __, outcomesAlone: ___, ...given }: ReferenceRun): RunOptions {
  const client = { command: [], mode: 'process', plainHttp: false, cwd: '.' } as const;
  return completeRunOptions({ target: 'client', profile: 'rfc5849', cases: 25, ...given, client }, Date.now(), '.');
}
