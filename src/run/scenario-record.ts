/** What became of a scenario, with a gateway or with a client. */
import type { Introduction, Noted } from '../peer/adapter/messages.ts';
import { inSentences } from '../peer/adapter/notes.ts';
import type { Counterexample, Situation } from '../plan/scenario.ts';
import type { AnyCase, Case, ClientCase } from '../record/case.ts';
import type { RecordedScenario, Skipped } from '../record/run.ts';

export interface ScenarioRecord<C extends AnyCase = Case> extends RecordedScenario<C> {
  /** The smallest failing generated case of each requirement, where one failed. */
  readonly counterexamples?: readonly Counterexample[];
  readonly notArranged?: Situation;
  readonly settles?: boolean;
  readonly skipped?: readonly Skipped[];
  /** Who the client is, as its adapter says; absent where it did not come to that. */
  readonly introduction?: Introduction;
  /** What was noticed of a client besides results, in this scenario and since the one before it. */
  readonly notes?: readonly Noted[];
}

export type ClientRecord = ScenarioRecord<ClientCase>;

export function notesOf(records: readonly ClientRecord[]): string[] {
  return inSentences(records.flatMap(({ notes }) => notes ?? []));
}
