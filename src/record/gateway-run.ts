/** What a run against a gateway leaves to be judged beside its exchanges: what was not sent, and why an answer may not be the subject's fault. */

export interface GatewayRun {
  /** Why the run has no conclusion. */
  readonly aborted?: string;
  /** Why the right requests were refused, where that is the fault of credentials or address. */
  readonly misconfigured?: string;
  /** The records of scenarios, or of parts of one, of which there is anything to say, each with the numbers of its cases. */
  readonly scenarios: readonly (ScenarioRest & { readonly caseNumbers: readonly number[] })[];
}

/** What a scenario leaves besides its cases. */
export interface ScenarioRest {
  readonly scenario: string;
  /** Why the target was given up before the scenario ended. */
  readonly givenUp?: string;
  /** The case after which the target was gone: what it died of. */
  readonly goneAfter?: CasePlace;
  /** Cases that a live target did not get. */
  readonly notSent?: readonly NotSent[];
  /** Set where a probe beside these cases failed: what they show may be due to that. */
  readonly unreachable?: string;
  /** Faults of the suite itself: disagreements of the two voices, requests that could not be built. */
  readonly suiteErrors: readonly string[];
}

export interface CasePlace {
  readonly scenario: string;
  readonly number: number;
}

/** Why a request is not sent: the one form in which ledger, guard, plan and record say so. */
export interface Unsent {
  /**
   * `allow`: the allowance has no room for it. `unreadable`: it would have, but for unreadable answers. `forbidden`: whatever is
   * allowed. `stopped`: requests were wrongly accepted. `given-up`: the target was, before this request, or its first right
   * request was not accepted.
   */
  readonly why: 'allow' | 'unreadable' | 'forbidden' | 'stopped' | 'given-up';
  /** End of a sentence that begins with "not sent:". */
  readonly reason: string;
}

export function isUnsent(result: object): result is Unsent {
  return 'why' in result;
}

export interface NotSent extends Unsent {
  readonly number: number;
  /** The requirement that it would have shown, or what it would have measured. */
  readonly about?: string;
}

/** The parts of the records that say something; undefined where none does. */
export function gatewayRunOf(
  records: readonly (ScenarioRest & { readonly cases: readonly { readonly number: number }[] })[],
  reasons: Pick<GatewayRun, 'aborted' | 'misconfigured'>,
): GatewayRun | undefined {
  const scenarios = records.flatMap(({ scenario, cases, givenUp, goneAfter, notSent, unreachable, suiteErrors }) => {
    const isSilent = givenUp === undefined && unreachable === undefined && !notSent?.length && !suiteErrors.length;
    const caseNumbers = cases.map(({ number }) => number);
    return isSilent ? [] : [{ scenario, caseNumbers, givenUp, goneAfter, notSent, unreachable, suiteErrors }];
  });
  const { aborted, misconfigured } = reasons;
  if (scenarios.length === 0 && aborted === undefined && misconfigured === undefined) return undefined;
  return { aborted, misconfigured, scenarios };
}
