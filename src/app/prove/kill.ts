/** Runs one defect against the whole suite and says what failed: the raw material of the kill matrix. */
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { ClientDefect } from '../../faults/client/defect.ts';
import type { GatewayDefect } from '../../faults/defect.ts';
import type { Result } from '../../record/result/result.ts';
import type { Repetition } from '../../run/client/open-client.ts';
import { completeRunOptions } from '../../run/options/run-options.ts';
import { runClientInProcess } from './client-in-process.ts';
import { newRepeated } from './perform-in-memory.ts';
import { runInProcess } from './run-in-process.ts';
import { judgeStored, judgeStoredGateway } from './stored.ts';

export interface Kill {
  readonly id: string;
  readonly side: 'client' | 'gateway';
  readonly summary: string;
  readonly breaks: readonly string[];
  /** Ids of the rows that failed, sorted. */
  readonly failing: readonly string[];
  /** Judged as a record, since no subject can be given the defect: it proves no row. */
  readonly reach?: 'stored';
  /** Set where the run came to no verdict: a crash is not a kill. */
  readonly crashed?: string;
}

/** The seed of the matrix; any other does as well, a fixed one makes two matrices comparable. */
const seed = 'kill-matrix';

/** Fewer generated cases than in a run: what only many cases find is not proven to be found. */
const cases = 4;

/** The client's runs differ by their defects alone, and most of their signatures are made once. */
const repetition: Repetition = { made: new Map(), at: Date.now() };

/** The same for gateways, whose requests are built once. */
const options = completeRunOptions({ seed, cases }, Date.now(), '.');
const repeated = newRepeated();

/** Performs the whole suite with that one defect, in this process; against a gateway over sockets only where that was asked for. */
export async function kill(defect: GatewayDefect | ClientDefect, overSockets = false): Promise<Kill> {
  const { id, side, summary } = defect;
  const common = { id, side, summary, breaks: [...defect.breaks].sort() };
  if (defect.reach === 'stored') {
    const failing = defect.side === 'client' ? await judgeStored(defect) : judgeStoredGateway(defect);
    return { ...common, reach: 'stored', failing };
  }
  const result =
    defect.side === 'gateway'
      ? await runInProcess(options, {
          alterations: [defect.alteration],
          secondVoice: false,
          overSockets,
          repeated,
          unframed: true,
          outcomesAlone: true,
        })
      : await runClientInProcess(
          { seed, cases, profile: 'strict', secondVoice: false, repetition, outcomesAlone: true },
          [defect.alteration],
        );
  const failing = failingOf(result);
  const crashed = result.aborted ?? result.results.find(({ outcome }) => outcome === 'error')?.actual;
  return { ...common, failing, crashed };
}

/** Rows that are required or expected; a matrix run judges both. */
function failingOf({ results }: Result): string[] {
  return results.flatMap(({ id, outcome }) => (outcome === 'fail' && requirementById(id) ? [id] : [])).sort();
}
