/** The keys of the identities that the suite publishes: what a client under test signs with. */
import { publishedIdentities } from '../mock/identity.ts';
import { readPublicKey, type VerifyingKey } from '../protocol/index.ts';

/** Keys by consumer key; undefined for a consumer that the suite never issued. */
export function publishedKeys(consumerKey: string): readonly VerifyingKey[] | undefined {
  keys ??= new Map(
    publishedIdentities.map((identity) => [
      identity.consumerKey,
      [
        { method: 'HMAC-SHA1', consumerSecret: identity.consumerSecret },
        { method: 'RSA-SHA256', publicKey: readPublicKey(identity.publicKeyPem) },
      ],
    ]),
  );
  return keys.get(consumerKey);
}

let keys: ReadonlyMap<string, readonly VerifyingKey[]> | undefined;
