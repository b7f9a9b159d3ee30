/** A deliberate, named fault. It is there to prove that a judge can fail: `breaks` says which rows must, and no others. */

import type { Operation } from '../../contracts/operations.ts';
import type { TestableId } from '../../contracts/requirements/index.ts';
import type { Alteration } from '../mock/alteration.ts';
import type { Exchange } from '../record/exchange.ts';

export interface GatewayDefect {
  /** `area/fault`; never changes and is never reused. */
  readonly id: string;
  readonly side: 'gateway';
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** Derived from the statements of the rows, before the defect is first run. */
  readonly breaks: readonly TestableId<'gateway'>[];
  /** For a defect that breaks more than six rows: why each. */
  readonly reasons?: Readonly<Partial<Record<TestableId<'gateway'>, string>>>;
  /** `stored`: no mock can show it, only a record of a gateway elsewhere does. It proves no row. */
  readonly reach?: 'stored';
  /** For reach `stored`: that record. */
  readonly stored?: readonly Exchange[];
  readonly alteration: Alteration;
}

/** A defect of both operations. */
export function ofEither(
  what: string,
  summary: string,
  rows: readonly string[],
  alteration: Alteration,
): GatewayDefect {
  const breaks = ofBoth(...rows);
  return { side: 'gateway', operation: 'both', id: `authentication/${what}`, summary, breaks, alteration };
}

/** The requirements of both operations on their signature that end in these words. */
export function ofBoth(...rows: readonly string[]): TestableId<'gateway'>[] {
  return rows.flatMap((row) =>
    ['close-day', 'recurring'].map((area) => `authentication/${area}-${row}` as TestableId<'gateway'>),
  );
}
