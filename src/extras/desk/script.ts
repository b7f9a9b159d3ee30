/** The plan of an engagement, and how far it has come. */
import type { Operation } from '../../../contracts/operations.ts';
import { countingExchanges, type EngagementRecord, type KeptExchange, type Reported } from './engagement.ts';
import { closeDayDeskSteps } from './script-close-day.ts';
import { recurringDeskSteps } from './script-recurring.ts';
import { type DeskStep, operationOfStep } from './step.ts';

/** Everything that the desk can ask for, in order. Within an operation no two steps have the same input. */
export const deskScript: readonly DeskStep[] = [...closeDayDeskSteps, ...recurringDeskSteps];

export function stepById(id: string): DeskStep | undefined {
  return deskScript.find((step) => step.id === id);
}

/** The steps of a client that can do these operations. */
export function stepsFor(operations: readonly Operation[]): DeskStep[] {
  return deskScript.filter((step) => operations.includes(operationOfStep(step)));
}

export interface StepProgress {
  readonly step: DeskStep;
  /** From 1. */
  readonly number: number;
  readonly state: 'done' | 'skipped' | 'next' | 'later';
  /** The requests for it that count, in order. */
  readonly exchanges: readonly KeptExchange[];
  readonly reported?: Reported;
}

/** Each step of the plan with what became of it; at most one is `next`. */
export function progressOf(record: EngagementRecord): StepProgress[] {
  const counting = countingExchanges(record);
  let foundNext = false;
  return stepsFor(record.engagement.operations).map((step, index) => {
    const exchanges = counting.filter((kept) => kept.step === step.id);
    const over = exchanges.length > 0 ? 'done' : record.skipped.has(step.id) ? 'skipped' : undefined;
    const state = over ?? (foundNext ? 'later' : 'next');
    foundNext ||= state === 'next';
    const reported = record.reported.get(step.id);
    return { step, number: index + 1, state, exchanges, reported };
  });
}

/** The step that is to be called next; undefined at the end of the plan. */
export function nextStep(record: EngagementRecord): DeskStep | undefined {
  return progressOf(record).find(({ state }) => state === 'next')?.step;
}
