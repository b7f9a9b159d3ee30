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
  /** `required` by a rule, `expected` by an example or by a rule on the other side. `probe`: the document is silent. */
  readonly kind: 'required' | 'expected' | 'probe';
  readonly statement: string;
  /** The source of the verdict. By default `document`. */
  readonly basis?: Basis;
  /** Ids of requirements, with `*` as wildcard. If they fail in a request, this requirement is not judged there. */
  readonly restsOn?: readonly string[];
  /** For a client requirement: the gateway requirement or the open point for requests that break the requirement. */
  readonly breachAtGateway?: string;
  /** The part of the request that a client requirement is about. If it fails, schemas do not check this part. */
  readonly part?: 'header' | 'form' | 'content' | 'records';
  /** Set if a schema checks less than the judge: `part` for all values, `ascii` for values beyond ASCII. */
  readonly schemaSees?: 'part' | 'ascii';
  /** A requirement that must pass first, because the schema cannot distinguish the two requirements. */
  readonly schemaAfter?: string;
  /** Why no traffic can test the requirement. Such a requirement has no judge. */
  readonly untestable?: string;
  /** A situation that the requirement needs. If it does not occur in a run, the requirement is not-applicable. */
  readonly condition?: string;
  /** How to create the situation of `condition` in a run, or why no request can create the situation. */
  readonly arises?: string;
  /** Set if the built-in mock cannot test the requirement. */
  readonly liveOnly?: true;
  /** What the reader of the report can do about a failure. */
  readonly hint?: string;
}

type Shared = Pick<Requirement, 'operation' | 'side' | 'dimension' | 'kind'> & Partial<Requirement>;

/** Makes requirements. Each has the members `shared`, then its own; `more` adds members, or replaces shared ones. */
export function rowsOf<const Common extends Shared>(shared: Common) {
  return <const Id extends Requirement['id']>(own: Pick<Requirement, 'section' | 'covers'> & { readonly id: Id }) =>
    <const More extends Partial<Requirement> = object>(statement: string, hint: string | undefined, more?: More) => {
      const row: Requirement = { ...shared, ...own, statement, ...(hint && { hint }), ...more };
      return row as Requirement & { readonly id: Id; readonly side: Common['side'] } & More;
    };
}
