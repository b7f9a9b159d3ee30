/** Step 5, RFC 5849 sections 3.4.2 and 3.4.3 (with SHA-256). */
import { createHmac, createSign, createVerify, type KeyObject, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../base64.ts';
import { percentEncode } from '../percent.ts';
export type SignatureMethod = 'HMAC-SHA1' | 'RSA-SHA256';
export type SigningKey = { method: 'HMAC-SHA1'; consumerSecret: string; tokenSecret?: string } | { method: 'RSA-SHA256'; privateKey: KeyObject };
export type VerifyingKey = { method: 'HMAC-SHA1'; consumerSecret: string; tokenSecret?: string } | { method: 'RSA-SHA256'; publicKey: KeyObject };
const hmac = (base: string, k: { consumerSecret: string; tokenSecret?: string }) =>
  createHmac('sha1', `${percentEncode(k.consumerSecret)}&${percentEncode(k.tokenSecret ?? '')}`).update(base).digest();
export function sign(base: string, key: SigningKey): string {
  if (key.method === 'HMAC-SHA1') return hmac(base, key).toString('base64');
  return createSign('sha256').update(base).sign(key.privateKey, 'base64');
}
export function verifySignature(base: string, signature: string, key: VerifyingKey): boolean {
  let bytes: Uint8Array;
  try { bytes = decodeBase64(signature); } catch { return false; }
  if (key.method === 'HMAC-SHA1') { const right = hmac(base, key); return right.length === bytes.length && timingSafeEqual(right, bytes); }
  return createVerify('sha256').update(base).verify(key.publicKey, bytes);
}
