/** What a run did to the world, or may do. */

/** Days closed, and payments with their sum. */
export interface EffectBudget {
  readonly 'closes-day': number;
  /** `total`: decimal text with two decimals. */
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

/** Days closed and payments started. */
export interface EffectCount {
  readonly 'closes-day': number;
  readonly 'starts-payments': number;
}
