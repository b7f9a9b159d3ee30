/** What a scenario for a client is: a plan of inputs and scripted answers. Plans are pure; performing them is the run's business. */

import type { Arbitrary } from 'fast-check';
import type { Operation } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { Consumer } from '../../../generators/consumer.ts';
import type { ClientLabel, CloseDayInput, RecurringInput, ServerKind } from '../../record/client-case.ts';
import type { Generated } from '../scenario.ts';

/** What the local gateway does with the request of one case. */
export type LocalAnswer =
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: Uint8Array;
    }
  /** The connection is reset once the request was read, or `closed` in good order. */
  | { readonly kind: 'reset'; readonly closed?: true }
  /** The same as `then`, that many milliseconds later. */
  | { readonly kind: 'slow'; readonly afterMs: number; readonly then: LocalAnswer }
  /** A body that does not end until the client gives up or the limit of the case is reached. */
  | { readonly kind: 'endless' };

/** Which of the suite's published identities signs: `ordinary`, or the one whose key and secret have such characters. */
export type ClientIdentity = 'ordinary' | 'reserved-characters' | 'both-cases' | 'punctuation';

export interface ClientPlan {
  readonly label: ClientLabel;
  readonly input: CloseDayInput | RecurringInput;
  readonly answer: LocalAnswer;
  /** Default `ordinary`. */
  readonly server?: ServerKind;
  /** Path between the case's own prefix and /api/, such as `/PayNet/v%20x`; default none. */
  readonly pathSuffix?: string;
  readonly identity?: ClientIdentity | Consumer;
  /** Default PKCS#8. */
  readonly keyForm?: 'PKCS#1';
  /** Default 1111. */
  readonly endpointId?: string;
  /** Offered only to clients that can inject. */
  readonly inject?: { readonly timestamp?: string; readonly nonce?: string };
  /** Needs a client started with these variables changed. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds that a case may take whose answer has no end; the others have 10 s, scaled by the measured speed of the adapter. */
  readonly deadlineMs?: number;
  readonly generated?: Generated<ClientPlan>;
}

/** Draws the values of a scenario; the same seed and scenario give the same values. */
export interface ClientDraw {
  /** Number of generated cases that a generated scenario shall have. */
  readonly cases: number;
  values<T>(arbitrary: Arbitrary<T>, count: number): T[];
  /** One call for each of `count` values; a failing one can be shrunk. */
  generate<T>(arbitrary: Arbitrary<T>, count: number, build: (value: T) => ClientPlan): ClientPlan[];
}

export interface ClientScenario {
  readonly id: string;
  /** Scenarios that examine both operations have `both`; their cases name one. */
  readonly operation: Operation | 'both';
  readonly title: string;
  /** Requirements that its cases are about. */
  readonly shows: readonly TestableId<'client'>[];
  plan(draw: ClientDraw): readonly ClientPlan[];
}
