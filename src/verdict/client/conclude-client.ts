/** The end of a run with a client: its result, and the cases that the report's writers print. */
import { clientScenarios } from '../../plan/client/index.ts';
import type { ClientRun } from '../../record/case.ts';
import { type ClientRecord, notesOf, numberCalls } from '../../run/client/client-record.ts';
import { headerOf } from '../../run/options/result-head.ts';
import type { RunOptions } from '../../run/options/run-options.ts';
import { selectedIds, selectScenarios, shareOf } from '../../run/options/selection.ts';
import { publishedKeys } from '../../run/target/published.ts';
import type { ConcludedRun, EndOfRun } from '../conclude-gateway.ts';
import { finishRun } from '../finish-run.ts';
import { provenBy, withUnnoticed } from '../forecast/by-requirements.ts';
import { clientEvidence, hostNotes, junkNotes } from './client-evidence.ts';

/** Judges everything that the scenarios recorded. Pure. */
export function concludeClient(
  options: RunOptions,
  records: readonly ClientRecord[],
  { aborted, now, outcomesAlone }: EndOfRun,
): ConcludedRun {
  const nothing = { 'closes-day': 0, 'starts-payments': 0 };
  const reason = aborted ?? records.find((record) => record.givenUp !== undefined)?.givenUp;
  const introduction = records.find((record) => record.introduction !== undefined)?.introduction;
  const client = runOf(records, introduction);
  const notes = [...notesOf(records), ...junkNotes(client), ...hostNotes(client)];
  const result = finishRun({
    header: {
      ...headerOf(introduced(options, introduction), now),
      // The local gateway closes no day and starts no payment.
      effects: { predicted: nothing, recorded: nothing },
      ...(notes.length === 0 ? {} : { notes }),
    },
    only: options.only,
    scoring: options.scoring,
    planned: shareOf(selectScenarios(clientScenarios, selectedIds('client', options.only)), options.shard),
    records,
    evidence: {
      ...clientEvidence(client, { hasKeys: true, keysOf: publishedKeys }),
      ...(outcomesAlone ? { signatures: undefined } : {}),
    },
    provenBy: provenBy('client'),
    aborted: reason,
  });
  const told = options.path === undefined ? withUnnoticed(result) : result;
  return { result: told, cases: numberCalls(client.calls).cases, client: { ...client, aborted: result.aborted } };
}

/** What a run leaves to be judged, and judged again. */
export function runOf(records: readonly ClientRecord[], introduction?: ClientRecord['introduction']): ClientRun {
  return {
    calls: records.flatMap(({ cases }) => cases),
    skipped: records.flatMap(({ skipped }) => skipped),
    offered: introduction?.offers.ops,
    language: introduction?.client.language,
  };
}

/** An adapter attached by hand introduced itself only in the run. */
function introduced(options: RunOptions, introduction: ClientRecord['introduction']): RunOptions {
  const { client } = options;
  return client === undefined || introduction === undefined
    ? options
    : { ...options, client: { ...client, introduction } };
}
