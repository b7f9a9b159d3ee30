/** The type of a requirement. Files in contracts/ are data, so they import nothing from other folders. */
import type { Area, Operation } from '../operations.ts';

export const dimensions = ['signing', 'payload-encoding', 'response-decoding', 'transport', 'behaviour'] as const;

/** What a requirement is about. Reports follow the order of `dimensions`. */
export type Dimension = (typeof dimensions)[number];

/** `document`, or `profile:<name>` if the document is silent and a profile gives the answer. */
export type Basis = 'document' | `profile:${string}`;

/** A statement that a client or a gateway fulfils or breaks. */
export interface Requirement {
  /** `area/what`. An id never changes and is never used again. */
  readonly id: `${Area | 'authentication' | 'transport'}/${string}`;
  readonly operation: Operation | 'both';
  readonly section: string;
  /** Keys of the document's statements that the requirement covers (see tests/house/document-shape.ts). */
  readonly covers: readonly string[];
  readonly side: 'client' | 'gateway';
  /** Reports count requirements by dimension. */
  readonly dimension: Dimension;
  /** `required`: stated by a rule. `expected`: by an example, or by a rule for the other side. `probe`: not stated. */
  readonly kind: 'required' | 'expected' | 'probe';
  readonly statement: string;
  /** Whether the document or a profile states the requirement. By default `document`. */
  readonly basis?: Basis;
  /** Prerequisites: ids, with `*` as wildcard. A request with a failed prerequisite does not test this requirement. */
  readonly restsOn?: readonly string[];
  /** Client requirements only: the gateway requirement or open point that applies if a request breaks this one. */
  readonly breachAtGateway?: string;
  /** Client requirements only: the part of a request that the requirement checks. Schemas may misread a faulty part. */
  readonly part?: 'header' | 'form' | 'content' | 'records';
  /** Set if a schema may miss faults that the judge finds: in all values (`part`) or in non-ASCII values (`ascii`). */
  readonly schemaSees?: 'part' | 'ascii';
  /** Id of another requirement. If a request breaks that one, a schema may report this one by mistake. */
  readonly schemaAfter?: string;
  /** Why no traffic can test the requirement. Such a requirement has no judge. */
  readonly untestable?: string;
  /** A situation that the requirement needs. In a run without this situation, the requirement is not-applicable. */
  readonly condition?: string;
  /** How to make `condition` true in a run, or why no request can do this. */
  readonly arises?: string;
  /** Set if only a run on a live target can test the requirement. */
  readonly liveOnly?: true;
  /** What the reader of the report can do about a failure. */
  readonly hint?: string;
}

type Shared = Pick<Requirement, 'operation' | 'side' | 'dimension' | 'kind'> & Partial<Requirement>;

/** Makes requirements that have the members of `shared` in common. `more` overrides `shared` and `own`. */
export function rowsOf<const Common extends Shared>(shared: Common) {
  return <const Id extends Requirement['id']>(own: Pick<Requirement, 'section' | 'covers'> & { readonly id: Id }) =>
    <const More extends Partial<Requirement> = object>(statement: string, hint: string | undefined, more?: More) => {
      const row: Requirement = { ...shared, ...own, statement, ...(hint && { hint }), ...more };
      return row as Requirement & { readonly id: Id; readonly side: Common['side'] } & More;
    };
}
