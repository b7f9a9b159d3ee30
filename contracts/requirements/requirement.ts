/** The type of one row of the contract. Rows are data, so contracts/ imports nothing from other folders. */
import type { Area, Operation } from '../operations.ts';

export const dimensions = ['signing', 'payload-encoding', 'response-decoding', 'transport', 'behaviour'] as const;

/** What a row is about. Reports show the first three first. */
export type Dimension = (typeof dimensions)[number];

/** Who decides: `document`, or `profile:<name>` if the interface document leaves the question open. */
export type Basis = 'document' | `profile:${string}`;

/** One row of the contract: a statement that a subject fulfils or breaks. */
export interface Requirement {
  /** `area/what`. An id never changes and is never used again. */
  readonly id: `${Area | 'authentication' | 'transport'}/${string}`;
  readonly operation: Operation | 'both';
  readonly section: string;
  /** Statements of the document that the row covers, such as `section/row/n` or `section/bullet/n` (tests/house/document-shape.ts). */
  readonly covers: readonly string[];
  readonly side: 'client' | 'gateway';
  /** Reports count rows by dimension. */
  readonly dimension: Dimension;
  /** `required`: stated for this side. `expected`: an example, observed values, or a limit for the other side. `probe`: the document is silent. */
  readonly kind: 'required' | 'expected' | 'probe';
  readonly statement: string;
  /** The source of the verdict: `document`, unless a profile answers an open point. */
  readonly basis?: Basis;
  /** Ids of rows that must pass first; `*` is a wildcard. If such a row fails in the same requests, it explains this failure. */
  readonly restsOn?: readonly string[];
  /** For a client row: the gateway row or the open point that defines how a gateway answers a violation. */
  readonly breachAtGateway?: string;
  /** What a client row judges: the header, the `form` of the body, the `content` of a field (CSV) or its `records`. If the row fails, schemas skip that part. */
  readonly part?: 'header' | 'form' | 'content' | 'records';
  /** Set if a schema checks less than the judge: `part` in all values, `ascii` in values beyond ASCII. */
  readonly schemaSees?: 'part' | 'ascii';
  /** A row that must pass first, because the schema cannot distinguish the two rows. */
  readonly schemaAfter?: string;
  /** Why no traffic can test the row. Such a row has no judge. */
  readonly untestable?: string;
  /** A situation that the row needs and that a suite cannot always create. Without that situation the row is not-applicable. */
  readonly condition?: string;
  /** How to create that situation in a run, or why no request can. */
  readonly arises?: string;
  /** Set if the built-in mock cannot test the row. */
  readonly liveOnly?: true;
  /** The remedy for a failure, in one sentence for the reader of the report. */
  readonly hint?: string;
}

/** Returns a function that starts a row: the common properties, its section and the covered statements. */
export function rowsOf<const Common extends Partial<Requirement>>(common: Common) {
  return (section: string, ...covers: readonly string[]) => ({ ...common, section, covers });
}
