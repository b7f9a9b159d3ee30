/** The original signing keys and consumer key of a record, and the published ones that replace them. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { credentialOf, readAuthorization } from '../../autopsy/facts.ts';
import { type Identity, publishedIdentities, publishedIdentity, reservedIdentity } from '../../mock/identity.ts';
import { percentEncode } from '../../protocol/index.ts';
import type { Exchange, SentRequest } from '../../record/exchange.ts';
import { casesOf } from '../../record/run.ts';
import { publishedConsumer } from '../../run/target/target.ts';
import type { Recording } from '../../verdict/recordings/recording.ts';

export interface OriginalKeys {
  readonly consumerSecret?: string;
  readonly publicKey?: KeyObject;
}

export function originalKeys(own: OriginalKeys): (consumerKey: string) => OriginalKeys {
  const publicKey = createPublicKey(publishedIdentity.publicKeyPem);
  return (consumerKey) => {
    const published = identityBehind(consumerKey);
    if (published === undefined && Object.keys(own).length > 0) return own;
    return { consumerSecret: (published ?? publishedIdentity).consumerSecret, publicKey };
  };
}

/** The most frequent consumer key that is not a published one; undefined if there is none. */
export function issuedConsumerKey(recordings: readonly Recording[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { request } of recordings.flatMap(exchangesOf)) {
    const key = consumerKeyOf(request);
    if (key !== undefined && key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [frequent] = [...counts].sort(([, a], [, b]) => b - a);
  return frequent === undefined || identityBehind(frequent[0]) !== undefined ? undefined : frequent[0];
}

/** Reads the body, which may have megabytes, only if the header has no signature. */
export function consumerKeyOf(request: SentRequest): string | undefined {
  const { pairs } = readAuthorization(request.headers);
  if (!pairs.some(({ name }) => name === 'oauth_signature')) return credentialOf(request, 'oauth_consumer_key');
  return pairs.find(({ name }) => name === 'oauth_consumer_key')?.value;
}

export function exchangesOf(recording: Recording): readonly Exchange[] {
  return casesOf(recording).flatMap(({ exchanges }) => exchanges);
}

/** The published identity with this consumer key, also in altered form; undefined if none. */
export function identityBehind(consumerKey: string): Identity | undefined {
  const published = publishedIdentities.find((one) => variantOf(consumerKey, one.consumerKey) !== undefined);
  return published ?? publishedConsumer(consumerKey);
}

/** The published key, altered in the same way as the issued one; undefined for another key. */
export function issuedAlias(value: string, issued: string | undefined): string | undefined {
  const variant = issued === undefined ? undefined : variantOf(value, issued);
  if (variant === undefined) return undefined;
  // Only a key with reserved characters shows how they were altered.
  const { consumerKey } = /[^A-Za-z0-9\-._~]/.test(issued!) ? reservedIdentity : publishedIdentity;
  return variant(consumerKey);
}

function variantOf(text: string, key: string): ((key: string) => string) | undefined {
  const variants = [
    (one: string) => one,
    (one: string) => one.toUpperCase(),
    (one: string) => one.toLowerCase(),
    percentEncode,
    (one: string) => percentEncode(percentEncode(one)),
  ];
  return variants.find((variant) => variant(key) === text);
}
