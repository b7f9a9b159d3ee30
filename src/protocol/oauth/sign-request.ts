/** Signs one request (RFC 5849 section 3.1) and keeps every step, so that clients can be compared step by step. */
import { decodeForm, type Pair } from '../form.ts';
import type { RequestUrl } from './base-string.ts';
import { baseString, baseStringUri, collectParameters, normalizeParameters, queryOf } from './base-string.ts';
import { printAuthorization } from './header.ts';
import { type SigningKey, sign } from './signature.ts';

/** An unsigned request (RFC 5849 section 3.4.1). */
export interface UnsignedRequest extends RequestUrl {
  /** HTTP method as sent, in capital letters. */
  readonly method: string;
  /** Decoded parameters of the form body. */
  readonly body: readonly Pair[];
}

/** Options for the header. The signature is valid with each of them. */
export interface SigningOptions {
  /** `realm` of the header, which is not signed (RFC 5849 section 3.5.1). */
  readonly realm?: string;
  /** `1.0` by default; null leaves `oauth_version` out. */
  readonly version?: string | null;
  /** Additional header parameters, such as `oauth_token`, before the signature. */
  readonly extra?: readonly Pair[];
}

/** Every intermediate value of a signature, in the order of RFC 5849 section 3.4.1. */
export interface SigningSteps {
  /** Collected parameters, decoded (section 3.4.1.3.1). */
  readonly parameters: Pair[];
  /** Encoded, sorted and joined parameters (section 3.4.1.3.2). */
  readonly normalized: string;
  /** Scheme, host and path, without default port and query (section 3.4.1.2). */
  readonly baseStringUri: string;
  /** Method, URI and parameters, each encoded, joined with `&` (section 3.4.1.1). */
  readonly baseString: string;
  /** Base64 of the signature (sections 3.4.2 and 3.4.3). */
  readonly signature: string;
}

/** Result of `signRequest`. */
export interface SignedRequest {
  /** Value of the Authorization header. */
  readonly authorization: string;
  /** Intermediate values of the signature. */
  readonly steps: SigningSteps;
}

/** Signs a request. `timestamp`: seconds since the Unix epoch. Throws `malformed-target` or `not-text`. */
export function signRequest(
  request: UnsignedRequest,
  credentials: { readonly consumerKey: string; readonly key: SigningKey },
  fresh: { readonly timestamp: string; readonly nonce: string },
  options: SigningOptions = {},
): SignedRequest {
  const version = options.version === undefined ? '1.0' : options.version;
  const authorization: Pair[] = [
    ['oauth_consumer_key', credentials.consumerKey],
    ['oauth_signature_method', credentials.key.method],
    ['oauth_timestamp', fresh.timestamp],
    ['oauth_nonce', fresh.nonce],
  ];
  if (version !== null) authorization.push(['oauth_version', version]);
  if (options.extra !== undefined) authorization.push(...options.extra);
  const unsigned = unsignedSteps(request, authorization);
  const signature = sign(unsigned.baseString, credentials.key);
  authorization.push(['oauth_signature', signature]);
  return { authorization: printAuthorization(authorization, options), steps: { ...unsigned, signature } };
}

/** Computes all intermediate values, but not the signature. */
export function unsignedSteps(
  request: UnsignedRequest,
  authorization: readonly Pair[],
): Omit<SigningSteps, 'signature'> {
  const query = decodeForm(queryOf(request.target));
  const parameters = collectParameters({ authorization, body: request.body, query });
  const normalized = normalizeParameters(parameters);
  const uri = baseStringUri(request);
  return { parameters, normalized, baseStringUri: uri, baseString: baseString(request.method, uri, normalized) };
}
