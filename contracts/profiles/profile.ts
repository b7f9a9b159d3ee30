/** A named set of answers to open points. */
export interface Profile {
  /** What `--profile` takes. */
  readonly name: string;
  /** One line for `list profiles`. */
  readonly summary: string;
  /** Other profiles whose answers it takes over. */
  readonly includes: readonly string[];
  /** Whether a deviation from an `expected` row is a failure; elsewhere it is a pass with a remark. */
  readonly expectedIsJudged: boolean;
  /** Whether a hazard (contracts/hazards.ts) that no baseline lists fails a run. */
  readonly hazardFails: boolean;
  /** What the profile decides where the document is silent. */
  readonly answers: readonly { readonly openPoint: `A${number}`; readonly answer: string }[];
}
