/** The secrets that must not leave a run: those of a live target. The identities of mock and client runs are published. */
import type { KeyObject } from 'node:crypto';
import { publishedIdentities, publishedIdentity } from '../../mock/identity.ts';
import { type CredentialSources, reopenCredentials } from '../target/live-credentials.ts';
import { type Secret, secretKey, secretText } from './secret.ts';

/** The part of a run's options that says where its credentials are kept; absent where they are published. */
export interface RunSecrets {
  readonly live?: { readonly config: { readonly credentials?: CredentialSources } };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads them once more. Throws Error where what the run began with is no longer there: then it cannot be searched for. */
export async function secretsOf({ live }: RunSecrets, env: Environment): Promise<readonly Secret[]> {
  const sources = live?.config.credentials;
  return sources === undefined ? [] : secretsIn(await reopenCredentials(sources, env));
}

/** Those of given credentials; the same array as before where they are the same. */
export function secretsIn(credentials: {
  readonly consumerSecret?: string;
  readonly privateKey?: KeyObject;
}): readonly Secret[] {
  const { consumerSecret, privateKey } = credentials;
  const isLast = last?.consumerSecret === consumerSecret && isSameKey(last?.privateKey, privateKey);
  if (last !== undefined && isLast) return last.secrets;
  const secrets = [
    ...(consumerSecret === undefined || isPublishedSecret(consumerSecret)
      ? []
      : [secretText('the consumer secret', consumerSecret)]),
    ...(privateKey === undefined || isPublishedKey(privateKey) ? [] : [secretKey('the private key', privateKey)]),
  ];
  last = { consumerSecret, privateKey, secrets };
  return secrets;
}

/** Doctor, run and search each ask for those of one target, and a key has twenty thousand forms: they are made once. */
let last:
  | { readonly consumerSecret?: string; readonly privateKey?: KeyObject; readonly secrets: readonly Secret[] }
  | undefined;

function isSameKey(one: KeyObject | undefined, other: KeyObject | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && one.equals(other));
}

function isPublishedSecret(secret: string): boolean {
  return publishedIdentities.some(({ consumerSecret }) => consumerSecret === secret);
}

function isPublishedKey(key: KeyObject): boolean {
  return key.export({ type: 'pkcs8', format: 'pem' }) === publishedIdentity.privateKeyPem;
}
