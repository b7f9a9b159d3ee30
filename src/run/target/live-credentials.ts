/** The credentials of a live target: they sign, and whatever prints or stores the object gets where they are kept, never what they are. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { examinePrivateKey } from './private-key.ts';
import { examineSecret } from './secret.ts';
import { nameOf, readSource, type SecretSource } from './secret-source.ts';
import type { Credentials } from './target.ts';

/** Where the parts are kept: enough to open them again in another process. */
export interface CredentialSources {
  readonly consumerKey: string;
  readonly consumerSecret: SecretSource;
  readonly privateKey: SecretSource;
}

export class LiveCredentials implements Credentials {
  readonly consumerKey: string;
  readonly sources: CredentialSources;
  readonly #consumerSecret: string;
  readonly #privateKey: KeyObject;
  readonly #publicKeyPem: string;

  constructor(sources: CredentialSources, consumerSecret: string, privateKey: KeyObject) {
    this.consumerKey = sources.consumerKey;
    this.sources = sources;
    this.#consumerSecret = consumerSecret;
    this.#privateKey = privateKey;
    this.#publicKeyPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  }

  get consumerSecret(): string {
    return this.#consumerSecret;
  }

  get privateKey(): KeyObject {
    return this.#privateKey;
  }

  /** SPKI, PEM. */
  get publicKeyPem(): string {
    return this.#publicKeyPem;
  }

  toJSON(): CredentialSources {
    return this.sources;
  }

  [inspect.custom](): string {
    const { consumerKey, consumerSecret, privateKey } = this.sources;
    return `LiveCredentials { ${consumerKey}, secret in ${nameOf(consumerSecret)}, key in ${nameOf(privateKey)} }`;
  }
}

/**
 * Reads secret and key again in a process that got the sources as JSON. Throws Error where that which the command had read
 * is no longer there.
 */
export async function reopenCredentials(
  sources: CredentialSources,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LiveCredentials> {
  const [secret, key] = await Promise.all([
    readSource(sources.consumerSecret, env),
    readSource(sources.privateKey, env),
  ]);
  const consumerSecret =
    'bytes' in secret ? examineSecret(secret.bytes, nameOf(sources.consumerSecret)).secret : undefined;
  const privateKey = 'bytes' in key ? examinePrivateKey(key.bytes, nameOf(sources.privateKey)).privateKey : undefined;
  if (consumerSecret === undefined || privateKey === undefined) {
    const gone = consumerSecret === undefined ? sources.consumerSecret : sources.privateKey;
    throw new Error(`${nameOf(gone)} changed after the run had started`);
  }
  return new LiveCredentials(sources, consumerSecret, privateKey);
}
