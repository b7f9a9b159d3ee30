/** The compatibility policy: what a change means if both runs pass. */
import compatibility from '../../../contracts/compatibility.json' with { type: 'json' };
import type { Operation } from '../../../contracts/operations.ts';
import type { Change, ChangeClass, ChangeName } from './difference.ts';

/** schemas/files/diff-policy.json defines the file format. */
export interface DiffPolicy {
  readonly formatVersion: 1;
  readonly rules: readonly PolicyRule[];
}

interface PolicyRule {
  readonly change: ChangeName | '*';
  readonly name?: string;
  readonly operation?: Operation;
  readonly is: ChangeClass;
  readonly because?: string;
}

/** It forbids nothing, because what the interface document forbids is a requirement. */
export const defaultPolicy = compatibility as DiffPolicy;

/** The first matching rule decides. Rules of `policy` precede those of the default. */
export function ruleFor(
  { change, name = '', renamedTo }: Pick<Change, 'change' | 'name' | 'renamedTo'>,
  operation: Operation | undefined,
  policy: DiffPolicy,
): Pick<PolicyRule, 'is' | 'because'> {
  // A rename is one name that went and one that came: the worse rule counts.
  if (renamedTo !== undefined) {
    const came = { change: change.replace('went', 'came') as ChangeName, name: renamedTo };
    return [ruleFor({ change, name }, operation, policy), ruleFor(came, operation, policy)].sort((a, b) =>
      worstFirst(a.is, b.is),
    )[0]!;
  }
  const fits = (rule: PolicyRule) =>
    (rule.change === '*' || rule.change === change) &&
    (rule.name === undefined || matches(name, rule.name)) &&
    (rule.operation === undefined || rule.operation === operation);
  return [...policy.rules, ...defaultPolicy.rules].find(fits) ?? { is: 'risky' };
}

const severity: readonly ChangeClass[] = ['forbidden', 'risky', 'allowed'];

export function worstFirst(a: ChangeClass, b: ChangeClass): number {
  return severity.indexOf(a) - severity.indexOf(b);
}

/** Changes that are named as in a message; order and meaning are not. */
const namedAsSent = /^(?:\*|header-(?:came|went|value|spelling)|member-(?:came|went|type)|value-form|open-answer)$/;

/** Rules whose name occurs in neither run: misspelt, or about something that is gone. */
export function idleRules({ rules }: DiffPolicy, names: readonly string[]): string[] {
  return rules.flatMap(({ change, name }) => {
    if (name === undefined || !namedAsSent.test(change) || names.some((one) => matches(one, name))) return [];
    return [`${change} ${name}`];
  });
}

/** `*` matches any characters. Not a regular expression, because a hostile name could make it run forever. */
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
