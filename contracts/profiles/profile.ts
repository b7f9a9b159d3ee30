/** A named set of answers to open points. */
export interface Profile {
  readonly name: string;
  readonly summary: string;
  /** Other profiles whose answers it takes over. */
  readonly includes: readonly string[];
  /** Whether a deviation from an `expected` row is a failure; elsewhere it is a pass with a remark. */
  readonly expectedIsJudged: boolean;
  readonly answers: readonly { readonly openPoint: `A${number}`; readonly answer: string }[];
}
