/** The contract: every row, and the unions of ids that make the compiler the registry of judges. */
import { authentication } from './authentication.ts';
import { closeDayRequest } from './close-day-request.ts';
import { closeDayResponse } from './close-day-response.ts';
import { recurringRequest } from './recurring-request.ts';
import { recurringResponse } from './recurring-response.ts';
import type { Requirement } from './requirement.ts';
import { transport } from './transport.ts';

const rows = [
  ...closeDayRequest,
  ...closeDayResponse,
  ...recurringRequest,
  ...recurringResponse,
  ...authentication,
  ...transport,
] as const;

type Row = (typeof rows)[number];

/** Id of any row. */
export type RequirementId = Row['id'];

/** Ids of the rows that a judge answers, by the side that has to keep them. */
export type TestableId<Side extends 'client' | 'gateway' = 'client' | 'gateway'> = Exclude<
  Extract<Row, { readonly side: Side }>,
  { readonly untestable: string }
>['id'];

/** Every row of the contract, in the order of the document. */
export const requirements: readonly (Requirement & { readonly id: RequirementId })[] = rows;

/** The row of that id; undefined where there is none. */
export function requirementById(id: string): (Requirement & { readonly id: RequirementId }) | undefined {
  return byId.get(id);
}

const byId = new Map<string, Requirement & { readonly id: RequirementId }>(requirements.map((row) => [row.id, row]));
