/** With what `countersign mock` knows its client, and the files that are enough to set up a client. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Consumer } from '../../mock/index.ts';
import type { CommandSurroundings } from '../surroundings.ts';

export interface IdentityOptions {
  readonly consumerKey?: string;
  readonly consumerSecretFile?: string;
  readonly publicKeyFile?: string;
  readonly tls?: true;
  readonly host: string;
}

/** By which name clients reach a gateway on this machine. */
export function hostOption(): Option {
  const what = 'name in base URL and certificate: localhost for clients that cannot verify an IP address';
  return new Option('--host <name>', what).choices(['127.0.0.1', 'localhost']).default('127.0.0.1');
}

export interface MockIdentity {
  readonly consumer: Consumer;
  readonly consumerSecretFile: string;
  /** Absent where the private key stays with the client. */
  readonly privateKeyFile?: string;
  /** Key and certificate of the server with the file of the authority that signed it; absent over plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly caFile: string };
  /** Whether a part of it is the published test identity. */
  readonly published: boolean;
  readonly remove: () => void;
}

/** What was given, and the published test identity for the rest of it. `remove` deletes the files that were written. */
export async function openIdentity(options: IdentityOptions, surroundings: CommandSurroundings): Promise<MockIdentity> {
  const { publishedIdentity } = await import('../../mock/index.ts');
  const { checkedConsumerKey, readPublicKeyFile, readSecretFile } = await import('./credentials.ts');
  const { writeIdentityFiles } = await import('./identity-files.ts');
  const { consumerSecretFile: secretPath, publicKeyFile: keyPath } = options;
  const remark = (sentence: string) => surroundings.err(`countersign: ${sentence}\n`);
  const consumer: Consumer = {
    consumerKey: checkedConsumerKey(options.consumerKey ?? publishedIdentity.consumerKey),
    consumerSecret:
      secretPath === undefined
        ? publishedIdentity.consumerSecret
        : await readSecretFile({ path: secretPath, option: '--consumer-secret-file' }, remark),
    publicKeyPem:
      keyPath === undefined
        ? publishedIdentity.publicKeyPem
        : await readPublicKeyFile({ path: keyPath, option: '--public-key-file' }, remark),
  };
  const certificates = options.tls ? await newCertificates(options.host) : undefined;
  const files = await writeIdentityFiles({
    ...(secretPath === undefined ? { 'consumer-secret.txt': publishedIdentity.consumerSecret } : {}),
    ...(keyPath === undefined ? { 'private-key.pem': publishedIdentity.privateKeyPem } : {}),
    ...(certificates === undefined ? {} : { 'ca.pem': certificates.authority }),
  });
  return {
    consumer,
    consumerSecretFile: secretPath === undefined ? files.path('consumer-secret.txt') : resolve(secretPath),
    ...(keyPath === undefined ? { privateKeyFile: files.path('private-key.pem') } : {}),
    tls: certificates && { ...certificates.server, caFile: files.path('ca.pem') },
    published: secretPath === undefined || keyPath === undefined,
    remove: files.remove,
  };
}

/** An authority of this process alone: whoever trusts it trusts no other mock. */
async function newCertificates(host: string) {
  const { newAuthority } = await import('../../mock/certificates.ts');
  const authority = newAuthority(Date.now());
  return {
    authority: authority.certificatePem,
    server: authority.issue({ names: [...new Set([host, '127.0.0.1', 'localhost', '::1'])] }),
  };
}
