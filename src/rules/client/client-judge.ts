/** What a judge of a client is: a pure function from the client's cases to verdicts on one requirement. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { VerifyingKey } from '../../protocol/index.ts';
import type { ClientCase } from '../../record/client-case.ts';
import type { Exchange } from '../../record/exchange.ts';
import type { Finding } from '../finding.ts';

export interface ClientQuestion {
  readonly id: RequirementId;
  /** All cases at hand: of one scenario, or of the whole run. */
  readonly cases: readonly ClientCase[];
  /** Keys of a consumer; undefined where the consumer is unknown or no keys were given. */
  keysOf(consumerKey: string): readonly VerifyingKey[] | undefined;
  /** Whether any keys were given at all: without them signatures are inconclusive. */
  readonly hasKeys: boolean;
}

/** What one case says of the requirement. */
export interface ClientVerdict {
  readonly examined: ClientCase;
  /** The exchange that shows it; absent where the verdict rests on what the client reported. */
  readonly exchange?: Exchange;
  readonly finding: Finding;
}

/** Cases that say nothing of the requirement get no verdict: silence is not a pass. */
export interface ClientJudge {
  (question: ClientQuestion): readonly ClientVerdict[];
  /** Set where each case is looked at by itself: then a long record may be judged part by part. */
  readonly eachAlone?: true;
}
