/** The result of a run: the one model that every report writer prints. Its JSON form is report.json (schemas/report). */
import type { HazardId } from '../../../contracts/hazards.ts';
import type { Operation } from '../../../contracts/operations.ts';
import type { Basis, Dimension } from '../../../contracts/requirements/requirement.ts';

/** The verdict on a run; docs/reference/exit-codes.md gives each its exit code. */
export type Conclusion = 'conformant' | 'partial' | 'non-conformant' | 'aborted';

/** The verdict on one requirement, with its evidence. */
export interface ResultRow {
  /** Id of the requirement. */
  readonly id: string;
  /** What it says, in the words of the suite that judged it; absent in older reports. */
  readonly statement?: string;
  /** The operation that it is about. */
  readonly operation: Operation | 'both';
  /** What it speaks of. */
  readonly dimension: Dimension;
  /** How much it binds; see `Requirement`. */
  readonly kind: 'required' | 'expected' | 'probe';
  /** Section of the interface document. */
  readonly section: string;
  /** The worst of all findings. */
  readonly outcome: Outcome;
  /** What the verdict rests on. */
  readonly basis: Basis;
  /** A deviation that is tolerated. */
  readonly remark?: string;
  /** Who or what is behind an outcome that is not a pass. */
  readonly blame?: Blame;
  /** What had to be there, where something else was. */
  readonly expected?: string;
  /** What was there. */
  readonly actual?: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Why the row is not-applicable or was not run. */
  readonly reason?: string;
  /** Numbers of the exchanges that the outcome rests on. */
  readonly exchanges: readonly number[];
  /** The smallest generated case that fails: its path under the run's seed, and its exchange if a request was sent. */
  readonly counterexample?: { readonly path: string; readonly exchange?: number | undefined };
  /** On the mock: open points on whose answer by the mock the verdict rests; another gateway may answer them otherwise. */
  readonly assumes?: readonly string[];
  /** Ids of the defects that this row is known to catch. */
  readonly provenBy: readonly string[];
  /** Why signatures are wrong, for the row that says that they are: one for each different explanation. */
  readonly explanations?: readonly Explanation[];
  /** Where an adapter shows its client's own steps: the first of them that went another way. */
  readonly firstStage?: DifferingStage;
  /** Command that repeats the deciding scenario; set where the outcome is not a pass. */
  readonly repeat?: string;
  /** Set where it failed and the baseline lists that. */
  readonly known?: KnownFailure;
  /** Set where the set of requirements that the run is judged by does not have it: it does not count. */
  readonly notScored?: true;
  /** Set where it never arose and --require asks for it: then it is inconclusive, and binds. */
  readonly demanded?: true;
}

/** An entry of a baseline. It is believed only with a reason, before its expiry, and with the value that it pins. */
export interface BaselineEntry {
  readonly id: string;
  readonly reason?: string;
  /** Last day on which the failure is tolerated, `2026-12-31`, UTC. */
  readonly expires?: string;
  readonly received?: string;
}

/** The autopsy of one request: which named deviations of the client give exactly the bytes that were signed. */
export interface Explanation {
  readonly exchange: number;
  /** The smallest set; empty where nothing reproduces the signature. */
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
  /** Where a gateway refused a right request: what the suite signed (RFC 5849 3.4.1). It holds no secret. */
  readonly baseString?: string;
  /** Of a client whose deviations are known: what it should have signed, and what it signed. */
  readonly baseStrings?: { readonly right: string; readonly signed: string };
}

/** A step of a client, by the names of the adapter protocol, with what had to come out of it. */
export interface DifferingStage {
  readonly exchange: number;
  readonly stage: string;
  readonly expected: string;
  readonly actual: string;
  readonly offset: number;
}

/** One interaction of a Pact file, as the Pact verifier found it. It weighs as much as a required row. */
export interface ContractRow {
  readonly pact: string;
  readonly interaction: string;
  readonly state: string;
  readonly outcome: Outcome;
  readonly blame?: Blame;
  /** What did not fit, in the verifier's words, or why nothing was determined. Empty for a pass. */
  readonly mismatches: readonly string[];
  readonly known?: KnownFailure;
  readonly notScored?: true;
}

/** What was seen of an open point. Never judged. */
export interface Observation {
  readonly openPoint: string;
  readonly value: string;
  readonly exchanges: readonly number[];
  /** How far the answer may be relied on; absent in reports of earlier versions. */
  readonly confidence?: Confidence;
  readonly unusual?: string;
}

/** `none`: nothing could be told. `low`: the answer was another one elsewhere in the run. `medium`: seen once. `high`: seen again and again. */
type Confidence = 'none' | 'low' | 'medium' | 'high';

export type OutcomeCounts = Record<Outcome, number>;

