/** The result of a run. schemas/files/report.json describes the fields. */
import type { HazardId } from '../../../contracts/hazards.ts';
import type { Operation } from '../../../contracts/operations.ts';
import type { Basis, Dimension } from '../../../contracts/requirements/requirement.ts';

/** The verdict on one requirement, with its evidence. */
export interface ResultRow {
  readonly id: string;
  readonly statement?: string;
  readonly operation: Operation | 'both';
  readonly dimension: Dimension;
  /** How much a failure counts; see `Requirement`. */
  readonly kind: 'required' | 'expected' | 'probe';
  readonly section: string;
  readonly outcome: Outcome;
  readonly basis: Basis;
  /** A note on the verdict, such as a tolerated difference from the requirement. */
  readonly remark?: string;
  readonly blame?: Blame;
  readonly expected?: string;
  readonly actual?: string;
  readonly hint?: string;
  readonly reason?: string;
  readonly exchanges: readonly number[];
  readonly counterexample?: { readonly path: string; readonly exchange?: number | undefined };
  readonly assumes?: readonly string[];
  readonly provenBy: readonly string[];
  readonly explanations?: readonly Explanation[];
  readonly firstStage?: {
    readonly exchange: number;
    readonly stage: string;
    readonly expected: string;
    readonly actual: string;
    readonly offset: number;
  };
  readonly repeat?: string;
  readonly known?: KnownFailure;
  readonly notScored?: true;
  readonly demanded?: true;
}

/** A baseline entry. It excuses a failure only if it has a reason, has not expired, and `received` (if set) matches. */
export interface BaselineEntry {
  readonly id: string;
  readonly reason?: string;
  /** The last day, in UTC, on which this entry excuses the failure, such as `2026-12-31`. */
  readonly expires?: string;
  readonly received?: string;
}

/** Explains one wrong signature: known deviations from the signing rules that give exactly this signature. */
export interface Explanation {
  readonly exchange: number;
  readonly deviations: readonly {
    readonly id: string;
    readonly summary: string;
    readonly fix: string;
    readonly snippet?: string;
  }[];
  readonly alternatives?: readonly (readonly string[])[];
  readonly dialects?: readonly string[];
  readonly facts: readonly string[];
  readonly triedCount: number;
  readonly baseString?: string;
  readonly baseStrings?: { readonly right: string; readonly signed: string };
}

/** One interaction of a Pact file, judged by the Pact verifier. It counts like a `required` requirement. */
export interface ContractRow {
  readonly pact: string;
  readonly interaction: string;
  readonly state: string;
  readonly outcome: Outcome;
  readonly blame?: Blame;
  readonly mismatches: readonly string[];
  readonly known?: KnownFailure;
  readonly notScored?: true;
}

/** How the subject answered an open point. It is never judged. */
export interface Observation {
  readonly openPoint: string;
  readonly value: string;
  readonly exchanges: readonly number[];
  /** `none`: no answer. `low`: different answers. `medium`: one exchange with the answer. `high`: several exchanges. */
  readonly confidence?: 'none' | 'low' | 'medium' | 'high';
  readonly unusual?: string;
}

export type OutcomeCounts = Record<Outcome, number>;
export type Shard = Readonly<Record<'index' | 'of', number>>;

/** The result of a whole run. */
export interface Result {
  readonly format: 'countersign-report';
  readonly formatVersion: 1;
  readonly suite: { readonly name: string; readonly version: string };
  /** What was tested. `target` is the base URL, `mock`, `recording`, `local gateway` or `desk`. */
  readonly subject: {
    readonly kind: 'gateway' | 'client';
    readonly name: string;
    readonly version?: string;
    readonly language?: string;
    readonly target: string;
  };
  readonly runId: string;
  readonly profile: string;
  readonly seed: string;
  readonly challenge?: string;
  readonly startedAt: string;
  readonly durationMs: number;
  /** The verdict on the run. docs/reference/exit-codes.md says which exit code belongs to it. */
  readonly conclusion: 'conformant' | 'partial' | 'non-conformant' | 'aborted';
  readonly aborted?: string;
  readonly unsupported?: true;
  readonly reproduce: string;
  readonly acceptPartial?: true;
  readonly failOn?: 'hazard';
  readonly labels?: Readonly<Record<string, string>>;
  readonly scope?: { readonly only: readonly string[]; readonly shard?: Shard; readonly smoke?: true };
  readonly require?: readonly string[];
  readonly exercised?: {
    readonly required: number;
    readonly neverArose: readonly { readonly id: string; readonly reason: string; readonly hint?: string }[];
  };
  readonly set?: string;
  readonly baseline?: {
    readonly file: string;
    readonly problems: readonly {
      readonly id: string;
      readonly sentence: string;
      readonly corrected?: BaselineEntry;
    }[];
    readonly updated?: readonly BaselineEntry[];
  };
  /** Set if a stored run was judged again. `suite`: the version of the old report. `flips`: changed verdicts. */
  readonly rejudged?: {
    readonly suite: string;
    readonly flips: readonly {
      readonly id: string;
      readonly before?: Outcome;
      readonly now?: Outcome;
      readonly why: string;
    }[];
  };
  readonly hazards?: readonly Hazard[];
  readonly dimensions: Readonly<Record<Dimension, OutcomeCounts>>;
  readonly results: readonly ResultRow[];
  readonly causes?: readonly Cause[];
  readonly counterfactuals?: readonly Counterfactual[];
  /** Absent if the run did not verify Pact contracts; see `verifiesContracts`. */
  readonly contracts?: readonly ContractRow[];
  readonly observations: readonly Observation[];
  readonly edges?: readonly { readonly generator: string; readonly edge: string; readonly cases: number }[];
  readonly notes?: readonly string[];
  readonly effects: {
    readonly predicted: EffectCount;
    readonly recorded: EffectCount;
    readonly unclear?: EffectCount;
    readonly allowed?: EffectBudget;
    readonly ledger?: EffectBudget & { readonly unclear: number };
    readonly ifRefusalsAreUntrue?: EffectBudget;
    readonly notSent?: readonly { readonly reason: string; readonly cases: number }[];
  };
  readonly unnoticed?: Unnoticed;
  readonly measured?: Measured;
  readonly latency?: readonly {
    readonly operation: Operation;
    readonly count: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
  }[];
  readonly exchangeCount: number;
}

