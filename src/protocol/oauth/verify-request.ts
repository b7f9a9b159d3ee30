/** Verifies one request as received (RFC 5849 section 3.2). Does not check if timestamp and nonce are new. */
import { decodeForm, type Pair } from '../form.ts';
import { ProtocolError } from '../protocol-error.ts';
import { type AuthorizationHeader, parseAuthorization } from './header.ts';
import { type SigningSteps, unsignedSteps } from './sign-request.ts';
import { type SignatureMethod, type VerifyingKey, verifySignature } from './signature.ts';

/** A request as received; nothing is decoded. */
export interface WireRequest {
  /** HTTP method, as on the request line. */
  readonly method: string;
  /** `http` or `https`: the scheme of the URL that the client requested. */
  readonly scheme: string;
  /** Value of the Host header. */
  readonly host: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  /** Header fields in wire order; a name may occur more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes of the body. */
  readonly body: Uint8Array;
}

/** Reasons why verification fails, in the order of the checks. */
export type VerificationFailure =
  | 'missing-header'
  | 'malformed-header'
  | 'repeated-parameter'
  | 'missing-parameter'
  | 'unknown-consumer'
  | 'unknown-method'
  | 'bad-version'
  | 'bad-timestamp'
  | 'bad-signature';

/** A verified request. The caller must check timestamp and nonce (RFC 5849 section 3.3). */
export interface Verified {
  /** True for `Verified`, false for `Unverified`. */
  readonly ok: true;
  /** Decoded `oauth_consumer_key`. */
  readonly consumerKey: string;
  /** Decoded `oauth_signature_method`. */
  readonly method: SignatureMethod;
  /** Digits of `oauth_timestamp`: seconds since the Unix epoch. */
  readonly timestamp: string;
  /** Decoded `oauth_nonce`. */
  readonly nonce: string;
  /** Intermediate values of the signature. */
  readonly steps: SigningSteps;
}

/** A request that failed verification. */
export interface Unverified {
  /** True for `Verified`, false for `Unverified`. */
  readonly ok: false;
  /** First failed check. */
  readonly failure: VerificationFailure;
  /** One sentence without secrets. */
  readonly detail: string;
  /** Present only for `bad-signature`, if the base string could be built. `steps.signature` is the received one. */
  readonly steps?: SigningSteps;
}

/** Result of `verifyRequest`. */
export type Verification = Verified | Unverified;

/** Returns the keys of a consumer, or undefined for an unknown consumer key. */
export type KeyLookup = (consumerKey: string) => readonly VerifyingKey[] | undefined;

const required = ['oauth_consumer_key', 'oauth_signature_method', 'oauth_timestamp', 'oauth_nonce', 'oauth_signature'];

/** Stops at the first failure; `VerificationFailure` has the order. Never throws. `oauth_version` is optional. */
export function verifyRequest(request: WireRequest, lookup: KeyLookup): Verification {
  const header = readHeader(request);
  if ('failure' in header) return header;
  const parameters = new Map(header.parameters);
  const missing = required.find((name) => (parameters.get(name) ?? '') === '');
  if (missing !== undefined) {
    return failed('missing-parameter', `${missing} is ${parameters.has(missing) ? 'empty' : 'absent'}`);
  }

  const keys = lookup(parameters.get('oauth_consumer_key')!);
  if (keys === undefined) return failed('unknown-consumer', 'no such oauth_consumer_key');
  const method = parameters.get('oauth_signature_method')!;
  const usable = keys.filter((key) => key.method === method);
  if (usable.length === 0)
    return failed('unknown-method', `this consumer has no key for the signature method ${JSON.stringify(method)}`);
  const version = parameters.get('oauth_version');
  if (version !== undefined && version !== '1.0') return failed('bad-version', 'oauth_version is not 1.0');
  const timestamp = parameters.get('oauth_timestamp')!;
  if (!/^0*[1-9][0-9]*$/.test(timestamp)) return failed('bad-timestamp', 'oauth_timestamp is not a positive integer');

  const signature = parameters.get('oauth_signature')!;
  const steps = stepsOf(request, header.parameters, signature);
  if ('failure' in steps) return steps;
  if (!usable.some((key) => verifySignature(steps.baseString, signature, key))) {
    return { ...failed('bad-signature', 'the signature does not match the base string'), steps };
  }
  return {
    ok: true,
    consumerKey: parameters.get('oauth_consumer_key')!,
    method: method as SignatureMethod,
    timestamp,
    nonce: parameters.get('oauth_nonce')!,
    steps,
  };
}

/** The decoded parameters of a form body (RFC 5849 3.4.1.3.1). Empty if the Content-Type is not a form. */
export function formParameters(request: Pick<WireRequest, 'headers' | 'body'>): Pair[] {
  const type = headerLines(request.headers, 'content-type')[0] ?? '';
  const isForm = type.split(';')[0]!.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  return isForm ? decodeForm(request.body) : [];
}

function readHeader(request: WireRequest): AuthorizationHeader | Unverified {
  const [line, ...others] = headerLines(request.headers, 'authorization');
  if (line === undefined) return failed('missing-header', 'the request has no Authorization header');
  if (others.length > 0) return failed('malformed-header', 'there is more than one Authorization header');
  try {
    return parseAuthorization(line);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    if (error.code === 'other-scheme') return failed('missing-header', error.message);
    return failed(error.code === 'repeated-parameter' ? 'repeated-parameter' : 'malformed-header', error.message);
  }
}

function stepsOf(request: WireRequest, authorization: readonly Pair[], signature: string): SigningSteps | Unverified {
  try {
    return { ...unsignedSteps({ ...request, body: formParameters(request) }, authorization), signature };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return failed('bad-signature', error.message);
  }
}

function headerLines(headers: WireRequest['headers'], name: string): string[] {
  return headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
}

function failed(failure: VerificationFailure, detail: string): Unverified {
  return { ok: false, failure, detail };
}
