/** A judge is a pure function from the cases of a run to findings on one requirement. */
import { type Area, type Operation, operationNames, operations } from '../../contracts/operations.ts';
import type { RequirementId, TestableId } from '../../contracts/requirements/index.ts';
import type { VerifyingKey } from '../protocol/index.ts';
import type { Call, Case, ClientCase } from '../record/case.ts';
import type { Exchange } from '../record/exchange.ts';
import type { Blame, Outcome } from '../record/result/result.ts';

/** Judges one requirement. A case without evidence, such as a missing answer, gets no verdict, so it does not pass. */
export interface Judge<Input = GatewayInput, C = Case> {
  (input: Input): readonly Verdict<C>[];
  /** True if the verdict on a case depends on no other case. Then a long record can be judged in parts. */
  readonly isPerCase?: true;
}

export type ClientJudge = Judge<ClientInput, ClientCase>;

interface JudgeInput<C = Case> {
  readonly id: RequirementId;
  readonly cases: readonly C[];
}

export interface GatewayInput extends JudgeInput {
  /** The twin of a case. Undefined if the case names no twin, or the twin is not available. */
  twinOf(testCase: Case): Case | undefined;
}

export interface ClientInput extends JudgeInput<ClientCase> {
  /** The keys of a consumer. Undefined if the consumer is unknown or the user passed no keys. */
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
  /** False if the user passed no keys, so that signatures cannot be judged. */
  readonly hasKeys: boolean;
}

export interface Verdict<C = Case> {
  readonly testCase: C;
  /** The request that the finding is about. Absent if the finding is about what a client reported. */
  readonly exchange?: Exchange;
  readonly finding: Finding;
}

/** The result of a judge for one case. A finding holds facts; the report makes the sentences. */
export interface Finding {
  readonly outcome: Outcome;
  readonly expected?: string;
  readonly actual?: string;
  readonly blame?: Blame;
  readonly remark?: string;
  /** Advice that replaces the advice of the requirement. */
  readonly hint?: string;
  readonly because?: Blocker;
}

/** Why a finding is inconclusive, or the possible cause of a failure. One blocker may explain many findings. */
export interface Blocker {
  /** The text after "because". Equal reasons need equal texts, so that the report shows them once. */
  readonly text: string;
  readonly cases?: readonly Case[];
  /** Requirements that may be the cause. If one of them fails, the report may name it as the cause. */
  readonly mayBreak?: readonly RequirementId[];
  /** Set if other requests test the requirements in `mayBreak`. The failing request does not test them. */
  readonly elsewhere?: true;
  /** Id of the open point in the interface document that is the reason, for example `A7`. */
  readonly openPoint?: string;
  /** Set if the request crashed the target. */
  readonly fatal?: true;
}

export type GatewayJudges = Partial<Record<TestableId<'gateway'>, Judge>>;
export type ClientJudges = Partial<Record<TestableId<'client'>, ClientJudge>>;

export function pass(remark?: string): Finding {
  return remark === undefined ? plainPass : { outcome: 'pass', remark };
}

/** All passes share one object, because a recording may have a hundred thousand passes. */
const plainPass: Finding = { outcome: 'pass' };

/** The subject breaks the requirement. `expected` and `actual` are short phrases, not sentences. */
export function fail(expected: string, actual: string): Finding {
  return { outcome: 'fail', expected, actual, blame: 'subject' };
}

export function passIf(isMet: boolean, expected: string, actual: string): Finding {
  return isMet ? pass() : fail(expected, actual);
}

/** Returns the first failure. If there is none: the first pass with a remark, then any pass, then any finding. */
export function worstOf(findings: readonly Finding[]): Finding | undefined {
  const failed = findings.find(({ outcome }) => outcome === 'fail');
  const passed = findings.filter(({ outcome }) => outcome === 'pass');
  return failed ?? passed.find(({ remark }) => remark !== undefined) ?? passed[0] ?? findings[0];
}

/** The case cannot be judged. `actual` says what is missing. */
export function inconclusive(actual: string, blame: Blame = 'environment', because?: Blocker): Finding {
  return { outcome: 'inconclusive', actual, blame, because };
}

/** The finding if the adapter gave no reply. The hint of the adapter replaces the advice of the requirement. */
export function noReply({ code, message, hint }: NonNullable<Call['adapterFault']>): Finding {
  return { ...inconclusive(`${code}: ${message}`, 'subject'), hint };
}

/** Makes a judge for each operation and name, under a key such as `close-day/path`. */
export function byArea<Name extends string, J extends ClientJudge>(
  judges: Readonly<Record<Name, (operation: Operation) => J>>,
): Record<`${Area}/${Name}`, J> {
  const entries = operationNames.flatMap((operation) =>
    Object.entries<(operation: Operation) => J>(judges).map(([name, judgeOf]) => [
      `${operations[operation].area}/${name}`,
      judgeOf(operation),
    ]),
  );
  return Object.fromEntries(entries);
}

/** Judges each case separately. `judgeCase` returns null if the case is no evidence. */
export function perCase(
  judgeCase: (testCase: Case) => Finding | null,
  select = (cases: readonly Case[]): readonly Case[] => cases,
): Judge {
  const judge: Judge = ({ cases }) =>
    select(cases).flatMap((testCase) => {
      const finding = judgeCase(testCase);
      return finding === null ? [] : [{ testCase, finding }];
    });
  return Object.assign(judge, { isPerCase: true } as const);
}
