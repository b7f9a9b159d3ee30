/** The type of a judge: a pure function from the cases of a run to verdicts on one requirement. */

import { type Area, type Operation, operationNames, operations } from '../../contracts/operations.ts';
import type { RequirementId, TestableId } from '../../contracts/requirements/index.ts';
import type { VerifyingKey } from '../protocol/index.ts';
import type { Case, ClientCase } from '../record/case.ts';
import type { Exchange } from '../record/exchange.ts';
import { groupBy } from '../record/group-by.ts';
import { memoize } from '../record/memoize.ts';
import type { Finding } from './finding.ts';

interface JudgeInput<C = Case> {
  readonly id: RequirementId;
  readonly cases: readonly C[];
}

export interface GatewayInput extends JudgeInput {
  /** Undefined if the case names no twin, or the twin is not available. */
  twinOf(testCase: Case): Case | undefined;
}

/** Input about a client, with its signing keys. */
export interface ClientInput extends JudgeInput<ClientCase> {
  /** Undefined if the consumer is unknown or no keys were given. */
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
  /** False if no keys were given: then signatures are inconclusive. */
  readonly hasKeys: boolean;
}

export interface Verdict<C = Case> {
  readonly testCase: C;
  /** The request that decides, if there are several. Absent if the verdict depends on what a client reported. */
  readonly exchange?: Exchange;
  readonly finding: Finding;
}

/** A case without evidence gets no verdict, because silence is not a pass. */
export interface Judge {
  (input: GatewayInput): readonly Verdict[];
  /** Each case is judged alone. */
  readonly eachAlone?: true;
}

export type GatewayJudges = Partial<Record<TestableId<'gateway'>, Judge>>;

export type ClientJudges = Partial<Record<TestableId<'client'>, ClientJudge>>;

export interface ClientJudge {
  (input: ClientInput): readonly Verdict<ClientCase>[];
  /** Each case is judged alone, so a long record can be judged in parts. */
  readonly eachAlone?: true;
}

/** The judges of a client that exist for each operation, as `area/what`. */
export function byArea<What extends string, J extends ClientJudge>(
  judges: Readonly<Record<What, (operation: Operation) => J>>,
): Record<`${Area}/${What}`, J> {
  const made = operationNames.flatMap((operation) =>
    Object.entries<(operation: Operation) => J>(judges).map(([what, judgeOf]) => [
      `${operations[operation].area}/${what}`,
      judgeOf(operation),
    ]),
  );
  return Object.fromEntries(made);
}

/** Judges each case alone, of all or of some. Null means that the case is no evidence. */
export function perCase(
  look: (testCase: Case) => Finding | null,
  some = (cases: readonly Case[]): readonly Case[] => cases,
): Judge {
  const judge: Judge = ({ cases }) => {
    const verdicts: Verdict[] = [];
    for (const testCase of some(cases)) {
      const finding = look(testCase);
      if (finding !== null) verdicts.push({ testCase, finding });
    }
    return verdicts;
  };
  return Object.assign(judge, { eachAlone: true } as const);
}

/** Groups cases by key, in their order, without cases that have no key. Memoized for all rows. */
export function groupedOnce<Key>(
  keyOf: (testCase: Case) => Key | undefined,
): (cases: readonly Case[], key: Key) => readonly Case[] {
  const groups = memoize((cases: readonly Case[]) => groupBy(cases, keyOf));
  return (cases, key) => groups(cases).get(key) ?? [];
}
