/** Signatures: HMAC-SHA1 (RFC 5849 section 3.4.2), and RSA-SHA256 (section 3.4.3 with SHA-256). */
import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, createSign, createVerify, timingSafeEqual } from 'node:crypto';
import { base64Bytes } from '../base64.ts';
import { percentEncode } from '../percent.ts';

/** Values of `oauth_signature_method` that the two operations use (section 5 of the interface document). */
export type SignatureMethod = 'HMAC-SHA1' | 'RSA-SHA256';

/** Key of HMAC-SHA1 (RFC 5849 section 3.4.2). */
export interface SharedSecretKey {
  /** Signature method of this key. */
  readonly method: 'HMAC-SHA1';
  /** Client shared-secret, not percent-encoded. */
  readonly consumerSecret: string;
  /** Token shared-secret, not percent-encoded; default empty. */
  readonly tokenSecret?: string;
}

/** Private key of RSA-SHA256: RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2) with SHA-256. */
interface RsaSigningKey {
  readonly method: 'RSA-SHA256';
  readonly privateKey: KeyObject;
  /** Cache of signatures by base string. With RSASSA-PKCS1-v1_5, a base string always has the same signature. */
  readonly cache?: Map<string, string>;
}

/** A key that signs. */
export type SigningKey = SharedSecretKey | RsaSigningKey;
/** A key that verifies signatures. For RSA this is the public key. */
export type VerifyingKey = SharedSecretKey | { readonly method: 'RSA-SHA256'; readonly publicKey: KeyObject };

/** Signs a base string; the result is base64. */
export function sign(base: string, key: SigningKey): string {
  if (key.method === 'HMAC-SHA1') return createHmac('sha1', secretKeyOf(key)).update(base).digest('base64');
  const cached = key.cache?.get(base);
  if (cached !== undefined) return cached;
  const signature = createSign('RSA-SHA256').update(base).sign(key.privateKey, 'base64');
  key.cache?.set(base, signature);
  return signature;
}

/** Verifies a signature. Compares an HMAC in constant time. False if the signature is not canonical base64. */
export function verifySignature(base: string, signature: string, key: VerifyingKey): boolean {
  const bytes = base64Bytes(signature);
  if (bytes === undefined) return false;
  if (key.method === 'HMAC-SHA1') return isHmacSha1(bytes, secretKeyOf(key), base);
  return createVerify('RSA-SHA256').update(base).verify(key.publicKey, bytes);
}

/** The HMAC key: both secrets, encoded and joined with `&`. Without a token it ends with `&` (RFC 5849 3.4.2). */
export function hmacKeyText(consumerSecret: string, tokenSecret = ''): string {
  return `${percentEncode(consumerSecret)}&${percentEncode(tokenSecret)}`;
}

const secretKeys = new WeakMap<SharedSecretKey, KeyObject>();

/** Caches the KeyObject of each key, because creating it is slow. */
function secretKeyOf(key: SharedSecretKey): KeyObject {
  let secret = secretKeys.get(key);
  if (secret === undefined) {
    secret = createSecretKey(hmacKeyText(key.consumerSecret, key.tokenSecret), 'utf8');
    secretKeys.set(key, secret);
  }
  return secret;
}

/** True if `tag` is the whole HMAC-SHA1 (RFC 2104) of the message. Compares in constant time. */
export function isHmacSha1(tag: Uint8Array, key: KeyObject, message: Uint8Array | string): boolean {
  const expected = createHmac('sha1', key).update(message).digest();
  return tag.length === expected.length && timingSafeEqual(tag, expected);
}
