/** Step 5: the signature, HMAC-SHA1 (RFC 5849 section 3.4.2) or RSA-SHA256, which is section 3.4.3 with SHA-256. */
import {
  createHmac,
  createSecretKey,
  sign as cryptoSign,
  verify as cryptoVerify,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { decodeBase64, encodeBase64 } from '../base64.ts';
import { percentEncode } from '../percent.ts';

/** Values of `oauth_signature_method` that the two operations use (section 5 of the interface document). */
export type SignatureMethod = 'HMAC-SHA1' | 'RSA-SHA256';

/** Key of HMAC-SHA1 (RFC 5849 section 3.4.2). */
export interface SharedSecretKey {
  /** Tells the kinds of keys apart. */
  readonly method: 'HMAC-SHA1';
  /** Client shared-secret, not encoded. */
  readonly consumerSecret: string;
  /** Token shared-secret, not encoded; empty unless given. */
  readonly tokenSecret?: string;
}

/** Private key of RSA-SHA256: RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2) with SHA-256. */
interface RsaSigningKey {
  readonly method: 'RSA-SHA256';
  readonly privateKey: KeyObject;
  /** Signatures by their base string, for callers that sign the same texts again: RSASSA-PKCS1-v1_5 gives the same bytes. */
  readonly made?: Map<string, string>;
}

/** A key that signs. */
export type SigningKey = SharedSecretKey | RsaSigningKey;
/** A key that verifies; for RSA the public half. */
export type VerifyingKey = SharedSecretKey | { readonly method: 'RSA-SHA256'; readonly publicKey: KeyObject };

/** Signs a base string; the result is base64. */
export function sign(base: string, key: SigningKey): string {
  if (key.method === 'HMAC-SHA1') return createHmac('sha1', parsedSecret(key)).update(base).digest('base64');
  const known = key.made?.get(base);
  if (known !== undefined) return known;
  const signature = encodeBase64(cryptoSign('RSA-SHA256', Buffer.from(base), key.privateKey));
  key.made?.set(base, signature);
  return signature;
}

/**
 * Whether the signature is that of the base string. A signature that is not canonical base64 is wrong, never an
 * error. HMACs are compared in constant time.
 */
export function verifySignature(base: string, signature: string, key: VerifyingKey): boolean {
  const bytes = signatureBytes(signature);
  if (bytes === undefined) return false;
  if (key.method === 'HMAC-SHA1') return isHmacSha1(bytes, parsedSecret(key), base);
  return cryptoVerify('RSA-SHA256', Buffer.from(base), key.publicKey, bytes);
}

/** Text of the HMAC key: both secrets encoded, `&` between them even where there is no token (RFC 5849 3.4.2). */
export function hmacKeyText(consumerSecret: string, tokenSecret = ''): string {
  return `${percentEncode(consumerSecret)}&${percentEncode(tokenSecret)}`;
}

const parsedSecrets = new WeakMap<SharedSecretKey, KeyObject>();

/** A KeyObject for each key that is in use, made once. */
function parsedSecret(key: SharedSecretKey): KeyObject {
  let secret = parsedSecrets.get(key);
  if (secret === undefined) {
    secret = createSecretKey(hmacKeyText(key.consumerSecret, key.tokenSecret), 'utf8');
    parsedSecrets.set(key, secret);
  }
  return secret;
}

/** Whether `tag` is the whole HMAC-SHA1 of the message (RFC 2104), compared in constant time; a shortened one is not. */
export function isHmacSha1(tag: Uint8Array, key: KeyObject, message: Uint8Array | string): boolean {
  const expected = createHmac('sha1', key).update(message).digest();
  return tag.length === expected.length && timingSafeEqual(tag, expected);
}

function signatureBytes(signature: string): Uint8Array | undefined {
  try {
    return decodeBase64(signature);
  } catch {
    return undefined;
  }
}
