/** A conclusion in words, with what the run exercised: `conformant` says no more than that. Pure. */
import { requirementById } from '../../../contracts/requirements/index.ts';
import type { Conclusion, Exercised, Result, ResultRow } from './result.ts';
import { newHazards } from './score.ts';

/** Rows that no run against such a subject can show do not count, nor do those that came after the set. */
export function exercisedIn({ subject, results }: Pick<Result, 'subject' | 'results'>): Exercised {
  const required = results.filter(
    ({ id, kind, notScored }) => kind === 'required' && notScored !== true && canArise(id, subject),
  );
  const neverArose = required.filter(isWithoutCase).map(({ id, reason = 'no reason was recorded', hint }) => ({
    id,
    reason,
    ...(hint === undefined ? {} : { hint }),
  }));
  return { required: required.length, neverArose };
}

/** Whether any run against such a subject can show the requirement. */
export function canArise(id: string, { target }: Pick<Result['subject'], 'target'>): boolean {
  const { untestable, liveOnly } = requirementById(id) ?? {};
  return untestable === undefined && !(liveOnly === true && target === 'mock');
}

/** Whether nothing in the run could show the row. */
export function isWithoutCase({ outcome, demanded }: Pick<ResultRow, 'outcome' | 'demanded'>): boolean {
  return outcome === 'not-applicable' || demanded === true;
}

interface ExercisedCount {
  readonly required: number;
  readonly neverArose: readonly unknown[];
}

/** `as far as exercised: 80 of 101 required; 21 never arose`; undefined where everything arose. */
export function exercisedInWords(exercised: ExercisedCount | undefined): string | undefined {
  if (exercised === undefined || exercised.neverArose.length === 0) return undefined;
  const { required, neverArose } = exercised;
  return `as far as exercised: ${required - neverArose.length} of ${required} required; ${neverArose.length} never arose`;
}

/** `, with 2 hazards, 1 of them known`; empty where there are none. */
export function hazardsInWords(result: Pick<Concluded, 'hazards'>): string {
  const words = hazardCount(result);
  return words === '' ? '' : `, with ${words}`;
}

function hazardCount({ hazards = [] }: Pick<Concluded, 'hazards'>): string {
  const all = hazards.length;
  const known = all - newHazards({ hazards }).length;
  if (all === 0) return '';
  const noun = all === 1 ? 'hazard' : 'hazards';
  if (known === all) return `${known} known ${noun}`;
  return `${all} ${noun}${known === 0 ? '' : `, ${known} of them known`}`;
}

interface Concluded {
  readonly conclusion: Conclusion;
  readonly exercised?: ExercisedCount | undefined;
  readonly hazards?: Result['hazards'] | undefined;
}

/** The one form of a conclusion: `conformant as far as exercised: 80 of 101 required; 21 never arose; 1 hazard`. */
export function concludedInWords({ conclusion, exercised, hazards }: Concluded): string {
  const seen = conclusion === 'conformant' ? exercisedInWords(exercised) : undefined;
  if (seen === undefined) return `${conclusion}${hazardsInWords({ hazards })}`;
  return [`${conclusion} ${seen}`, hazardCount({ hazards })].filter(Boolean).join('; ');
}

/** The conclusion of a result as every reader gets it. */
export function conclusionOf(result: Pick<Result, 'conclusion' | 'subject' | 'results' | 'hazards'>): string {
  return concludedInWords({ ...result, exercised: exercisedIn(result) });
}

/** The same where it says more than the word alone. */
export function moreWords(result: Parameters<typeof conclusionOf>[0]): string | undefined {
  const words = conclusionOf(result);
  return words === result.conclusion ? undefined : words;
}
