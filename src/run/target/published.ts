/** The published test identity and keys, and the defaults for a target on this machine. */
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

/** Undefined for a consumer key that the suite never issued. */
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

const loopbackRate = 100;

export const publishedProfile: Omit<LiveConfig, 'target'> = {
  ...liveDefaults,
  rate: loopbackRate,
  environment: 'integration',
  endpointId: '1111',
  // A row without an amount charges the same as the others: the published identity makes no payments.
  recurring: [{ id: '1234567890', amount: '1.00', savedAmount: '1.00' }],
  allow: nothingAllowed,
  states: {},
};

interface PublishedCredentials {
  readonly credentials: Credentials;
  readonly otherSecret: string;
  readonly otherPrivateKey: KeyObject;
}

/** The published test identity, and keys that no target knows. */
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
