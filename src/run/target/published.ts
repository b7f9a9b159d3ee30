/** The keys of the published identities. Loads neither the mock nor its defects, because that would take 140 ms. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type Operation, operations } from '../../../contracts/operations.ts';
import { issuedSecret } from '../../../generators/issued-secret.ts';
import { type Identity, identities, otherPrivateKeyPem, otherSecret, publishedIdentity } from '../../mock/identity.ts';
import type { VerifyingKey } from '../../protocol/index.ts';
import { memoize } from '../../record/memoize.ts';
import type { Credentials } from './live-config.ts';

export function publishedConsumer(consumerKey: string): Identity | undefined {
  const published = Object.values(identities).find((one) => one.consumerKey === consumerKey);
  const consumerSecret = published === undefined ? issuedSecret(consumerKey) : undefined;
  return consumerSecret === undefined ? published : { ...publishedIdentity, consumerKey, consumerSecret };
}

/** A published consumer key. It has characters to percent-encode if `consumerKey` has any. */
export function consumerKeyLike(consumerKey: string): string {
  return (/[^A-Za-z0-9\-._~]/.test(consumerKey) ? identities['reserved-characters'] : publishedIdentity).consumerKey;
}

/** The keys of a published consumer, or only that of `operation`. Undefined if the consumer key was never issued. */
export function publishedKeys(consumerKey: string, operation?: Operation): readonly VerifyingKey[] | undefined {
  const consumer = keysByConsumer.has(consumerKey) ? undefined : publishedConsumer(consumerKey);
  if (consumer !== undefined) {
    publicKey ??= createPublicKey(publishedIdentity.publicKeyPem);
    const { consumerSecret } = consumer;
    keysByConsumer.set(consumerKey, [
      { method: 'HMAC-SHA1', consumerSecret },
      { method: 'RSA-SHA256', publicKey },
    ]);
  }
  const known = keysByConsumer.get(consumerKey);
  return operation ? known?.filter(({ method }) => method === operations[operation].signatureMethod) : known;
}

let publicKey: KeyObject | undefined;
const keysByConsumer = new Map<string, readonly VerifyingKey[]>();

const parseIdentity = memoize(({ privateKeyPem, ...identity }: typeof publishedIdentity) => ({
  credentials: { ...identity, privateKey: createPrivateKey(privateKeyPem) } satisfies Credentials,
  otherSecret,
  otherPrivateKey: createPrivateKey(otherPrivateKeyPem),
}));

/** The published test identity, and keys that no target knows, for requests that a target must refuse. */
export function publishedCredentials(): ReturnType<typeof parseIdentity> {
  return parseIdentity(publishedIdentity);
}
