/** One step of the plan that a person follows at the desk: what to call, what comes back, and what the client has to show. */
import type { Operation } from '../../../contracts/operations.ts';
import type { ClientPlan, LocalAnswer } from '../../plan/client/client-scenario.ts';

export type DeskAnswer = Extract<LocalAnswer, { readonly kind: 'reply' }>;

export interface DeskStep {
  /** Never changes: state files name it. */
  readonly id: string;
  readonly title: string;
  /** What to do besides calling the operation with the values, in one or two sentences. */
  readonly instruction?: string;
  readonly plan: ClientPlan & { readonly answer: DeskAnswer };
  /** What the desk answers, in words. */
  readonly answers: string;
  /** What the client has to show of it. The desk cannot see that. */
  readonly expect: string;
  /** Whether the client may choose a day_close_request_id of its own; otherwise the one of the step is what it is about. */
  readonly ownRequestId?: true;
}

export function operationOfStep(step: DeskStep): Operation {
  return step.plan.label.operation;
}
