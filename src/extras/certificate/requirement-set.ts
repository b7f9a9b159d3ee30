/** Which requirements a certificate speaks of: a name that does not change, and a digest of what they say. Pure. */
import { createHash } from 'node:crypto';
import { requirements } from '../../../contracts/requirements/index.ts';
import type { Result } from '../../record/result/result.ts';

export interface PinnedRequirements {
  /** That of a frozen set, or of the suite's version where all requirements count. */
  readonly name: string;
  /** SHA-256 of a JSON list of [id, statement] of the requirements that count, sorted by id. */
  readonly sha256: string;
}

/** What the result was judged by. */
export function requirementsOf({ suite, set, results }: Pick<Result, 'suite' | 'set' | 'results'>): PinnedRequirements {
  const statements = new Map(requirements.map((requirement) => [requirement.id as string, requirement.statement]));
  const counted = results.filter(({ notScored }) => notScored !== true).map(({ id }) => id);
  const pinned = counted.sort().map((id) => [id, statements.get(id)]);
  return {
    name: set ?? `suite-${suite.version}`,
    sha256: createHash('sha256').update(JSON.stringify(pinned)).digest('hex'),
  };
}
