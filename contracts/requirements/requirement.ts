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
  /** `required`: a rule states it. `expected`: only an example, or a rule for the other side. `probe`: nothing does. */
  readonly kind: 'required' | 'expected' | 'probe';
  readonly statement: string;
  /** Whether the document or a profile states the requirement. By default `document`. */
  readonly basis?: Basis;
  /** Ids of other requirements; a final `*` is a wildcard. A request that breaks one cannot test this requirement. */
  readonly restsOn?: readonly string[];
  /** Client requirements only: how a gateway must answer a breach, as the id of a requirement or an open point. */
  readonly breachAtGateway?: string;
  /** Client requirements only: the part of the request that the requirement is about. */
  readonly part?: 'header' | 'form' | 'content' | 'records';
  /** The faults that a schema finds. By default all. `part`: only some. `ascii`: all, but only some outside ASCII. */
  readonly schemaSees?: 'part' | 'ascii';
  /** Id of another requirement. If a request breaks it, the schema does not count for this requirement. */
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

/** Returns a function that makes requirements with the members of `shared`. `more` overrides all other members. */
export function rowMaker<const Common extends Shared>(shared: Common) {
  return <const Id extends Requirement['id']>(own: Pick<Requirement, 'section' | 'covers'> & { readonly id: Id }) =>
    <const More extends Partial<Requirement> = object>(statement: string, hint: string | undefined, more?: More) => {
      const row: Requirement = { ...shared, ...own, statement, ...(hint && { hint }), ...more };
      return row as Requirement & { readonly id: Id; readonly side: Common['side'] } & More;
    };
}
