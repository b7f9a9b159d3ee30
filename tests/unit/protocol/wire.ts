/** A request and its keys as the vectors write them. */
import { readPrivateKey, readPublicKey } from '../../../src/protocol/keys.ts';
import type { SigningKey, VerifyingKey } from '../../../src/protocol/oauth/signature.ts';
import type { WireRequest } from '../../../src/protocol/oauth/verify-request.ts';
import { readVectorFile, readVectors, type Vector } from './vectors.ts';

export interface RequestText {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly bodyHex?: string;
}

export type KeyText =
  | { readonly method: 'HMAC-SHA1'; readonly consumerSecret: string; readonly tokenSecret?: string }
  | { readonly method: 'RSA-SHA256'; readonly privateKeyFile: string; readonly publicKeyFile: string };

export interface RequestVector extends Vector {
  readonly kind: 'request';
  readonly request: RequestText;
  readonly key: KeyText;
  readonly baseString?: string;
  readonly signature?: string;
}

export interface HmacVector extends Vector {
  readonly kind: 'hmac-sha1';
  readonly keyHex: string;
  readonly messageHex: string;
  readonly tagHex: string;
}

export interface RsaVector extends Vector {
  readonly kind: 'rsa-sha256';
  readonly publicKeyFile: string;
  readonly messageHex: string;
  readonly signatureHex: string;
}

/** Requests of both methods, as `signature.json` and `signature-rsa.json` have them. */
export function requestVectors(): RequestVector[] {
  return [...readVectors<RequestVector>('signature.json'), ...readVectors<RequestVector>('signature-rsa.json')];
}

/** Raw tags and signatures, as `signature-primitives.json` has them. */
export function primitiveVectors(): (HmacVector | RsaVector)[] {
  return readVectors<HmacVector | RsaVector>('signature-primitives.json');
}

export function bytesOf(source: { readonly body?: string; readonly bodyHex?: string }): Uint8Array {
  return source.bodyHex === undefined ? Buffer.from(source.body ?? '', 'utf8') : Buffer.from(source.bodyHex, 'hex');
}

export function wireRequest(text: RequestText): WireRequest {
  return { ...text, body: bytesOf(text) };
}

export function verifyingKey(key: KeyText): VerifyingKey {
  if (key.method === 'HMAC-SHA1') return key;
  return { method: key.method, publicKey: readPublicKey(readVectorFile(key.publicKeyFile)) };
}

export function signingKey(key: KeyText): SigningKey {
  if (key.method === 'HMAC-SHA1') return key;
  return { method: key.method, privateKey: readPrivateKey(readVectorFile(key.privateKeyFile)) };
}
