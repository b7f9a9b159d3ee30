/** The keys of the consumers that the suite publishes: what a client under test signs with. */
import { issuedSecret } from '../../../generators/consumer.ts';
import { type Identity, publishedIdentities, publishedIdentity } from '../../mock/identity.ts';
import { readPublicKey, type VerifyingKey } from '../../protocol/index.ts';

/** The identity of that consumer key, published or drawn; undefined for a consumer that the suite never issued. */
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