export type Shard = Readonly<Record<'index' | 'of', number>>;

/** The required rows of a run that count, and those among them that never arose. */
interface Exercised {
  readonly required: number;
  readonly neverArose: readonly {
    readonly id: string;
    readonly reason: string;
    readonly hint?: string;
  }[];
}

/** A whole run. */
export interface Result {
  /** Distinguishes the file from others. */
  readonly format: 'countersign-report';
  /** Changes where a reader of the format would have to. */
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
  /** Drawn anew for each run. */
  readonly runId: string;
  readonly profile: string;
  /** Seed of the generated values. */
  readonly seed: string;
  /** Set where the other side chose the seed (--challenge): then nothing could be prepared for it. It is the seed. */
  readonly challenge?: string;
  /** ISO 8601, UTC; the duration in milliseconds. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly conclusion: Conclusion;
  /** Why the run was aborted, in one sentence. */
  readonly aborted?: string;
  /** Beside it: the command of the client does not exist here, or ended with exit code 127, which says the same. */
  readonly unsupported?: true;
  /** Command that repeats the run. */
  readonly reproduce: string;
  /** Set where gaps that the configuration left on purpose do not count (--accept-partial). */
  readonly acceptPartial?: true;
  /** Set where a hazard that is not known fails the run (--fail-on hazard); under the profile `strict` it always does. */
  readonly failOn?: 'hazard';
  /** What whoever started the run called it by (--label), such as the version of the gateway. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Set where the run was narrowed: with --only, or to a shard. */
  readonly scope?: { readonly only: readonly string[]; readonly shard?: Shard };
  /** Patterns of requirements that have to arise (--require). */
  readonly require?: readonly string[];
  /** How much of what is required the run exercised; derived from `results`, absent in older reports. */
  readonly exercised?: Exercised;
  /** Name of the set of requirements that the run is judged by (--set); absent where all count. */
  readonly set?: string;
  /** What became of the known failures that a file lists (--baseline). */
  readonly baseline?: {
    readonly file: string;
    /** Entries that no longer hold; without a corrected one an entry is to be removed. Each makes the exit code 1. */
    readonly problems: readonly {
      readonly id: string;
      readonly sentence: string;
      readonly corrected?: BaselineEntry;
    }[];
    /** The entries that follow from the run, where the file is to be updated. */
    readonly updated?: readonly BaselineEntry[];
  };
  /** Where a stored run was judged again: the version that wrote its report, and the verdicts that are others now. */
  readonly rejudged?: {
    readonly suite: string;
    readonly flips: readonly {
      readonly id: string;
      readonly before?: Outcome;
      readonly now?: Outcome;
      readonly why: string;
    }[];
  };
  /** What endangers money although no requirement forbids it; it stands first in every report. */
  readonly hazards?: readonly Hazard[];
  /** Counts by dimension, of what counts. */
  readonly dimensions: Readonly<Record<Dimension, OutcomeCounts>>;
  /** One row for each requirement of the side that was tested. */
  readonly results: readonly ResultRow[];
  /** What is behind the rows that are not green; the causes of most rows first. Absent in results of earlier versions. */
  readonly causes?: readonly Cause[];
  /** Of a client with wrong signatures that are explained: all deviations undone, then, where there are several, each alone. */
  readonly counterfactuals?: readonly Counterfactual[];
  /** Absent where the Pact contracts were not verified: on a live target, and in a run narrowed with --only. */
  readonly contracts?: readonly ContractRow[];
  /** What was seen where the document is silent. */
  readonly observations: readonly Observation[];
  /** Of a gateway: which named edges and faults of the generators were sent, in how many cases each; by generator and name. */
  readonly edges?: readonly { readonly generator: string; readonly edge: string; readonly cases: number }[];
  /** What a reader has to know besides the rows, such as noise that an adapter made; one sentence each. */
  readonly notes?: readonly string[];
  /** What was done to the world. */
  readonly effects: {
    /** What was expected at most, if the target refuses what it must refuse. */
    readonly predicted: EffectCount;
    /** What was accepted. */
    readonly recorded: EffectCount;
    /** How much more requests can have done whose answer says neither yes nor no, or is missing. */
    readonly unclear?: EffectCount;
    /** On a live target: what the run was allowed to do. */
    readonly allowed?: EffectBudget;
    /** On a live target: what the ledger holds of the run, requests without a clear answer included. */
    readonly ledger?: EffectBudget & { readonly unclear: number };
    /** On a live target: what it comes to if the target did what it refused, and what it was asked at the unknown endpoint. */
    readonly ifRefusalsAreUntrue?: EffectBudget;
    /** On a live target: how many cases it did not get, by reason. */
    readonly notSent?: readonly { readonly reason: string; readonly cases: number }[];
  };
  /** On a live target: the known defects of gateways that this run would have let through; absent where it was aborted. */
  readonly unnoticed?: Unnoticed;
  /** Of a gateway, where --measure asked for it. */
  readonly measured?: Measured;
  /** Of a gateway: how long its answers took, by operation. */
  readonly latency?: readonly Latency[];
  /** Requests and responses in `exchanges.har`. */
  readonly exchangeCount: number;
}

