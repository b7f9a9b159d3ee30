/** The keys that recorded signatures are verified with: those of the flags, and the published ones where nothing else was given. */
import type { KeyObject } from 'node:crypto';
import { consumerKeysOf, strangeConsumerKey } from '../../extras/rekey/original-keys.ts';
import { readPublicKey, type VerifyingKey } from '../../protocol/index.ts';
import { publishedKeys } from '../../run/target/published.ts';
import type { KnownKeys } from '../../verdict/client/client-evidence.ts';
import type { Recording, Side } from '../../verdict/recordings/recording.ts';
import { checkedConsumerKey, readPublicKeyFile, readSecretFile, type SayRemark } from './credentials.ts';

export interface GivenKeys {
  readonly consumerKey?: string;
  readonly consumerSecretFile?: string;
  readonly publicKeyFile?: string;
}

/** What the files hold; a member is absent where no file was named. */
export interface ReadKeys {
  readonly consumerSecret?: string;
  readonly publicKey?: KeyObject;
}

/** Throws UsageError for a file that is not what it is given for, and for a consumer key that can be none. */
export async function readGivenKeys(
  { consumerKey, consumerSecretFile, publicKeyFile }: GivenKeys,
  remark: SayRemark,
  { recordings, side }: { readonly recordings: readonly Recording[]; readonly side: Side },
): Promise<ReadKeys> {
  if (consumerKey !== undefined) checkedConsumerKey(consumerKey);
  const strange = strangeConsumerKey(consumerKey, recordings, side);
  if (strange !== undefined) remark(strange);
  const secret = consumerSecretFile && { path: consumerSecretFile, option: '--consumer-secret-file' };
  const key = publicKeyFile && { path: publicKeyFile, option: '--public-key-file' };
  return {
    ...(secret ? { consumerSecret: await readSecretFile(secret, remark) } : {}),
    ...(key ? { publicKey: readPublicKey(await readPublicKeyFile(key, remark)) } : {}),
  };
}

/** The keys of the files for the consumer key of the flags, and the published ones where no file was named. */
export function judgingKeys(
  { consumerSecret, publicKey }: ReadKeys,
  consumerKey: string | undefined,
  recordings: readonly Recording[],
): KnownKeys {
  const keys: VerifyingKey[] = [
    ...(consumerSecret === undefined ? [] : [{ method: 'HMAC-SHA1', consumerSecret } as const]),
    ...(publicKey === undefined ? [] : [{ method: 'RSA-SHA256', publicKey } as const]),
  ];
  if (keys.length === 0) {
    const known = hasPublishedKey(recordings);
    return { hasKeys: known, keysOf: known ? publishedKeys : () => undefined };
  }
  // Without --consumer-key it is not known which one was issued: the keys are tried for whatever key a request names.
  return {
    hasKeys: true,
    keysOf: (named) => (consumerKey === undefined || named === consumerKey ? keys : publishedKeys(named)),
  };
}

function hasPublishedKey(recordings: readonly Recording[]): boolean {
  for (const key of consumerKeysOf(recordings)) if (publishedKeys(key) !== undefined) return true;
  return false;
}
