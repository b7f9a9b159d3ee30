/** The settings of a live run: allowance, configuration, and credentials with their checks. */
import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Operation, PathVersions } from '../../../contracts/operations.ts';
import type { ProfileName } from '../../../contracts/profiles.ts';
import schema from '../../../schemas/files/config.json' with { type: 'json' };
import type { TargetTotals } from '../../plan/scenario.ts';
import { parseKey } from '../../protocol/keys.ts';
import { readRegularFile } from '../../record/disk/files.ts';
import { errorTag } from '../../record/errors.ts';
import type { Exchange } from '../../record/exchange.ts';

/** The maximum effects of a run. */
export interface Allowance {
  readonly 'closes-day': number;
  /** Number of payments, and their total with two decimals. */
  readonly 'starts-payments': { readonly count: number; readonly total: string };
}

export const nothingAllowed: Allowance = { 'closes-day': 0, 'starts-payments': { count: 0, total: '0.00' } };

/** The configuration of a live target. It names where each secret is stored, and has no secret itself. */
export interface LiveConfig {
  /** Absolute path of the configuration file, with symbolic links resolved. Absent if there is no file. */
  readonly path?: string;
  /** Absolute path of the ledger folder, if it is not the default folder of the user. */
  readonly ledger?: string;
  /** Requests with an effect are sent only to `integration`. */
  readonly environment?: 'integration' | 'production';
  readonly target: string;
  readonly endpointId?: string;
  /** Absent for a target on loopback without a configuration. Such a run uses the published test identity. */
  readonly credentials?: CredentialSources;
  readonly recurring: readonly {
    readonly id: string;
    /** Maximum amount of a payment, with two decimals. */
    readonly amount: string;
    /** Maximum charge for a CSV row without a readable amount. If absent, the run sends no such row. */
    readonly savedAmount?: string;
  }[];
  readonly allow: Allowance;
  /** Versions in the paths, if they differ from the interface document. */
  readonly versions?: PathVersions;
  /** An endpoint id that the gateway must not know, so that requests to it have no effect. */
  readonly unknownEndpointId?: string;
  readonly states: { readonly closing?: string; readonly locked?: string };
  readonly controlUrl?: string;
  readonly totals?: TargetTotals;
  readonly gates?: number;
  readonly profile?: ProfileName;
  readonly require?: readonly string[];
  /** Absolute path of the PEM file for `ca`. `openConfig` reads the file and removes this member. */
  readonly caFile?: string;
  /** Certificate, in PEM, of the authority that issued the certificate of the target. */
  readonly ca?: string;
  readonly rate: number;
  readonly deadlineMs: number;
  /** The run trusts this number of refusals of each operation. A further refused request counts as an effect. */
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
  /** Id of the process that locked the ledger. If that process ends, the run sends nothing more. */
  readonly holder: number;
  /** Seconds by which the target's clock is ahead of this machine's. Undefined if unknown. */
  readonly clockOffset?: number;
  /** Milliseconds after which the run is stopped. */
  readonly limitMs?: number;
  readonly notes?: readonly string[];
  /** Unsigned requests of doctor to `unknownEndpointId` that were accepted. If set, `config` lacks this id. */
  readonly accepted?: readonly { readonly operation: Operation; readonly exchange: Exchange }[];
  /** Effects that the mock had counted before the first case. Absent if the target has no control interface. */
  readonly countersBefore?: {
    readonly closedDays: number;
    readonly startedPayments: number;
    readonly totalAmount: string;
  };
}

/** Reads the certificate authority and the credentials. Unusable files or variables become findings. */
export async function openConfig({ caFile, ...config }: LiveConfig, env: NodeJS.ProcessEnv) {
  const { credentials, findings } =
    config.credentials === undefined ? { findings: [] } : await openCredentials(config.credentials, env);
  if (caFile === undefined) return { config, credentials, findings };
  const authority = await examineSource('ca', { file: caFile }, env, examineAuthority);
  return { config: { ...config, ca: authority.pem }, credentials, findings: [...findings, ...authority.findings] };
}

interface Examination {
  readonly findings: readonly DoctorFinding[];
  readonly pem?: string;
  readonly secret?: string;
  readonly privateKey?: KeyObject;
}

