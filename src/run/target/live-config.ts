/**
 * What a run against a live target keeps to: its file and its flags, checked and joined. Secrets stay in memory and are
 * never printed.
 */

import { X509Certificate } from 'node:crypto';
import type { Operation, PathVersions } from '../../../contracts/operations.ts';
import type { ProfileName } from '../../../contracts/profiles.ts';
import type { OwnTotals } from '../../plan/scenario.ts';
import type { Exchange } from '../../record/exchange.ts';
import type { MockCounters } from './control.ts';
import {
  type CredentialSources,
  examinePrivateKey,
  examineSecret,
  LiveCredentials,
  nameOf,
  readSource,
  type SecretSource,
} from './credentials.ts';
import { type DoctorFinding, ok, problem } from './examination.ts';

/** How much a run may do to the target. Nothing is allowed that has no number here. */
export interface Allowance {
  /** Number of close-days. */
  readonly 'closes-day': number;
  /** Number of payments, and their sum as decimal text with two decimals. */
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export const nothingAllowed: Allowance = { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } };

/** A recurring profile that may be charged, with the amount to charge as decimal text with two decimals. */
export interface ChargeableProfile {
  readonly id: string;
  readonly amount: string;
  /** What it charges at most where a row names no amount that can be read; without it no such row is sent. */
  readonly savedAmount?: string;
}

/** JSON of it holds where each secret is kept, and no secret. */
export interface LiveConfig {
  /** Absolute path of the file itself, behind all links; absent where there is none. */
  readonly path?: string;
  /** Absolute path of the folder of the ledgers, where it is not the user's own. */
  readonly ledger?: string;
  /** Absent where the file does not say; then nothing with an effect may be sent. */
  readonly environment?: 'integration' | 'production';
  /** `mock`, or the base URL without a slash at its end. */
  readonly target: string;
  readonly endpointId?: string;
  readonly credentials?: LiveCredentials;
  readonly recurring: readonly ChargeableProfile[];
  readonly allow: Allowance;
  /** Versions in the paths, where they are others than the interface document's. */
  readonly versions?: PathVersions;
  /** An endpoint that the target does not have: requests to it do nothing, even when accepted. */
  readonly unknownEndpointId?: string;
  /** Endpoints that are kept in a state. */
  readonly states: { readonly closing?: string; readonly locked?: string };
  readonly controlUrl?: string;
  /** The gateway's own totals at the endpoint, the same at each close-day of a run. */
  readonly totals?: OwnTotals;
  /** Number of gates of the endpoint. */
  readonly gates?: number;
  readonly profile?: ProfileName;
  /** Patterns of requirements that have to arise. */
  readonly require?: readonly string[];
  /** PEM text of the authority that the target's certificate comes from. */
  readonly ca?: string;
  /** Requests in a second at most; they go one at a time. */
  readonly rate: number;
  /** Milliseconds for one exchange, connecting included. */
  readonly deadlineMs: number;
  /** How many refusals of each operation are believed: what they are about counts as not done, although only the target says so. */
  readonly trustRefusals: number;
}

/** The same values as the schema's defaults (schemas/files/config.json). */
export const liveDefaults = { rate: 2, deadlineMs: 10_000, trustRefusals: 10 } as const;

/** Whether anything with an effect may be sent at all. */
export function allowsEffects(allow: Allowance): boolean {
  return allow['closes-day'] > 0 || allow['starts-payments'].count > 0;
}

/** The configuration without secrets: where they are kept is enough to open them again. */
export interface StoredConfig extends Omit<LiveConfig, 'credentials'> {
  /** Absent on loopback without a configuration: then it is the published test identity. */
  readonly credentials?: CredentialSources;
}

export interface LiveRun {
  readonly config: StoredConfig;
  /** Absolute path. */
  readonly ledger: string;
  /** Number of the process that holds the lock: when it is gone, nothing more is sent. */
  readonly holder: number;
  /** Seconds by which the target's clock is ahead of this machine's; undefined where it is not known. */
  readonly clockOffset?: number;
  /** Milliseconds after which the whole run is cut off. */
  readonly limitMs?: number;
  /** What was found before the first case and is in the report. */
  readonly notes?: readonly string[];
  /** Unsigned requests to the unknown endpoint that were accepted before the first case; `config` no longer names that endpoint. */
  readonly accepted?: readonly { readonly operation: Operation; readonly exchange: Exchange }[];
  /** What a mock with a control interface had counted before the first case. */
  readonly countersBefore?: MockCounters;
}

/** The configuration as it may be handed to another process. */
export function storedConfig({ credentials, ...rest }: LiveConfig): StoredConfig {
  return { ...rest, credentials: credentials?.sources };
}

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
