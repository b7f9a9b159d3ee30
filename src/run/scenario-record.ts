/** The record of a performed scenario, with a gateway or with a client. */
import type { Operation } from '../../contracts/operations.ts';
import type { Introduction, NoteGroup } from '../peer/adapter/messages.ts';
import { formatNotes } from '../peer/adapter/notes.ts';
import type { Counterexample, Situation } from '../plan/scenario.ts';
import type { AnyCase, Case, ClientCase } from '../record/case.ts';
import type { RecordedRun, RecordedScenario } from '../record/run.ts';

export interface ScenarioRecord<C extends AnyCase = Case> extends RecordedScenario<C> {
  /** The smallest failing generated case of each failed requirement. */
  readonly counterexamples?: readonly Counterexample[];
  readonly notArranged?: Situation;
  /** Expected effects if the target refuses all faulty requests. `rows`: number of payments; 0 for a close-day. */
  readonly predicted?: readonly { readonly operation: Operation; readonly rows: number }[];
  readonly settles?: boolean;
  /** Set if --bail ended the run before this scenario. */
  readonly isLeftOut?: true;
  readonly skipped?: RecordedRun['skipped'];
  /** Facts about adapter and client, from the `ready` message of the adapter. Absent if no such message arrived. */
  readonly introduction?: Introduction;
  /** Notes on events since the end of the previous scenario, such as a restart of the adapter. */
  readonly notes?: readonly NoteGroup[];
}

export type ClientRecord = ScenarioRecord<ClientCase>;

export function notesOf(records: readonly ClientRecord[]): string[] {
  return formatNotes(records.flatMap(({ notes }) => notes ?? []));
}
