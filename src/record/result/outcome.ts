/** The words for verdicts and the one order in which the worst wins. */

export const outcomes = ['error', 'fail', 'inconclusive', 'pass', 'not-applicable'] as const;

/** `inconclusive` could not be determined and is never green; `error` is a fault of the suite itself. */
export type Outcome = (typeof outcomes)[number];

/** Who or what is behind an outcome that is not a pass. */
export type Blame = 'subject' | 'environment' | 'suite' | 'configuration' | 'unspecified';

/** The worse of two outcomes: error > fail > inconclusive > pass > not-applicable. */
export function worse(a: Outcome, b: Outcome): Outcome {
  return outcomes.indexOf(a) <= outcomes.indexOf(b) ? a : b;
}

/** Why a failure is tolerated. */
export interface KnownFailure {
  readonly reason: string;
  /** Last day on which it is, `2026-12-31`, UTC. */
  readonly expires?: string;
}
