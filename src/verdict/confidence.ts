/** How far an answer to an open point may be relied on: by how often it was seen, and whether the same question had another answer. Pure. */
import { hypothesisOf } from '../../contracts/hypotheses.ts';
import type { Confidence, Observation } from '../record/result/result.ts';

/** The observations, the unusual ones first, each with how far it may be relied on. */
export function withConfidence(observations: readonly Observation[]): Observation[] {
  const answers = new Map<string, number>();
  for (const one of observations) answers.set(questionOf(one), (answers.get(questionOf(one)) ?? 0) + 1);
  const all = observations.map((one) => {
    const unusual = hypothesisOf(one.openPoint, one.value)?.unusual;
    const confidence = confidenceOf(one, answers.get(questionOf(one))!);
    return { ...one, confidence, ...(unusual === undefined ? {} : { unusual }) };
  });
  return all.sort((a, b) => Number(a.unusual === undefined) - Number(b.unusual === undefined));
}

function confidenceOf({ value, exchanges }: Observation, answers: number): Confidence {
  if (value.includes(': undetermined, since')) return 'none';
  if (answers > 1 || value.endsWith(': unclear')) return 'low';
  return exchanges.length > 1 ? 'high' : 'medium';
}

/** What was asked of a twin stands before its answer; of what any answer shows, several values may hold side by side. */
function questionOf({ openPoint, value }: Observation): string {
  const asked = /^(.*): (?:accepted|refused|unclear|past-authentication|undetermined)\b[^:]*$/s.exec(value)?.[1];
  return `${openPoint} ${asked ?? value}`;
}
