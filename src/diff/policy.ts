/** The compatibility policy: what a change means where both runs pass. */
import compatibility from '../../contracts/compatibility.json' with { type: 'json' };
import type { Operation } from '../../contracts/operations.ts';
import type { ChangeClass, ChangeName } from './difference.ts';

/** schemas/files/diff-policy.json says what a file of it may hold. */
export interface DiffPolicy {
  readonly formatVersion: 1;
  readonly rules: readonly PolicyRule[];
}

export interface PolicyRule {
  readonly change: ChangeName | '*';
  readonly name?: string;
  readonly operation?: Operation;
  readonly is: ChangeClass;
}

/**
 * It forbids nothing: what the interface document forbids is a requirement, and whoever breaks that breaks without a policy.
 */
export const defaultPolicy = compatibility as DiffPolicy;

/** The first rule that fits decides, those of `policy` before those of the default. */
export function classOf(
  { change, name = '' }: { readonly change: ChangeName; readonly name?: string },
  operation: Operation | undefined,
  policy: DiffPolicy,
): ChangeClass {
  const fits = (rule: PolicyRule) =>
    (rule.change === '*' || rule.change === change) &&
    (rule.name === undefined || matches(name, rule.name)) &&
    (rule.operation === undefined || rule.operation === operation);
  return [...policy.rules, ...defaultPolicy.rules].find(fits)?.is ?? 'risky';
}

/** `*` stands for any characters. By searching and not by an expression: a hostile name would keep that busy for ever. */
function matches(name: string, pattern: string): boolean {
  const text = name.toLowerCase();
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
