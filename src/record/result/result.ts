/** The result of a run, as all reports print it. Its JSON form is report.json (schemas/report). */
import type { HazardId } from '../../../contracts/hazards.ts';
import type { Operation } from '../../../contracts/operations.ts';
import type { Basis, Dimension } from '../../../contracts/requirements/requirement.ts';

/** The verdict on a run; docs/reference/exit-codes.md lists the exit codes. */
export type Conclusion = 'conformant' | 'partial' | 'non-conformant' | 'aborted';

/** The verdict on one requirement, with its evidence. */
export interface ResultRow {
  /** Id of the requirement. */
  readonly id: string;
  /** Its sentence in the suite that judged it; absent in older reports. */
  readonly statement?: string;
  /** The operation that it belongs to. */
  readonly operation: Operation | 'both';
  /** The subject area. */
  readonly dimension: Dimension;
  /** How much it binds; see `Requirement`. */
  readonly kind: 'required' | 'expected' | 'probe';
  /** Section of the interface document. */
  readonly section: string;
  /** The worst outcome of all findings. */
  readonly outcome: Outcome;
  /** The basis of the verdict. */
  readonly basis: Basis;
  /** A tolerated deviation. */
  readonly remark?: string;
  /** Who or what caused an outcome that is not a pass. */
  readonly blame?: Blame;
  /** What was required, if something else was there. */
  readonly expected?: string;
  /** What was there. */
  readonly actual?: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Why the row is not-applicable or was not run. */
  readonly reason?: string;
  /** Numbers of the exchanges that support the outcome. */
  readonly exchanges: readonly number[];
  /** The smallest generated case that fails: its path under the seed, and its exchange if a request was sent. */
  readonly counterexample?: { readonly path: string; readonly exchange?: number | undefined };
  /** Only on the mock: open points that the verdict depends on. Another gateway may answer them differently. */
  readonly assumes?: readonly string[];
  /** Ids of the defects that this row is known to catch. */
  readonly provenBy: readonly string[];
  /** Why signatures are wrong: one entry for each different explanation. */
  readonly explanations?: readonly Explanation[];
  /** The first step in which the client differs, if its adapter reports steps. */
  readonly firstStage?: DifferingStage;
  /** Command that repeats the deciding scenario; absent for a pass. */
  readonly repeat?: string;
  /** Set if the baseline lists this failure, or the one that leaves this row open. */
  readonly known?: KnownFailure;
  /** Set if the row is outside the set of the run: it does not count. */
  readonly notScored?: true;
  /** Set if the row never arose and --require asks for it: then it is inconclusive, and binds. */
  readonly demanded?: true;
}

/** An entry of a baseline. It counts only with a reason, until it expires, and for the value that it pins. */
export interface BaselineEntry {
  readonly id: string;
  readonly reason?: string;
  /** Last day of the tolerance in UTC, such as `2026-12-31`. */
  readonly expires?: string;
  readonly received?: string;
}

/** The autopsy of one request: the known deviations that give exactly the signed bytes. */
export interface Explanation {
  readonly exchange: number;
  /** The smallest set; empty if nothing reproduces the signature. */
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
  /** Set if a gateway refused a valid request: what the suite signed (RFC 5849 section 3.4.1). It holds no secret. */
  readonly baseString?: string;
  /** Set if the deviations of a client are known: what it should have signed, and what it signed. */
  readonly baseStrings?: { readonly right: string; readonly signed: string };
}

/** A step of a client, named as in the adapter protocol, and its expected result. */
export interface DifferingStage {
  readonly exchange: number;
  readonly stage: string;
  readonly expected: string;
  readonly actual: string;
  readonly offset: number;
}

/** One interaction of a Pact file, judged by the Pact verifier. It counts like a required row. */
export interface ContractRow {
  readonly pact: string;
  readonly interaction: string;
  readonly state: string;
  readonly outcome: Outcome;
  readonly blame?: Blame;
  /** The verifier's words, or why nothing was determined. Empty for a pass. */
  readonly mismatches: readonly string[];
  readonly known?: KnownFailure;
  readonly notScored?: true;
}

/** How the subject answered an open point. Never judged. */
export interface Observation {
  readonly openPoint: string;
  readonly value: string;
  readonly exchanges: readonly number[];
  /** How reliable the answer is; absent in older reports. */
  readonly confidence?: Confidence;
  readonly unusual?: string;
}

/** `none`: no answer was found. `low`: answers in the run differ. `medium`: seen once. `high`: seen repeatedly. */
type Confidence = 'none' | 'low' | 'medium' | 'high';

export type OutcomeCounts = Record<Outcome, number>;

export type Shard = Readonly<Record<'index' | 'of', number>>;

