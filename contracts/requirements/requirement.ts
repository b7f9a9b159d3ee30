/** The shape of one row of the contract. Rows are data: contracts/ imports nothing from outside of itself. */
import type { Area, Operation } from '../operations.ts';

/** What a row speaks of; the first three lead every report. */
export type Dimension = 'signing' | 'payload-encoding' | 'response-decoding' | 'transport' | 'behaviour';

export const dimensions: readonly Dimension[] = [
  'signing',
  'payload-encoding',
  'response-decoding',
  'transport',
  'behaviour',
];

/** `document`: the interface document says it. `profile:<name>`: our decision where the document is silent. */
export type Basis = 'document' | `profile:${string}`;

/** One row of the contract: a statement that a subject keeps or breaks. */
export interface Requirement {
  /** `area/what`; never changes and is never reused. */
  readonly id: `${Area | 'authentication' | 'transport'}/${string}`;
  /** The operation that it is about. */
  readonly operation: Operation | 'both';
  /** Section of the interface document that states it. */
  readonly section: string;
  /** The rows, bullets and silences of the document that it covers, as `section/row/n`, `section/bullet/n` and so on (tests/house/document-shape.ts). */
  readonly covers: readonly string[];
  /** Who has to keep it. */
  readonly side: 'client' | 'gateway';
  /** What it speaks of; reports count by it. */
  readonly dimension: Dimension;
  /** `required`: stated for this side. `expected`: an example, values seen, or a bound put on the other side. `probe`: the document is silent. */
  readonly kind: 'required' | 'expected' | 'probe';
  /** What has to hold, in one sentence. */
  readonly statement: string;
  /** Where the verdict rests on; `document` unless a profile answers an open point. */
  readonly basis?: Basis;
  /** Ids of what has to hold before this can be seen, `*` for any characters: a failure in the same requests follows from theirs. */
  readonly restsOn?: readonly string[];
  /** Of a client: the gateway's requirement that says what becomes of a breach, or the open point that leaves it open. */
  readonly breachAtGateway?: string;
  /**
   * Of a client: what a fault of it hides, so that judges look at the repaired rest and schemas at none of it: how the header is written,
   * the `form` of the body, the `content` of a field, such as a CSV, and its `records`.
   */
  readonly part?: 'header' | 'form' | 'content' | 'records';
  /** Where a schema of the same bytes sees less than the judge: `part` always, `ascii` where a value has letters beyond ASCII. */
  readonly schemaSees?: 'part' | 'ascii';
  /** The row that a schema does not tell from this one, so that it has to hold first. */
  readonly schemaAfter?: string;
  /** Set where nothing on the wire can show it: the reason. Such a row has no judge. */
  readonly untestable?: string;
  /** Set where a situation has to arise that a suite cannot always bring about: without it the row is not-applicable. */
  readonly condition?: string;
  /** What makes that situation arise in a run, or why nothing sent from outside does. */
  readonly arises?: string;
  /** Set where the built-in mock cannot show it. */
  readonly liveOnly?: true;
  /** What to do about a failure, in one sentence for the person who reads the report. */
  readonly hint?: string;
}

/** Starts rows that have so much in common; each adds its section and the statements that it covers. */
export function rowsOf<const Common extends Partial<Requirement>>(common: Common) {
  return (section: string, ...covers: readonly string[]) => ({ ...common, section, covers });
}
