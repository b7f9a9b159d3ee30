/** The second voice: base string and verdict from the raw request, by libraries that this project did not write. */
import { libraryBaseString } from './library-base-string.ts';
import { type RawRequest, requestParameters, requestUri } from './raw-request.ts';
import { oracleHmac, verifiesRsaSha256 } from './signature.ts';

export type { RawRequest } from './raw-request.ts';

export type OpinionKey =
  | { readonly consumerSecret: string; readonly tokenSecret?: string }
  /** SPKI, PKCS#1 or an X.509 certificate, in PEM. */
  | { readonly publicKeyPem: string };

export interface Opinion {
  readonly baseString: string;
  /** Whether the header's signature is that of the base string under the key; nothing else is looked at. */
  readonly verified: boolean;
}

/**
 * What `oauth-1.0a` and `node-forge` make of a request exactly as it was on the wire. A request without credentials has
 * a base string too, and is not verified. Throws only where the key cannot be read.
 */
export function secondOpinion(request: RawRequest, key: OpinionKey): Opinion {
  const { signed, signature } = requestParameters(request);
  const baseString = libraryBaseString(request.method, requestUri(request), signed);
  return { baseString, verified: signature !== undefined && verifies(baseString, signature, key) };
}

/** HMAC-SHA1 of a base string, in base64. */
export function secondSignature(baseString: string, consumerSecret: string, tokenSecret = ''): string {
  return oracleHmac(baseString, consumerSecret, tokenSecret);
}

function verifies(baseString: string, signature: string, key: OpinionKey): boolean {
  if ('publicKeyPem' in key) return verifiesRsaSha256(baseString, signature, key.publicKeyPem);
  return secondSignature(baseString, key.consumerSecret, key.tokenSecret) === signature;
}
