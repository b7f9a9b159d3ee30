/** The lists of decisions, one for each operation, in the order in which they are taken. */
import type { Operation } from '../../../contracts/operations.ts';
import { authenticationSteps } from './authentication.ts';
import { closeDaySteps } from './close-day.ts';
import { fieldSteps, formSteps } from './form.ts';
import { recurringSteps } from './recurring.ts';
import type { Step } from './step.ts';

/** Steps up to the signature and the nonce; a request that passed them has shown who sent it. */
export const beforeAcceptance = [...formSteps, ...authenticationSteps];

const closeDayFields = [
  'day_close_request_id',
  'sale_approved_count',
  'sale_approved_sum',
  'reversal_approved_count',
  'reversal_approved_sum',
];

/** Steps that are taken once the sender is known. */
export const afterAuthentication = {
  'close-day': [...fieldSteps(closeDayFields), ...closeDaySteps],
  'process-recurring-payments': [...fieldSteps(['payload']), ...recurringSteps],
} as const satisfies Readonly<Record<Operation, readonly Step[]>>;

/** Every decision that an alteration can leave out. */
export type StepName =
  | (typeof beforeAcceptance)[number]['name']
  | (typeof afterAuthentication)[keyof typeof afterAuthentication][number]['name'];

/** The names of all authentication steps: leaving them all out gives a gateway that takes every request. */
export const authenticationStepNames = authenticationSteps.map(({ name }) => name);

/** All step names in order, `close-day` first. */
export const stepNames: readonly StepName[] = [
  ...new Set<StepName>([...beforeAcceptance, ...Object.values(afterAuthentication).flat()].map(({ name }) => name)),
];
