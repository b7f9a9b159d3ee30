/** The answers of one run that can be laid beside those of another: by their case, and never by the number of an exchange. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Case } from '../../record/case.ts';
import { answerReadings } from '../../rules/answers/answer-reading.ts';
import { type Features, featureReader } from './message-features.ts';

/** An answer with what can be compared of it. */
export interface ComparedAnswer {
  readonly key: string;
  readonly operation: Operation;
  /** What it means to whoever sent the request. */
  readonly meaning: string;
  /** The answer is judged against a requirement, or recorded under an open point. */
  readonly openPoint?: string;
  readonly status: number;
  readonly features: Features;
  /** In its run. */
  readonly exchange: number;
}

/** The answers of a gateway, or the requests of a client, whose cases both runs have. */
export function commonAnswers(
  old: readonly Case[],
  fresh: readonly Case[],
  subject: 'gateway' | 'client',
): readonly [old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]] {
  const [before, now] = [answersOf(old, subject), answersOf(fresh, subject)];
  const [keys, nowKeys] = [keysOf(before), keysOf(now)];
  return [before.filter(({ key }) => nowKeys.has(key)), now.filter(({ key }) => keys.has(key))];
}

/** The place of a case in the plan, and nothing that was drawn. The numbers of cases and exchanges depend on what was drawn before them. */
export function labelKey({ scenario, label }: Case): string {
  const { operation, intent, about, openPoint, differsIn, edge, facts } = label;
  return JSON.stringify([
    scenario,
    operation,
    intent,
    about,
    openPoint,
    differsIn,
    edge?.generator,
    edge?.name,
    facts?.gate,
  ]);
}

function answersOf(cases: readonly Case[], subject: 'gateway' | 'client'): ComparedAnswer[] {
  const featuresOf = featureReader();
  return cases.flatMap((examined, index) => {
    const { response, request } = examined.exchange;
    const { operation, openPoint } = examined.label;
    const message = subject === 'client' ? request : response;
    if (message === undefined) return [];
    return [
      {
        key: labelKey(examined),
        operation,
        meaning: subject === 'client' ? 'sent' : answerReadings[operation].acceptance(examined.exchange),
        openPoint,
        status: subject === 'client' ? 0 : response!.status,
        features: featuresOf(message),
        exchange: index + 1,
      },
    ];
  });
}

function keysOf(answers: readonly ComparedAnswer[]): Set<string> {
  return new Set(answers.map(({ key }) => key));
}
