/** The signature as the gateway computes it (RFC 5849 section 3.4), in steps that an alteration can replace one by one. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Operation, operations } from '../../contracts/operations.ts';
import type { Pair } from '../protocol/form.ts';
import { baseString } from '../protocol/oauth/base-string.ts';
import { baseStringUri } from '../protocol/oauth/base-string-uri.ts';
import { collectParameters } from '../protocol/oauth/collect-parameters.ts';
import { normalizeParameters } from '../protocol/oauth/normalize.ts';
import { type SharedSecretKey, type VerifyingKey, verifySignature } from '../protocol/oauth/signature.ts';
import { firstValue, type Reading } from './received.ts';
import type { Consumer } from './state.ts';

/** Everything that goes into one verification. */
export interface SignatureMaterial {
  readonly method: string;
  readonly url: { readonly scheme: string; readonly host: string; readonly target: string };
  /** Decoded parameters by where they came from. */
  readonly header: readonly Pair[];
  readonly body: readonly Pair[];
  readonly query: readonly Pair[];
  readonly signature: string;
  readonly key: VerifyingKey;
  readonly steps: SignatureSteps;
}

export interface SignatureSteps {
  readonly collect: (from: { authorization: Pair[]; body: Pair[]; query: Pair[] }) => Pair[];
  readonly normalize: (pairs: Pair[]) => string;
  readonly uri: (url: SignatureMaterial['url']) => string;
  readonly base: (method: string, uri: string, normalized: string) => string;
}

const usualSteps: SignatureSteps = {
  collect: collectParameters,
  normalize: normalizeParameters,
  uri: baseStringUri,
  base: baseString,
};

/** The method that the header names; the operation's own where it names none. */
export function announcedMethod(oauth: readonly Pair[], operation: Operation): string {
  return firstValue(oauth, 'oauth_signature_method') ?? operations[operation].signatureMethod;
}

/** Puts together what a request is verified with; undefined where the consumer has no key of the announced method. */
export function signatureMaterial(reading: Reading, consumer: Consumer | undefined): SignatureMaterial | undefined {
  const key = consumer && verifyingKey(consumer, announcedMethod(reading.oauth, reading.operation));
  if (!key) return undefined;
  const { method, scheme, host, target } = reading.request;
  return {
    method,
    url: { scheme, host, target },
    header: reading.oauth,
    body: reading.form,
    query: reading.query,
    signature: firstValue(reading.oauth, 'oauth_signature') ?? '',
    key,
    steps: usualSteps,
  };
}

/** Whether the signature fits. A request without a usable URL verifies never. */
export function verifies({ method, url, header, body, query, signature, key, steps }: SignatureMaterial): boolean {
  try {
    const parameters = steps.collect({ authorization: [...header], body: [...body], query: [...query] });
    const base = steps.base(method, steps.uri(url), steps.normalize(parameters));
    // Strictness about base64 is a step of its own, so that it can be switched off alone.
    return verifySignature(base, Buffer.from(signature, 'base64').toString('base64'), key);
  } catch {
    return false;
  }
}

const publicKeys = new Map<string, KeyObject>();
const sharedKeys = new WeakMap<Consumer, SharedSecretKey>();

/** The key of the consumer for that method; undefined where it has none. */
export function verifyingKey(consumer: Consumer, method: string): VerifyingKey | undefined {
  if (method === 'HMAC-SHA1' && consumer.consumerSecret !== undefined) {
    return sharedKeyOf(consumer, consumer.consumerSecret);
  }
  if (method === 'RSA-SHA256' && consumer.publicKeyPem !== undefined) {
    return { method, publicKey: publicKeyOf(consumer.publicKeyPem) };
  }
  return undefined;
}

/** One object for each consumer, since what is prepared for a key is known by its object. */
function sharedKeyOf(consumer: Consumer, consumerSecret: string): SharedSecretKey {
  const known = sharedKeys.get(consumer);
  if (known?.consumerSecret === consumerSecret) return known;
  const key = { method: 'HMAC-SHA1', consumerSecret } as const;
  sharedKeys.set(consumer, key);
  return key;
}

/** Few at once: worlds are copied, and their consumers have the same key. */
const mostPublicKeys = 16;

/** Parsing PEM costs more than a verification: once for each key. */
function publicKeyOf(pem: string): KeyObject {
  const known = publicKeys.get(pem);
  if (known) return known;
  const key = createPublicKey(pem);
  if (publicKeys.size >= mostPublicKeys) publicKeys.clear();
  publicKeys.set(pem, key);
  return key;
}
