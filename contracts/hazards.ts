/** Hazards: behaviour that endangers money although the interface document allows it. See docs/explanation/money.md. */
import type { Operation } from './operations.ts';

/** A hazard never changes a verdict on a requirement. */
interface HazardRow {
  /** `hazard/what`. An id never changes and is never used again. */
  readonly id: `hazard/${string}`;
  readonly side: 'client' | 'gateway';
  readonly operation: Operation | 'both';
  readonly statement: string;
  readonly hint: string;
}

const rows = [
  {
    id: 'hazard/batch-sent-again',
    side: 'client',
    operation: 'process-recurring-payments',
    statement:
      'A batch is sent more than once: in one call, by the client or by its HTTP library, or in a record with the same client-orderid. A gateway that accepts both requests charges the payments twice.',
    hint: 'Switch off automatic retries, also in the HTTP library. Find out if the first request was accepted before you send the batch again.',
  },
  {
    id: 'hazard/close-day-sent-again',
    side: 'client',
    operation: 'close-day',
    statement:
      'A close-day request is sent more than once: in one call, by the client or by its HTTP library, or in a record with the same id or soon after no answer. A gateway that accepts both requests closes two days.',
    hint: 'Switch off automatic retries, also in the HTTP library. Find out if the first request was accepted before you close the day again.',
  },
  {
    id: 'hazard/unanswered-told-as-refused',
    side: 'client',
    operation: 'both',
    statement:
      'The client got no answer, or an unreadable one, but reports the call as refused. The gateway may have accepted the request, and the caller may send it again.',
    hint: 'Report that no answer came (`transport_error`, or `undecodable`), and find out if the call was accepted before you send it again.',
  },
] as const satisfies readonly HazardRow[];

export type HazardId = (typeof rows)[number]['id'];

/** All hazards that the suite detects. */
export const hazards: readonly (HazardRow & { readonly id: HazardId })[] = rows;

/** Finds a hazard by its id; undefined if the id is unknown. */
export function hazardById(id: string): (HazardRow & { readonly id: HazardId }) | undefined {
  return hazards.find((row) => row.id === id);
}
