/** Step 1, RFC 5849 section 3.4.1.3.1. */
import type { Pair } from '../form.ts';
export function collectParameters(sources: {
  readonly authorization: readonly Pair[];
  readonly body: readonly Pair[];
  readonly query: readonly Pair[];
}): Pair[] {
  const header = sources.authorization.filter(([name]) => name !== 'realm' && name !== 'oauth_signature');
  return [...sources.query, ...header, ...sources.body];
}
