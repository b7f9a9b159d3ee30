/** All requirements. The types of their ids let the compiler check that each requirement has a judge. */
import type { Operation } from '../operations.ts';
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

/** The id of a requirement. */
export type RequirementId = Row['id'];

/** Ids of the requirements on `Side` that have a judge. */
export type TestableId<Side extends 'client' | 'gateway' = 'client' | 'gateway'> = Exclude<
  Extract<Row, { readonly side: Side }>,
  { readonly untestable: string }
>['id'];

type KnownRequirement = Requirement & { readonly id: RequirementId };

/** All requirements, in the order of the document. */
export const requirements: readonly KnownRequirement[] = rows;

/** Finds a requirement by its id; undefined if the id is unknown. */
export function requirementById(id: string): KnownRequirement | undefined {
  return byId.get(id);
}

/** All requirements in `restsOn`, then those in their `restsOn`, and so on. Only client requirements with a judge. */
export function prerequisitesOf(id: RequirementId): readonly RequirementId[] {
  const found = new Set<RequirementId>([id]);
  for (const current of found) {
    for (const pattern of byId.get(current)?.restsOn ?? []) {
      const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
      for (const { id, side, untestable } of requirements) {
        const isMatch = id === pattern || (prefix !== undefined && id.startsWith(prefix));
        if (isMatch && side === 'client' && untestable === undefined) found.add(id);
      }
    }
  }
  return [...found].slice(1);
}

/** Client requirements on a part of a request, in the order of the document. `content` includes `records`. */
export function rowsOn(part: Requirement['part'], operation: Operation): readonly RequirementId[] {
  const partRows = requirements.filter((row) => row.part === part || (part === 'content' && row.part === 'records'));
  return partRows.filter((row) => row.operation === operation || row.operation === 'both').map(({ id }) => id);
}

const byId = new Map<string, KnownRequirement>(requirements.map((row) => [row.id, row]));
