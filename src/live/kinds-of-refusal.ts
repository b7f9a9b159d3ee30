/** Which requests that must be refused are of one kind: where one of them is accepted, the others would be sent at the cost of an effect each. Pure. */
import { requirementById } from '../../contracts/requirements/index.ts';
import type { PlannedCase, Scenario } from '../scenarios/scenario.ts';

/**
 * Undefined for what need not be refused. What authentication has to refuse is one kind for each operation: a gateway that
 * lets one of them in does not check. A bound of clients that a gateway does not enforce says nothing of the others.
 */
export function kindOf(
  { intent, about }: PlannedCase['label'],
  { operation }: Pick<Scenario, 'operation'>,
): string | undefined {
  if (intent !== 'fault' || about === undefined) return undefined;
  const required = requirementById(about)?.kind === 'required';
  return required && about.startsWith('authentication/') ? authenticationKind({ operation }) : about;
}

/** The kind of every request that authentication has to refuse. */
export function authenticationKind({ operation }: Pick<Scenario, 'operation'>): string {
  return `authentication of ${operation}`;
}
