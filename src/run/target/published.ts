/**
 * What the suite publishes: the test identity with its keys, the consumers of a client under test, and what a target on
 * this machine gets without a configuration.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { issuedSecret } from '../../../generators/consumer.ts';
import {
  type Identity,
  otherPrivateKeyPem,
  otherSecret,
  publishedIdentities,
  publishedIdentity,
} from '../../mock/identity.ts';
import { readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { type Credentials, type LiveConfig, liveDefaults, nothingAllowed } from './live-config.ts';

export function publishedConsumer(consumerKey: string): Identity | undefined {
  const published = publishedIdentities.find((one) => one.consumerKey === consumerKey);
  const consumerSecret = published === undefined ? issuedSecret(consumerKey) : undefined;
  return consumerSecret === undefined ? published : { ...publishedIdentity, consumerKey, consumerSecret };
}

/** Keys by consumer key; undefined for a consumer that the suite never issued. */
export function publishedKeys(consumerKey: string): readonly VerifyingKey[] | undefined {
  const known = keys.get(consumerKey);
  const consumer = known === undefined ? publishedConsumer(consumerKey) : undefined;
  if (consumer === undefined) return known;
  publicKey ??= readPublicKey(publishedIdentity.publicKeyPem);
  const made = [
    { method: 'HMAC-SHA1', consumerSecret: consumer.consumerSecret },
    { method: 'RSA-SHA256', publicKey },
  ] as const;
  keys.set(consumerKey, made);
  return made;
}

let publicKey: ReturnType<typeof readPublicKey> | undefined;
const keys = new Map<string, readonly VerifyingKey[]>();

/** Nothing that is sent there leaves the machine: it may be as fast as the target is. */
const loopbackRate = 100;

export const publishedProfile: Omit<LiveConfig, 'target'> = {
  ...liveDefaults,
  rate: loopbackRate,
  environment: 'integration',
  endpointId: '1111',
  // No payment is made with the published identity: what a row without an amount charges is stated as that of the others.
  recurring: [{ id: '1234567890', amount: '1.00', savedAmount: '1.00' }],
  allow: nothingAllowed,
  states: {},
};

interface PublishedCredentials {
  readonly credentials: Credentials;
  readonly otherSecret: string;
  readonly otherPrivateKey: KeyObject;
}

/** The published test identity, parsed once, and the keys that no target knows. */
export function publishedCredentials(): PublishedCredentials {
  parsed ??= {
    credentials: {
      consumerKey: publishedIdentity.consumerKey,
      consumerSecret: publishedIdentity.consumerSecret,
      privateKey: createPrivateKey(publishedIdentity.privateKeyPem),
      publicKeyPem: publishedIdentity.publicKeyPem,
    },
    otherSecret,
    otherPrivateKey: createPrivateKey(otherPrivateKeyPem),
  };
  return parsed;
}

let parsed: PublishedCredentials | undefined;
