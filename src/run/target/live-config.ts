/** What a run against a live target keeps to, and its credentials: where they are kept, and whether what is kept there is plausible. */
import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Operation, PathVersions } from '../../../contracts/operations.ts';
import type { ProfileName } from '../../../contracts/profiles.ts';
import schema from '../../../schemas/files/config.json' with { type: 'json' };
import type { OwnTotals } from '../../plan/scenario.ts';
import { examineKey } from '../../protocol/keys.ts';
import { readRegularFile, type Unreadable } from '../../record/disk/files.ts';
import type { Exchange } from '../../record/exchange.ts';
import type { MockCounters } from './control.ts';
import { type DoctorFinding, ok, problem, remark } from './examination.ts';

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

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Credentials {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly privateKey: KeyObject;
  /** SPKI PEM of the same key, for the second voice. */
  readonly publicKeyPem: string;
}

/** Where the parts are kept: enough to open them again in another process. */
export interface CredentialSources {
  readonly consumerKey: string;
  readonly consumerSecret: SecretSource;
  readonly privateKey: SecretSource;
}

/** Secret and key, where both can be used, and findings on them. Never throws for a wrong file. */
async function openCredentials(
  { consumerKey, ...sources }: CredentialSources,
  env: Environment,
): Promise<{ credentials?: Credentials; unusable?: SecretSource; findings: readonly DoctorFinding[] }> {
  const [secret, key] = [await readSource(sources.consumerSecret, env), await readSource(sources.privateKey, env)];
  const { secret: consumerSecret, ...ofSecret } =
    'bytes' in secret
      ? examineSecret(secret.bytes, nameOf(sources.consumerSecret))
      : { findings: [missing('secret', sources.consumerSecret, secret)] };
  const { privateKey, ...ofKey } =
    'bytes' in key
      ? examinePrivateKey(key.bytes, nameOf(sources.privateKey))
      : { findings: [missing('private-key', sources.privateKey, key)] };
  const findings = [...ofSecret.findings, ...ofKey.findings];
  if (consumerSecret === undefined) return { unusable: sources.consumerSecret, findings };
  if (privateKey === undefined) return { unusable: sources.privateKey, findings };
  const publicKeyPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return { credentials: { consumerKey, consumerSecret, privateKey, publicKeyPem }, findings };
}

function missing(id: string, source: SecretSource, { unreadable }: Unreadable): DoctorFinding {
  return problem(`${id}/missing`)`${nameOf(source)} ${unreadable}
    Check the path in the configuration; it counts from the folder that the configuration is in.`;
}

/** Reads them once more. Throws Error where that which the command had read is no longer there. */
export async function reopenCredentials(sources: CredentialSources, env: Environment): Promise<Credentials> {
  const { credentials, unusable } = await openCredentials(sources, env);
  if (credentials !== undefined) return credentials;
  throw new Error(`${nameOf(unusable!)} changed after the run had started`);
}

/** A file by its absolute path, or an environment variable by its name. Neither is a secret. */
export type SecretSource = { readonly file: string } | { readonly variable: string };

/** What was found at a source; `unreadable` completes a sentence such as "the secret file x does not exist". */
type SourceContent = { readonly bytes: Uint8Array } | Unreadable;

/** No key or secret is longer; a bigger file was given by mistake. */
const largestBytes = 64 * 1024;

async function readSource(source: SecretSource, env: Environment): Promise<SourceContent> {
  if ('variable' in source) {
    const value = env[source.variable];
    return value === undefined
      ? { unreadable: 'is not set', because: 'failed' }
      : { bytes: Buffer.from(value, 'utf8') };
  }
  return readRegularFile(source.file, largestBytes);
}

function nameOf(source: SecretSource): string {
  return 'variable' in source ? `the environment variable ${source.variable}` : `the file ${source.file}`;
}

const shortestSecret = 16;

/** A longer one costs an autopsy minutes: it tries thousands of ways to sign. */
const longestSecret = 1024;

interface ExaminedSecret {
  /** The secret without one line end and a byte-order mark; undefined where a problem makes it useless. */
  readonly secret?: string;
  readonly findings: readonly DoctorFinding[];
}