export const outcomes = ['error', 'fail', 'inconclusive', 'pass', 'not-applicable'] as const;

/** `inconclusive`: the suite could not decide, so this never counts as a pass. `error`: a fault of the suite itself. */
export type Outcome = (typeof outcomes)[number];
export type Blame = 'subject' | 'environment' | 'suite' | 'configuration' | 'unspecified';

/** Returns the worse outcome: error > fail > inconclusive > pass > not-applicable. */
export function worse(a: Outcome, b: Outcome): Outcome {
  return outcomes.indexOf(a) <= outcomes.indexOf(b) ? a : b;
}

export interface KnownFailure {
  readonly reason: string;
  readonly expires?: string;
}

export interface EffectBudget {
  readonly 'closes-day': number;
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export interface EffectCount {
  readonly 'closes-day': number;
  readonly 'starts-payments': number;
}

/** Why some requirements did not pass. Requirements with the same cause share one object. */
export interface Cause {
  readonly outcome: 'inconclusive' | 'fail' | 'error';
  /** A clause that can follow "because". It may contain text of the subject. */
  readonly sentence: string;
  readonly requirement?: string;
  readonly openPoint?: string;
  readonly fatal?: true;
  readonly deviations?: readonly string[];
  readonly alternatives?: readonly (readonly string[])[];
  readonly defects?: readonly string[];
  readonly hint?: string;
  /** Ids of the requirements with this cause. If `defects` is set, those with the most failed exchanges are first. */
  readonly requirements: readonly string[];
  readonly exchanges: readonly number[];
}

/** The effect of fixing only these deviations: which failures would pass, remain, or become inconclusive. */
export interface Counterfactual {
  readonly deviations: readonly string[];
  readonly failing: number;
  readonly wouldPass: readonly string[];
  readonly remain: readonly string[];
  readonly wouldBeOpen?: readonly string[];
  readonly signedAgain: number;
  readonly notSignedAgain?: number;
}

/** A risk to money that the interface document does not mention; see docs/explanation/money.md. */
export interface Hazard {
  readonly id: HazardId;
  readonly operation: Operation;
  /** How the hazard occurred, such as `in one call after status 5xx`. Unique for each `id` and `operation`. */
  readonly how?: string;
  /** What the subject did, in one sentence with figures. It may contain text of the subject. */
  readonly sentence: string;
  readonly atRisk: EffectBudget;
  readonly exchanges: readonly number[];
  readonly hint: string;
  readonly known?: KnownFailure;
}

export interface Measured {
  readonly limits: readonly MeasuredLimit[];
  readonly dialect?: DialectCard;
  readonly requests: number;
}

/** The limit is between `least` and `most`, inclusive. `most` is absent if every tried value was accepted. */
export interface MeasuredLimit {
  readonly id: string;
  readonly openPoint: string;
  /** The unit of `least` and `most`, such as `seconds behind the clock`. */
  readonly unit: string;
  readonly least?: number;
  readonly most?: number;
  readonly reason?: string;
  readonly requests: number;
  readonly exchanges: readonly number[];
}

/** Which deviations from RFC 5849 a gateway accepts in HMAC-SHA1 signatures of close-day. */
export interface DialectCard {
  readonly follows: readonly DialectEntry[];
  readonly takes: readonly DialectEntry[];
  readonly refuses: readonly string[];
  readonly undetermined: readonly string[];
  readonly reason?: string;
  readonly requests: number;
}

interface DialectEntry {
  readonly deviation: string;
  readonly alternatives?: readonly string[];
  readonly means: string;
  readonly exchanges: readonly number[];
}

/** Prints the limit, such as `300`, `20 to 31` or `64 or more`. */
export function formatInterval({ least, most }: Pick<MeasuredLimit, 'least' | 'most'>): string {
  if (most === undefined) return `${least} or more`;
  if (least === undefined) return `${most} or less`;
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Known defects that this run cannot detect. It fails no requirement, even if the subject has one of them. */
export interface Unnoticed {
  readonly side?: 'client';
  readonly of: number;
  readonly count: number;
  readonly groups: readonly {
    readonly operation: Operation | 'both';
    readonly dimension: Dimension;
    readonly defects: readonly string[];
  }[];
  readonly notKnown: readonly string[];
  readonly allowances: readonly {
    readonly kind: 'more' | 'whole' | 'plenty' | 'setting';
    readonly allow: readonly string[];
    readonly set?: string;
    readonly effects?: number;
    readonly more: number;
    readonly aboutSeconds: number;
  }[];
}