/** The required rows that count, and those that never arose. */
interface Exercised {
  readonly required: number;
  readonly neverArose: readonly {
    readonly id: string;
    readonly reason: string;
    readonly hint?: string;
  }[];
}

/** The result of a whole run. */
export interface Result {
  /** Identifies the file format. */
  readonly format: 'countersign-report';
  /** Changes if readers of the format must change. */
  readonly formatVersion: 1;
  /** The suite that judged the run. */
  readonly suite: { readonly name: string; readonly version: string };
  /** What was tested; `target` is the base URL, or `mock`. */
  readonly subject: {
    readonly kind: 'gateway' | 'client';
    readonly name: string;
    readonly version?: string;
    readonly language?: string;
    readonly target: string;
  };
  /** Random for each run. */
  readonly runId: string;
  /** Name of the profile. */
  readonly profile: string;
  /** Seed of the generated values. */
  readonly seed: string;
  /** The seed, if the other side chose it (--challenge), so that nothing could be prepared for it. */
  readonly challenge?: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Milliseconds from start to end. */
  readonly durationMs: number;
  /** The verdict on the run. */
  readonly conclusion: Conclusion;
  /** Why the run was aborted, in one sentence. */
  readonly aborted?: string;
  /** Set if it was aborted because the client's command does not exist, or ended with exit code 127. */
  readonly unsupported?: true;
  /** Command that repeats the run. */
  readonly reproduce: string;
  /** Set if gaps that the configuration left on purpose do not count (--accept-partial). */
  readonly acceptPartial?: true;
  /** Set if a new hazard fails the run (--fail-on hazard). With the profile `strict` it always does. */
  readonly failOn?: 'hazard';
  /** Names that the user gave the run (--label), such as the version of the gateway. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Set if the run was limited with --only or --smoke, or to a shard. */
  readonly scope?: { readonly only: readonly string[]; readonly shard?: Shard; readonly smoke?: true };
  /** Patterns of requirements that must arise (--require). */
  readonly require?: readonly string[];
  /** How many required rows arose; derived from `results`, absent in older reports. */
  readonly exercised?: Exercised;
  /** Name of the set of requirements (--set); absent if all count. */
  readonly set?: string;
  /** How the run compares with the known failures in a file (--baseline). */
  readonly baseline?: {
    readonly file: string;
    /** Entries that no longer hold. Remove an entry that has no corrected one. Each gives exit code 1. */
    readonly problems: readonly {
      readonly id: string;
      readonly sentence: string;
      readonly corrected?: BaselineEntry;
    }[];
    /** The new entries, if the file is to be updated. */
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
  /** Outcomes by dimension, for rows that count. */
  readonly dimensions: Readonly<Record<Dimension, OutcomeCounts>>;
  /** One row for each requirement of the tested side. */
  readonly results: readonly ResultRow[];
  /** Causes of rows that are not green, those of most rows first. Absent in older reports. */
  readonly causes?: readonly Cause[];
  /** Only for a client with explained wrong signatures: all deviations undone, then each alone if there are several. */
  readonly counterfactuals?: readonly Counterfactual[];
  /** Absent if the Pact contracts were not verified: on a live target, and with --only. */
  readonly contracts?: readonly ContractRow[];
  /** Answers to open points. */
  readonly observations: readonly Observation[];
  /** Only for a gateway: the named edges and faults of the generators that were sent, and in how many cases. */
  readonly edges?: readonly { readonly generator: string; readonly edge: string; readonly cases: number }[];
  /** Remarks for the reader, one sentence each, such as noise that an adapter made. */
  readonly notes?: readonly string[];
  /** Effects of the run. */
  readonly effects: {
    /** The maximum, if the target refuses what it must refuse. */
    readonly predicted: EffectCount;
    /** Effects of accepted requests. */
    readonly recorded: EffectCount;
    /** Possible further effects of requests with an unclear or missing answer. */
    readonly unclear?: EffectCount;
    /** Only on a live target: the allowance. */
    readonly allowed?: EffectBudget;
    /** Only on a live target: the ledger's sum for the run, including requests without a clear answer. */
    readonly ledger?: EffectBudget & { readonly unclear: number };
    /** Only on a live target: the effects at worst, if the gateway performed requests that it refused. */
    readonly ifRefusalsAreUntrue?: EffectBudget;
    /** Only on a live target: how many cases were not sent, by reason. */
    readonly notSent?: readonly { readonly reason: string; readonly cases: number }[];
  };
  /** Only on a live target: known gateway defects that this run would miss; absent if it was aborted. */
  readonly unnoticed?: Unnoticed;
  /** Only for a gateway with --measure. */
  readonly measured?: Measured;
  /** Only for a gateway: response times by operation. */
  readonly latency?: readonly Latency[];
  /** Number of exchanges in `exchanges.har`. */
  readonly exchangeCount: number;
}

/** Times from the first byte of a request to the last byte of its answer. */
export interface Latency {
  readonly operation: Operation;
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export const outcomes = ['error', 'fail', 'inconclusive', 'pass', 'not-applicable'] as const;

/** `inconclusive`: not determined, never green. `error`: a fault of the suite itself. */
export type Outcome = (typeof outcomes)[number];

export type Blame = 'subject' | 'environment' | 'suite' | 'configuration' | 'unspecified';

/** error > fail > inconclusive > pass > not-applicable. */
export function worse(a: Outcome, b: Outcome): Outcome {
  return outcomes.indexOf(a) <= outcomes.indexOf(b) ? a : b;
}

export interface KnownFailure {
  readonly reason: string;
  readonly expires?: string;
}

export interface EffectBudget {
  readonly 'closes-day': number;
  /** `total`: decimal text with two decimals. */
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export interface EffectCount {
  readonly 'closes-day': number;
  readonly 'starts-payments': number;
}

/** A common cause of several rows that are not green, so that users look at one thing only. */
export interface Cause {
  readonly outcome: 'inconclusive' | 'fail' | 'error';
  /** Completes a sentence with "because". It may quote the subject. */
  readonly sentence: string;
  /** The failing requirement that makes the others fail or leaves them open: repair this one. */
  readonly requirement?: string;
  readonly openPoint?: string;
  /** The target did not survive the first of the exchanges. */
  readonly fatal?: true;
  /** The deviations that together explain these signatures; empty if nothing does. */
  readonly deviations?: readonly string[];
  /** Other sets of the same size that give the same signatures. */
  readonly alternatives?: readonly (readonly string[])[];
  /** Ids of the known gateway mistakes that give these failures; several if the run cannot tell them apart. */
  readonly defects?: readonly string[];
  readonly hint?: string;
  /** Ids of the requirements; with `defects` the first one is the one to look at first. */
  readonly requirements: readonly string[];
  readonly exchanges: readonly number[];
}

/** The outcomes if the client signed without these deviations and changed nothing else. */
export interface Counterfactual {
  readonly deviations: readonly string[];
  readonly failing: number;
  readonly wouldPass: readonly string[];
  readonly remain: readonly string[];
  /** Ids that would no longer fail, but would lack other evidence to pass; absent if none. */
  readonly wouldBeOpen?: readonly string[];
  readonly signedAgain: number;
  /** How many requests with these deviations could not be signed again, because the private key is missing. */
  readonly notSignedAgain?: number;
}

/** A danger to money on which the interface document is silent. It changes no verdict; see docs/explanation/money.md. */
export interface Hazard {
  readonly id: HazardId;
  readonly operation: Operation;
  /** Place, and the kind of answer before it: `in one call after status 5xx`. Unique for an id and an operation. */
  readonly how?: string;
  /** The behaviour of the subject in one sentence with figures. It may quote the subject. */
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

/** The limit is between `least` and `most`, inclusive. Without `most` no tried value was too much. */
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

/** How HMAC-SHA1 signatures of close-day differ from RFC 5849. */
export interface DialectCard {
  /** Replaces RFC 5849. */
  readonly follows: readonly DialectEntry[];
  /** Accepted in addition. */
  readonly takes: readonly DialectEntry[];
  readonly refuses: readonly string[];
  readonly undetermined: readonly string[];
  readonly reason?: string;
  readonly requests: number;
}

export interface DialectEntry {
  readonly deviation: string;
  readonly alternatives?: readonly string[];
  readonly means: string;
  readonly exchanges: readonly number[];
}

/** `300`, `20 to 31`, `64 or more`. */
export function formatInterval({ least, most }: Pick<MeasuredLimit, 'least' | 'most'>): string {
  if (most === undefined) return `${least} or more`;
  if (least === undefined) return `${most} or less`;
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Known defects that the run would miss: with one of them it would still not be non-conformant. */
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
  /** What to allow or to configure to detect more; the largest gain for each effect first. */
  readonly allowances: readonly {
    /**
     * `more`: the smallest further allowance of one effect that detects more. `whole`: the smallest with which nothing is left
     * out. `plenty`: from here on further faults are sent. `setting`: a key of the configuration.
     */
    readonly kind: 'more' | 'whole' | 'plenty' | 'setting';
    readonly allow: readonly string[];
    readonly set?: string;
    /** Further effects in the worst case: if refused requests have effects too. Absent in older reports. */
    readonly effects?: number;
    readonly more: number;
    /** Estimated from the pace of this run. */
    readonly aboutSeconds: number;
  }[];
}
