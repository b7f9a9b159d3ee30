/** A deliberate, named fault of the reference client. It is there to prove that a judge of clients can fail. */
import type { RequirementId } from '../../../contracts/requirements/index.ts';
import type { Operation } from '../../../contracts/requirements/requirement.ts';
import type { Alteration } from '../../client/index.ts';

export interface ClientDefect {
  /** `area/fault`; never changes and is never reused. */
  readonly id: string;
  readonly side: 'client';
  readonly operation: Operation | 'both';
  readonly summary: string;
  /** Derived from the statements of the rows, before the defect is first run. */
  readonly breaks: readonly RequirementId[];
  /** For a defect that breaks more than six rows: why each. */
  readonly reasons?: Readonly<Partial<Record<RequirementId, string>>>;
  /** `stored`: no call of a scenario shows it, only a record of other requests does. */
  readonly reach?: 'stored';
  readonly alteration: Alteration;
}
