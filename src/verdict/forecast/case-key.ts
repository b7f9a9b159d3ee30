/** What a case is called from one run to the next: its number depends on the allowance and on the drawn values, its meaning does not. Pure. */
import type { Operation } from '../../../contracts/operations.ts';
import type { CaseLabel } from '../../record/case.ts';

/** Cases with the same key ask the same, such as all generated ones of a scenario. */
export function caseKey(
  scenario: string,
  operation: Operation,
  { about, openPoint, differsIn }: Pick<CaseLabel, 'about' | 'openPoint' | 'differsIn'>,
): string {
  return [scenario, operation, about ?? '', openPoint ?? '', differsIn ?? ''].join('|');
}

/** Stands for a right request that was accepted: without one a refusal means nothing. */
export function rightKey(operation: Operation): string {
  return `${operation}|accepted`;
}

/** Stands for the unsigned requests to the endpoint named as unknown, which come before the first case. */
export const unknownEndpointKey = 'unknown endpoint|unsigned';
