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
      'The client or its HTTP library sends a batch twice in one call. In a recording: two batches with the same client-orderid. A gateway that accepts both batches charges the payments twice.',
    hint: 'Switch off automatic retries, also in the HTTP library. Before you send the batch again, find out if the first request was accepted.',
  },
  {
    id: 'hazard/close-day-sent-again',
    side: 'client',
    operation: 'close-day',
    statement:
      'The client or its HTTP library sends a close-day request twice in one call. In a recording: two requests with the same id, or a request soon after a request without an answer. A gateway that accepts both requests closes two days.',
    hint: 'Switch off automatic retries, also in the HTTP library. Before you close the day again, find out if the first request was accepted.',
  },
  {
    id: 'hazard/unanswered-told-as-refused',
    side: 'client',
    operation: 'both',
    statement:
      'The client got no readable answer, but reports the call as refused. If the gateway accepted the request, the caller may send it a second time.',
    hint: 'Report `transport_error` or `undecodable`. Before you send the request again, find out if the gateway accepted it.',
  },
] as const satisfies readonly HazardRow[];

export type HazardId = (typeof rows)[number]['id'];
type Hazard = HazardRow & { readonly id: HazardId };

/** All hazards that the suite detects. */
export const hazards: readonly Hazard[] = rows;

/** Finds a hazard by its id; undefined if the id is unknown. */
export function hazardById(id: string): Hazard | undefined {
  return hazards.find((row) => row.id === id);
}
