/** The type of one row of the contract. Rows are data: contracts/ imports nothing from other folders. */
import type { Area, Operation } from '../operations.ts';

/** The subject of a row. Every report starts with the first three. */
export type Dimension = 'signing' | 'payload-encoding' | 'response-decoding' | 'transport' | 'behaviour';

export const dimensions: readonly Dimension[] = [
  'signing',
  'payload-encoding',
  'response-decoding',
  'transport',
  'behaviour',
];

/** `document`: the interface document states it. `profile:<name>`: the document leaves it open, and the profile decides. */
export type Basis = 'document' | `profile:${string}`;

/** One row of the contract: a statement that a subject fulfils or breaks. */
export interface Requirement {
  /** `area/what`; never changes and is never reused. */
  readonly id: `${Area | 'authentication' | 'transport'}/${string}`;
  /** The operation of the row. */
  readonly operation: Operation | 'both';
  /** Section of the interface document that states it. */
  readonly section: string;
  /** The statements of the document that it covers, such as `section/row/n` or `section/bullet/n` (tests/house/document-shape.ts). */
  readonly covers: readonly string[];
  /** The side that must fulfil it. */
  readonly side: 'client' | 'gateway';
  /** The subject of the row. Reports count by it. */
  readonly dimension: Dimension;
  /** `required`: stated for this side. `expected`: an example, observed values, or a limit for the other side. `probe`: the document is silent. */
  readonly kind: 'required' | 'expected' | 'probe';
  /** The obligation, in one sentence. */
  readonly statement: string;
  /** The source of the verdict: `document`, unless a profile answers an open point. */
  readonly basis?: Basis;
  /** Ids that must pass first, with `*` as a wildcard. If they fail in the same requests, they explain this failure. */
  readonly restsOn?: readonly string[];
  /** For a client row: the gateway row that defines the reaction to a violation, or the open point. */
  readonly breachAtGateway?: string;
  /** For a client row: it judges the header, the `form` of the body, the `content` of a field (CSV) or its `records`. If it fails, schemas skip that part. */
  readonly part?: 'header' | 'form' | 'content' | 'records';
  /** Set if a schema checks less than the judge: `part` always, `ascii` for values beyond ASCII. */
  readonly schemaSees?: 'part' | 'ascii';
  /** A row that must pass first, because the schema cannot distinguish the two. */
  readonly schemaAfter?: string;
  /** The reason why no traffic can test it. Such a row has no judge. */
  readonly untestable?: string;
  /** The situation that the row needs and that a suite cannot always create. Without it the row is not-applicable. */
  readonly condition?: string;
  /** The way to create that situation in a run, or the reason why no request can. */
  readonly arises?: string;
  /** Set if the built-in mock cannot show it. */
  readonly liveOnly?: true;
  /** The remedy for a failure, in one sentence for the reader of the report. */
  readonly hint?: string;
}

/** Starts rows with common properties. Each row adds its section and the covered statements. */
export function rowsOf<const Common extends Partial<Requirement>>(common: Common) {
  return (section: string, ...covers: readonly string[]) => ({ ...common, section, covers });
}