async function examineSource(
  id: string,
  source: SecretSource,
  env: NodeJS.ProcessEnv,
  examine: (bytes: Uint8Array, name: string) => Examination,
): Promise<Examination> {
  const found = await readSource(source, env);
  if ('bytes' in found) return examine(found.bytes, nameOf(source));
  const missing = problem(`${id}/missing`)`${nameOf(source)} ${found.unreadable}
    Check the path in the configuration. It is relative to the folder of the configuration.`;
  return { findings: [missing] };
}

type SourceContent = { readonly bytes: Uint8Array } | { readonly unreadable: string };

async function readSource(source: SecretSource, env: NodeJS.ProcessEnv): Promise<SourceContent> {
  if ('file' in source) return readRegularFile(source.file, maxBytes);
  const value = env[source.variable];
  return value === undefined ? { unreadable: 'is not set' } : { bytes: Buffer.from(value, 'utf8') };
}

function examineAuthority(bytes: Uint8Array, name: string): Examination {
  const pem = Buffer.from(bytes).toString('utf8');
  try {
    const subject = new X509Certificate(pem).subject.replaceAll('\n', ', ');
    return { pem, findings: [ok('ca')`${name} holds the authority ${subject}`] };
  } catch {
    const unreadable = problem('ca/unreadable')`${name} has no PEM certificate
      A PEM certificate starts with "-----BEGIN CERTIFICATE-----".`;
    return { findings: [unreadable] };
  }
}

export interface Credentials {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly privateKey: KeyObject;
  /** The public key that belongs to `privateKey`, as SPKI in PEM. */
  readonly publicKeyPem: string;
}

/** The consumer key, and the files or environment variables that hold the secrets. */
type CredentialSources = { readonly consumerKey: string } & Record<'consumerSecret' | 'privateKey', SecretSource>;

async function openCredentials({ consumerKey, ...sources }: CredentialSources, env: NodeJS.ProcessEnv) {
  const { secret: consumerSecret, ...secretResult } = await examineSource(
    'secret',
    sources.consumerSecret,
    env,
    examineSecret,
  );
  const { privateKey, ...keyResult } = await examineSource('private-key', sources.privateKey, env, examinePrivateKey);
  const findings = [...secretResult.findings, ...keyResult.findings];
  if (consumerSecret === undefined) return { unusable: sources.consumerSecret, findings };
  if (privateKey === undefined) return { unusable: sources.privateKey, findings };
  const publicKeyPem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return { credentials: { consumerKey, consumerSecret, privateKey, publicKeyPem }, findings };
}

/** Throws Error if a file or variable no longer has usable credentials. */
export async function reopenCredentials(sources: CredentialSources, env: NodeJS.ProcessEnv): Promise<Credentials> {
  const { credentials, unusable } = await openCredentials(sources, env);
  if (credentials !== undefined) return credentials;
  throw new Error(`${nameOf(unusable!)} changed after the run had started`);
}

/** An absolute path, or the name of an environment variable. Messages may show the path or the name. */
type SecretSource = { readonly file: string } | { readonly variable: string };

/** Keys and secrets are much shorter. So a larger file is the wrong file. */
const maxBytes = 64 * 1024;

function nameOf(source: SecretSource): string {
  return 'variable' in source ? `the environment variable ${source.variable}` : `the file ${source.file}`;
}

/** In characters. With a longer secret, an autopsy would take minutes: it tries thousands of ways to sign. */
const maxSecretLength = 1024;