/** `name` is what the secret is kept in, such as `the file secret.txt`. No finding quotes the secret. */
export function examineSecret(bytes: Uint8Array, name: string, shortest = shortestSecret): ExaminedSecret {
  const text = decoded(bytes);
  if (text === undefined) {
    const finding = problem('secret/encoding')`${name} is not UTF-8 text
      Save it as plain UTF-8 text, with nothing but the secret.`;
    return { findings: [finding] };
  }
  const unmarked = text.replace(/^\uFEFF/, '');
  const secret = unmarked.replace(/\r?\n$/, '');
  const wrong = unusable(secret, name, shortest);
  if (wrong !== undefined) return { findings: [wrong] };
  const mark = remark('secret/byte-order-mark')`the byte-order mark at the start of ${name} was left out
    Other programs may take it for a part of the secret: save the file without it.`;
  const findings = [
    ...(unmarked === text ? [] : [mark]),
    ...(secret === unmarked ? [] : [remark('secret/line-end')`the line end at the end of ${name} was left out`]),
    ...suspicions(secret, name),
  ];
  const doubtful = findings.some(({ status }) => status === 'problem');
  return { secret, findings: doubtful ? findings : [ok('secret')`${name} holds a plausible secret`, ...findings] };
}

/** Findings about a right secret that only looks wrong; a gateway that accepts its signatures has the last word. */
export const onlyDoubts: ReadonlySet<string> = new Set(['secret/quotes', 'secret/spaces']);

function unusable(secret: string, name: string, shortest: number): DoctorFinding | undefined {
  if (secret.trim() === '' && shortest > 0) {
    return problem('secret/empty')`${name} is empty
      Put the consumer secret into it.`;
  }
  if (secret.includes('-----BEGIN ')) {
    return problem('secret/key')`${name} holds a key or a certificate
      The secret of HMAC-SHA1 is a text that the operator of the gateway issues together with the consumer key.`;
  }
  if (/\p{Cc}/u.test(secret)) {
    return problem('secret/lines')`${name} holds more than one line, or control characters
      It has to hold the consumer secret and nothing else; one line end at its end does no harm.`;
  }
  if ([...secret].length < shortest) {
    return problem('secret/short')`${name} holds a secret of fewer than ${shortest} characters
      Check whether it was cut off; if not, ask for a longer one: this one can be guessed.`;
  }
  if (secret.length <= longestSecret) return undefined;
  return problem('secret/long')`${name} holds a secret of more than ${longestSecret} characters
    Name the file with the consumer secret: this one is something else.`;
}

function suspicions(secret: string, name: string): DoctorFinding[] {
  const encoding = encodingOf(secret);
  const quotes = problem('secret/quotes')`the secret in ${name} is in quotes, which are signed as a part of it
    Remove the quotes, unless they belong to the secret.`;
  const blanks = problem('secret/spaces')`
    the secret in ${name} starts or ends with blanks, which are signed as a part of it
    Remove them, unless they belong to the secret.`;
  const encoded = remark('secret/encoded')`the secret in ${name} looks like the ${encoding} form of a text
    It is used unchanged. If it was handed over in encoded form, put the decoded text in its place.`;
  return [
    ...(/^(["'`]).*\1$/.test(secret) ? [quotes] : []),
    ...(secret === secret.trim() ? [] : [blanks]),
    ...(encoding === undefined ? [] : [encoded]),
  ];
}

/** Only where decoding gives readable text: random letters are base64 and hexadecimal by chance. */
function encodingOf(secret: string): string | undefined {
  if (/%[0-9A-Fa-f]{2}/.test(secret)) return 'percent-encoded';
  if (/^(?:[0-9a-f]{2}){8,}$/i.test(secret)) {
    return isReadable(Buffer.from(secret, 'hex')) ? 'hexadecimal' : undefined;
  }
  const base64 = /^[A-Za-z0-9+/]{14,}={0,2}$/.test(secret) && secret.length % 4 === 0;
  return base64 && isReadable(Buffer.from(secret, 'base64')) ? 'base64' : undefined;
}

function isReadable(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** A byte-order mark is kept, so that it can be spoken of. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface ExaminedKey {
  readonly privateKey?: KeyObject;
  readonly findings: readonly DoctorFinding[];
}

/** `name` is what the key is kept in, such as `the file key.pem`. No finding quotes it. */
export function examinePrivateKey(bytes: Uint8Array, name: string): ExaminedKey {
  const examined = examineKey(bytes, 'private');
  if ('problem' in examined) {
    const { id, what, hint } = examined.problem;
    const finding = problem(`private-key/${id}`)`${name} ${what}
      ${hint}`;
    return { findings: [finding] };
  }
  const { key: privateKey, form, remarks } = examined;
  const bits = privateKey.asymmetricKeyDetails?.modulusLength;
  const held = ok(
    'private-key',
  )`${name} holds an RSA key of ${bits} bits (${form}); its public half has the SHA-256 ${fingerprint(privateKey)}`;
  const told = remarks.map(
    ({ id, what, hint }) => remark(`private-key/${id}`)`${name} ${what}; it was read
      ${hint ?? ''}`,
  );
  return { privateKey, findings: [held, ...told] };
}

/** Of the public half as SPKI: what `openssl pkey -pubout -outform DER | sha256sum` prints of the key. */
function fingerprint(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest('hex');
}
