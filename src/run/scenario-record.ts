/** The record of a performed scenario, with a gateway or with a client. */
import type { Operation } from '../../contracts/operations.ts';
import type { Introduction, Noted } from '../peer/adapter/messages.ts';
import { inSentences } from '../peer/adapter/notes.ts';
import type { Counterexample, Situation } from '../plan/scenario.ts';
import type { AnyCase, Case, ClientCase } from '../record/case.ts';
import type { RecordedRun, RecordedScenario } from '../record/run.ts';

export interface ScenarioRecord<C extends AnyCase = Case> extends RecordedScenario<C> {
  /** The smallest failing generated case of each failed requirement. */
  readonly counterexamples?: readonly Counterexample[];
  readonly notArranged?: Situation;
  /** Effects of planned requests (a closed day, or `rows` payments) at a target that refuses each faulty request. */
  readonly predicted?: readonly { readonly operation: Operation; readonly rows: number }[];
  readonly settles?: boolean;
  /** Set if --bail ended the run before this scenario. */
  readonly isLeftOut?: true;
  readonly skipped?: RecordedRun['skipped'];
  /** The adapter's introduction of the client. Absent if the adapter gave none. */
  readonly introduction?: Introduction;
  /** Notes about the client since the end of the previous scenario. */
  readonly notes?: readonly Noted[];
}

export type ClientRecord = ScenarioRecord<ClientCase>;

export function notesOf(records: readonly ClientRecord[]): string[] {
  return inSentences(records.flatMap(({ notes }) => notes ?? []));
}
