/** What lies between two runs: the one model that every writer of a comparison prints. Its JSON form is schemas/files/diff.json. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Case } from '../../record/case.ts';
import type { Outcome, Result } from '../../record/result/result.ts';

/** A run as it is compared: its report, and its exchanges in the order of their numbers, where there are any. */
export interface ComparedRun {
  readonly result: Result;
  readonly cases?: readonly Case[];
}

/** What a release manager asks: may NEW take the place of OLD? `thin`: nothing broke, and not all was compared. */
export type DiffVerdict = 'safe' | 'thin' | 'breaks' | 'not known';

export interface Compared {
  /** Those that bind: determined by both, of all that can arise. */
  readonly requirements: Share;
  /** Answered in both, of those that one of them left out. */
  readonly openPoints: Share;
  /** Known defects that one of the runs at least lets through; absent where that is not known. */
  readonly defects?: { readonly unnoticed: number; readonly of?: number };
}

export interface Share {
  readonly both: number;
  readonly of: number;
}

/** A requirement, an interaction of a Pact file or a hazard whose outcome is not the same in both runs. */
export interface ChangedOutcome {
  readonly id: string;
  readonly source: 'requirement' | 'pact' | 'hazard';
  readonly kind: 'required' | 'expected' | 'probe';
  readonly old?: Outcome;
  readonly new?: Outcome;
  readonly expected?: string;
  readonly actual?: string;
  readonly renamedFrom?: string;
}

/** A kind of change on the wire, as the policy names it; docs/reference/changes.md says what each is. */
export const changeNames = [
  'header-came',
  'header-went',
  'header-value',
  'header-order',
  'header-spelling',
  'member-came',
  'member-went',
  'member-type',
  'member-order',
  'value-form',
  'body-layout',
  'body-where-empty',
  'body-kind',
  'status',
  'reason-phrase',
  'meaning',
  'open-answer',
  'slower',
  'faster',
] as const;

export type ChangeName = (typeof changeNames)[number];

export type ChangeClass = 'allowed' | 'risky' | 'forbidden';

export interface BehaviourChange {
  readonly change: ChangeName;
  readonly class: ChangeClass;
  readonly because?: string;
  /** The header, the member with its path, or the open point; absent where the change has no name. */
  readonly name?: string;
  /** What stands in its place: the new name of a member, the header that replaces one. */
  readonly renamedTo?: string;
  /** Answers to other open points in the same exchanges, which only repeat the change. */
  readonly also?: readonly string[];
  readonly operations: readonly Operation[];
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** In how many exchanges of NEW, of how many that could show it, and the first of them; absent where it is not about exchanges. */
  readonly seen?: { readonly times: number; readonly of?: number; readonly exchanges: readonly number[] };
}

/** A change before the policy is asked, as one group of answers shows it. */
export interface Change extends Omit<BehaviourChange, 'class' | 'because' | 'operations' | 'seen'> {
  readonly operation?: Operation | undefined;
  readonly exchanges: readonly number[];
  readonly of?: number;
}

export interface SharedCause {
  readonly about: string;
  readonly change?: ChangeName;
  /** The change names it with its path, and what stands in its place. */
  readonly name?: string;
  readonly renamedTo?: string;
  readonly requirements: readonly string[];
  readonly interactions: readonly string[];
  readonly ofInteractions: number;
}

/** A kind of answer of NEW that clients were given: what changed in it, or nothing. */
export interface AskedAnswer {
  readonly operation: Operation;
  /** In words, as `member $.response.errorCode has another type`; none where the answers have the form that they had in OLD. */
  readonly changes: readonly string[];
  readonly class: ChangeClass;
  readonly seen: { readonly times: number; readonly exchanges: readonly number[] };
}

/** What a stored client makes of one kind of answer. `unverified` says nothing of it, and why. */
export type ClientReading =
  | { readonly is: 'reads it' }
  | { readonly is: 'unverified'; readonly reason: string }
  | {
      readonly is: 'breaks';
      /** Exchange of NEW, and the one of OLD that the client reads rightly. */
      readonly exchange: number;
      readonly oldExchange: number;
      readonly answered: string;
      readonly expected: string;
      readonly read: string;
    };

/** What NEW makes of the stored requests of a client. */
export type TakenRequests = {
  readonly operation: Operation;
  readonly of: number;
  readonly accepted: number;
} & (
  | { readonly is: 'accepted' }
  | { readonly is: 'unverified'; readonly reason: string }
  | {
      readonly is: 'breaks';
      readonly exchange: number;
      readonly answered: string;
    }
);

export interface AskedClient {
  readonly name: string;
  readonly readings: readonly ClientReading[];
  /** Where NEW could be asked: one for each operation that the client sends. */
  readonly requests?: readonly TakenRequests[];
}

/** Who breaks: stored clients beside the answers of NEW. */
export interface Impact {
  readonly answers: readonly AskedAnswer[];
  /** Kinds of answers that no client was given, beyond the first hundred. */
  readonly answersLeftOut: number;
  readonly clients: readonly AskedClient[];
  /** Where the stored requests of the clients were sent again, or why they were not. */
  readonly requests:
    | { readonly is: 'sent'; readonly to: string }
    | { readonly is: 'unverified'; readonly reason: string };
}

export interface Unlike {
  readonly what: 'suite version' | 'requirement set' | 'scope' | 'allowance' | 'seed' | 'target';
  readonly old: string;
  readonly new: string;
}

export interface RunFacts {
  readonly runId: string;
  readonly subject: Result['subject'];
  readonly suite: Result['suite'];
  readonly profile: string;
  readonly seed: string;
  readonly startedAt: string;
  readonly conclusion: Result['conclusion'];
  /** The conclusion in words, where they say more. */
  readonly concluded?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Difference {
  readonly format: 'countersign-diff';
  readonly formatVersion: 1;
  readonly verdict: DiffVerdict;
  readonly sentence: string;
  readonly compared: Compared;
  readonly old: RunFacts;
  readonly new: RunFacts;
  readonly unlike: readonly Unlike[];
  /** Rules of the policy whose name is that of nothing in either run; absent where exchanges were not compared. */
  readonly idleRules?: readonly string[];
  readonly newlyBroken: readonly ChangedOutcome[];
  readonly causes: readonly SharedCause[];
  readonly fixed: readonly ChangedOutcome[];
  /** Determined in OLD alone. Those in `gaps` bind and had passed. */
  readonly newlyUndetermined: readonly ChangedOutcome[];
  readonly gaps: readonly string[];
  readonly newlyDetermined: readonly ChangedOutcome[];
  /** Of the requirements of NEW those that the suite of OLD did not have, and the other way about. */
  readonly added: readonly ChangedOutcome[];
  readonly retired: readonly ChangedOutcome[];
  readonly renamed: readonly { readonly old: string; readonly new: string }[];
  readonly kindChanged: readonly { readonly id: string; readonly old: string; readonly new: string }[];
  readonly stillBroken: readonly string[];
  /** Bind, and neither run determined them. */
  readonly determinedByNeither: readonly string[];
  readonly answers: readonly BehaviourChange[];
  readonly behaviour: readonly BehaviourChange[];
  readonly impact?: Impact;
  /** Exchanges of NEW whose case is in OLD too; absent where a run has no exchanges.har. */
  readonly comparedExchanges?: number;
}
