/** The type of one requirement. Requirements are data, so contracts/ imports nothing from other folders. */
import type { Area, Operation } from '../operations.ts';

export const dimensions = ['signing', 'payload-encoding', 'response-decoding', 'transport', 'behaviour'] as const;

/** What a requirement is about. Reports list the first three dimensions first. */
export type Dimension = (typeof dimensions)[number];

/** `document`, or `profile:<name>` if the document is silent and a profile gives the answer. */
export type Basis = 'document' | `profile:${string}`;

/** One requirement: a statement that a subject fulfils or breaks. */
export interface Requirement {
  /** `area/what`. An id never changes and is never used again. */
  readonly id: `${Area | 'authentication' | 'transport'}/${string}`;
  readonly operation: Operation | 'both';
  readonly section: string;
  /** Statements of the document that the requirement covers, by their keys in tests/house/document-shape.ts. */
  readonly covers: readonly string[];
  readonly side: 'client' | 'gateway';
  /** Reports count requirements by dimension. */
  readonly dimension: Dimension;
  /** Stated by a rule (`required`), by an example or a rule for the other side (`expected`), or nowhere (`probe`). */
  readonly kind: 'required' | 'expected' | 'probe';
  readonly statement: string;
  /** What states the requirement. By default `document`. */
  readonly basis?: Basis;
  /** Prerequisites: ids, with `*` as wildcard. A request with a failed prerequisite does not test this requirement. */
  readonly restsOn?: readonly string[];
  /** Client requirements only: names the gateway requirement or open point that covers a breach of this requirement. */
  readonly breachAtGateway?: string;
  /** Client requirements only: the checked part of the request. If the requirement fails, schemas skip this part. */
  readonly part?: 'header' | 'form' | 'content' | 'records';
  /** Set if a schema sees less than the judge. `part`: it may miss faults. `ascii`: it misses none in ASCII values. */
  readonly schemaSees?: 'part' | 'ascii';
  /** Id of a requirement whose faults a schema may take for faults of this one. If it fails, ignore the schema here. */
  readonly schemaAfter?: string;
  /** Why no traffic can test the requirement. Such a requirement has no judge. */
  readonly untestable?: string;
  /** A situation that the requirement needs. In a run without this situation, the requirement is not-applicable. */
  readonly condition?: string;
  /** How to create the situation of `condition` in a run, or why no request can create the situation. */
  readonly arises?: string;
  /** Set if the built-in mock cannot test the requirement. */
  readonly liveOnly?: true;
  /** What the reader of the report can do about a failure. */
  readonly hint?: string;
}

type Shared = Pick<Requirement, 'operation' | 'side' | 'dimension' | 'kind'> & Partial<Requirement>;

/** Makes requirements. `shared` has their common members, `own` those of one requirement. `more` overrides both. */
export function rowsOf<const Common extends Shared>(shared: Common) {
  return <const Id extends Requirement['id']>(own: Pick<Requirement, 'section' | 'covers'> & { readonly id: Id }) =>
    <const More extends Partial<Requirement> = object>(statement: string, hint: string | undefined, more?: More) => {
      const row: Requirement = { ...shared, ...own, statement, ...(hint && { hint }), ...more };
      return row as Requirement & { readonly id: Id; readonly side: Common['side'] } & More;
    };
}
