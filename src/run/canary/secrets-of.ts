/** The secrets that must not leave a run: those of a live target. The identities of mock and client runs are published. */
import type { KeyObject } from 'node:crypto';
import { publishedIdentity, reservedIdentity } from '../../mock/identity.ts';
import { type Secret, secretKey, secretText } from '../../redaction/secret.ts';
import { type CredentialSources, LiveCredentials, reopenCredentials } from '../live-credentials.ts';

/** Where the run's credentials are kept, as JSON has it; absent where they are published. */
export interface RunSecrets {
  readonly live?: { readonly credentials?: CredentialSources | LiveCredentials };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads them once more where only their places are known. Throws Error where what the run began with is no longer there. */
export async function secretsOf({ live }: RunSecrets, env: Environment): Promise<readonly Secret[]> {
  const credentials = live?.credentials;
  if (credentials === undefined) return [];
  return secretsIn(credentials instanceof LiveCredentials ? credentials : await reopenCredentials(credentials, env));
}

/** Those of given credentials. */
export function secretsIn(credentials: {
  readonly consumerSecret?: string;
  readonly privateKey?: KeyObject;
}): readonly Secret[] {
  const { consumerSecret, privateKey } = credentials;
  return [
    ...(consumerSecret === undefined || isPublishedSecret(consumerSecret)
      ? []
      : [secretText('the consumer secret', consumerSecret)]),
    ...(privateKey === undefined || isPublishedKey(privateKey) ? [] : [secretKey('the private key', privateKey)]),
  ];
}

function isPublishedSecret(secret: string): boolean {
  return [publishedIdentity, reservedIdentity].some(({ consumerSecret }) => consumerSecret === secret);
}

function isPublishedKey(key: KeyObject): boolean {
  return key.export({ type: 'pkcs8', format: 'pem' }) === publishedIdentity.privateKeyPem;
}
