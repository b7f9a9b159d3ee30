/** The keys that recorded signatures are verified with: those of the flags, and the published ones where nothing else was given. */
import { headerValues } from '../exchange/exchange.ts';
import { parseAuthorization, readPublicKey, type VerifyingKey } from '../protocol/index.ts';
import type { KnownKeys } from '../run/client/client-evidence.ts';
import { publishedKeys } from '../run/client/published-keys.ts';
import type { Recording } from '../run/judge/recording.ts';
import { type Remark, readPublicKeyFile, readSecretFile } from './credentials.ts';

export interface GivenKeys {
  readonly consumerKey?: string;
  readonly consumerSecretFile?: string;
  readonly publicKeyFile?: string;
}

/** Throws UsageError for a file that is not what it is given for. */
export async function judgingKeys(
  { consumerKey, consumerSecretFile, publicKeyFile }: GivenKeys,
  recordings: readonly Recording[],
  remark: Remark,
): Promise<KnownKeys> {
  const keys: VerifyingKey[] = [];
  if (consumerSecretFile !== undefined) {
    const file = { path: consumerSecretFile, option: '--consumer-secret-file' };
    keys.push({ method: 'HMAC-SHA1', consumerSecret: await readSecretFile(file, remark) });
  }
  if (publicKeyFile !== undefined) {
    const pem = await readPublicKeyFile({ path: publicKeyFile, option: '--public-key-file' });
    keys.push({ method: 'RSA-SHA256', publicKey: readPublicKey(pem) });
  }
  if (keys.length === 0) {
    const known = consumerKeysOf(recordings).some((key) => publishedKeys(key) !== undefined);
    return { hasKeys: known, keysOf: known ? publishedKeys : () => undefined };
  }
  // Without --consumer-key nobody knows which one was issued: the keys are tried for whatever key a request names.
  return {
    hasKeys: true,
    keysOf: (named) => (consumerKey === undefined || named === consumerKey ? keys : publishedKeys(named)),
  };
}

function consumerKeysOf(recordings: readonly Recording[]): string[] {
  const requests = recordings.flatMap(({ client }) => client.calls.flatMap(({ wire }) => wire));
  return requests.flatMap(({ request }) =>
    headerValues(request.headers, 'authorization').flatMap((value) => {
      try {
        return parseAuthorization(value)
          .parameters.filter(([name]) => name === 'oauth_consumer_key')
          .map(([, key]) => key);
      } catch {
        return [];
      }
    }),
  );
}
