/** The policy file of `countersign diff`, checked before anything of it is believed. */
import type { DiffPolicy } from '../../diff/policy.ts';
import { UsageError } from '../usage-error.ts';
import { readYamlFile } from './yaml-file.ts';

/** Throws UsageError with the line of each fault. */
export async function readPolicy(path: string): Promise<DiffPolicy> {
  const file = await readYamlFile(path, 'the policy', 'diff-policy');
  if (file !== undefined) return file.value as DiffPolicy;
  throw new UsageError('unreadable-file', `the policy ${path} does not exist`, {
    hint: 'docs/comparing-runs.md shows a policy.',
  });
}
