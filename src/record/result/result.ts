/** The result of a run, as all reports print it. Its JSON form is report.json (schemas/report). */
import type { HazardId } from '../../../contracts/hazards.ts';
import type { Operation } from '../../../contracts/operations.ts';
import type { Basis, Dimension } from '../../../contracts/requirements/requirement.ts';

/** The verdict on one requirement, with its evidence. */
export interface ResultRow {
  readonly id: string;
  /** The sentence of the requirement at the time of the run; absent in older reports. */
  readonly statement?: string;
  readonly operation: Operation | 'both';
  readonly dimension: Dimension;
  /** How much a failure of the row counts; see `Requirement`. */
  readonly kind: 'required' | 'expected' | 'probe';
  /** Section of the interface document. */
  readonly section: string;
  readonly outcome: Outcome;
  readonly basis: Basis;
  /** What differs from the requirement, but is tolerated. */
  readonly remark?: string;
  readonly blame?: Blame;
  readonly expected?: string;
  readonly actual?: string;
  readonly hint?: string;
  /** Why the row is not-applicable or was not run. */
  readonly reason?: string;
  readonly exchanges: readonly number[];
  /** The smallest failing case that the suite generated: its path for `--path`, and its exchange if a request was sent. */
  readonly counterexample?: { readonly path: string; readonly exchange?: number | undefined };
  /** Set only on the mock: open points that the verdict depends on. Another gateway may answer these points differently. */
  readonly assumes?: readonly string[];
  /** Ids of the defects that this row is known to catch. */
  readonly provenBy: readonly string[];
  /** Why signatures are wrong: one entry for each different explanation. */
  readonly explanations?: readonly Explanation[];
  /** If the adapter reports steps: the first step with an unexpected result. The adapter protocol defines the names of steps. */
  readonly firstStage?: {
    readonly exchange: number;
    readonly stage: string;
    readonly expected: string;
    readonly actual: string;
    readonly offset: number;
  };
  /** Command that repeats the deciding scenario; absent for a pass. */
  readonly repeat?: string;
  /** Set if the baseline lists this failure, or the failure because of which this row is open. */
  readonly known?: KnownFailure;
  /** Set if the row does not count, because its requirement is outside the set (--set). */
  readonly notScored?: true;
  /** Set if --require names the row, but no case showed it. The row is inconclusive and binds. */
  readonly demanded?: true;
}

/** An entry of a baseline. To excuse a failure, it needs a reason, must not be expired, and `received` must match. */
export interface BaselineEntry {
  readonly id: string;
  readonly reason?: string;
  /** Last day of the excuse in UTC, such as `2026-12-31`. */
  readonly expires?: string;
  readonly received?: string;
}

/** The autopsy of one request: known deviations that give the same wrong signature. */
export interface Explanation {
  readonly exchange: number;
  /** The fewest deviations that give the signature; empty if no known deviations do. */
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
  /** The base string that the suite signed (RFC 5849 section 3.4.1), if a gateway refused a valid request. It has no secret. */
  readonly baseString?: string;
  /** The base string that a client should have signed, and the one that it signed, if its deviations are known. */
  readonly baseStrings?: { readonly right: string; readonly signed: string };
}

/** One interaction of a Pact file, judged by the Pact verifier. It counts like a `required` row. */
export interface ContractRow {
  readonly pact: string;
  readonly interaction: string;
  readonly state: string;
  readonly outcome: Outcome;
  readonly blame?: Blame;
  /** Messages of the verifier, or why there is no verdict. Empty for a pass. */
  readonly mismatches: readonly string[];
  readonly known?: KnownFailure;
  readonly notScored?: true;
}

