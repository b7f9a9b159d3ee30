/** What a run against a live target keeps to: its file and its flags, checked and joined. */

import { X509Certificate } from 'node:crypto';
import type { Operation, PathVersions } from '../../../contracts/operations.ts';
import type { ProfileName } from '../../../contracts/profiles.ts';
import schema from '../../../schemas/files/config.json' with { type: 'json' };
import type { OwnTotals } from '../../plan/scenario.ts';
import type { Exchange } from '../../record/exchange.ts';
import type { MockCounters } from './control.ts';
import {
  type CredentialSources,
  type Credentials,
  type Environment,
  missing,
  nameOf,
  openCredentials,
  readSource,
  type SecretSource,
} from './credentials.ts';
import { type DoctorFinding, ok, problem } from './examination.ts';

/** How much a run may do to the target. Nothing is allowed that has no number here. */
export interface Allowance {
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

/** It says where each secret is kept, and holds none. */
export interface LiveConfig {
  /** Absolute path of the file itself, behind all links; absent where there is none. */
  readonly path?: string;
  /** Absolute path of the folder of the ledgers, where it is not the user's own. */
  readonly ledger?: string;
  /** Absent where the file does not say; then nothing with an effect may be sent. */
  readonly environment?: 'integration' | 'production';
  readonly target: string;
  readonly endpointId?: string;
  /** Where they are kept. Absent on loopback without a configuration: then it is the published test identity. */
  readonly credentials?: CredentialSources;
  readonly recurring: readonly ChargeableProfile[];
  readonly allow: Allowance;
  /** Versions in the paths, where they are others than the interface document's. */
  readonly versions?: PathVersions;
  /** An endpoint that the target does not have: requests to it do nothing, even when accepted. */
  readonly unknownEndpointId?: string;
  readonly states: { readonly closing?: string; readonly locked?: string };
  readonly controlUrl?: string;
  readonly totals?: OwnTotals;
  readonly gates?: number;
  readonly profile?: ProfileName;
  readonly require?: readonly string[];
  /** Absolute path of the file that has `ca`, until that is read. */
  readonly caFile?: string;
  /** PEM text of the authority that the target's certificate comes from. */
  readonly ca?: string;
  readonly rate: number;
  readonly deadlineMs: number;
  /** How many refusals of each operation are believed: what they are about counts as not done, although only the target says so. */
  readonly trustRefusals: number;
}

const { rate, 'deadline-ms': deadline, 'trust-refusals': trust } = schema.properties;
export const liveDefaults = { rate: rate.default, deadlineMs: deadline.default, trustRefusals: trust.default };

export function allowsEffects(allow: Allowance): boolean {
  return allow['closes-day'] > 0 || allow['starts-payments'].count > 0;
}

export interface LiveRun {
  readonly config: LiveConfig;
  readonly ledger: string;
  /** Number of the process that holds the lock: when it is gone, nothing more is sent. */
  readonly holder: number;
  /** Seconds by which the target's clock is ahead of this machine's; undefined where it is not known. */
  readonly clockOffset?: number;
  /** Milliseconds after which the whole run is cut off. */
  readonly limitMs?: number;
  readonly notes?: readonly string[];
  /** Unsigned requests to the unknown endpoint that were accepted before the first case; `config` no longer names that endpoint. */
  readonly accepted?: readonly { readonly operation: Operation; readonly exchange: Exchange }[];
  /** What a mock with a control interface had counted before the first case. */
  readonly countersBefore?: MockCounters;
}

/** The configuration with its authority, its credentials as far as they can be used, and findings. Never throws for a wrong file. */
export async function openConfig(
  { caFile, ...config }: LiveConfig,
  env: Environment,
): Promise<{ config: LiveConfig; credentials?: Credentials | undefined; findings: readonly DoctorFinding[] }> {
  const { credentials, findings } =
    config.credentials === undefined ? { findings: [] } : await openCredentials(config.credentials, env);
  if (caFile === undefined) return { config, credentials, findings };
  const { pem, finding } = await openAuthority({ file: caFile }, env);
  return { config: { ...config, ca: pem }, credentials, findings: [...findings, finding] };
}

async function openAuthority(
  source: SecretSource,
  env: Environment,
): Promise<{ pem?: string; finding: DoctorFinding }> {
  const found = await readSource(source, env);
  if ('unreadable' in found) return { finding: missing('ca', source, found) };
  const pem = Buffer.from(found.bytes).toString('utf8');
  try {
    const { subject } = new X509Certificate(pem);
    return { pem, finding: ok('ca')`${nameOf(source)} holds the authority ${subject.replaceAll('\n', ', ')}` };
  } catch {
    const finding = problem('ca/unreadable')`${nameOf(source)} holds no certificate in PEM
      A PEM file of a certificate starts with "-----BEGIN CERTIFICATE-----".`;
    return { finding };
  }
}
