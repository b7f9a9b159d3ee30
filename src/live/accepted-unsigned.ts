/** Requests without a signature that the target accepted before the first case: the run need not send them again to judge them. */
import type { Operation } from '../../contracts/requirements/requirement.ts';
import type { AskedUnsigned } from '../doctor/path.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { fromJson, toJson } from '../exchange/json.ts';
import type { LiveRun } from '../target/live-run.ts';

/** Characters: the engine gets its options in one variable of its environment, and an answer of megabytes does not fit. */
const mostCharacters = 24 * 1024;

/** One text for each that can be handed to another process; the notes of the run tell of the others. */
export function storeAccepted(accepted: readonly AskedUnsigned[]): readonly string[] {
  return accepted.map(toJson).filter((text) => text.length <= mostCharacters);
}

/** The exchange in which the operation was asked for without a signature, and accepted. */
export function acceptedUnsigned({ accepted = [] }: LiveRun, operation: Operation): Exchange | undefined {
  return accepted.map((text) => fromJson<AskedUnsigned>(text)).find((one) => one.operation === operation)?.exchange;
}
