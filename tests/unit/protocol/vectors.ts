/** Reads the language-neutral vectors, and compares many of them in one test. */
import { readFileSync } from 'node:fs';
import { readPrivateKey, readPublicKey } from '../../../src/protocol/keys.ts';
import type { SigningKey, VerifyingKey } from '../../../src/protocol/oauth/signature.ts';
import type { WireRequest } from '../../../src/protocol/oauth/verify-request.ts';
import { ProtocolError } from '../../../src/protocol/protocol-error.ts';

const folder = new URL('../../../contracts/vectors/', import.meta.url);

export interface Vector {
  readonly name: string;
  /** The fault of the input, or `ok`. */
  readonly class: string;
  readonly comment?: string;
}

/** The vectors of one file. Throws if the file has none, so that no test passes on an empty list. */
export function readVectors<V extends Vector>(file: string): V[] {
  const { vectors } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { vectors: V[] };
  if (vectors.length === 0) throw new Error(`${file} holds no vectors`);
  return vectors;
}

/** The text of a file in the folder of the vectors, such as a key. */
export function readVectorFile(path: string): string {
  return readFileSync(new URL(path, folder), 'utf8');
}

/** One line for each vector whose actual value differs from the expected one. An error counts as its message. */
export function disagreements<V extends Vector>(
  vectors: readonly V[],
  expected: (vector: V) => unknown,
  actual: (vector: V) => unknown,
): string[] {
  if (vectors.length === 0) throw new Error('no vector was chosen');
  return vectors.flatMap((vector) => {
    const want = JSON.stringify(expected(vector));
    const have = JSON.stringify(valueOrError(() => actual(vector)));
    return want === have ? [] : [`${vector.name}: expected ${want}, got ${have}`];
  });
}

function valueOrError(compute: () => unknown): unknown {
  try {
    return compute();
  } catch (error) {
    return String(error);
  }
}

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

/** A signed request of `signature.json` or `signature-rsa.json`. */
export function requestVectors(): RequestVector[] {
  return [...readVectors<RequestVector>('signature.json'), ...readVectors<RequestVector>('signature-rsa.json')];
}

/** A raw tag or signature of `signature-primitives.json`. */
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

/** The code of the ProtocolError that the call throws, or `none`. Throws all other errors. */
export function errorCode(call: () => unknown): string {
  try {
    call();
    return 'none';
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
}
