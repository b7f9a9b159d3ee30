/** What a judge is: a pure function from the cases of a run to verdicts on one requirement. */

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
  /** The twin that a case names; undefined where it names none or the twin is not at hand. */
  twinOf(examined: Case): Case | undefined;
}

/** About a client: with the keys that it signs with. */
export interface ClientInput extends JudgeInput<ClientCase> {
  /** Keys of a consumer; undefined where the consumer is unknown or no keys were given. */
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
  /** Whether any keys were given at all: without them signatures are inconclusive. */
  readonly hasKeys: boolean;
}

export interface Verdict<C = Case> {
  readonly examined: C;
  /** Of several requests the one that shows it; absent where the verdict rests on what a client reported. */
  readonly exchange?: Exchange;
  readonly finding: Finding;
}

/** Cases that say nothing of the requirement get no verdict: silence is not a pass. */
export type Judge = (input: GatewayInput) => readonly Verdict[];

export type GatewayJudges = Partial<Record<TestableId<'gateway'>, Judge>>;

export type ClientJudges = Partial<Record<TestableId<'client'>, ClientJudge>>;

export interface ClientJudge {
  (input: ClientInput): readonly Verdict<ClientCase>[];
  /** Set where each case is looked at by itself: then a long record may be judged part by part. */
  readonly eachAlone?: true;
}

/** The judges of a client that are alike for every operation, as `area/what`. */
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

/** A judge that looks at each case by itself, of all or of some; null means that the case says nothing of the requirement. */
export function perCase(
  look: (examined: Case) => Finding | null,
  some = (cases: readonly Case[]): readonly Case[] => cases,
): Judge {
  return ({ cases }) => {
    const verdicts: Verdict[] = [];
    for (const examined of some(cases)) {
      const finding = look(examined);
      if (finding !== null) verdicts.push({ examined, finding });
    }
    return verdicts;
  };
}

/** Cases by a key of theirs, in their order; a case without one is left out. Made once for all rows. */
export function groupedOnce<Key>(
  keyOf: (examined: Case) => Key | undefined,
): (cases: readonly Case[], key: Key) => readonly Case[] {
  const groups = memoize((cases: readonly Case[]) => groupBy(cases, keyOf));
  return (cases, key) => groups(cases).get(key) ?? [];
}
