/** The policy file of `countersign diff`, checked before anything of it is believed. */
import { validate } from '../../../schemas/index.ts';
import type { DiffPolicy } from '../../diff/policy.ts';
import { readRegularFile } from '../../disk/regular-file.ts';
import { UsageError } from '../usage-error.ts';
import { parseConfigText } from './config-yaml.ts';

/** Bytes; a policy has a few lines. */
const largestPolicy = 1024 * 1024;

/** Throws UsageError with the line of the first fault. */
export async function readPolicy(path: string): Promise<DiffPolicy> {
  const found = await readRegularFile(path, largestPolicy);
  const hint = 'docs/comparing-runs.md shows a policy.';
  if ('unreadable' in found) {
    throw new UsageError('unreadable-file', `the policy ${path} ${found.unreadable}`, { hint, cause: found.cause });
  }
  const document = parseConfigText(found.bytes.toString('utf8'));
  if ('faults' in document) {
    const [fault] = document.faults;
    throw new UsageError('bad-config', `${path}:${fault!.line}: ${fault!.sentence}`, { hint: fault!.hint ?? hint });
  }
  const value = document.value();
  const [fault] = validate('diff-policy', value);
  if (fault === undefined) return value as DiffPolicy;
  throw new UsageError('bad-config', `${path}:${document.lineOf(fault.path)}: ${fault.sentence}`, { hint });
}
