/** Opens what a configuration only names - secret, key, authority - and says of each what it is. */
import { X509Certificate } from 'node:crypto';
import { type DoctorFinding, ok, problem } from './examination.ts';
import type { LiveConfig } from './live-config.ts';
import { type CredentialSources, LiveCredentials } from './live-credentials.ts';
import { examinePrivateKey } from './private-key.ts';
import { examineSecret } from './secret.ts';
import { nameOf, readSource, type SecretSource } from './secret-source.ts';

/** A configuration read from its file: files and variables are named in it, and not opened. */
export interface UnopenedConfig extends Omit<LiveConfig, 'credentials' | 'ca'> {
  readonly credentials?: CredentialSources;
  /** Absolute path. */
  readonly caFile?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration without those parts that cannot be used, and findings on all of them. Never throws for a wrong file. */
export async function openConfig(
  { credentials, caFile, ...rest }: UnopenedConfig,
  env: Environment,
): Promise<{ config: LiveConfig; findings: readonly DoctorFinding[] }> {
  const opened = credentials === undefined ? undefined : await openCredentials(credentials, env);
  const authority = caFile === undefined ? undefined : await openAuthority({ file: caFile }, env);
  const config: LiveConfig = {
    ...rest,
    credentials: opened?.credentials,
    ca: authority?.pem,
  };
  return { config, findings: [...(opened?.findings ?? []), ...(authority === undefined ? [] : [authority.finding])] };
}

async function openCredentials(sources: CredentialSources, env: Environment) {
  const { consumerSecret, privateKey } = sources;
  const [secret, key] = [await readSource(consumerSecret, env), await readSource(privateKey, env)];
  const examinedSecret =
    'bytes' in secret
      ? examineSecret(secret.bytes, nameOf(consumerSecret))
      : { findings: [unreadable('secret', consumerSecret, secret.unreadable)] };
  const examinedKey =
    'bytes' in key
      ? examinePrivateKey(key.bytes, nameOf(privateKey))
      : { findings: [unreadable('private-key', privateKey, key.unreadable)] };
  const usable = 'secret' in examinedSecret && 'privateKey' in examinedKey;
  return {
    findings: [...examinedSecret.findings, ...examinedKey.findings],
    ...(usable && examinedSecret.secret !== undefined && examinedKey.privateKey !== undefined
      ? { credentials: new LiveCredentials(sources, examinedSecret.secret, examinedKey.privateKey) }
      : {}),
  };
}

async function openAuthority(
  source: SecretSource,
  env: Environment,
): Promise<{ pem?: string; finding: DoctorFinding }> {
  const found = await readSource(source, env);
  if ('unreadable' in found) return { finding: unreadable('ca', source, found.unreadable) };
  const pem = Buffer.from(found.bytes).toString('utf8');
  try {
    const { subject } = new X509Certificate(pem);
    return { pem, finding: ok('ca', `${nameOf(source)} holds the authority ${subject.replaceAll('\n', ', ')}`) };
  } catch {
    const hint = 'A PEM file of a certificate starts with "-----BEGIN CERTIFICATE-----".';
    return { finding: problem('ca/unreadable', `${nameOf(source)} holds no certificate in PEM`, hint) };
  }
}

function unreadable(id: string, source: SecretSource, why: string): DoctorFinding {
  return problem(
    `${id}/missing`,
    `${nameOf(source)} ${why}`,
    'Check the path in the configuration; it counts from the folder that the configuration is in.',
  );
}