/** `name`: the source, such as `the file x`. Returns no `secret` if it is unusable. Findings never quote it. */
export function examineSecret(bytes: Uint8Array, name: string, minLength = 16): Examination {
  const text = Buffer.from(bytes).toString('utf8');
  const unmarked = text.replace(/^\uFEFF/, '');
  const secret = unmarked.replace(/\r?\n$/, '');
  const wrong = secretProblem(bytes, secret, name, minLength);
  if (wrong !== undefined) return { findings: [wrong] };
  const encoding = encodingOf(secret);
  const remarks = [
    unmarked !== text &&
      remark('secret/byte-order-mark')`the byte-order mark at the start of ${name} was ignored
        Other programs may read it as part of the secret: save the file without it.`,
    secret !== unmarked && remark('secret/line-end')`the line end at the end of ${name} was ignored`,
    /^(["'`]).*\1$/.test(secret) &&
      problem('secret/quotes')`the secret in ${name} is in quotes, which count as part of the secret
        Remove the quotes, unless they belong to the secret.`,
    secret !== secret.trim() &&
      problem('secret/spaces')`
        the secret in ${name} starts or ends with blanks, which count as part of the secret
        Remove the blanks, unless they belong to the secret.`,
    encoding !== undefined &&
      remark('secret/encoded')`the secret in ${name} looks like the ${encoding} form of a text
        The secret is used unchanged. If it was issued in encoded form, replace it with the decoded text.`,
  ];
  const findings = remarks.filter((finding) => finding !== false);
  const hasProblem = findings.some(({ status }) => status === 'problem');
  return { secret, findings: hasProblem ? findings : [ok('secret')`${name} holds a plausible secret`, ...findings] };
}

/** Findings to ignore if the gateway accepts the signatures, because then the secret is correct. */
export const doubtIds: ReadonlySet<string> = new Set(['secret/quotes', 'secret/spaces']);

function secretProblem(bytes: Uint8Array, secret: string, name: string, minLength: number): DoctorFinding | undefined {
  if (!isUtf8(bytes)) {
    return problem('secret/encoding')`${name} is not UTF-8 text
      Save it as plain UTF-8 text that has only the secret.`;
  }
  if (secret.trim() === '' && minLength > 0) {
    return problem('secret/empty')`${name} is empty
      Store the consumer secret there.`;
  }
  if (secret.includes('-----BEGIN ')) {
    return problem('secret/key')`${name} has a key or a certificate, not a secret
      The secret for HMAC-SHA1 is a text that the operator of the gateway issues with the consumer key.`;
  }
  if (/\p{Cc}/u.test(secret)) {
    return problem('secret/lines')`${name} has more than one line, or control characters
      It must have only the consumer secret. One line end after it is allowed.`;
  }
  if ([...secret].length < minLength) {
    return problem('secret/short')`${name} has a secret of fewer than ${minLength} characters
      Check whether the secret was cut off. If not, ask for a longer secret, because a short secret can be guessed.`;
  }
  if (secret.length <= maxSecretLength) return undefined;
  return problem('secret/long')`${name} has a secret of more than ${maxSecretLength} characters
    This cannot be the consumer secret: name the file that has the consumer secret.`;
}

/** Guesses the encoding. Hex and base64 count only if the decoded text is readable: random text may look encoded. */
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

function examinePrivateKey(bytes: Uint8Array, name: string): Examination {
  const examination = parseKey(bytes, 'private');
  if ('problem' in examination) {
    const { id, what, hint } = examination.problem;
    const unusable = problem(`private-key/${id}`)`${name} ${what}
      ${hint}`;
    return { findings: [unusable] };
  }
  const { key: privateKey, form, remarks } = examination;
  const bits = privateKey.asymmetricKeyDetails?.modulusLength;
  // The fingerprint is the output of `openssl pkey -pubout -outform DER | sha256sum`.
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const fingerprint = createHash('sha256').update(spki).digest('hex');
  const keyFinding = ok('private-key')`
    ${name} holds an RSA key of ${bits} bits (${form}); its public half has the SHA-256 ${fingerprint}`;
  const others = remarks.map(
    ({ id, what, hint }) => remark(`private-key/${id}`)`${name} ${what}; it was read
      ${hint ?? ''}`,
  );
  return { privateKey, findings: [keyFinding, ...others] };
}

export interface DoctorFinding {
  /** An id for programs, such as `tls/expired`. It never changes. */
  readonly id: string;
  /** A `problem` makes a run fail, a `remark` does not. `unchecked` means that doctor could not check this point. */
  readonly status: 'ok' | 'problem' | 'unchecked' | 'remark';
  /** One sentence without a full stop and without secrets. */
  readonly what: string;
  /** Sentences with full stops. */
  readonly hint?: string;
}

const finding = (status: DoctorFinding['status']) => (id: string) =>
  errorTag((what, hint): DoctorFinding => ({ id, status, what, ...(hint !== '' && { hint }) }));

export const [ok, problem] = [finding('ok'), finding('problem')];
export const [unchecked, remark] = [finding('unchecked'), finding('remark')];