/** From the first byte of a request to the last one of its answer; a percentile is the time that so many answers did not exceed. */
export interface Latency {
  readonly operation: Operation;
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export const outcomes = ['error', 'fail', 'inconclusive', 'pass', 'not-applicable'] as const;

/** `inconclusive` could not be determined and is never green; `error` is a fault of the suite itself. */
export type Outcome = (typeof outcomes)[number];

export type Blame = 'subject' | 'environment' | 'suite' | 'configuration' | 'unspecified';

/** The worse of two outcomes: error > fail > inconclusive > pass > not-applicable. */
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

/** What several requirements have in common that are not green, so that one thing is looked at and not each of them. */
export interface Cause {
  readonly outcome: 'inconclusive' | 'fail' | 'error';
  /** What comes after "because". It may quote the subject. */
  readonly sentence: string;
  /** The requirement that fails, and leaves them undetermined, or that their failures follow from: it is what has to be mended. */
  readonly requirement?: string;
  readonly openPoint?: string;
  /** The target did not survive the first of the exchanges. */
  readonly fatal?: true;
  /** The named deviations of a signer, together, that these signatures have; empty where nothing explains them. */
  readonly deviations?: readonly string[];
  /** Other sets of as many deviations that give the same signatures, all of them. */
  readonly alternatives?: readonly (readonly string[])[];
  /** Ids of the known mistakes of a gateway that give these failures; several if the run cannot tell them apart. */
  readonly defects?: readonly string[];
  readonly hint?: string;
  /** Ids of the requirements; with `defects` the one to look at first leads. */
  readonly requirements: readonly string[];
  readonly exchanges: readonly number[];
}

/** What would become of the requirements if the client signed without these deviations, and did all else as it does. */
export interface Counterfactual {
  readonly deviations: readonly string[];
  readonly failing: number;
  readonly wouldPass: readonly string[];
  readonly remain: readonly string[];
  /** Ids of those that would no longer fail, and would not pass for want of other evidence; absent where there are none. */
  readonly wouldBeOpen?: readonly string[];
  readonly signedAgain: number;
  /** How many have these deviations and could not be signed again, for want of the private key. */
  readonly notSignedAgain?: number;
}

/** A finding about money on which the interface document is silent. It never changes a verdict; see docs/explanation/money.md. */
export interface Hazard {
  readonly id: HazardId;
  readonly operation: Operation;
  /** Where and after what kind of answer, as `in one call after status 5xx`: no other hazard of that id and operation has the same. */
  readonly how?: string;
  /** What the subject does, in one sentence with figures. It may quote the subject. */
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

/** The limit itself is not below `least` and not above `most`; without `most` nothing was found that is too much. */
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

/** Of HMAC-SHA1 signatures of close-day: RFC 5849, but for what is listed here. */
export interface DialectCard {
  /** In place of RFC 5849. */
  readonly follows: readonly DialectEntry[];
  /** Beside RFC 5849, or what is followed. */
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
export function intervalInWords({ least, most }: Pick<MeasuredLimit, 'least' | 'most'>): string {
  if (most === undefined) return `${least} or more`;
  if (least === undefined) return `${most} or less`;
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Known defects that the run would not notice: with one of them it would not have been non-conformant. */
export interface Unnoticed {
  readonly side?: 'client';
  readonly of: number;
  readonly count: number;
  readonly groups: readonly {
    readonly operation: Operation | 'both';
    readonly dimension: Dimension;
    readonly defects: readonly string[];
  }[];
  /** Ids of defects of which it cannot be said: a run of this kind shows them at times. */
  readonly notKnown: readonly string[];
  /** What to allow or to configure for a run that notices more, those first that bring most for each effect. */
  readonly allowances: readonly {
    /**
     * `more`: the least further allowance of one effect with which anything more is noticed. `whole`: the least with which
     * nothing is left out for lack of allowance. `plenty`: from there on further faults are sent. `setting`: a key of the configuration.
     */
    readonly kind: 'more' | 'whole' | 'plenty' | 'setting';
    readonly allow: readonly string[];
    readonly set?: string;
    /** Further effects at worst: if the refusals of the gateway are not true. Absent in reports of earlier versions. */
    readonly effects?: number;
    readonly more: number;
    /** How long such a run takes, about, by its pace. */
    readonly aboutSeconds: number;
  }[];
}
