/** A deliberate, named fault of the reference client. It is there to prove that a judge of clients can fail. */

import type { Operation } from '../../../contracts/operations.ts';
import type { TestableId } from '../../../contracts/requirements/index.ts';
import type { ClientAlteration } from '../../peer/client/index.ts';
import type { Pair } from '../../protocol/index.ts';

export interface ClientDefect {
  /** `area/fault`; never changes and is never reused. */
  readonly id: string;
  readonly side: 'client';
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** Derived from the statements of the rows, before the defect is first run. */
  readonly breaks: readonly TestableId<'client'>[];
  /** For a defect that breaks more than six rows: why each. */
  readonly reasons?: Readonly<Partial<Record<TestableId<'client'>, string>>>;
  /** `stored`: no call of the two operations shows it, only a record of other requests does. It proves no row. */
  readonly reach?: 'stored';
  /** For reach `stored`: the requests that show it, each once altered and sent by the client's own steps. */
  readonly stored?: readonly StoredRequest[];
  readonly alteration: ClientAlteration;
}

/**
 * A request that no business input leads to. A right client signs it rightly, although some of them break rows about
 * the path or the body: what a defect breaks is the difference between its record and that of the right client.
 */
export interface StoredRequest {
  readonly operation: Operation;
  /** Request target with its query; that of the operation by default. */
  readonly target?: string;
  /** Body parameters in this order, decoded. */
  readonly fields: readonly Pair[];
}