/** How the subject answered an open point. It is never judged. */
export interface Observation {
  readonly openPoint: string;
  readonly value: string;
  readonly exchanges: readonly number[];
  /** `none`: no answer was found. `low`: answers in the run differ. `medium`: one exchange shows it. `high`: several do. */
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
  /** What was tested; `target` is the base URL, or `mock`. */
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
  /** The seed, if somebody else chose it (--challenge), so that nobody could prepare the subject for it. */
  readonly challenge?: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** The verdict on the run; docs/reference/exit-codes.md lists the exit codes. */
  readonly conclusion: 'conformant' | 'partial' | 'non-conformant' | 'aborted';
  readonly aborted?: string;
  /** Set if the run was aborted because the client's command does not exist, or ended with exit code 127. */
  readonly unsupported?: true;
  readonly reproduce: string;
  /** Set if gaps by configuration do not count (--accept-partial). */
  readonly acceptPartial?: true;
  /** Set if a new hazard fails the run (--fail-on hazard). Under the profile `strict` a new hazard always fails the run. */
  readonly failOn?: 'hazard';
  /** Labels of the user (--label), such as the version of the gateway. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Set if the run was limited with --only or --smoke, or to a shard. */
  readonly scope?: { readonly only: readonly string[]; readonly shard?: Shard; readonly smoke?: true };
  /** Patterns of requirements that a case must show (--require). */
  readonly require?: readonly string[];
  /** How many `required` rows count, and which of these rows no case showed; absent in older reports. */
  readonly exercised?: {
    readonly required: number;
    readonly neverArose: readonly { readonly id: string; readonly reason: string; readonly hint?: string }[];
  };
  /** Name of the set of requirements (--set); absent if all requirements count. */
  readonly set?: string;
  /** The file of known failures (--baseline), compared with the run. */
  readonly baseline?: {
    readonly file: string;
    /** Outdated entries give exit code 1. If an entry has no `corrected`, the user must remove it. */
    readonly problems: readonly {
      readonly id: string;
      readonly sentence: string;
      readonly corrected?: BaselineEntry;
    }[];
    /** With --update-baseline: all entries of the new baseline. */
    readonly updated?: readonly BaselineEntry[];
  };
  /** Set if a stored run was judged again: the version that wrote its report, and the changed verdicts. */
  readonly rejudged?: {
    readonly suite: string;
    readonly flips: readonly {
      readonly id: string;
      readonly before?: Outcome;
      readonly now?: Outcome;
      readonly why: string;
    }[];
  };
  /** Dangers to money that no requirement forbids. Every report shows them first. */
  readonly hazards?: readonly Hazard[];
  /** How many of the rows that count have each outcome, by dimension. */
  readonly dimensions: Readonly<Record<Dimension, OutcomeCounts>>;
  readonly results: readonly ResultRow[];
  /** Causes of rows that did not pass, the cause of most rows first. Absent in older reports. */
  readonly causes?: readonly Cause[];
  /** For a client whose wrong signatures are explained: the outcomes without all its deviations, then without each one. */
  readonly counterfactuals?: readonly Counterfactual[];
  /** Absent on a live target and with --only, because the suite does not verify Pact contracts there. */
  readonly contracts?: readonly ContractRow[];
  readonly observations: readonly Observation[];
  /** Only for a gateway: the edge values and faults that the suite sent, and in how many cases. */
  readonly edges?: readonly { readonly generator: string; readonly edge: string; readonly cases: number }[];
  /** Remarks for the reader, one sentence each, such as noise that an adapter made. */
  readonly notes?: readonly string[];
  readonly effects: {
    /** The largest possible effects if the target refuses every faulty request. */
    readonly predicted: EffectCount;
    /** Effects of accepted requests. */
    readonly recorded: EffectCount;
    /** Possible further effects of requests with an unclear or missing answer. */
    readonly unclear?: EffectCount;
    /** Only on a live target: the allowance. */
    readonly allowed?: EffectBudget;
    /** Only on a live target: what the ledger counts for the run, including requests without a clear answer. */
    readonly ledger?: EffectBudget & { readonly unclear: number };
    /** Only on a live target: the effects of the run if the gateway performed every request that it refused. */
    readonly ifRefusalsAreUntrue?: EffectBudget;
    /** Only on a live target: how many cases were not sent, by reason. */
    readonly notSent?: readonly { readonly reason: string; readonly cases: number }[];
  };
  /** Only on a live target: known gateway defects that this run would miss; absent if the run was aborted. */
  readonly unnoticed?: Unnoticed;
  /** Only for a gateway with --measure. */
  readonly measured?: Measured;
  /** Only for a gateway: times from the first byte of a request to the last byte of its answer, by operation. */
  readonly latency?: readonly {
    readonly operation: Operation;
    readonly count: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
  }[];
  /** Number of exchanges in `exchanges.har`. */
  readonly exchangeCount: number;
}

