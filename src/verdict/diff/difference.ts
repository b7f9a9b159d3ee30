/** The difference of two runs, as all reports print it. schemas/files/diff.json describes the members. */
import type { Operation } from '../../../contracts/operations.ts';
import type { Case } from '../../record/case.ts';
import type { Outcome, Result } from '../../record/result/result.ts';

/** A run to compare: its report, and its exchanges in the order of their numbers, if present. */
export interface ComparedRun {
  readonly result: Result;
  readonly cases?: readonly Case[];
}

/** Whether NEW may replace OLD. `thin`: nothing broke, but a part was not compared. */
export type DiffVerdict = 'safe' | 'thin' | 'breaks' | 'not known';

interface Compared {
  readonly requirements: Share;
  readonly openPoints: Share;
  readonly defects?: { readonly unnoticed: number; readonly of?: number };
}

type Share = Readonly<Record<'both' | 'of', number>>;

/** A requirement, a Pact interaction or a hazard with different outcomes in the two runs. */
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

/** Text for each change in a policy; see docs/reference/changes.md. `NAME`: the header, member or open point. */
export const changeTexts = {
  'header-came': 'header NAME is new',
  'header-went': 'header NAME is gone',
  'header-value': 'header NAME has another value',
  'header-order': 'headers NAME in another order',
  'header-spelling': 'header NAME has another spelling',
  'member-came': 'member NAME is new',
  'member-went': 'member NAME is gone',
  'member-type': 'member NAME has another type',
  'member-order': 'members NAME in another order',
  'value-form': 'another form of NAME',
  'body-layout': 'another layout of the body, NAME',
  'body-where-empty': 'a body instead of an empty body',
  'body-kind': 'another kind of body',
  status: 'another HTTP status',
  'reason-phrase': 'another reason phrase of NAME',
  meaning: 'other requests are accepted or refused',
  'open-answer': 'another answer to NAME',
  slower: 'slower answers',
  faster: 'faster answers',
} as const;

export type ChangeName = keyof typeof changeTexts;
export type ChangeClass = 'allowed' | 'risky' | 'forbidden';

export interface BehaviourChange {
  readonly change: ChangeName;
  readonly class: ChangeClass;
  readonly because?: string;
  readonly name?: string;
  readonly renamedTo?: string;
  readonly also?: readonly string[];
  readonly operations: readonly Operation[];
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly seen?: { readonly times: number; readonly of?: number; readonly exchanges: readonly number[] };
}

/** A change in one group of answers, before the policy classifies it. */
export interface Change extends Omit<BehaviourChange, 'class' | 'because' | 'operations' | 'seen'> {
  readonly operation?: Operation | undefined;
  readonly exchanges: readonly number[];
  readonly of?: number;
}

export interface SharedCause {
  readonly about: string;
  readonly change?: ChangeName;
  readonly name?: string;
  readonly renamedTo?: string;
  readonly requirements: readonly string[];
  readonly interactions: readonly string[];
  readonly ofInteractions: number;
}

/** One kind of answer that the gateway NEW gave and the clients received. `changes`: differences from OLD. */
interface CheckedAnswer {
  readonly operation: Operation;
  readonly changes: readonly string[];
  readonly class: ChangeClass;
  readonly seen: { readonly times: number; readonly exchanges: readonly number[] };
}

/** How a client reads one kind of answer, according to its stored run. `reason`: why this is not verified. */
export type ClientReading =
  | { readonly is: 'reads it' }
  | { readonly is: 'unverified'; readonly reason: string }
  | {
      readonly is: 'breaks';
      /** `exchange`: number in NEW. `oldExchange`: number of an exchange in OLD that the client reads correctly. */
      readonly exchange: number;
      readonly oldExchange: number;
      readonly answered: string;
      readonly expected: string;
      readonly read: string;
    };

/** How NEW answers the requests from the stored run of a client. */
export type ClientRequests = { readonly operation: Operation; readonly of: number; readonly accepted: number } & (
  | { readonly is: 'accepted' }
  | { readonly is: 'unverified'; readonly reason: string }
  | { readonly is: 'breaks'; readonly exchange: number; readonly answered: string }
);

export interface CheckedClient {
  readonly name: string;
  readonly readings: readonly ClientReading[];
  readonly requests?: readonly ClientRequests[];
}

/** Which clients break with the answers of NEW, according to their stored runs. */
export interface Impact {
  readonly answers: readonly CheckedAnswer[];
  readonly answersLeftOut: number;
  readonly clients: readonly CheckedClient[];
  readonly requests:
    | { readonly is: 'sent'; readonly to: string }
    | { readonly is: 'unverified'; readonly reason: string };
}

/** A property in which the runs differ. It may explain other differences. */
interface RunDifference {
  readonly what: 'suite version' | 'requirement set' | 'scope' | 'allowance' | 'seed' | 'target';
  readonly old: string;
  readonly new: string;
}

type RunFact = 'runId' | 'subject' | 'suite' | 'profile' | 'seed' | 'startedAt' | 'conclusion' | 'labels';

export interface RunFacts extends Pick<Result, RunFact> {
  readonly concluded?: string;
}

export interface Difference {
  readonly format: 'countersign-diff';
  readonly formatVersion: 1;
  readonly verdict: DiffVerdict;
  readonly sentence: string;
  readonly compared: Compared;
  readonly old: RunFacts;
  readonly new: RunFacts;
  readonly unlike: readonly RunDifference[];
  readonly idleRules?: readonly string[];
  readonly newlyBroken: readonly ChangedOutcome[];
  readonly causes: readonly SharedCause[];
  readonly fixed: readonly ChangedOutcome[];
  readonly newlyUndetermined: readonly ChangedOutcome[];
  readonly gaps: readonly string[];
  readonly newlyDetermined: readonly ChangedOutcome[];
  readonly added: readonly ChangedOutcome[];
  readonly retired: readonly ChangedOutcome[];
  readonly renamed: readonly { readonly old: string; readonly new: string }[];
  readonly kindChanged: readonly { readonly id: string; readonly old: string; readonly new: string }[];
  readonly stillBroken: readonly string[];
  readonly determinedByNeither: readonly string[];
  readonly answers: readonly BehaviourChange[];
  readonly behaviour: readonly BehaviourChange[];
  readonly impact?: Impact;
  readonly comparedExchanges?: number;
}
