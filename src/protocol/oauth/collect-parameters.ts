/** Step 1 of the base string: the parameters that are signed (RFC 5849 section 3.4.1.3.1). */
import type { Pair } from '../form.ts';

/** The three places that signed parameters come from (RFC 5849 section 3.4.1.3.1). */
export interface ParameterSources {
  /** From the Authorization header, decoded. */
  readonly authorization: readonly Pair[];
  /** From the form body, decoded; empty where the body is not a form. */
  readonly body: readonly Pair[];
  /** From the query of the target, decoded. */
  readonly query: readonly Pair[];
}

/**
 * All parameters of a request, each occurrence once, duplicates kept. `realm` and `oauth_signature` of the header
 * are left out; the same names in the body or the query are ordinary parameters.
 */
export function collectParameters(sources: ParameterSources): Pair[] {
  const signed = sources.authorization.filter(([name]) => name !== 'realm' && name !== 'oauth_signature');
  return [...sources.query, ...signed, ...sources.body];
}
