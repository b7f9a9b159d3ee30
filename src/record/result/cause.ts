/** What is behind the requirements of a result that are not green. */

/** What several requirements have in common that are not green, so that one thing is looked at and not each of them. */
export interface Cause {
  /** The outcome that all of them have. */
  readonly outcome: 'inconclusive' | 'fail' | 'error';
  /** What comes after "because". It may quote the subject. */
  readonly sentence: string;
  /** The requirement that fails, and leaves them undetermined, or that their failures follow from: it is what has to be mended. */
  readonly requirement?: string;
  /** The open point that would have to be answered. */
  readonly openPoint?: string;
  /** The named deviations of a signer, together, that these signatures have; empty where nothing explains them. */
  readonly deviations?: readonly string[];
  /** Other sets of as many deviations that give the same signatures, all of them. */
  readonly alternatives?: readonly (readonly string[])[];
  /** What to do about it, where that is the same for all. */
  readonly hint?: string;
  /** Ids of the requirements. */
  readonly requirements: readonly string[];
  /** Numbers of the exchanges that show the cause, the plainest first. */
  readonly exchanges: readonly number[];
}

/** What would become of the requirements if the client signed without these deviations, and did all else as it does. */
export interface Counterfactual {
  /** Ids of what is undone. */
  readonly deviations: readonly string[];
  /** How many of the requirements fail as it is. */
  readonly failing: number;
  /** Ids of those that would pass. */
  readonly wouldPass: readonly string[];
  /** Ids of those that would still fail. */
  readonly remain: readonly string[];
  /** Ids of those that would no longer fail, and would not pass for want of other evidence; absent where there are none. */
  readonly wouldBeOpen?: readonly string[];
  /** How many requests were signed again. */
  readonly signedAgain: number;
  /** How many have these deviations and could not be signed again, for want of the private key. */
  readonly notSignedAgain?: number;
}
