/** A step is one named check of the gateway. */
import type { Operation } from '../../contracts/operations.ts';
import type { Pair } from '../protocol/form.ts';
import type {
  baseString,
  baseStringUri,
  collectParameters,
  normalizeParameters,
  RequestUrl,
} from '../protocol/oauth/base-string.ts';
import type { VerifyingKey } from '../protocol/oauth/signature.ts';
import { row, type Tag } from '../record/row.ts';
import type { MockSettings } from './assumptions.ts';
import type { Reading, Received } from './decode-request.ts';
import type { GateResult } from './responses.ts';
import type { World } from './world.ts';

export type Decision = 'accepted' | 'refused' | 'closing' | 'not-found';

export interface ReplyFacts {
  /** The operation that the path selects; absent if the path is unknown. */
  readonly operation?: Operation;
  readonly decision: Decision;
  readonly request: Received;
  /** The step that refused the request, and why. Only close-day sends the reason, as its error message. */
  readonly step?: string;
  readonly reason?: string;
  /** Results of an accepted close-day. */
  readonly gates?: readonly GateResult[];
  /** Serial number of the answer; absent if the path is unknown or the method is not POST. */
  readonly serial?: number;
}

export interface SignatureMaterial {
  readonly method: string;
  readonly url: RequestUrl;
  readonly header: readonly Pair[];
  readonly body: readonly Pair[];
  readonly query: readonly Pair[];
  readonly signature: string;
  readonly key: VerifyingKey;
  readonly steps: {
    readonly collect: typeof collectParameters;
    readonly normalize: typeof normalizeParameters;
    readonly uri: typeof baseStringUri;
    readonly base: typeof baseString;
  };
}

export interface StepContext {
  readonly world: World;
  readonly settings: MockSettings;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly alter: (material: SignatureMaterial) => SignatureMaterial;
}

export interface Step<Name extends string = string> {
  readonly name: Name;
  /** The reason for a refusal, without any value of the request. Undefined if the step passes. */
  readonly refuses: (reading: Reading, context: StepContext) => string | undefined;
}

export function step<const Name extends string>(
  name: Name,
  holds: (reading: Reading, context: StepContext) => boolean,
): Tag<Step<Name>> {
  return row((reason) => ({ name, refuses: (reading, context) => (holds(reading, context) ? undefined : reason) }));
}
