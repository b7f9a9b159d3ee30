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
  /** How much a failure counts; see `Requirement`. */
  readonly kind: 'required' | 'expected' | 'probe';
  /** Section of the interface document. */
  readonly section: string;
  readonly outcome: Outcome;
  readonly basis: Basis;
  /** A difference from the requirement that the suite tolerates. */
  readonly remark?: string;
  readonly blame?: Blame;
  readonly expected?: string;
  readonly actual?: string;
  readonly hint?: string;
  /** Why the requirement is not-applicable or inconclusive. */
  readonly reason?: string;
  readonly exchanges: readonly number[];
  /** The smallest generated case that fails: its value of `--path`, and its exchange if a request was sent. */
  readonly counterexample?: { readonly path: string; readonly exchange?: number | undefined };
  /** Only on the mock: open points on which the verdict depends. Another gateway may answer them differently. */
  readonly assumes?: readonly string[];
  /** Ids of the defects that are known to make this requirement fail. */
  readonly provenBy: readonly string[];
  /** Explanations of wrong signatures, each explanation once. */
  readonly explanations?: readonly Explanation[];
  /** The first step with an unexpected result, if the adapter reports steps. The adapter protocol names the steps. */
  readonly firstStage?: {
    readonly exchange: number;
    readonly stage: string;
    readonly expected: string;
    readonly actual: string;
    readonly offset: number;
  };
  /** The command that repeats the scenario that decided the verdict; absent for a pass. */
  readonly repeat?: string;
  /** Set if the baseline lists this failure, or the failure that makes this requirement inconclusive. */
  readonly known?: KnownFailure;
  /** Set if the requirement does not count, because it is outside the set (--set). */
  readonly notScored?: true;
  /** Set if --require names the requirement, but no case tested it. The outcome is inconclusive, and binds. */
  readonly demanded?: true;
}

/** An entry of a baseline. It excuses a failure only if it has a reason, has not expired, and `received` matches. */
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
  /** The fewest deviations that give the signature; empty if no known deviations give it. */
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
  /** If a gateway refused a valid request: the base string (RFC 5849 section 3.4.1), which contains no secret. */
  readonly baseString?: string;
  /** `right`: the base string of RFC 5849. `signed`: the base string that the client signed, if the suite knows how. */
  readonly baseStrings?: { readonly right: string; readonly signed: string };
}

/** One interaction of a Pact file, judged by the Pact verifier. It counts like a `required` requirement. */
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
  /** The seed that another person chose (--challenge), so that nobody could prepare the subject for this seed. */
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
  /** Set if a new hazard fails the run (--fail-on hazard). With the profile `strict`, new hazards always do so. */
  readonly failOn?: 'hazard';
  /** Labels of the user (--label), such as the version of the gateway. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Set if the run was limited with --only or --smoke, or to a shard. */
  readonly scope?: { readonly only: readonly string[]; readonly shard?: Shard; readonly smoke?: true };
  /** Patterns of requirements that a case must test (--require). */
  readonly require?: readonly string[];
  /** The number of `required` requirements that count, and those that no case tested; absent in older reports. */
  readonly exercised?: {
    readonly required: number;
    readonly neverArose: readonly { readonly id: string; readonly reason: string; readonly hint?: string }[];
  };
  /** Name of the set of requirements (--set); absent if all requirements count. */
  readonly set?: string;
  /** The file of known failures (--baseline), and how it differs from the run. */
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
  /** Set if a stored run was judged again. `suite`: the version that wrote the report. `flips`: changed verdicts. */
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
  /** The number of requirements that count, by dimension and outcome. */
  readonly dimensions: Readonly<Record<Dimension, OutcomeCounts>>;
  readonly results: readonly ResultRow[];
  /** Causes of requirements that did not pass, first the cause of most requirements. Absent in older reports. */
  readonly causes?: readonly Cause[];
  /** If the deviations of a client are known: the outcomes without all deviations, then without each deviation. */
  readonly counterfactuals?: readonly Counterfactual[];
  /** Absent on a live target and with --only, because the suite does not verify Pact contracts there. */
  readonly contracts?: readonly ContractRow[];
  readonly observations: readonly Observation[];
  /** Only for a gateway: the edge values and faults that the suite sent, and in how many cases. */
  readonly edges?: readonly { readonly generator: string; readonly edge: string; readonly cases: number }[];
  /** Remarks for the reader, one sentence each, such as one on unexpected output of an adapter. */
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
  /** The measured limits and dialect of a gateway (--measure). */
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
  /** `total` is text with two decimals. */
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export interface EffectCount {
  readonly 'closes-day': number;
  readonly 'starts-payments': number;
}

/** A common cause of requirements that did not pass. A user reads one cause instead of many requirements. */
export interface Cause {
  readonly outcome: 'inconclusive' | 'fail' | 'error';
  /** A clause that can follow "because". It may quote the subject. */
  readonly sentence: string;
  /** The failed requirement that makes `requirements` fail or inconclusive. */
  readonly requirement?: string;
  readonly openPoint?: string;
  /** Set if the target stopped answering after the first exchange in `exchanges`. */
  readonly fatal?: true;
  /** Set for wrong signatures: the deviations that together give them; empty if no known deviations give them. */
  readonly deviations?: readonly string[];
  /** Other sets of deviations of the same size that give the same signatures. */
  readonly alternatives?: readonly (readonly string[])[];
  /** Ids of gateway defects that explain these failures. With several ids, the run cannot show which defect it is. */
  readonly defects?: readonly string[];
  readonly hint?: string;
  /** Ids of the requirements with this cause. If `defects` is set, look at the first requirement first. */
  readonly requirements: readonly string[];
  readonly exchanges: readonly number[];
}

/** The outcomes if the client signed without these deviations and changed nothing else. */
export interface Counterfactual {
  readonly deviations: readonly string[];
  readonly failing: number;
  readonly wouldPass: readonly string[];
  readonly remain: readonly string[];
  /** Ids of requirements that would be inconclusive: they would not fail, but no other exchange would show a pass. */
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

/** Prints the limit, such as `300`, `20 to 31` or `64 or more`. */
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
     * `more`: the smallest allowance that detects more defects. `whole`: the smallest allowance for a whole run.
     * `plenty`: an allowance for which the suite sends further faults. `setting`: a key of the configuration.
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