export const outcomes = ['error', 'fail', 'inconclusive', 'pass', 'not-applicable'] as const;

/** `inconclusive`: there is no verdict, and the row never counts as a pass. `error`: a fault of the suite itself. */
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
  /** `total` is text with two decimals. */
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export interface EffectCount {
  readonly 'closes-day': number;
  readonly 'starts-payments': number;
}

/** A common cause of rows that did not pass, so that a user looks at one cause instead of many rows. */
export interface Cause {
  readonly outcome: 'inconclusive' | 'fail' | 'error';
  /** A clause for a sentence after "because". It may quote text from the subject. */
  readonly sentence: string;
  /** The failing requirement because of which the rows fail or are open. */
  readonly requirement?: string;
  readonly openPoint?: string;
  /** Set if the target did not survive the first of the exchanges. */
  readonly fatal?: true;
  /** The deviations that together explain these signatures; empty if no known deviations do. */
  readonly deviations?: readonly string[];
  /** Other sets of deviations of the same size that give the same signatures. */
  readonly alternatives?: readonly (readonly string[])[];
  /** Ids of the known gateway mistakes that give these failures; several if the run cannot tell them apart. */
  readonly defects?: readonly string[];
  readonly hint?: string;
  /** Ids of the rows with this cause. If `defects` is set, look at the first requirement first. */
  readonly requirements: readonly string[];
  readonly exchanges: readonly number[];
}

/** The outcomes if the client signed without these deviations and changed nothing else. */
export interface Counterfactual {
  readonly deviations: readonly string[];
  readonly failing: number;
  readonly wouldPass: readonly string[];
  readonly remain: readonly string[];
  /** Ids that would no longer fail, but would have no other evidence for a pass. */
  readonly wouldBeOpen?: readonly string[];
  readonly signedAgain: number;
  /** How many requests with these deviations could not be signed again, because the private key is missing. */
  readonly notSignedAgain?: number;
}

/** A danger to money on which the interface document is silent; see docs/explanation/money.md. */
export interface Hazard {
  readonly id: HazardId;
  readonly operation: Operation;
  /** Where the hazard occurred, such as `in one call after status 5xx`. Unique for an id and an operation. */
  readonly how?: string;
  /** What the subject did, in one sentence with figures. It may quote the subject. */
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
  /** What is counted, such as `seconds behind the clock`. */
  readonly unit: string;
  readonly least?: number;
  readonly most?: number;
  readonly reason?: string;
  readonly requests: number;
  readonly exchanges: readonly number[];
}

/** How the HMAC-SHA1 signatures that a gateway accepts for close-day differ from RFC 5849. */
export interface DialectCard {
  /** Deviations that the gateway requires instead of RFC 5849. */
  readonly follows: readonly DialectEntry[];
  /** Deviations that the gateway accepts in addition to RFC 5849. */
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

/** Such as `300`, `20 to 31` or `64 or more`. */
export function formatInterval({ least, most }: Pick<MeasuredLimit, 'least' | 'most'>): string {
  if (most === undefined) return `${least} or more`;
  if (least === undefined) return `${most} or less`;
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Known defects that would not make the run non-conformant, so the run would miss them. */
export interface Unnoticed {
  readonly side?: 'client';
  readonly of: number;
  readonly count: number;
  readonly groups: readonly {
    readonly operation: Operation | 'both';
    readonly dimension: Dimension;
    readonly defects: readonly string[];
  }[];
  /** Ids of defects that runs of this kind detect only sometimes. */
  readonly notKnown: readonly string[];
  /** Allowances and settings that would detect more defects. The largest gain for each effect is first. */
  readonly allowances: readonly {
    /**
     * `more`: the smallest allowance that detects more defects. `whole`: the smallest allowance for a whole run. `plenty`: an
     * allowance for which the suite sends further faults. `setting`: a key of the configuration.
     */
    readonly kind: 'more' | 'whole' | 'plenty' | 'setting';
    readonly allow: readonly string[];
    readonly set?: string;
    /** How many more effects are possible if refused requests have effects too; absent in older reports. */
    readonly effects?: number;
    readonly more: number;
    /** Estimated from the pace of this run. */
    readonly aboutSeconds: number;
  }[];
}
