/** An exchange together with what the suite meant by it. Judges read the label; they never see the scenario's code. */
import type { Operation } from '../../contracts/operations.ts';
import type { ClientCase } from './client-case.ts';
import type { Exchange } from './exchange.ts';

/** Scenario of the cases that measure: they have no plan, since each depends on the answers before. */
export const measuringId = 'measure';

export interface CaseLabel {
  readonly operation: Operation;
  /** `valid`: a right request. `fault`: breaks the row `about`. `open`: the document is silent on it. */
  readonly intent: 'valid' | 'fault' | 'open';
  /** Requirement that the target's acceptance (valid) or refusal (fault) answers. */
  readonly about?: string;
  /** Open point that the target's answer is recorded under; of a fault, the one that leaves open whether its form is taken. */
  readonly openPoint?: string;
  /** The accepted neighbour that gives a refusal its meaning. */
  readonly twin?: { readonly scenario: string; readonly number: number };
  /** The one property in which the case differs from its twin, besides what must be fresh. */
  readonly differsIn?: string;
  /** The named edge or fault of a generator that the case was made from. */
  readonly edge?: { readonly generator: string; readonly name: string };
  /** The value of a limit that is tried here; `again`: the number of the nonce that is used a second time. */
  readonly measures?: { readonly limit: string; readonly value: number; readonly again?: true };
  /** How the request is signed: with the deviations found so far, and one of `as`, which all give this signature. */
  readonly signedAs?: {
    readonly probe: string;
    /** Each with those that could not be told from it yet. */
    readonly follows: readonly (readonly string[])[];
    readonly as: readonly string[];
  };
  /** What the suite knows of the target's state before the request. */
  readonly facts?: {
    readonly gate?: 'open' | 'closing' | 'locked' | 'unknown';
    /** Number of gates of the endpoint, where the suite set the target up. */
    readonly gates?: number;
  };
}

export interface Case {
  readonly scenario: string;
  readonly number: number;
  readonly label: CaseLabel;
  readonly exchange: Exchange;
  /** Where a client was the subject: the call that this exchange belongs to. */
  readonly call?: ClientCall;
}

/** A call of a client without the requests that it led to. */
export type ClientCall = Omit<ClientCase, 'scenario' | 'number' | 'wire'>;

/**
 * Place of the first one of that scenario and number, from 0, among cases or calls in the order of both; undefined where there is none.
 * A requirement may rest on each of a hundred thousand.
 */
export function placeAmong(
  ordered: readonly { readonly scenario: string; readonly number: number }[],
  scenario: string,
  number: number,
): number | undefined {
  let [from, until] = [0, ordered.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    const one = ordered[middle]!;
    if (one.scenario < scenario || (one.scenario === scenario && one.number < number)) from = middle + 1;
    else until = middle;
  }
  const found = ordered[from];
  return found?.scenario === scenario && found.number === number ? from : undefined;
}
