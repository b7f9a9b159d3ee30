/** Which requirements a certificate speaks of: a name that does not change, and a digest of what they say. Pure. */
import { createHash } from 'node:crypto';
import { requirements } from '../../contracts/requirements/index.ts';
import type { Result } from '../result/result.ts';

export interface RequirementSet {
  readonly name: string;
  /** SHA-256 of a JSON list of [id, kind, statement] of the requirements that the result has, in its order. */
  readonly sha256: string;
}

/** The set that the result was judged by: that of the suite's version. */
export function requirementSetOf({ suite, results }: Pick<Result, 'suite' | 'results'>): RequirementSet {
  const known = new Map(requirements.map((requirement) => [requirement.id as string, requirement]));
  const pinned = results.map(({ id }) => [id, known.get(id)?.kind, known.get(id)?.statement]);
  return {
    name: `suite-${suite.version}`,
    sha256: createHash('sha256').update(JSON.stringify(pinned)).digest('hex'),
  };
}
