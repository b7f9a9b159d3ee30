/** The `result` message as the rest of the suite reads it: checked against its schema, without members that are null. */
import type { ClientReply } from '../exchange/client-case.ts';
import { faultsOf, type Message } from './messages.ts';

export type ReadReply = { readonly reply: ClientReply } | { readonly fault: string };

/** Characters; what is reported is kept for each case, and nobody reads more of a reason. */
const longestReason = 10_000;
/** Characters of its JSON. */
const largestDecoded = 1024 * 1024;

/** The reply, or in one clause what is wrong with the message. */
export function replyOf(message: Message): ReadReply {
  const [fault] = faultsOf(message);
  if (fault !== undefined) return { fault: fault.sentence };
  const { outcome, decoded, stages, stage, reason, message: text } = withoutNulls(message) as Record<string, unknown>;
  if (decoded !== undefined && JSON.stringify(decoded).length > largestDecoded) {
    return { fault: `decoded has more than ${largestDecoded} characters, and no answer of the suite has as many` };
  }
  const why = reason ?? text;
  const reply = {
    outcome,
    decoded,
    stages,
    stage,
    reason: typeof why === 'string' ? why.slice(0, longestReason) : why,
  };
  return { reply: withoutUndefined(reply) as unknown as ClientReply };
}

/** Many languages write null for what is not there. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
